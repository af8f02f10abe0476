r"""Pin cites: put a page into the note after a key, as in ``\citep[p.~361]{key}``.

The place of the note follows what LaTeX prints:

* The only optional argument of a command, or the second of two, is the note after its *last* key.
* With biblatex, one of several keys in a command gets its own group: ``\parencite{a,b}`` becomes
  ``\parencites[361]{a}{b}``. Elsewhere only the last key can have a note. For another key nothing
  is changed, because the order of the keys is the author's choice, and two adjacent commands are
  printed as two citations.
* Nothing is changed either if a package sorts the keys, or if a command takes no note, is not
  closed, is user-defined with unknown arguments, or contains comments that get in the way. Nor is
  it in an optional argument without braces, as of ``\section[…]{…}``, which the note would end.

The page stands alone if biblatex adds the abbreviation, else after ``p.~``. An existing note stays:
``chap. 2`` becomes ``chap. 2, p.~361``. A note that ends in pages gets the new page added to them,
and adjacent pages become a range: ``p.~361`` and 362 give ``pp.~361--362``, with 365
``pp.~361, 365``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import takewhile

from ...model.drafts import Citation, CitationKey, DraftFile, KeyList
from ...model.edits import TextEdit
from ...model.spans import TextSpan
from ..pages import with_page
from .arguments import MAX_OPTION, brace_end, bracket_end, skip_space
from .commands import KNOWN_COMMANDS, CommandTable
from .hidden import blank_hidden

#: Commands with one key list that only biblatex has, and all of them.
_BIBLATEX_SINGLE = frozenset(
    """
    parencite Parencite footcite Footcite footcitetext Footcitetext textcite Textcite smartcite
    Smartcite autocite Autocite footfullcite notecite Notecite pnotecite Pnotecite fnotecite
    """.split()
)
_BIBLATEX_LAYOUTS = ("multiple", "volume", "volumes")
BIBLATEX_COMMANDS = _BIBLATEX_SINGLE | {
    name for name, shape in KNOWN_COMMANDS.items() if shape.layout in _BIBLATEX_LAYOUTS
}
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
    possessivecite citeonline cfcite
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
_BRACKETS = re.compile(r"(?<!\\)[\[{}]|\n[ \t]*\r?\n")
#: What stands before an optional argument.
_TAKES_OPTION = re.compile(r"(?:\\[A-Za-z@]+\*?\s*|[\]}])\Z")
_MAX_NAME = 60
_PARENTHESES = re.compile(r"\((?:[^()\[\]{}]|\([^()\[\]{}]*\))*\)")
_ANGLES = re.compile(r"<[^<>{}\r\n]*>")


def pinned(
    file: DraftFile,
    citation: Citation,
    key: CitationKey,
    page: str,
    *,
    known: str,
    biblatex: bool,
    sorts: bool,
) -> tuple[TextEdit, ...]:
    """Return the edits that put a page into the note after a key of a citation.

    Returns none if the page is already there, or if LaTeX could not print a note as intended.
    `known` is the known command that the citation uses or stands for; see `LatexConventions`.
    """
    number = next((n for n, keys in enumerate(citation.key_lists) if key in keys.keys), None)
    if number is None or not _takes_notes(known) or not all(k.closed for k in citation.key_lists):
        return ()
    if _is_in_option(file.text, citation.span.start):
        return ()
    command = _Command(file, citation, known, biblatex=biblatex, sorts=sorts)
    notes = command.notes(number)
    return () if notes is None else command.pinned(number, notes, key, page)


def _takes_notes(known: str) -> bool:
    layout = KNOWN_COMMANDS[known].layout
    if layout in ("own", "options"):
        return False
    if layout != "single":
        return known not in _NO_NOTES
    return known in _TWO_NOTES or known in _ONE_NOTE or known in BIBLATEX_COMMANDS


def _is_in_option(text: str, offset: int) -> bool:
    """Return whether an offset is in an optional argument, outside of braces in it."""
    braces = 0
    for found in reversed([*_BRACKETS.finditer(text, max(0, offset - MAX_OPTION), offset)]):
        match found[0]:
            case "}":
                braces += 1
            case "{" if braces:
                braces -= 1
            case "[" if not braces and _is_option_around(text, found.start(), offset):
                return True
            case "[":
                pass
            case _:
                return False
    return False


def _is_option_around(text: str, start: int, offset: int) -> bool:
    """Return whether an optional argument begins at a bracket and ends after an offset."""
    if _TAKES_OPTION.search(text[max(0, start - _MAX_NAME) : start]) is None:
        return False
    end = bracket_end(text, start)
    return end is not None and end > offset


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

    def __init__(
        self, file: DraftFile, citation: Citation, known: str, *, biblatex: bool, sorts: bool
    ) -> None:
        self._file = file
        self._citation = citation
        self._known = known
        self._text = citation.span.of(file.text)
        #: The text with its comments blanked, so that offsets stay the same.
        self._visible = blank_hidden(self._text, CommandTable()).text
        self._biblatex = biblatex
        self._sorts = sorts

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
        layout = KNOWN_COMMANDS[self._known].layout
        one_only = self._known in _ONE_NOTE or layout in ("volume", "volumes")
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
        if key != keys.keys[-1] or (len(keys.keys) > 1 and self._sorts):
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
