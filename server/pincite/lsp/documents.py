r"""The documents an editor holds open.

Kept here instead of taking pygls's: its lines end wherever `str.splitlines` says (form feeds and
U+2028 too), the protocol's only at LF, CRLF and CR, and one such character would shift every
later edit. Texts are immutable strings, so that a worker thread reads a snapshot without a lock.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

from lsprotocol import types
from pygls import uris

_LINE_END = re.compile(r"\r\n|\n|\r")


class Lines:
    """A text's lines, and positions in the client's units to offsets in code points and back."""

    def __init__(self, text: str, encoding: types.PositionEncodingKind | str) -> None:
        self.text = text
        self.encoding = str(getattr(encoding, "value", encoding))
        self.starts = (0, *(match.end() for match in _LINE_END.finditer(text)))

    def offset(self, position: types.Position) -> int:
        """Return the offset of a position; one beyond a line or the text is its end."""
        if position.line >= len(self.starts):
            return len(self.text)
        start = self.starts[position.line]
        line = self.text[start : self._line_end(position.line)]
        if line.isascii() or self.encoding == types.PositionEncodingKind.Utf32.value:
            return start + min(position.character, len(line))
        units = 0
        for index, character in enumerate(line):
            if units >= position.character:
                return start + index
            units += self._units(character)
        return start + len(line)

    def position(self, offset: int) -> types.Position:
        """Return the position of an offset."""
        line = bisect_right(self.starts, offset) - 1
        before = self.text[self.starts[line] : offset]
        if before.isascii() or self.encoding == types.PositionEncodingKind.Utf32.value:
            return types.Position(line, len(before))
        return types.Position(line, sum(self._units(character) for character in before))

    def range(self, start: int, end: int) -> types.Range:
        """Return the range between two offsets."""
        return types.Range(self.position(start), self.position(end))

    def _line_end(self, line: int) -> int:
        end = self.starts[line + 1] if line + 1 < len(self.starts) else len(self.text)
        while end > self.starts[line] and self.text[end - 1] in "\r\n":
            end -= 1
        return end

    def _units(self, character: str) -> int:
        if self.encoding == types.PositionEncodingKind.Utf8.value:
            return len(character.encode("utf-8", "surrogatepass"))
        return 2 if ord(character) > 0xFFFF else 1


class Documents:
    """Texts of the open documents by path."""

    def __init__(self) -> None:
        self.texts: dict[Path, str] = {}
        self.encoding: types.PositionEncodingKind | str = types.PositionEncodingKind.Utf16

    def open(self, uri: str, text: str) -> None:
        """Take in a document."""
        self.texts[path_of(uri)] = text

    def change(self, uri: str, changes: Sequence[types.TextDocumentContentChangeEvent]) -> None:
        """Apply an edit; a document that was never opened is left alone."""
        path = path_of(uri)
        text = self.texts.get(path)
        if text is None:
            return
        for change in changes:
            if isinstance(change, types.TextDocumentContentChangePartial):
                lines = Lines(text, self.encoding)
                start, end = lines.offset(change.range.start), lines.offset(change.range.end)
                text = text[:start] + change.text + text[end:]
            else:
                text = change.text
        self.texts[path] = text

    def close(self, uri: str) -> None:
        """Forget a document; what is on disk counts again."""
        self.texts.pop(path_of(uri), None)

    def lines(self, path: Path) -> Lines | None:
        """Return the lines of an open document."""
        text = self.texts.get(path)
        return None if text is None else Lines(text, self.encoding)


def path_of(uri: str) -> Path:
    """Return the path of a document; an unsaved one gets a name of its own that is no file's."""
    path = uris.to_fs_path(uri)
    if path is None or not uri.startswith("file:"):
        parts = urlsplit(uri)
        return Path(parts.scheme or "untitled", unquote(parts.path).lstrip("/") or "draft.tex")
    return Path(path).absolute()
