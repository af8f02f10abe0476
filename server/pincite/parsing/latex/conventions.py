"""How a draft cites: the meaning of its packages and commands, and the author's usual style.

Detected in the text files of the draft. The draft's own packages and classes are not read: the
arguments of commands that they define are unknown, so such commands are left alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from ...model.drafts import Citation, CitationKey, CitationPlaceholder, Draft, DraftFile, KeyList
from ...model.edits import TextEdit
from ...model.spans import TextSpan
from ..conventions import usual_place
from .commands import KNOWN_COMMANDS, CommandTable, Definitions, find_definitions
from .hidden import blank_hidden
from .postnotes import BIBLATEX_COMMANDS, pinned

#: Parenthetical commands, each with the commands that it replaces at the end of a sentence.
_STANDS_FOR: Mapping[str, str] = {
    "citep": "citet Citet citealt Citealt citealp Citealp Citep",
    "parencite": "textcite Textcite textcites Textcites Parencite parencites Parencites",
    "autocite": "Autocite autocites Autocites",
    "smartcite": "Smartcite smartcites Smartcites",
    "footcite": "Footcite footcites Footcites",
    "supercite": "supercites",
    "cite": "Cite cites Cites citeA citeasnoun",
    "shortcite": "shortciteA",
}
_IN_PARENTHESES = {name: stands for stands, names in _STANDS_FOR.items() for name in names.split()}
#: Commands that print a mark directly after the word, without a space.
_MARKS = frozenset({"footcite", "supercite", "citesuper"})

_OWN = re.compile(
    r"(?:\\protect|\\unskip|~|\\xspace|\\,|\s)*\\([A-Za-z@]+)\*?\s*(\[#1\]\s*\{#2\})?\s*"
)
#: The comment that hides the line end before a command, with the blanks of the next line.
_COMMENT_BEFORE = re.compile(r"(?<!\\)%[^\r\n]*(?:\r\n|\n|\r)[ \t]*\Z")
_MAX_COMMENT = 200
_MULTIBIB = re.compile(
    "(citealp|citealt|citeauthor|citeyearpar|citeyear|citep|citet|parencite|textcite|cite)"
)
#: Packages that biblatex does not work with.
_NEVER_WITH_BIBLATEX = frozenset({"natbib", "cite", "apacite", "harvard", "jurabib"})
#: Options that make a package sort the keys of one command.
_SORTING = {
    "natbib": re.compile(r"\bsort\b"),
    "biblatex": re.compile(r"\bsortcites\b(?!\s*=\s*false)"),
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
    for a citation in parentheses, `before` the text in front of it, and `behind_stop` says whether
    it follows the full stop.
    """

    biblatex: bool = False
    sorts: bool = False
    own_commands: Mapping[str, str] = field(default_factory=dict)
    command: str = "cite"
    before: str = "~"
    behind_stop: bool = False

    def known_command(self, citation: Citation) -> str | None:
        """Return the known command that a citation uses or stands for, without its star."""
        name = citation.command.rstrip("*")
        return name if name in KNOWN_COMMANDS else self.own_commands.get(name)

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
        """Return the edits that add a key to a citation, in the list at `offset` or the last one.

        A command with several groups gets another group, so that each note stays with its key.
        """
        known = self.known_command(citation)
        lists = [keys for keys in citation.key_lists if keys.keys]
        if not lists:
            return ()
        if known is not None and KNOWN_COMMANDS[known].layout == "multiple":
            end = citation.key_lists[-1].span.end + 1
            return (TextEdit(file.path, TextSpan(end, end), f"{{{key}}}"),)
        keys = next((each for each in lists if each.span.covers(offset)), lists[-1])
        return (_with_another(file, citation, keys, key),)

    def pinned(
        self, file: DraftFile, citation: Citation, key: CitationKey, page: str
    ) -> tuple[TextEdit, ...]:
        """Return the edits that put a page into the note after a key."""
        known = self.known_command(citation)
        if known is None:
            return ()
        return pinned(
            file, citation, key, page, known=known, biblatex=self.biblatex, sorts=self.sorts
        )


def _with_another(file: DraftFile, citation: Citation, keys: KeyList, key: str) -> TextEdit:
    r"""Return the edit that adds a key after the others of its list, where that moves no note.

    The note of ``\citep[p.~3]{a}`` would be printed after the new key, so that goes before the
    last one.
    """
    last = keys.keys[-1]
    separator = _separator(file, keys)
    if _has_note(file.text, citation, keys):
        at, text = last.span.start, f"{key}{separator}"
    else:
        comma = file.text.find(",", last.span.end, keys.span.end)
        trailing = comma >= 0 and not file.text[last.span.end : comma].strip(" \t")
        at = comma + 1 if trailing else last.span.end
        text = separator[1:] + key if trailing else separator + key
    return TextEdit(file.path, TextSpan(at, at), text)


