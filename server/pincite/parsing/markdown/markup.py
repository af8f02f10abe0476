r"""How Markdown cites: where keys are typed, how they are written, and the edits of citations.

Citations are in brackets (``[@key]``), in MyST's roles (``{cite:p}`key```) or in raw LaTeX
(``\citep{key}``), whichever the draft has more of. After a word such as “by”, the citation is part
of the sentence: ``@key``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from ...model.drafts import Citation, CitationKey, Draft, DraftFile, DraftRegion, KeyList, is_gap
from ...model.edits import TextEdit
from ...model.spans import TextSpan, line_end_of, line_start
from ..conventions import Usage, inserted, is_named_after, page_added, usage_in, with_plain_page
from ..latex.commands import KNOWN_COMMANDS
from ..latex.conventions import BIBLATEX_COMMANDS, LatexConventions
from ..markups import KeySlot, KnowsKey
from .citations import BARE_KEY, DOI_LINK, written
from .dialect import BRACE, HEADER, TITLE_LINES, Dialect, dialect_of, header_of, is_myst
from .reader import ONLY_DRAFTS, MarkdownDraftReader, certain_citations
from .scanner import read_region

#: An ``@`` without a key, or with one in braces that is not closed.
_TYPED: Final = re.compile(r"-?@(?P<brace>\{)?(?P<key>(?(brace)[^\s{}]*))\Z")
#: The name of a label up to the cursor.
_LABEL: Final = re.compile(rf"@(?:\{{[^\s{{}}]+|{BARE_KEY.pattern})\Z")
_LOOK_BACK: Final = 200
_IN_HEADING: Final = re.compile(r"[ \t>]*#{1,6}[ \t]")
_IN_ROW: Final = re.compile(r"[ \t>]*\|")
#: Files about a program.
_NO_DRAFT: Final = re.compile(
    r"(?:readme|changelog|changes|contributing|license|security|code_of_conduct)\b", re.IGNORECASE
)
_BRACKETS: Final = "[@]"
_IN_TEXT: Final = "@"
_AROUND_NOTE: Final = " \t\r\n,"
#: The note behind a key of a role, and what may stand before the next one.
_NOTE_IN_ROLE: Final = re.compile(r"(?:[ \t]*\{(?P<note>[^{}`\r\n]*)\})?")
_BETWEEN_KEYS: Final = re.compile(rf"{_NOTE_IN_ROLE.pattern}(?P<separator>[ \t]*[,;][ \t]*)")
#: A name that YAML reads as it is, and values that stand for none.
_PLAIN: Final = re.compile(r"[A-Za-z./][\w./-]*(?: [\w./-]+)*")
_NOTHING: Final = ("", "[]", "~", "null", '""', "''")
#: A line that is no comment.
_WORDS: Final = re.compile(r"^[ \t]*[^\s#]", re.MULTILINE)
_TITLE_LINES: Final = re.compile(rf"\ufeff?{TITLE_LINES}")
#: The roles and commands for citations in the sentence, by those in parentheses.
_TEXTUAL: Final = {
    "{cite:p}": "{cite:t}",
    "{cite:ps}": "{cite:ts}",
    "{citep}": "{citet}",
    "citep": "citet",
    "parencite": "textcite",
    "autocite": "textcite",
}
_IN_PARENTHESES: Final = {textual: own for own, textual in reversed(_TEXTUAL.items())}


class _Syntax:
    """How Markdown cites."""

    def may_cite(self, text: str) -> bool:
        return any(word in text for word in ("@", "cite", "Cite", "bibliography", "[citation"))

    certain_citations = staticmethod(certain_citations)

    def key_slot(self, file: DraftFile, offset: int, known: KnowsKey) -> KeySlot | None:
        if (found := file.key_list_at(offset)) is not None:
            is_link = found[0].command == DOI_LINK
            return None if is_link else _slot(file.text, *found, offset, known)
        if (found := _label_at(file, offset)) is not None:
            return replace(_slot(file.text, *found, offset, known), is_label=True)
        return _half_typed(file, offset)

    def can_cite_at(self, text: str, place: int) -> bool:
        start = line_start(text, place)
        # Not inside code of this line.
        return not _IN_HEADING.match(text, start, place) and text.count("`", start, place) % 2 == 0

    def ends_cell(self, text: str, place: int) -> bool:
        return text[place] == "|" and _IN_ROW.match(text, line_start(text, place)) is not None

    def key_edit(self, text: str, span: TextSpan, key: str) -> tuple[TextSpan, str]:
        """Return the edit that replaces a key: after ``@`` it is in braces where it needs them."""
        return span, written(key) if text[max(0, span.start - 1) : span.start] == "@" else key

    def shown(self, command: str) -> str:
        # The header has ``nocite``, too.
        in_latex = command.rstrip("*") in KNOWN_COMMANDS and command != "nocite"
        return f"\\{command}" if in_latex else command

    def wants_citation(self, file: DraftFile, slot: KeySlot) -> bool:
        """Return whether a text is a draft, or a key is typed in brackets: ``@name`` is a person.

        Drafts are known by their suffix, header or citations; a README is none.
        """
        text = file.text
        if slot.is_label:
            return False
        if any(not is_gap(key.key) for cited in certain_citations(file) for key in cited.keys):
            return True
        if _NO_DRAFT.match(file.path.name):
            return False
        if file.path.suffix.lower() in ONLY_DRAFTS or header_of(text).end:
            return True
        before = text[line_start(text, slot.place) : slot.place]
        is_bracketed = before.rfind("[") > before.rfind("]")
        return is_bracketed or text[slot.place : slot.place + 1] in ("[", "{", "\\")

    def naming_edits(self, draft: Draft, name: str, _texts: Iterable[str]) -> tuple[TextEdit, ...]:
        """Return the edit of the header; one is made where there is none, below the title lines."""
        if (main := draft.main) is None:
            return ()
        text, line_end, header = main.text, line_end_of(main.text), header_of(main.text)
        value = name if _PLAIN.fullmatch(name) else json.dumps(name, ensure_ascii=False)
        entry = f"bibliography: {value}"
        if not header.end:
            return _with_header(main, f"---{line_end}{entry}{line_end}---{line_end}", line_end)
        if (place := header.entries.get("bibliography")) is not None:
            written = place.of(text).rstrip()
            span = TextSpan(place.start, place.start + len(written))
            return (TextEdit(main.path, span, f" {value}"),) if written.strip() in _NOTHING else ()
        found = HEADER.match(text)
        assert found is not None  # as it has an end
        if (brace := BRACE.match(found["inside"])) is not None:
            behind = max((each.end for each in header.entries.values()), default=0)
            at = behind or found.start("inside") + brace.end()
            return inserted(main, at, f", {entry}" if behind else entry)
        if not header.entries and _WORDS.search(found["inside"]):
            return ()  # words between two rules, or a list
        return inserted(main, found.end("inside"), f"{entry}{line_end}")


SYNTAX: Final = _Syntax()
reader = MarkdownDraftReader


def _with_header(main: DraftFile, header: str, line_end: str) -> tuple[TextEdit, ...]:
    titles = _TITLE_LINES.match(main.text)
    at = titles.end() if titles else 0
    before, behind = main.text[:at].removeprefix("\ufeff"), main.text[at:]
    if before.rfind("<!--") > before.rfind("-->"):
        return ()  # in a comment it would name nothing
    is_open = bool(before) and not before.endswith(("\n", "\r"))
    gap = line_end * (is_open + bool(before))
    has_space = not behind or behind.startswith(("\n", "\r"))
    return inserted(main, at, f"{gap}{header}{'' if has_space else line_end}")


def _slot(text: str, citation: Citation, listed: KeyList, offset: int, known: KnowsKey) -> KeySlot:
    """Return the place for a key in a citation; a role has several in one list."""
    current = next((key for key in listed.keys if key.span.covers(offset)), None)
    others = frozenset(key.key for key in citation.keys if key is not current)
    place = citation.span.start
    start = offset if current is None else current.span.start
    # In a role, in a command of LaTeX and in braces, a key is written as it is.
    is_plain = text[place] in "{\\" or text[max(0, start - 1) : start] == "{"
    write = str if is_plain else written
    prefix = text[start:offset]
    gap = current is not None and is_gap(current.key)
    if current is None or not (prefix or gap):
        # Nothing is typed yet: the key after the cursor is another one and must stay.
        taken = frozenset(key.key for key in citation.keys)
        return KeySlot(place, offset, offset, "", "", taken, write)
    end = current.span.end
    if known(text[offset:end]) or (known(prefix) and not listed.closed):
        end = offset
    return KeySlot(place, start, end, prefix, "" if gap else prefix, others, write)


def _label_at(file: DraftFile, offset: int) -> tuple[Citation, KeyList] | None:
    """Return what the reference to a label at an offset would cite if there were no labels."""
    if not _LABEL.search(file.text, max(0, offset - _LOOK_BACK), offset):
        return None
    start, region = file.region_at(offset - 1)
    if not start and header_of(region.text).end:
        return None  # a header is read in another way
    unlabelled = replace(dialect_of(file.path, file.text), labels=frozenset())
    regions = DraftRegion(file.text[:start]), read_region(region.text, unlabelled)[0]
    return DraftFile(file.path, file.text, regions).key_list_at(offset)


def _half_typed(file: DraftFile, offset: int) -> KeySlot | None:
    """Return the place for the key after an ``@`` that does not cite anything yet."""
    typed = _TYPED.search(file.text, max(0, offset - _LOOK_BACK), offset)
    if typed is None:
        return None
    braced = typed["brace"] is not None
    closing = "}" if braced and not file.text.startswith("}", offset) else ""
    if not _would_cite(file, offset, closing):
        return None  # in code, say
    key = typed["key"]
    write = (lambda each: f"{each}{closing}") if braced else written
    return KeySlot(typed.start(), typed.start("key"), offset, key, key, frozenset(), write)


def _would_cite(file: DraftFile, offset: int, closing: str) -> bool:
    """Return whether a letter typed at an offset would be one of a key."""
    start, region = file.region_at(offset)
    at = offset - start
    typed = f"{region.text[:at]}x{closing}{region.text[at:]}"
    header = 0 if start else header_of(typed).end
    if at < header:
        return True  # the header lists keys in ``nocite``
    read, _ = read_region(typed[header:], Dialect(myst=is_myst(file.text)))
    keys = (key for citation in read.citations for key in citation.keys)
    return any(key.span.covers(at + 1 - header) for key in keys)


class _Conventions(Usage):
    """How a draft in Markdown cites."""

    def citation(self, key: str, before: str) -> str:
        """Return a new citation of a key, in the sentence or in parentheses."""
        is_named = is_named_after(before)
        if self.command != _BRACKETS:
            role = _TEXTUAL.get(self.command, self.command) if is_named else self.command
            return f"{role}`{key}`" if role.startswith("{") else f"\\{role}{{{key}}}"
        return f"@{written(key)}" if is_named else f"[@{written(key)}]"

    def extended(
        self, file: DraftFile, citation: Citation, key: str, offset: int
    ) -> tuple[TextEdit, ...]:
        """Return the edits that add a key: after the item at `offset`, else at the end."""
        text = file.text
        lists = [keys for keys in citation.key_lists if keys.keys]
        if not lists or citation.command == DOI_LINK:
            return ()
        if (latex := _latex(file, citation)) is not None:
            return latex.extended(file, citation, key, offset)
        near = next((each for each in lists if each.span.covers(offset)), lists[-1])
        if citation.command.startswith("{"):
            between = _BETWEEN_KEYS.match(text, near.keys[0].span.end, near.span.end)
            note = _NOTE_IN_ROLE.match(text, near.keys[-1].span.end, near.span.end)
            end = note.end() if note else near.span.end
            if text[end : near.span.end].strip():  # a separator waits for the key
                return inserted(file, near.span.end, key)
            return inserted(file, end, f"{between['separator'] if between else ','}{key}")
        has_note = text[citation.span.end - 1 : citation.span.end] == "]"
        if citation.command == _IN_TEXT and len(lists) == 1 and not has_note:
            # A second work goes into brackets after the first, as Pandoc prints several.
            return inserted(file, citation.span.end, f" [@{written(key)}]")
        close = citation.span.end - 1
        item_end = text.find(";", near.span.end, close)
        end = len(text[: close if item_end < 0 else item_end].rstrip(" \t\r\n"))
        return inserted(file, end, f"; @{written(key)}")

    def pinned(
        self, file: DraftFile, citation: Citation, key: CitationKey, page: str
    ) -> tuple[TextEdit, ...]:
        """Put a page behind a key: ``[@key, p. 3]``, ``@key [p. 3]``, ``{cite:p}`key{p. 3}` ``."""
        if (latex := _latex(file, citation)) is not None:
            return latex.pinned(file, citation, key, page)
        if citation.command == DOI_LINK:
            return ()
        text, end, close = file.text, key.span.end, citation.span.end
        new = with_plain_page("", page)
        if citation.command.startswith("{"):
            braced = _NOTE_IN_ROLE.match(text, end, close)
            if braced is not None and braced["note"] is not None:
                return page_added(file, TextSpan(*braced.span("note")), page)
            return inserted(file, end, f"{{{new}}}")
        end += text.startswith("}", end)
        if end >= close:  # there are no brackets yet
            return inserted(file, end, f" [{new}]")
        is_first = citation.command == _IN_TEXT and key in citation.key_lists[0].keys
        if is_first:
            end = text.index("[", end) + 1
        stop = text.find(";", end, close - 1)
        note = TextSpan(end, close - 1 if stop < 0 else stop)
        if any(note.start <= each.span.start < note.end for each in citation.keys):
            # "@key [@other]": these brackets begin with another work.
            return inserted(file, note.start, f"{new}; ") if is_first else ()
        if note.of(text).strip(_AROUND_NOTE):
            return page_added(file, note, page, _AROUND_NOTE)
        return inserted(file, note.start, f"{'' if is_first else ', '}{new}")


def conventions(*drafts: Draft) -> _Conventions:
    """Return how drafts cite."""
    return _Conventions(*usage_in(drafts, _command, _BRACKETS, "\u00a0"))


def _command(text: str, citation: Citation) -> str | None:
    """Return the role in parentheses for one that names the work in the sentence."""
    own = _IN_PARENTHESES.get(citation.command, citation.command)
    is_usual = own in _TEXTUAL or own.startswith(("{", "[")) or own == "cite"
    return own if is_usual else None


def _latex(file: DraftFile, citation: Citation) -> LatexConventions | None:
    """Return how a citation in raw LaTeX is edited; None for another one."""
    if not file.text.startswith("\\", citation.span.start):
        return None
    return LatexConventions(biblatex=citation.command.rstrip("*") in BIBLATEX_COMMANDS)
