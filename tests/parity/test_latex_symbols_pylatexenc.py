r"""Signs that are common are as in pylatexenc's tables, unless a reader sees them differently."""

import unicodedata

from pylatexenc.latex2text import get_default_latex_context_db

from pincite.parsing.latex import symbols as signs
from pincite.parsing.latex.symbols import plain_text

#: Ours are other characters: variants that a search should find, and texts of several letters.
DIFFERENT = frozenset(
    """
    IJ ij leqslant geqslant longrightarrow mapsto Longrightarrow cdots vdots setminus ast bullet
    circ prime textasciicircum textperiodcentered epsilon phi textphi varkappa varpi varrho varsigma
    vartheta textcompwordmark textvisiblespace
    """.split()
)


def theirs():
    specs = get_default_latex_context_db().iter_macro_specs()
    return {
        spec.macroname: unicodedata.normalize("NFC", spec.simplify_repl)
        for spec in specs
        if isinstance(spec.simplify_repl, str)
        and len(spec.simplify_repl) == 1
        and not spec.simplify_repl.isspace()
        and spec.macroname.isalpha()
    }


def test_signs_are_those_of_pylatexenc_unless_they_are_listed():
    found = theirs()
    assert len(found) > 700
    ours = {name: signs.sign_of(name) for name in found if name not in signs.WORDS}
    differing = {name for name, sign in ours.items() if sign != found[name]}
    assert differing - signs.ACCENTS.keys() == DIFFERENT | signs.OTHER_NAMES


def test_signs_of_formulas_stay():
    assert "⊙" in plain_text(r"a mass of $M_\odot$")
    assert "≍" in plain_text(r"$a \asymp b$")
    assert plain_text(r"\CYRP\cyra") == "Па"
