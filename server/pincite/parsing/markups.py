"""The markup languages of drafts: a new one is an entry here and a package with its `name`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from .markup import Markup

LATEX: Final = Markup(
    "latex",
    suffixes=(".tex", ".ltx"),
    other_suffixes=(
        *(".latex", ".dtx", ".sty", ".cls", ".rnw", ".snw", ".rtex", ".jnw", ".jtexw"),
        *(".texw", ".pnw", ".tikz"),
    ),
    # With those that embed it. Any other document is read as LaTeX, so none needs a suffix.
    languages=dict.fromkeys(
        "latex tex plaintex plain-tex context latex-expl3 latex-package latex-class doctex rsweave "
        "rnoweb sweave jlweave pweave".split(),
        "",
    ),
    bibliography_commands=("\\bibliography", "\\addbibresource"),
    placeholder="\\cite{}",
    only_drafts=True,
)
MARKDOWN: Final = Markup(
    "markdown",
    suffixes=(".md", ".markdown", ".qmd", ".rmd"),
    other_suffixes=(".mdown", ".mkd", ".mkdn", ".pandoc", ".rmarkdown", ".myst"),
    languages={
        "markdown": ".md",
        "pandoc": ".md",
        "myst": ".md",
        "quarto": ".qmd",
        "rmd": ".Rmd",
        "rmarkdown": ".Rmd",
    },
    bibliography_suffixes=(".json", ".yaml", ".yml"),
    bibliography_commands=("“bibliography:” in the header",),
    placeholder="[@]",
    tie="\u00a0",
)
TYPST: Final = Markup(
    "typst",
    suffixes=(".typ",),
    languages={"typst": ".typ"},
    bibliography_suffixes=(".yaml", ".yml"),
    bibliography_commands=("#bibliography",),
    placeholder="#cite(<>)",
)
MARKUPS: Final = (LATEX, MARKDOWN, TYPST)
ALL_DRAFT_SUFFIXES: Final = tuple(suffix for markup in MARKUPS for suffix in markup.suffixes)
_BY_SUFFIX: Final = {suffix: markup for markup in MARKUPS for suffix in markup.every_suffix}


def markup_of(path: Path) -> Markup:
    """Return the markup of a file; LaTeX unless its name says otherwise."""
    return _BY_SUFFIX.get(path.suffix.lower(), LATEX)
