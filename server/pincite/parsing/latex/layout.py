"""How LaTeX commands and environments affect the text, such as which arguments are not printed."""

from __future__ import annotations

import re
from collections.abc import Mapping

#: The number of braced arguments of a command that are not printed; later ones are.
HIDDEN_ARGUMENTS: Mapping[str, int] = {
    **dict.fromkeys(
        """
        label namecref nameCref lcnamecref hypertarget hyperlink href url path nolinkurl
        includegraphics includesvg includepdf includestandalone input include subfile subfileinclude
        InputIfFileExists IfFileExists loadglsentries usepackage RequirePackage documentclass
        LoadClass bibliography bibliographystyle addbibresource addglobalbib addsectionbib
        nobibliography defaultbibliography defaultbibliographystyle vspace
        hspace addvspace color textcolor colorbox pagecolor rowcolor cellcolor columncolor index
        glossary pagestyle thispagestyle texorpdfstring ifthenelse setstretch linespread
        pagenumbering stepcounter refstepcounter newcounter usetikzlibrary graphicspath
        DeclareGraphicsExtensions geometry lstset selectlanguage foreignlanguage newlength phantom
        vphantom hphantom raisebox scalebox bibitem theoremstyle hyphenation includeonly
        lstinputlisting verbatiminput markright setmainfont setsansfont setmonofont tikzset
        pgfplotsset begin end todo todototoc missingfigure fxnote fxwarning fxerror fixme cline
        cmidrule hhline foreignquote hyphenquote rotatebox parbox settowidth setbeamertemplate
        usetheme usecolortheme glsreset ifbool iftoggle ifdef ifundef ifdefempty ifstrempty ifblank
        bibinfo bibfield noopsort NOOPSORT SortNoop adjustbox deleted enlargethispage orcid
        setcopyright acmDOI acmISBN
        """.split(),
        1,
    ),
    **dict.fromkeys(
        """
        import subimport includefrom inputfrom subincludefrom subinputfrom setlength addtolength
        setcounter addtocounter fontsize rule markboth resizebox crefrange cpagerefrange
        multicolumn multirow newtheorem newglossaryentry DeclareAcronym acro acrodef fcolorbox
        ifnumequal ifnumgreater ifnumless ifdefstring ifstrequal setbeamercolor setbeamerfont
        crefname Crefname newlist setlist specialrule
        """.split(),
        2,
    ),
    **dict.fromkeys(
        "bib addcontentsline newacronym newenvironment renewenvironment definecolor".split(), 3
    ),
}


def hidden_arguments(name: str) -> int:
    """Return how many braced arguments of a command are not printed: labels, keys, options."""
    hides = name.endswith(("cite", "cites", "ref", "Ref", "setup")) and name != "hyperref"
    return HIDDEN_ARGUMENTS.get(name, int(hides or name.lower().startswith("cite")))


