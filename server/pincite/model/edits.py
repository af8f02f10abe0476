"""Edits of the author's files, as data: nothing is written before the author asks for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from .spans import TextSpan, line_starts


@dataclass(frozen=True, slots=True)
class TextEdit:
    """Replaces `span` (code points) in the file at `path` with `text`; an empty span inserts."""

    path: Path
    span: TextSpan
    text: str


def applied(text: str, edits: Iterable[TextEdit]) -> str:
    """Return `text` after non-overlapping edits of its file."""
    parts, last = [], 0
    for edit in sorted(edits, key=lambda each: each.span):
        parts += [text[last : edit.span.start], edit.text]
        last = edit.span.end
    return "".join([*parts, text[last:]])


@dataclass(frozen=True)
class PlannedEdits:
    """Edits of files, in order; `texts` are those of the files now."""

    edits: tuple[TextEdit, ...]
    texts: Mapping[Path, str]

    @property
    def by_path(self) -> dict[Path, list[TextEdit]]:
        """The edits of each file, in order."""
        found: dict[Path, list[TextEdit]] = {}
        for edit in self.edits:
            found.setdefault(edit.path, []).append(edit)
        return found

    def diff(self, name_of: Callable[[Path], str] = str) -> Iterator[str]:
        """Yield the lines of a unified diff without context."""
        for path, edits in self.by_path.items():
            yield f"--- {name_of(path)}"
            yield f"+++ {name_of(path)}"
            yield from _hunks(self.texts[path], edits)


def _hunks(text: str, edits: Iterable[TextEdit]) -> Iterator[str]:
    starts = [*line_starts(text), len(text)]
    ranges: list[tuple[int, int, list[TextEdit]]] = []
    line = 0
    for edit in edits:
        while line + 1 < len(starts) - 1 and starts[line + 1] <= edit.span.start:
            line += 1
        last = line
        while starts[last + 1] < edit.span.end:
            last += 1
        if ranges and ranges[-1][1] >= line:
            first, before, own = ranges.pop()
            ranges.append((first, max(before, last), [*own, edit]))
        else:
            ranges.append((line, last, [edit]))
    moved = 0
    for first, last, own in ranges:
        start, end = starts[first], starts[last + 1]
        old = text[start:end]
        new = applied(old, (TextEdit(e.path, e.span.moved(-start), e.text) for e in own))
        olds, news = old.splitlines(), new.splitlines()
        at = first + 1 + moved - (not news)
        yield f"@@ -{first + 1},{len(olds)} +{at},{len(news)} @@"
        yield from (f"-{each}" for each in olds)
        yield from (f"+{each}" for each in news)
        moved += len(news) - len(olds)
