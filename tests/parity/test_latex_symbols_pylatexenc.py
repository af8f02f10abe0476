"""Every macro that stands for one sign in pylatexenc's tables says one here, too."""

from __future__ import annotations

from pylatexenc.latex2text import get_default_latex_context_db

from pincite.parsing.latex.symbols import ACCENTS, SYMBOLS, plain_text

#: Names that authors give to macros of their own, or that no LaTeX package has.
OTHER = frozenset(
    """
    Angle DownArrowUpArrow Equal Ident NestedGreaterGreater NestedLessLess RoundImplies
    allequal approxnotequal aquarius aries arrowwaveleft arrowwaveright between cancer
    capricornus clockoint clwintegral dblarrowupdown downslopeellipsis eighthnote estimates
    eth forcesextra gemini greaterequivlnt hermitconjmatrix homothetic id image jupiter
    lazysinv leo lessequivlnt libra male mercury neptune nolinebreak notgreaterless
    notlessgreater openbracketleft openbracketright original perspcorrespond pisces pluto
    precedesnotsimilar quarternote recorder rightanglearc rightmoon sagittarius saturn scorpio
    sqrint starequal surfintegral taurus tildetrpl truestate upslopeellipsis uranus
    varperspcorrespond venus verymuchgreater verymuchless virgo volintegral
    """.split()
)


def test_no_sign_is_lost():
    specs = get_default_latex_context_db().iter_macro_specs()
    signs = {
        spec.macroname
        for spec in specs
        if isinstance(spec.simplify_repl, str)
        and len(spec.simplify_repl) == 1
        and not spec.simplify_repl.isspace()
        and spec.macroname.isalpha()
        and not spec.macroname.endswith(("Bar", "Vector", "Equilibrium", "Delayed"))
    }
    assert len(signs) > 400
    assert signs - OTHER - ACCENTS.keys() - SYMBOLS.keys() == set()


def test_signs_of_formulas_are_kept():
    assert "⊙" in plain_text(r"a mass of $M_\odot$")
    assert "≍" in plain_text(r"$a \asymp b$")