def _has_note(text: str, citation: Citation, keys: KeyList) -> bool:
    """Return whether a note directly precedes a list of keys; it belongs to the last key."""
    before = text[citation.span.start : keys.span.start - 1].rstrip()
    return before.endswith("]") and not re.search(r"\[\s*\]\Z", before)


def _separator(file: DraftFile, keys: KeyList) -> str:
    """Return the author's separator between keys: in this list, else in another of the file."""
    for listed in (keys, *(each for c in file.citations for each in c.key_lists)):
        if len(listed.keys) > 1:
            first, second, *_ = listed.keys
            between = _SEPARATOR.fullmatch(file.text, first.span.end, second.span.start)
            if between is not None:
                return between[0]
    return ","


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
    known = {own.get(name, name) for name in names}
    biblatex = (
        # Only biber distinguishes keys by case: any part of a draft knows whether it is used.
        any(draft.case_sensitive_keys for draft in drafts)
        or any(name.startswith("biblatex") for name in packages)
        # Other packages have no such commands; one of that name is the author's own.
        or (
            packages.keys().isdisjoint(_NEVER_WITH_BIBLATEX)
            and not known.isdisjoint(BIBLATEX_COMMANDS)
        )
    )
    command = _usual_command([citation.command for _, citation in citations], own)
    command = command or ("parencite" if biblatex else "citep" if "natbib" in packages else "cite")
    before, behind_stop = _usual_place(citations, command)
    return LatexConventions(biblatex, _sorts(packages), own, command, before, behind_stop)


def _sorts(packages: Mapping[str, str]) -> bool:
    """Return whether the keys of one command may be printed in another order."""
    if "cite" in packages:
        return "nosort" not in packages["cite"]
    return any(pattern.search(packages.get(name, "")) for name, pattern in _SORTING.items())


def _usual_command(commands: Iterable[str], own: Mapping[str, str]) -> str | None:
    """Return the most frequent command for citations in parentheses, or the one that fits others.

    Textual citations are part of their sentence, so none is added at its end.
    """
    used: Counter[str] = Counter()
    fitting: Counter[str] = Counter()
    for command in commands:
        name = command.rstrip("*")
        known = own.get(name, name)
        if known in _STANDS_FOR:
            used[command] += 1
        elif known in _IN_PARENTHESES:
            fitting[_IN_PARENTHESES[known]] += 1
    return next((command for command, _ in (used or fitting).most_common(1)), None)


def _usual_place(citations: Iterable[tuple[str, Citation]], command: str) -> tuple[str, bool]:
    """Return the most frequent text before a command, and whether it follows a full stop."""
    starts = (
        (text, _printed_before(text, citation.span.start))
        for text, citation in citations
        if citation.command == command
    )
    signs = Counter(text[start - 1 : start] for text, start in starts if start)
    if not signs:
        return ("" if command in _MARKS else "~"), False
    return usual_place(signs, "~", "~")


def _printed_before(text: str, start: int) -> int:
    """Return the offset behind what is printed before a command, so not behind a comment."""
    comment = _COMMENT_BEFORE.search(text, max(0, start - _MAX_COMMENT), start)
    return start if comment is None else comment.start()


def _own_commands(files: Iterable[DraftFile]) -> Mapping[str, str]:
    """Map the commands that some files define to the known ones that they stand for.

    Only aliases of a command, and wrappers that pass the note and the keys on unchanged, are
    mapped; other definitions are not interpreted.
    """
    found = [find_definitions(blank_hidden(file.text, CommandTable()).text) for file in files]
    stands_for = dict(pair for definitions in found for pair in _stand_ins(definitions))
    return {name: known for name in stands_for if (known := _followed(name, stands_for))}


def _stand_ins(definitions: Definitions) -> Iterator[tuple[str, str]]:
    for name, shape in definitions.shapes.items():
        # \newcites derives its commands' names from known ones; biblatex's are named freely.
        made = _MULTIBIB.match(name)
        biblatex = "parencites" if shape.layout == "multiple" else "parencite"
        yield name, made[1] if made else biblatex
    yield from definitions.copies
    for definition in definitions.definitions:
        body = _OWN.fullmatch(definition.body)
        if body and definition.parameters == (("o", "m") if body[2] else ()):
            yield definition.name, body[1]


def _followed(name: str, stands_for: Mapping[str, str]) -> str | None:
    for _ in range(_DEPTH):
        if name in KNOWN_COMMANDS:
            return name
        name = stands_for.get(name, "")
    return None
