r"""How a draft cites: the meaning of its packages and commands, and the author's usual style.

Detected in the text files of the draft. The draft's own packages and classes are not read: the
arguments of commands that they define are unknown, so such commands are left alone.

A pin cite puts a page into the note after a key, as in ``\citep[p.~361]{key}``: the only optional
argument, or the second of two, is the note after the *last* key. With biblatex, one of several keys
gets its own group: ``\parencites[361]{a}{b}``. Elsewhere only the last key can have a note: the
order of the keys is the author's choice, and two adjacent commands are printed as two citations.
Nothing is changed either if a package sorts the keys, or if a command takes no note, is not closed,
has unknown arguments or comments that get in the way, or is in an optional argument without braces,
as of ``\section[…]{…}``, which the note would end. For the pages in a note see `..conventions`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from ...model.drafts import Citation, CitationKey, CitationPlaceholder, Draft, DraftFile
from ...model.edits import TextEdit
from ...model.spans import TextSpan
from ..conventions import inserted, usual_place, with_page
from .arguments import MAX_OPTION, brace_end, option_end, skip_space
from .commands import BIBLATEX_SINGLE, KNOWN_COMMANDS, MULTIPLE, VOLUMES, find_definitions
from .regions import Region

BIBLATEX_COMMANDS = frozenset((*BIBLATEX_SINGLE, *MULTIPLE, *VOLUMES, *(f"{v}s" for v in VOLUMES)))
#: Commands of biblatex that have a variant with several groups, whose name ends in s.
_WITH_GROUPS = {*BIBLATEX_SINGLE, "cite", "Cite"}
#: Text that a command with several groups would take for another group.
_MORE_ARGUMENTS = re.compile(r"(?:\s|%[^\r\n]*[\r\n])*[\[{(]")
#: What may begin an optional argument, or a group in it.
_OPENED = re.compile(r"(?<!\\)(?:\{|(?:\\[A-Za-z@]{1,60}\*?\s{0,9}|[\]}])\[)")
_TRAILING_COMMA = re.compile(r"[ \t]*,")
_AROUND_KEYS = " \t\r\n,"

#: Parenthetical commands, each with the commands that it replaces at the end of a sentence.
_STANDS_FOR: Mapping[str, str] = {
    "citep": "citet Citet citealt Citealt citealp Citealp Citep",
    "parencite": "textcite Textcite textcites Textcites Parencite parencites Parencites",
    "autocite": "Autocite autocites Autocites",
    "smartcite": "Smartcite smartcites Smartcites",
    "footcite": "Footcite footcites Footcites",
    "supercite": "supercites",
    "cite": "Cite cites Cites citeA citeN citeasnoun",
    "shortcite": "shortciteA shortciteN",
}
_IN_PARENTHESES = {name: stands for stands, names in _STANDS_FOR.items() for name in names.split()}
#: Commands that print a part of the entry, and cite no work beside it.
_PARTS = re.compile(r"[Cc]ite(?:(?:full)?author|year(?:par)?|title|date|url|field|list|name)")
#: Commands that print a mark directly after the word, without a space.
_MARKS = frozenset({"footcite", "supercite", "citesuper"})

_OWN = re.compile(
    r"(?:\\protect|\\unskip|~|\\xspace|\\,|\s)*\\([A-Za-z@]+)\*?\s*\[#1\]\s*\{#2\}\s*"
)
#: The comment that hides the line end before a command, with the blanks of the next line.
_COMMENT_BEFORE = re.compile(r"(?<!\\)%[^\r\n]*(?:\r\n|\n|\r)[ \t]*\Z")
_MAX_COMMENT = 200
#: Packages that biblatex does not work with.
_NEVER_WITH_BIBLATEX = frozenset({"natbib", "cite", "apacite", "harvard", "jurabib"})
#: Options that make a package sort the keys of one command.
_SORTING = {
    "natbib": re.compile(r"\bsort\b"),
    "biblatex": re.compile(r"\bsortcites\b(?!\s*=\s*false)"),
    "cite": re.compile(r"\A(?!.*nosort)", re.DOTALL),
}
_SEPARATOR = re.compile(r",[ \t]*")
#: How deep user-defined commands may be nested.
_DEPTH = 5


@dataclass(frozen=True, slots=True)
class LatexConventions:
    r"""How a draft cites.

    `biblatex` adds the abbreviation to pages by itself; if a package `sorts` the keys of a command,
    the note after its last key may end up after another. `own_commands` maps the draft's own
    commands to the known ones that they stand for. `command` is the author's most frequent command
    for a citation in parentheses, `before` the text in front of it, and `behind_stop` indicates
    whether it follows the full stop.
    """

    biblatex: bool = False
    sorts: bool = False
    own_commands: Mapping[str, str] = field(default_factory=dict)
    command: str = "cite"
    before: str = "~"
    behind_stop: bool = False

    def known_command(self, citation: Citation) -> str:
        """Return the known command that a citation uses or stands for, without its star."""
        name = citation.command.rstrip("*")
        return name if name in KNOWN_COMMANDS else self.own_commands.get(name, "")

    def citation(self, key: str, before: str) -> str:
        """Return a new citation of a key, whatever stands before it."""
        return f"\\{self.command}{{{key}}}"

    def filled(self, file: DraftFile, gap: CitationPlaceholder, key: str) -> TextEdit | None:
        r"""Return the edit that completes the literal ``\cite<>``; None for other placeholders."""
        literal = file.text.find("<", gap.span.start, gap.span.end)
        if literal < 0:
            return None
        return TextEdit(file.path, TextSpan(literal, gap.span.end), f"{{{key}}}")

    def extended(
        self, file: DraftFile, citation: Citation, key: str, offset: int
    ) -> tuple[TextEdit, ...]:
        r"""Return the edits that add a key to a citation, in the list at `offset` or the last one.

        A command with several groups gets another group, so that each note stays with its key. The
        note of ``\citep[p.~3]{a}`` would be printed after the new key, so that goes before the
        last one. A command that prints only a name or year is followed by a citation of its own.
        """
        if _PARTS.fullmatch(self.known_command(citation)):
            new = f"{self.before}{self.citation(key, file.text[: citation.span.end])}"
            return inserted(file, citation.span.end, new)
        lists = [keys for keys in citation.key_lists if keys.keys]
        if not lists:
            return ()
        if self.known_command(citation) in MULTIPLE:
            end = citation.key_lists[-1].span.end + 1
            return inserted(file, end, f"{{{key}}}")
        keys = next((each for each in lists if each.span.covers(offset)), lists[-1])
        last = keys.keys[-1].span
        # The author's separator, in this list or else in another one.
        others = (keys, *(each for c in file.citations for each in c.key_lists))
        pairs = (each.keys[:2] for each in others if len(each.keys) > 1)
        signs = (_SEPARATOR.fullmatch(file.text, a.span.end, b.span.start) for a, b in pairs)
        separator = next((sign[0] for sign in signs if sign), ",")
        before = file.text[citation.span.start : keys.span.start - 1].rstrip()
        if before.endswith("]") and not re.search(r"\[\s*\]\Z", before):
            at, text = last.start, f"{key}{separator}"
        elif trailing := _TRAILING_COMMA.match(file.text, last.end, keys.span.end):
            at, text = trailing.end(), separator[1:] + key
        else:
            at, text = last.end, separator + key
        return inserted(file, at, text)

    def pinned(
        self, file: DraftFile, citation: Citation, key: CitationKey, page: str
    ) -> tuple[TextEdit, ...]:
        """Return the edits that put a page into the note after a key, where LaTeX can print it."""
        known, lists = self.known_command(citation), citation.key_lists
        most = KNOWN_COMMANDS[known].notes if known else 0
        number = next((n for n, keys in enumerate(lists) if key in keys.keys), None)
        if not most or number is None or not all(keys.closed for keys in lists):
            return ()
        # Offsets are relative to the citation. Comments are blanked in what is visible.
        offset, text, keys = citation.span.start, citation.span.of(file.text), lists[number]
        visible = Region(text).text
        inside, name_end = keys.span.moved(-offset), len(citation.command) + 1
        begin = lists[number - 1].span.end + 1 - offset if number else name_end
        notes = _notes(visible, begin, inside.start - 1, most)
        if notes is None or _is_in_option(file.text, offset):
            return ()

        def edit(start: int, end: int, new: str) -> TextEdit:
            return TextEdit(file.path, TextSpan(start, end).moved(offset), new)

        first = notes[0].start - 1 if notes else inside.start - 1
        has_groups = known in MULTIPLE or (
            self.biblatex
            and citation.command in _WITH_GROUPS
            and skip_space(visible, name_end) == first
            and not _MORE_ARGUMENTS.match(file.text, citation.span.end)
        )
        if len(keys.keys) > 1 and has_groups:
            if text[first : inside.end + 1] != visible[first : inside.end + 1]:
                return ()  # a comment would hide the text inserted after it
            groups = self._in_groups(text, notes, inside, key.span.moved(-offset), page)
            each = edit(first, inside.end + 1, groups)
            return (each,) if known in MULTIPLE else (edit(name_end, name_end, "s"), each)
        if key != keys.keys[-1] or (len(keys.keys) > 1 and self.sorts):
            return ()
        if not notes:
            new = with_page("", page, biblatex=self.biblatex)
            return (edit(inside.start - 1, inside.start - 1, f"[{new}]"),)
        # The smallest edit: the rest of the note may contain comments.
        written = notes[-1].of(visible)
        old = written.strip()
        new = with_page(old, page, biblatex=self.biblatex)
        pairs = zip(old, new, strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        start = notes[-1].start + (written.index(old) if old else 0)
        end = start + len(old) if old else notes[-1].end
        start += same
        unchanged = old == new or text[start:end] != visible[start:end]
        return () if unchanged else (edit(start, end, new[same:]),)

    def _in_groups(
        self, text: str, notes: Sequence[TextSpan], inside: TextSpan, at: TextSpan, page: str
    ) -> str:
        """Return the notes and keys of a command, with a group of its own for the key at a span."""
        before = text[inside.start : at.start].strip(_AROUND_KEYS)
        behind = text[at.end : inside.end].strip(_AROUND_KEYS)
        last = notes[-1].of(text) if notes else ""
        first = notes[0].of(text) if len(notes) == 2 else ""
        noted = with_page("" if behind else last.strip(), page, biblatex=self.biblatex)
        groups = [("", before), (noted, at.of(text)), (last, behind)]
        written = ""
        for note, listed in groups:
            if listed:
                opening = f"[{first}]" if first and not written else ""
                written += opening + (f"[{note}]" if note or opening else "") + f"{{{listed}}}"
        return written


def _notes(visible: str, position: int, brace: int, most: int) -> list[TextSpan] | None:
    """Return the places of the notes of a key list; None if its arguments are other ones."""
    notes: list[TextSpan] = []
    position = skip_space(visible, position)
    while position < brace:
        mark = visible[position]
        end = brace_end(visible, position) if mark == "{" else option_end(visible, position, "[<(")
        if end is None:
            return None
        if mark == "[":
            notes.append(TextSpan(position + 1, end - 1))
        elif mark == "{":  # the volume, or a language: notes before it are different ones
            notes.clear()
        elif notes:
            return None
        position = skip_space(visible, end)
    is_list = position == brace and visible[brace] == "{"
    return notes if is_list and len(notes) <= most else None


def _is_in_option(text: str, offset: int) -> bool:
    """Return whether an offset is in an optional argument, outside of braces in it."""
    around = ""
    for opening in _OPENED.finditer(text, max(0, offset - MAX_OPTION), offset):
        at = opening.end() - 1
        end = brace_end(text, at) if text[at] == "{" else option_end(text, at, "[")
        around = text[at] if end is not None and end > offset else around
    return around == "["


def latex_conventions(*drafts: Draft) -> LatexConventions:
    """Return how drafts cite; pass a part of a draft together with the whole."""
    files = {file.path: file for draft in drafts for file in draft.files}.values()
    packages = {
        include.name: include.span.of(file.text)
        for file in files
        for include in file.includes
        if include.kind == "package"
    }
    citations = [(file.text, c) for file in files for c in file.citations]
    names = {citation.command.rstrip("*") for _, citation in citations}
    own = {} if names <= KNOWN_COMMANDS.keys() else _own_commands(files)
    biblatex = (
        # Only biber distinguishes keys by case: any part of a draft knows whether it is used.
        any(draft.case_sensitive_keys for draft in drafts)
        or any(name.startswith("biblatex") for name in packages)
        # Other packages have no such commands; one of that name is the author's own.
        or (
            packages.keys().isdisjoint(_NEVER_WITH_BIBLATEX)
            and any(own.get(name, name) in BIBLATEX_COMMANDS for name in names)
        )
    )
    deciding = ("cite",) if "cite" in packages else packages.keys() & _SORTING.keys()
    sorts = any(_SORTING[name].search(packages[name]) for name in deciding)
    # Textual citations are part of their sentence, so none is added at its end.
    used, fitting = Counter[str](), Counter[str]()
    for _, citation in citations:
        name = citation.command.rstrip("*")
        name = own.get(name, name)
        if name in _STANDS_FOR:
            used[citation.command] += 1
        elif name in _IN_PARENTHESES:
            fitting[_IN_PARENTHESES[name]] += 1
    default = "parencite" if biblatex else "citep" if "natbib" in packages else "cite"
    command = next((name for name, _ in (used or fitting).most_common(1)), default)
    signs = Counter[str]()
    for text, citation in citations:
        start = citation.span.start
        comment = _COMMENT_BEFORE.search(text, max(0, start - _MAX_COMMENT), start)
        start = start if comment is None else comment.start()
        if citation.command == command and start:
            signs[text[start - 1]] += 1
    place = usual_place(signs, "~", "~") if signs else ("" if command in _MARKS else "~", False)
    return LatexConventions(biblatex, sorts, own, command, *place)


def _own_commands(files: Iterable[DraftFile]) -> Mapping[str, str]:
    """Map the commands that files define to the known ones for which they are another name."""
    stands_for: dict[str, str] = {}
    for file in files:
        found = find_definitions(Region(file.text).text)
        stands_for.update(found.copies)
        for definition in found.definitions:
            body = _OWN.fullmatch(definition.body)
            if body and definition.parameters == "om":
                stands_for[definition.name] = body[1]
    known: dict[str, str] = {}
    for name, meaning in stands_for.items():
        for _ in range(_DEPTH):
            meaning = meaning if meaning in KNOWN_COMMANDS else stands_for.get(meaning, "")
        if name in KNOWN_COMMANDS or meaning in KNOWN_COMMANDS:
            known[name] = name if name in KNOWN_COMMANDS else meaning
    return known
