r"""The edits that name a bibliography in a draft that names none.

With biblatex they are ``\addbibresource`` behind the package and ``\printbibliography`` at the end,
else it is ``\bibliography`` at the end, with a style: that of the class or package where these have
one of their own, ``plain`` elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Final

from ...model.drafts import Draft
from ...model.edits import TextEdit
from ...model.programs import BIBER
from ...model.spans import TextSpan, line_end_of, line_start
from .arguments import read_arguments
from .regions import hide

_LOADS: Final = re.compile(r"\\(?:documentclass|usepackage|RequirePackage|LoadClass)(?![A-Za-z@])")
_CLASS: Final = re.compile(r"\\documentclass(?![A-Za-z@])")
_BEGIN: Final = re.compile(r"\\begin[ \t]*\{document\}")
_END: Final = re.compile(r"\\end[ \t]*\{document\}")
_NAMES_ONE: Final = re.compile(r"\\(?:bibliography|addbibresource|addglobalbib)[ \t]*[\[{]")
_PRINTS: Final = re.compile(r"\\printbib(?:liography|heading)(?![A-Za-z@])")
_STYLED: Final = re.compile(r"\\bibliographystyle(?![A-Za-z@])")
_REST_OF_LINE: Final = re.compile(r"[ \t]*(?:%[^\r\n]*)?(?=[\r\n]|\Z)")
#: What cannot stand in a name for BibTeX or biblatex.
_NOT_IN_NAMES: Final = re.compile(r"[{}\\%#,~\"\r\n]")
#: The styles of classes and packages that cannot do with ``plain``; REVTeX sets its own.
_STYLES: Final = {
    "acmart": "ACM-Reference-Format",
    "elsarticle": "elsarticle-num",
    "IEEEtran": "IEEEtran",
    "llncs": "splncs04",
    "revtex4": "",
    "revtex4-1": "",
    "revtex4-2": "",
    "apacite": "apacite",
    "natbib": "plainnat",
}
#: Where to insert which lines; `behind` something, on a line of their own or in its line.
_Insertion = tuple[int, str]


def naming_edits(draft: Draft, name: str, texts: Iterable[str]) -> tuple[TextEdit, ...]:
    """Return the edits of the main file; see `parsing.markups.Syntax.naming_edits`."""
    files = {file.path: file.text for file in (*draft.files, *draft.others)}
    text, own = files.get(draft.root), [hide(each).text for each in files.values()]
    if text is None or _NOT_IN_NAMES.search(name) or any(map(_NAMES_ONE.search, own)):
        return ()
    visible = hide(text).text
    if not (_CLASS.search(visible) or _BEGIN.search(visible)):
        return ()  # A part whose main file is unknown.
    every = [*own, *(hide(each).text for each in texts)]
    loaded = set(chain.from_iterable(names for each in every for names, _ in _loaded(each)))
    if draft.program == BIBER or "biblatex" in loaded:
        inserted = [_resource(text, visible, f"\\addbibresource{{{name}}}")]
        if not any(map(_PRINTS.search, every)):
            inserted.append(_before(text, _END.search(visible), ["\\printbibliography"]))
    elif re.search(r"\s", name):
        return ()
    else:
        own_style = next((style for of, style in _STYLES.items() if of in loaded), "plain")
        style = "" if any(map(_STYLED.search, every)) else own_style
        named = [f"\\bibliographystyle{{{style}}}"] if style else []
        named.append(f"\\bibliography{{{name.removesuffix('.bib')}}}")
        inserted = [_before(text, _END.search(visible), named)]
    return tuple(
        TextEdit(draft.root, TextSpan(place, place), lines.replace("\n", line_end_of(text)))
        for place, lines in inserted
    )


def _loaded(visible: str) -> Iterable[tuple[set[str], int]]:
    """Yield the names in each command that loads packages or a class, and where it ends."""
    for match in _LOADS.finditer(visible):
        given = read_arguments(visible, match.end(), "omo")
        if len(given.spans) > 1 and (span := given.spans[1]) is not None:
            yield {name.strip() for name in visible[slice(*span)].split(",")}, given.end


def _resource(text: str, visible: str, command: str) -> _Insertion:
    end = next((end for names, end in _loaded(visible) if "biblatex" in names), None)
    if end is None:  # Another file loads it.
        return _before(text, _BEGIN.search(visible), [command])
    rest = _REST_OF_LINE.match(text, end)
    return (end, command) if rest is None else (rest.end(), f"\n{command}")


def _before(text: str, found: re.Match[str] | None, lines: Sequence[str]) -> _Insertion:
    """Insert lines before a command; at the end of a text that lacks it."""
    place, inserted = len(text) if found is None else found.start(), "\n".join(lines) + "\n"
    start = line_start(text, place)
    return (place, f"\n{inserted}") if text[start:place].strip() else (start, inserted)