#: Commands that divide a text, with their depth.
SECTION_LEVELS: Mapping[str, int] = {
    **{name: level for level, name in enumerate("part chapter section subsection".split())},
    **{f"add{name}": level for level, name in enumerate("part chap sec".split())},
    "subsubsection": 4,
    "paragraph": 5,
    "subparagraph": 6,
}
#: Commands whose arguments are separate from the text around them.
HEADINGS = frozenset(SECTION_LEVELS).union(
    """
    minisec frametitle framesubtitle caption captionof captionabove captionbelow subcaption title
    subtitle author date institute affil affiliation address email keywords subject dedication
    """.split()
)
BREAKS = frozenset(
    """
    par item newpage clearpage cleardoublepage maketitle bigskip medskip smallskip tabularnewline
    """.split()
)
#: The text around the argument of a command.
SURROUNDED: Mapping[str, tuple[str, str]] = {
    **dict.fromkeys(HEADINGS, ("\n\n", "\n\n")),
    **dict.fromkeys(
        "footnote footnotetext thanks sidenote marginpar marginnote endnote footnoteE".split(),
        (" (", ")"),
    ),
    **dict.fromkeys(
        "enquote textquote blockquote foreignquote hyphenquote openautoquote".split(), ("“", "”")
    ),
}
#: Commands whose first argument is the large initial of the word in the second.
INITIALS = frozenset(("IEEEPARstart", "lettrine", "dropcap"))
#: Commands that are followed by a length or a number without braces.
LENGTHS = frozenset(
    """
    vskip hskip kern mkern mskip parindent parskip baselineskip abovedisplayskip itemsep parsep
    topsep leftmargin tabcolsep looseness penalty hyphenpenalty clubpenalty widowpenalty tolerance
    """.split()
)
LENGTH = re.compile(
    r"\s{0,9}=?\s{0,9}-?[\d.,]{1,12}\s?(?:true)?(?:pt|mm|cm|in|ex|em|bp|pc|dd|cc|sp|mu|fil+|)(?![A-Za-z])"
    r"(?:\s{1,9}(?:plus|minus)\s{0,9}-?[\d.,]{1,12}\s?(?:pt|mm|cm|in|ex|em|bp|mu|fil+)(?![A-Za-z])){0,2}"
)
#: Commands after which brackets are brackets, not options.
SIZES = re.compile(r"(?:left|right|middle|[bB]igg?[lrm]?)\Z")
#: beamer's overlay specification between a command and its argument.
OVERLAY = re.compile(r"<[-+.,()|:@a-z\d\s]{0,40}>")
#: ``\cmidrule(lr){1-2}``.
TRIMMED = re.compile(r"\([lr\d.a-z]{0,12}\)")

INLINE_ENVIRONMENTS = frozenset(
    """
    equation align gather multline displaymath math eqnarray array cases matrix pmatrix bmatrix
    vmatrix split aligned gathered alignat flalign dmath small center subequations
    """.split()
)
SKIPPED_ENVIRONMENTS = frozenset(
    """
    tikzpicture pspicture picture forest thebibliography tikzcd circuitikz pgfpicture axis
    algorithmic dot2tex xy
    """.split()
)
#: Environments whose rows are separate texts.
TABLES = frozenset(
    "tabular tabularx tabulary longtable tabu longtabu supertabular xltabular tblr tabbing".split()
)
#: Its optional argument is a title.
TITLED = re.compile(
    r"(?:theo|thm|lem|prop|cor|def|proof|rem|ex|conj|claim|satz|beweis|fact|obs|question|problem"
    r"|hypo|assum|axiom|algo|proced|case|note|step|пример|теорема)",
    re.IGNORECASE,
)
#: Placement of a float or list, and settings, which are not titles.
PLACING = re.compile(r"[\s!hHtbpcrlsmTBCRL\d.,*<>+-]{0,12}|[^\[\]]*=[^\[\]]*", re.DOTALL)

ENVIRONMENT_ARGUMENTS: Mapping[str, int] = {
    **dict.fromkeys(
        """
        tabular array longtable minipage multicols column subfigure subtable tabu longtabu tblr
        supertabular adjustbox otherlanguage otherlanguage* spacing alignat varwidth textblock
        turn thenomenclature onlyenv hyphenrules foreigndisplayquote hyphendisplayquote btSect
        """.split(),
        1,
    ),
    **dict.fromkeys(
        """
        tabularx tabular* tabulary xltabular wrapfigure wraptable CJK CJK* adjustwidth list
        overlayarea
        """.split(),
        2,
    ),
}

#: Arguments of siunitx commands: n a number, u a unit.
QUANTITIES: Mapping[str, str] = {
    **dict.fromkeys("SI qty SIlist qtylist".split(), "nu"),
    **dict.fromkeys("SIrange qtyrange".split(), "nnu"),
    **dict.fromkeys("num numlist ang".split(), "n"),
    **dict.fromkeys("si unit".split(), "u"),
    "numrange": "nn",
}
UNIT_PREFIXES = frozenset(
    """
    yocto zepto atto femto pico nano micro milli centi deci deca deka hecto kilo mega giga tera
    peta exa zetta yotta kibi mebi gibi tebi
    """.split()
)
