"""How a draft cites, in any markup: what is written most often, and where."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from ..model.drafts import Citation, CitationPlaceholder, Draft, DraftFile
from ..model.edits import TextEdit
from ..model.spans import TextSpan
from .pages import with_page

_NAMED_AFTER: Final = re.compile(
    r"\b(?:by|in|from|of|following|see|with|and|von|nach|bei|par|selon|dans|por|según|da|di)\s+\Z",
    re.IGNORECASE,
)
#: How much text before a citation to read.
_LOOK_BACK: Final = 40


@dataclass(frozen=True, slots=True)
class Usage:
    """How a draft cites; see `Conventions`. `command` is that of a citation in parentheses."""

    command: str
    before: str = " "
    behind_stop: bool = False

    def filled(self, file: DraftFile, gap: CitationPlaceholder, key: str) -> TextEdit | None:
        """Return None: all placeholders without a citation are in words."""
        return None


def usage_in(
    drafts: Iterable[Draft],
    command_of: Callable[[str, Citation], str | None],
    default: str,
    tie: str,
) -> tuple[str, str, bool]:
    """Return the most frequent command, the text before it, and whether that follows a full stop.

    `command_of` returns None for a citation that is not in parentheses; no line ends at a `tie`.
    """
    files = {file.path: file for draft in drafts for file in (*draft.files, *draft.others)}
    used, signs = Counter[str](), Counter[str]()
    for file in files.values():
        for citation in file.citations:
            command = command_of(file.text, citation)
            if command is not None and not citation.listed_only:
                used[command] += 1
                if start := citation.span.start:
                    signs[file.text[start - 1 : start]] += 1
    command = next((name for name, _ in used.most_common(1)), default)
    return command, *usual_place(signs, tie, " ")


def usual_place(signs: Counter[str], tie: str, draw: str) -> tuple[str, bool]:
    """Return the text before most citations, and whether they follow a full stop."""
    spaces, ties = signs[" "] + signs["\n"] + signs["\r"], signs[tie]
    bare = signs.total() - spaces - ties
    if bare > max(spaces, ties):
        return "", 2 * sum(signs[stop] for stop in ".!?") > bare
    if ties == spaces:
        return draw, False
    return (tie if ties > spaces else " "), False


def is_named_after(before: str) -> bool:
    """Return whether the text before a citation asks for the name of the work: “as shown by”."""
    return _NAMED_AFTER.search(f"{before[-_LOOK_BACK:].rstrip()} ") is not None


def inserted(file: DraftFile, offset: int, text: str) -> tuple[TextEdit, ...]:
    """Return the edit that inserts a text at an offset of a file."""
    return (TextEdit(file.path, TextSpan(offset, offset), text),)


def page_added(
    file: DraftFile, note: TextSpan, page: str, around: str | None = None
) -> tuple[TextEdit, ...]:
    """Return the edit that adds a page to a note; none if it has the page."""
    old = note.of(file.text).strip(around)
    new = with_plain_page(old, page)
    if old == new:
        return ()
    start = note.start + note.of(file.text).index(old)
    return (TextEdit(file.path, TextSpan(start, start + len(old)), new),)


def with_plain_page(note: str, page: str) -> str:
    """Return a note with a page added, without the commands of LaTeX."""
    return with_page(note, page, space=" ", dash="-")
