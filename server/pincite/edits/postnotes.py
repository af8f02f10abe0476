r"""Pin cites: put a page into the note after a key, as in ``\citep[p.~361]{key}``.

The place of the note follows what LaTeX prints:

* The only optional argument of a command, or the second of two, is the note after its *last* key.
* With biblatex, one of several keys in a command gets its own group: ``\parencite{a,b}`` becomes
  ``\parencites[361]{a}{b}``. Elsewhere only the last key can have a note. For another key nothing
  is changed, because the order of the keys is the author's choice, and two adjacent commands are
  printed as two citations.
* Nothing is changed either if a package sorts the keys, or if a command takes no note, is not
  closed, is user-defined with unknown arguments, or contains comments that get in the way.

The page stands alone if biblatex adds the abbreviation, else after ``p.~``. An existing note stays:
``chap. 2`` becomes ``chap. 2, p.~361``. A note that ends in pages gets the new page added to them,
and adjacent pages become a range: ``p.~361`` and 362 give ``pp.~361--362``, with 365
``pp.~361, 365``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile

from ..model.drafts import Citation, CitationKey, KeyList, TexFile
from ..model.edits import TextEdit
from ..model.results import SupportingSentence
from ..model.spans import TextSpan
from ..parsing.latex.arguments import brace_end, bracket_end, skip_space
from ..parsing.latex.commands import KNOWN_COMMANDS, CommandTable
from ..parsing.latex.hidden import blank_hidden
from ..parsing.latex.parse import is_gap
from .conventions import BIBLATEX_COMMANDS, Conventions

#: Commands with one key list that print notes, ``[pre][post]``.
_TWO_NOTES = frozenset(
    """
    cite Cite citep Citep citet Citet citealt Citealt citealp Citealp citeauthor Citeauthor
    citefullauthor Citefullauthor citeyear citeyearpar citetalias citepalias citetitle Citetitle
    citedate citeurl citefield fullcite Fullcite parentcite
    """.split()
)
#: Those of apacite, harvard and abntex2, which have no second optional argument.
_ONE_NOTE = frozenset(
    """
    citeA citeNP citeNN shortcite Shortcite shortciteA shortciteNP shortciteNN fullciteA fullciteNP
    fullciteNN citeauthorNP citeyearNP shortciteauthor shortciteauthorNP fullciteauthor maskcite
    maskciteA maskciteNP maskciteauthor maskciteyear maskciteyearNP citeasnoun citeaffixed
    possessivecite citeonline
    """.split()
)
#: biblatex ignores their notes.
_NO_NOTES = frozenset({"supercite", "Supercite", "supercites", "Supercites"})
#: Commands of biblatex that have a variant with several groups, whose name ends in s.
_WITH_GROUPS = frozenset(
    """
    cite Cite parencite Parencite footcite footcitetext textcite Textcite smartcite Smartcite
    autocite Autocite
    """.split()
)
#: Text that a command with several groups would take for another group.
_MORE_ARGUMENTS = re.compile(r"(?:\s|%[^\r\n]*[\r\n])*[\[{(]")
_PARENTHESES = re.compile(r"\((?:[^()\[\]{}]|\([^()\[\]{}]*\))*\)")
_ANGLES = re.compile(r"<[^<>{}\r\n]*>")

_NUMBER = (
    r"(?<![A-Za-z\d])(?:(?:[A-Za-z]{1,2}-?)?\d+(?:[.:]\d+)*|[ivxlcdm]+|[IVXLCDM]+)(?![A-Za-z\d])"
)
_FOLLOWING = r"(?:~|\\,|[ ])?ff?(?![A-Za-z])\.?"
_RANGE = (
    rf"(?:{_NUMBER}(?:\s*(?:-{{1,3}}|–|\\bibrangedash\s?)\s*{_NUMBER})?|[A-Za-z]?\d+{_FOLLOWING})"
)
_BETWEEN = r"(?:\s*,\s*~?|(?:\s|~)+(?:and|und|et|y|e|\\&)(?:\s|~)+)"
_LIST = rf"{_RANGE}(?:{_BETWEEN}{_RANGE})*"
_SIGN = (
    r"(?<![A-Za-z\\])(?:\\pp?no|[Pp]p?\.|[Pp]ages?|S\.|Seiten?)(?![A-Za-z])(?:~|\s|\\[ ,;]|\{\})*"
)
_PAGES = re.compile(rf"(?P<sign>{_SIGN})(?P<list>{_LIST})")
#: Numbers with dots and without an abbreviation are section numbers.
_BARE_PAGES = re.compile(rf"(?!.*\d\.\d)(?P<sign>)(?P<list>{_LIST})", re.DOTALL)
_PAGE = re.compile(_RANGE)
_PARTS = re.compile(
    r"(?P<first>(?:[A-Za-z]{1,2}-?\d+|[^\W_]+)(?:[.:]\d+)*)"
    r"(?:(?P<dash>\s*(?:-{1,3}|–|\\bibrangedash\s?)\s*)(?P<last>[^\W_]+)|(?P<following>\W*f{1,2}\.?))?"
)
_NUMERAL = re.compile(r"\d+|[ivxlcdm]+|[IVXLCDM]+")
_PLURALS: Mapping[str, str] = {
    "p.": "pp.", "P.": "Pp.", "page": "pages", "Page": "Pages", "Seite": "Seiten",
    "\\pno": "\\ppno",
}  # fmt: skip


def page_of(sentence: SupportingSentence) -> str | None:
    """Return the page to cite a sentence by, None if its printed number is unknown."""
    return sentence.page_label or None


def pin(
    file: TexFile, citation: Citation, key: CitationKey, page: str, ways: Conventions
) -> tuple[TextEdit, ...]:
    """Return the edits that put a page into the note after a key of a citation.

    Returns None if the page is already there, or if LaTeX could not print a note as intended.
    `page` may be a range (``361--362``).
    """
    known = ways.known_command(citation)
    page = page.strip()
    if known is None or citation.listed_only or is_gap(key.key) or not _PAGE.fullmatch(page):
        return ()
    number = next((n for n, keys in enumerate(citation.key_lists) if key in keys.keys), None)
    if number is None or not _takes_notes(known) or not all(k.closed for k in citation.key_lists):
        return ()
    command = _Command(file, citation, known, ways)
    notes = command.notes(number)
    return () if notes is None else command.pinned(number, notes, key, page)


def with_page(note: str, page: str, *, biblatex: bool = False) -> str:
    """Return a note with a page added; the same note if it already has the page."""
    # biblatex adds the abbreviation only if the note consists of pages in numerals.
    alone = biblatex and _are_numerals(page)
    if not note:
        return page if alone else _signed(page, biblatex)
    found = [whole] if (whole := _BARE_PAGES.fullmatch(note)) else list(_PAGES.finditer(note))
    ranges = [_Range.read(match.group()) for one in found for match in _items(one)]
    new = _Range.read(page)
    if any(each.covers(new) for each in ranges):
        return note
    if found and found[-1].end() == len(note):
        last = found[-1]
        sign = last["sign"] or ("\\ppno~" if biblatex and not alone else "")
        return note[: last.start()] + _plural(sign) + _list_with(_items(last), new)
    return f"{note.rstrip(', ')}, {_signed(page, biblatex)}"


def _signed(page: str, biblatex: bool) -> str:
    """Return a page with its abbreviation; biblatex's is in the draft's language."""
    sign = "\\pno" if biblatex else "p."
    return f"{sign if _Range.read(page).dash is None else _PLURALS[sign]}~{page}"


def _are_numerals(pages: str) -> bool:
    return all(map(_NUMERAL.fullmatch, re.split(r"[\s–-]+", pages)))


def _plural(sign: str) -> str:
    word = re.match(r"\\?[A-Za-z]+\.?", sign)
    return sign if word is None else _PLURALS.get(word[0], word[0]) + sign[word.end() :]


def _items(pages: re.Match[str]) -> list[re.Match[str]]:
    return list(_PAGE.finditer(pages.string, *pages.span("list")))


@dataclass(frozen=True, slots=True)
class _Range:
    """Pages in a note; `numbers` are the first and the last, where they are plain numbers."""

    text: str
    numbers: tuple[int, int] | None
    dash: str | None
    #: Whether it can be extended; not if it ends in "f".
    plain: bool = True

    @classmethod
    def read(cls, text: str) -> _Range:
        parts = _PARTS.fullmatch(text)
        if parts is None or not parts["first"].isdecimal():
            return cls(text, None, parts and parts["dash"])
        first, last = parts["first"], parts["last"] or parts["first"]
        if not last.isdecimal():
            return cls(text, None, parts["dash"])
        if len(last) < len(first):  # 361--2
            last = first[: -len(last)] + last
        following = parts["following"] is not None
        return cls(text, (int(first), int(last) + following), parts["dash"], not following)

    def covers(self, other: _Range) -> bool:
        if self.numbers is None or other.numbers is None:
            return self.text == other.text
        return self.numbers[0] <= other.numbers[0] and other.numbers[1] <= self.numbers[1]

    def touches(self, other: _Range) -> bool:
        if self.numbers is None or other.numbers is None or not self.plain:
            return False
        return self.numbers[0] - 1 <= other.numbers[1] and other.numbers[0] <= self.numbers[1] + 1


def _list_with(listed: Sequence[re.Match[str]], new: _Range) -> str:
    """Return a list of pages with another one inserted in order; separators are kept."""
    ranges = [_Range.read(match.group()) for match in listed]
    betweens = [one.string[one.end() : other.start()] for one, other in pairwise(listed)]
    texts = [each.text for each in ranges]
    joined = [index for index, each in enumerate(ranges) if each.touches(new)]
    if joined and joined == list(range(joined[0], joined[-1] + 1)):
        ends = [end for index in joined for end in ranges[index].numbers or ()]
        ends += new.numbers or ()
        dash = next((each.dash for each in (*ranges, new) if each.dash), "--")
        first, last = joined[0], joined[-1]
        texts[first : last + 1] = [f"{min(ends)}{dash}{max(ends)}"]
        del betweens[first:last]
    else:
        later = (
            index
            for index, each in enumerate(ranges)
            if each.numbers and new.numbers and each.numbers > new.numbers
        )
        at = next(later, len(texts))
        texts.insert(at, new.text)
        betweens.insert(min(at, len(betweens)), ", ")
    return "".join(part for pair in zip(texts, [*betweens, ""], strict=True) for part in pair)


def _takes_notes(known: str) -> bool:
    layout = KNOWN_COMMANDS[known].layout
    if layout != "single":
        return known not in _NO_NOTES
    return known in _TWO_NOTES or known in _ONE_NOTE or known in BIBLATEX_COMMANDS


@dataclass(frozen=True, slots=True)
class _Notes:
    """The notes of one key list: spans inside the brackets, None where there are none.

    `start` is the offset where they begin, `brace` that of the list's brace.
    """

    start: int
    brace: int
    before: TextSpan | None = None
    behind: TextSpan | None = None


class _Command:
    """A citation command in its file; offsets are relative to the command's text."""

    def __init__(self, file: TexFile, citation: Citation, known: str, ways: Conventions) -> None:
        self._file = file
        self._citation = citation
        self._known = known
        self._ways = ways
        self._text = citation.span.of(file.text)
        #: The text with its comments blanked, so that offsets stay the same.
        self._visible = blank_hidden(self._text, CommandTable()).text
        self._biblatex = ways.biblatex

    def notes(self, number: int) -> _Notes | None:
        """Return the notes of a key list, None if its arguments cannot be parsed."""
        start = len(self._citation.command) + 1
        if number:
            start = self._inside(self._citation.key_lists[number - 1]).end + 1
        brace = self._inside(self._citation.key_lists[number]).start - 1
        brackets: list[TextSpan] = []
        position = skip_space(self._visible, start)
        while position < brace:
            mark = self._visible[position]
            if (end := self._argument_end(position)) is None:
                return None
            if mark == "[":
                brackets.append(TextSpan(position + 1, end - 1))
            elif mark == "{":  # the volume, or a language: notes before it are different ones
                brackets.clear()
            elif brackets:
                return None
            position = skip_space(self._visible, end)
        one_only = self._known in _ONE_NOTE or KNOWN_COMMANDS[self._known].layout == "volume"
        if position != brace or self._visible[brace] != "{" or len(brackets) > 2 - one_only:
            return None
        first = brackets[0].start - 1 if brackets else brace
        if len(brackets) == 2:
            return _Notes(first, brace, brackets[0], brackets[1])
        return _Notes(first, brace, None, brackets[0] if brackets else None)

    def pinned(
        self, number: int, notes: _Notes, key: CitationKey, page: str
    ) -> tuple[TextEdit, ...]:
        """Return the edits that put a page after a key of a list with these notes."""
        keys = self._citation.key_lists[number]
        groups = KNOWN_COMMANDS[self._known].layout == "multiple"
        if len(keys.keys) > 1 and (groups or self._can_have_groups(notes)):
            return self._in_its_own_group(keys, notes, key, page, named_again=not groups)
        if key != keys.keys[-1] or (len(keys.keys) > 1 and self._ways.sorts):
            return ()
        if notes.behind is None:
            return (self._edit(notes.brace, notes.brace, f"[{self._noted('', page)}]"),)
        return self._changed(notes.behind, page)

    def _can_have_groups(self, notes: _Notes) -> bool:
        """Return whether the variant with several groups is equivalent to the command."""
        command = self._citation.command
        end = self._citation.span.end
        return (
            self._biblatex
            and command in _WITH_GROUPS
            and skip_space(self._visible, len(command) + 1) == notes.start
            and not _MORE_ARGUMENTS.match(self._file.text, end)
        )

    def _in_its_own_group(
        self, keys: KeyList, notes: _Notes, key: CitationKey, page: str, *, named_again: bool
    ) -> tuple[TextEdit, ...]:
        inside = self._inside(keys)
        whole = TextSpan(notes.start, inside.end + 1)
        if whole.of(self._text) != whole.of(self._visible):
            return ()  # a comment would hide the text inserted after it
        at = key.span.moved(-self._citation.span.start)
        before = self._text[inside.start : at.start].strip(" \t\r\n,")
        behind = self._text[at.end : inside.end].strip(" \t\r\n,")
        last = notes.behind.of(self._text) if notes.behind else ""
        noted = self._noted("" if behind else last.strip(), page)
        parts = [("", before)] if before else []
        parts.append((noted, at.of(self._text)))
        parts += [(last, behind)] if behind else []
        first = notes.before.of(self._text) if notes.before is not None else ""
        text = "".join(
            (f"[{first}][{note}]" if first and not index else f"[{note}]" if note else "")
            + f"{{{listed}}}"
            for index, (note, listed) in enumerate(parts)
        )
        edit = self._edit(whole.start, whole.end, text)
        name_end = 1 + len(self._citation.command)
        return (self._edit(name_end, name_end, "s"), edit) if named_again else (edit,)

    def _changed(self, note: TextSpan, page: str) -> tuple[TextEdit, ...]:
        """Return the smallest edit that adds a page to a note; the rest may contain comments."""
        written = note.of(self._visible)
        old = written.strip()
        start = note.start + (written.index(old) if old else 0)
        new = self._noted(old, page)
        if old == new:
            return ()
        same = sum(
            1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False))
        )
        replaced = TextSpan(start + same, start + len(old) if old else note.end)
        if replaced.of(self._text) != replaced.of(self._visible):
            return ()
        return (self._edit(replaced.start, replaced.end, new[same:]),)

    def _noted(self, note: str, page: str) -> str:
        return with_page(note, page, biblatex=self._biblatex)

    def _argument_end(self, position: int) -> int | None:
        mark, visible = self._visible[position], self._visible
        if mark == "[":
            return bracket_end(visible, position)
        if mark == "{":
            return brace_end(visible, position)
        pattern = {"<": _ANGLES, "(": _PARENTHESES}.get(mark)
        found = pattern.match(visible, position) if pattern else None
        return found.end() if found else None

    def _inside(self, keys: KeyList) -> TextSpan:
        return keys.span.moved(-self._citation.span.start)

    def _edit(self, start: int, end: int, text: str) -> TextEdit:
        span = TextSpan(start, end).moved(self._citation.span.start)
        return TextEdit(self._file.path, span, text)
