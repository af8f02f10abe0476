r"""LaTeX as a `parsing.markups.Markup`: where a key is typed, in text that may be half typed.

The edits that name a bibliography in a draft that names none: with biblatex they are
``\addbibresource`` behind the package and ``\printbibliography`` at the end, else it is
``\bibliography`` at the end, with a style: that of the class or package where these have one of
their own, ``plain`` elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain

from ...model.drafts import Citation, Draft, DraftFile, KeyList, is_gap
from ...model.edits import TextEdit
from ...model.programs import BIBER
from ...model.spans import TextSpan, line_end_of, line_start
from ..markups import KeySlot, KnowsKey
from .arguments import read_arguments
from .conventions import latex_conventions as conventions
from .draft import LatexDraftReader as reader  # noqa: N813 - called by `Markup.reader`
from .layout import HEADINGS
from .regions import Region

__all__ = ["SYNTAX", "conventions", "reader"]

_HALF_LITERAL = re.compile(
    r"\\[A-Za-z]*cite[A-Za-z]*\*?[ \t]*(<[ \t]*([^\s<>{}\[\]\\,%]*))\Z", re.IGNORECASE
)
_REST_OF_LITERAL = re.compile(r"([^\s<>{}\[\]\\,%]*[ \t]*>)([ \t]*[\[{])?")
_REST_OF_KEY = re.compile(r"[^\s,{}%\\]*")
_INDENT = re.compile(r"[ \t]*")
_NOT_IN_HEADINGS = "|".join(sorted(name for name in HEADINGS if "caption" not in name))
_OPEN_HEADING = re.compile(
    rf"\\(?:{_NOT_IN_HEADINGS})\*?\s*(?:\[[^\]]*\]\s*)?\{{(?:[^{{}}]|\{{[^{{}}]*\}})*(?:\{{[^{{}}]*)?\Z"
)
_FORMULA = r"\{(?:equation|align|alignat|flalign|gather|multline|eqnarray|displaymath|math)\*?\}"
_MATHEMATICS = re.compile(
    rf"(?P<open>\\(?:[(\[]|begin{_FORMULA}))|(?P<close>\\(?:[)\]]|end{_FORMULA}))|\\.|(?P<dollar>\$\$?)",
    re.DOTALL,
)
_COMMENT = re.compile(r"(?<!\\)%[^\r\n]*")
_BLANK_LINE = re.compile(r"(?:\r\n|\n|\r(?!\n))[ \t]*(?:\r\n|\n|\r)")
#: So much text before a place is searched for the beginning of its paragraph.
_MAX_PARAGRAPH = 20_000

_LOADS = re.compile(r"\\(?:documentclass|usepackage|RequirePackage|LoadClass)(?![A-Za-z@])")
_CLASS = re.compile(r"\\documentclass(?![A-Za-z@])")
_BEGIN = re.compile(r"\\begin[ \t]*\{document\}")
_END = re.compile(r"\\end[ \t]*\{document\}")
_NAMES_ONE = re.compile(r"\\(?:bibliography|addbibresource|addglobalbib)[ \t]*[\[{]")
_PRINTS = re.compile(r"\\printbib(?:liography|heading)(?![A-Za-z@])")
_STYLED = re.compile(r"\\bibliographystyle(?![A-Za-z@])")
_REST_OF_LINE = re.compile(r"[ \t]*(?:%[^\r\n]*)?(?=[\r\n]|\Z)")
#: What cannot stand in a name for BibTeX or biblatex.
_NOT_IN_NAMES = re.compile(r"[{}\\%#,~\"\r\n]")
#: The styles of classes and packages that cannot do with ``plain``; REVTeX sets its own.
_STYLES = {
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


class _Syntax:
    """How LaTeX cites."""

    def may_cite(self, text: str) -> bool:
        return "\\" in text

    def certain_citations(self, file: DraftFile) -> tuple[Citation, ...]:
        return file.citations

    def key_slot(self, file: DraftFile, offset: int, known: KnowsKey) -> KeySlot | None:
        begin = line_start(file.text, offset)
        if (found := file.key_list_at(offset)) is not None:
            # Only inside the list: a URL before it may contain a % too.
            if _COMMENT.search(file.text, max(begin, found[1].span.start), offset):
                return None
            return _slot(file.text, *found, offset, begin, known)
        for gap in file.placeholders_near(offset):
            if gap.citation is None and gap.span.covers(offset):
                start = file.text.find("<", gap.span.start, gap.span.end)
                if 0 <= start < offset:
                    prefix = file.text[start:offset]
                    return KeySlot(gap.span.start, start, gap.span.end, prefix, write=_braced)
        # A literal \cite<, closed or not.
        before = file.text[begin:offset]
        half = _HALF_LITERAL.search(before)
        rest = _REST_OF_LITERAL.match(file.text, offset)
        # A bracket behind it: the overlay of a slide, in front of the keys.
        if half is None or _COMMENT.search(before) or (rest and rest[2]):
            return None
        start, end = begin + half.start(1), rest.end(1) if rest else offset
        return KeySlot(begin + half.start(), start, end, half[1], half[2], write=_braced)

    def can_cite_at(self, text: str, place: int) -> bool:
        if place < text.find("\\begin{document}"):
            return False
        # A line with only a comment ends no paragraph.
        before = _COMMENT.sub("%", text[max(0, place - _MAX_PARAGRAPH) : place])
        paragraph = _BLANK_LINE.split(before)[-1]
        if _OPEN_HEADING.search(paragraph):
            return False
        in_mathematics = False
        for match in _MATHEMATICS.finditer(paragraph):
            if match["dollar"]:
                in_mathematics = not in_mathematics
            elif match["open"] or match["close"]:
                in_mathematics = match["open"] is not None
        return not in_mathematics

    def ends_cell(self, text: str, place: int) -> bool:
        return text[place] == "&" and self.can_cite_at(text, place)

    def key_edit(self, text: str, span: TextSpan, key: str) -> tuple[TextSpan, str]:
        """Return the edit that replaces a key: LaTeX writes every key alike."""
        return span, key

    def shown(self, command: str) -> str:
        return f"\\{command}"

    def wants_citation(self, file: DraftFile, slot: KeySlot) -> bool:
        """Return True: only a command that cites has a slot."""
        return True

    def naming_edits(self, draft: Draft, name: str, texts: Iterable[str]) -> tuple[TextEdit, ...]:
        files = {file.path: file.text for file in (*draft.files, *draft.others)}
        text, own = files.get(draft.root), [Region(each).text for each in files.values()]
        if text is None or _NOT_IN_NAMES.search(name) or any(map(_NAMES_ONE.search, own)):
            return ()
        visible = Region(text).text
        if not (_CLASS.search(visible) or _BEGIN.search(visible)):
            return ()  # A part whose main file is unknown.
        every = [*own, *(Region(each).text for each in texts)]
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


SYNTAX = _Syntax()


def _braced(key: str) -> str:
    return f"{{{key}}}"


def _slot(
    text: str, citation: Citation, key_list: KeyList, offset: int, begin: int, known: KnowsKey
) -> KeySlot:
    place = citation.span.start
    current = next((key for key in key_list.keys if key.span.covers(offset)), None)
    others = frozenset(key.key for key in citation.keys if key is not current)
    if current is None:
        return KeySlot(place, offset, offset, "", "", others)
    # Editors ignore an edit of several lines; a key spans several if a comma is still missing.
    start = current.span.start
    if start < begin and (indent := _INDENT.match(text, begin, offset)):
        start = indent.end()
    prefix = text[start:offset]
    gap = is_gap(current.key)
    if not prefix and not gap:
        # Nothing is typed yet: the key after the cursor is another one and must stay.
        return KeySlot(place, offset, offset, "", "", others | {current.key})
    # Text after the cursor stays if it may not belong to this key: in an unclosed list, after a
    # space, and if it is a key by itself, in front of which a new one is typed.
    rest = _REST_OF_KEY.match(text, offset, current.span.end)
    end = rest.end() if rest and key_list.closed and not known(rest[0]) else offset
    return KeySlot(place, start, end, prefix, "" if gap else prefix, others)


def _loaded(visible: str) -> Iterable[tuple[set[str], int]]:
    """Yield the names in each command that loads packages or a class, and where it ends."""
    for match in _LOADS.finditer(visible):
        given = read_arguments(visible, match.end(), "omo")
        if len(given.spans) > 1 and (span := given.spans[1]) is not None:
            yield {name.strip() for name in visible[slice(*span)].split(",")}, given.end


def _resource(text: str, visible: str, command: str) -> tuple[int, str]:
    """Return where to insert a command that names a file, and with which line ends."""
    end = next((end for names, end in _loaded(visible) if "biblatex" in names), None)
    if end is None:  # Another file loads it.
        return _before(text, _BEGIN.search(visible), [command])
    rest = _REST_OF_LINE.match(text, end)
    return (end, command) if rest is None else (rest.end(), f"\n{command}")


def _before(text: str, found: re.Match[str] | None, lines: Sequence[str]) -> tuple[int, str]:
    """Insert lines before a command; at the end of a text that lacks it."""
    place, inserted = len(text) if found is None else found.start(), "\n".join(lines) + "\n"
    start = line_start(text, place)
    return (place, f"\n{inserted}") if text[start:place].strip() else (start, inserted)
