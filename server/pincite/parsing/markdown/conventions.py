r"""How a draft in Markdown cites, and the edits of its citations.

Citations are in brackets (``[@key]``), in MyST's roles (``{cite:p}`key```) or in raw LaTeX
(``\citep{key}``), whichever the draft has more of. After a word such as “by”, the citation is part
of the sentence: ``@key``.
"""

from __future__ import annotations

import re
from typing import Final

from ...model.drafts import Citation, CitationKey, Draft, DraftFile, KeyList
from ...model.edits import TextEdit
from ...model.spans import TextSpan
from ..conventions import Usage, is_named_after, page_added, usage_in, with_plain_page
from ..latex.conventions import BIBLATEX_COMMANDS, LatexConventions
from .citations import written as written_key

_BRACKETS: Final = "[@]"
_IN_TEXT: Final = "@"
_AROUND_NOTE: Final = " \t\r\n,"
#: The note behind a key of a role, and what may stand before the next one.
_NOTE_IN_ROLE: Final = re.compile(r"[ \t]*\{(?P<note>[^{}`\r\n]*)\}")
_BETWEEN_KEYS: Final = re.compile(r"[ \t]*[,;][ \t]*")
#: The roles and commands for citations in the sentence, by those in parentheses.
_TEXTUAL: Final = {
    "{cite:p}": "{cite:t}",
    "{cite:ps}": "{cite:ts}",
    "{citep}": "{citet}",
    "citep": "citet",
    "parencite": "textcite",
    "autocite": "textcite",
}


class MarkdownConventions(Usage):
    """How a draft in Markdown cites."""

    def citation(self, key: str, before: str) -> str:
        """Return a new citation of a key, in the sentence or in parentheses."""
        is_named = is_named_after(before)
        if self.command != _BRACKETS:
            role = _TEXTUAL.get(self.command, self.command) if is_named else self.command
            return f"{role}`{key}`" if role.startswith("{") else f"\\{role}{{{key}}}"
        written = written_key(key)
        return f"@{written}" if is_named else f"[@{written}]"

    def extended(
        self, file: DraftFile, citation: Citation, key: str, offset: int
    ) -> tuple[TextEdit, ...]:
        """Return the edits that add a key: after the item at `offset`, else at the end."""
        lists = [keys for keys in citation.key_lists if keys.keys]
        if not lists:
            return ()
        if (latex := _latex(file, citation)) is not None:
            return latex.extended(file, citation, key, offset)
        near = next((each for each in lists if each.span.covers(offset)), lists[-1])
        if citation.command.startswith("{"):
            last = near.keys[-1].span.end
            note = _NOTE_IN_ROLE.match(file.text, last, near.span.end)
            end = last if note is None else note.end()
            return (TextEdit(file.path, TextSpan(end, end), f"{_separator(file, near)}{key}"),)
        written = written_key(key)
        if citation.command == _IN_TEXT and len(lists) == 1 and not _has_note(file, citation):
            # A second work goes into brackets after the first, as Pandoc prints several.
            end = citation.span.end
            return (TextEdit(file.path, TextSpan(end, end), f" [@{written}]"),)
        close = citation.span.end - 1
        item_end = file.text.find(";", near.span.end, close)
        end = close if item_end < 0 else item_end
        while file.text[end - 1] in " \t\r\n":
            end -= 1
        return (TextEdit(file.path, TextSpan(end, end), f"; @{written}"),)

    def pinned(
        self, file: DraftFile, citation: Citation, key: CitationKey, page: str
    ) -> tuple[TextEdit, ...]:
        """Return the edits that put a page behind a key: ``[@key, p. 3]`` or ``@key [p. 3]``.

        In a role, it is in braces: ``{cite:p}`key{p. 3}` ``.
        """
        if (latex := _latex(file, citation)) is not None:
            return latex.pinned(file, citation, key, page)
        text = file.text
        if citation.command.startswith("{"):
            place = TextSpan(key.span.end, key.span.end)
            if (braced := _NOTE_IN_ROLE.match(text, place.end, citation.span.end)) is not None:
                return page_added(file, TextSpan(*braced.span("note")), page)
            return (TextEdit(file.path, place, f"{{{with_plain_page('', page)}}}"),)
        end = key.span.end + text.startswith("}", key.span.end)
        note = _note(file, citation, end)
        if note is None:
            edit = TextEdit(file.path, TextSpan(end, end), f" [{with_plain_page('', page)}]")
            return (edit,)
        is_first = citation.command == _IN_TEXT and key in citation.key_lists[0].keys
        if any(note.start <= each.span.start < note.end for each in citation.keys):
            # "@key [@other]": these brackets begin with another work.
            new = f"{with_plain_page('', page)}; "
            edit = TextEdit(file.path, TextSpan(note.start, note.start), new)
            return (edit,) if is_first else ()
        if note.of(text).strip(_AROUND_NOTE):
            return page_added(file, note, page, _AROUND_NOTE)
        new = f"{'' if is_first else ', '}{with_plain_page('', page)}"
        return (TextEdit(file.path, TextSpan(note.start, note.start), new),)


def markdown_conventions(*drafts: Draft) -> MarkdownConventions:
    """Return how drafts cite."""
    return MarkdownConventions(*usage_in(drafts, _command, _BRACKETS, "\u00a0"))


def _command(text: str, citation: Citation) -> str | None:
    """Return the role in parentheses for one that names the work in the sentence."""
    command = citation.command
    own = next((own for own, textual in _TEXTUAL.items() if textual == command), command)
    is_usual = own in _TEXTUAL or own.startswith(("{", "[")) or own == "cite"
    return own if is_usual else None


def _latex(file: DraftFile, citation: Citation) -> LatexConventions | None:
    """Return how a citation in raw LaTeX is edited; None for another one."""
    if not file.text.startswith("\\", citation.span.start):
        return None
    return LatexConventions(biblatex=citation.command.rstrip("*") in BIBLATEX_COMMANDS)


def _has_note(file: DraftFile, citation: Citation) -> bool:
    """Return whether a citation in the text has brackets behind it."""
    return file.text[citation.span.end - 1 : citation.span.end] == "]"


def _note(file: DraftFile, citation: Citation, end: int) -> TextSpan | None:
    """Return the place of the note behind a key that ends at `end`.

    None if a citation in the text has no brackets yet.
    """
    text, close = file.text, citation.span.end
    if end >= close:
        return None
    start = end
    if citation.command == _IN_TEXT and end == _first_end(file, citation):
        start = text.index("[", end) + 1
    stop = text.find(";", start, close - 1)
    return TextSpan(start, close - 1 if stop < 0 else stop)


def _first_end(file: DraftFile, citation: Citation) -> int:
    end = citation.key_lists[0].span.end
    return end + file.text.startswith("}", end)


def _separator(file: DraftFile, keys: KeyList) -> str:
    """Return what stands between the keys of a role, without their notes."""
    first = keys.keys[0].span.end
    note = _NOTE_IN_ROLE.match(file.text, first, keys.span.end)
    found = _BETWEEN_KEYS.match(file.text, note.end() if note else first, keys.span.end)
    return found.group() if found else ","
