r"""The documents that are open in the editor, and their positions.

Lines end at LF, CRLF and CR, as the protocol says, not where `str.splitlines` has them. Texts are
immutable, so all threads read them without a lock.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from urllib.parse import unquote, urlsplit

from lsprotocol import types

from ..parsing.markups import MARKUPS

#: URI schemes of documents to handle; version control and notebooks use other schemes.
_SCHEMES = frozenset({"file", "untitled"})
#: The language identifiers of markups, with the suffix that an unsaved document without one gets:
#: the markup is that of the name.
_LANGUAGES = {name: suffix for each in MARKUPS for name, suffix in each.languages.items()}
#: Files with these suffixes are drafts whatever language identifier the editor sends.
_SUFFIXES = frozenset(suffix for each in MARKUPS for suffix in each.every_suffix)
#: Suffixes of documents that an editor may send and that are never drafts.
_NO_DRAFT = frozenset({".bib", ".bst", ".bbl", ".pdf", ".txt", ".json", ".yml", ".yaml"})
_DRIVE = re.compile(r"/[A-Za-z]:")
#: The protocol's line ends.
_LINE_END = re.compile(r"\r\n?|\n")


class Lines:
    """A text with its lines; converts the client's positions to offsets in code points and back."""

    def __init__(self, text: str, encoding: types.PositionEncodingKind | str) -> None:
        self.text = text
        self.encoding = str(getattr(encoding, "value", encoding))

    @cached_property
    def _starts(self) -> Sequence[int]:
        """The offsets of the lines."""
        if "\r" in self.text:
            return (0, *(match.end() for match in _LINE_END.finditer(self.text)))
        # Faster than the expression; each letter typed makes a new text.
        lengths = (len(line) + 1 for line in self.text.split("\n"))
        return tuple(accumulate(lengths, initial=0))[:-1]

    def offset(self, position: types.Position) -> int:
        """Return the offset of a position; positions past the end of a line or text are clamped."""
        if position.line >= len(self._starts):
            return len(self.text)
        start, *later = self._starts[position.line : position.line + 2]
        line = self.text[start : later[0] if later else None].rstrip("\r\n")
        before = line[: position.character]
        if self._units(before) == len(before):
            return start + len(before)
        # A position inside a character is taken to be after it.
        ends = range(len(before))
        return start + bisect_left(
            ends, position.character, key=lambda end: self._units(line[:end])
        )

    def position(self, offset: int) -> types.Position:
        """Return the position of an offset."""
        offset = min(max(offset, 0), len(self.text))
        line = bisect_right(self._starts, offset) - 1
        return types.Position(line, self._units(self.text[self._starts[line] : offset]))

    def range(self, start: int, end: int) -> types.Range:
        """Return the range between two offsets."""
        return types.Range(self.position(start), self.position(end))

    def edited(self, edit: types.TextDocumentContentChangePartial) -> Lines:
        """Return the lines after an edit."""
        start, end = sorted((self.offset(edit.range.start), self.offset(edit.range.end)))
        return Lines(self.text[:start] + edit.text + self.text[end:], self.encoding)

    def _units(self, text: str) -> int:
        """Return the length of a text in the client's units."""
        if text.isascii() or self.encoding == types.PositionEncodingKind.Utf32.value:
            return len(text)
        if self.encoding == types.PositionEncodingKind.Utf8.value:
            return len(text.encode("utf-8", "surrogatepass"))
        return len(text.encode("utf-16-le", "surrogatepass")) // 2


@dataclass(frozen=True, slots=True)
class OpenDocument:
    """A document that is open in the editor, in a language by the editor's identifier."""

    uri: str
    version: int
    language: str
    lines: Lines


@dataclass(frozen=True, eq=False)
class OpenDocuments:
    """All open documents at one moment: immutable; with how the client counts positions.

    `home` is the folder assumed for a document without a file; `named` has the paths that such
    documents have since they were opened.
    """

    documents: Mapping[Path, OpenDocument] = field(default_factory=dict)
    encoding: types.PositionEncodingKind | str = types.PositionEncodingKind.Utf16
    home: Path | None = None
    named: Mapping[str, Path] = field(default_factory=dict)

    @cached_property
    def texts(self) -> Mapping[Path, str]:
        """Their texts, by path."""
        return {path: document.lines.text for path, document in self.documents.items()}

    def path(self, uri: str) -> Path:
        """Return the path that identifies a document."""
        if (named := self.named.get(uri)) is not None:
            return named
        path = path_of(uri)
        if uri.startswith("untitled:") and self.home is not None:
            # An absolute path, from editors that know where it will be saved, stays as it is.
            return self.home / path
        return path

    def uri(self, path: Path) -> str:
        """Return the URI of a file: the client's own URI while the file is open."""
        document = self.documents.get(path)
        return path.as_uri() if document is None else document.uri

    def version(self, path: Path) -> int | None:
        """Return the version of an open document, None for a file on disk."""
        document = self.documents.get(path)
        return None if document is None else document.version

    def lines(self, uri: str) -> Lines | None:
        """Return the lines of an open document."""
        document = self.documents.get(self.path(uri))
        return None if document is None else document.lines

    def may_cite(self, path: Path) -> bool:
        """Return whether a file may be a draft, by its name and the editor's language."""
        document = self.documents.get(path)
        suffix, language = path.suffix.lower(), "" if document is None else document.language
        if suffix in _SUFFIXES or language in _LANGUAGES:
            return True
        return not language and suffix not in _NO_DRAFT


class Documents:
    """The open documents; only the event loop changes them, other threads read `now`."""

    def __init__(self) -> None:
        #: The same object until something changes.
        self.now = OpenDocuments()
        #: Where the last edit of each unsaved document ended: the text there may be half typed.
        self.last_edits: dict[Path, int] = {}

    def set_encoding(self, encoding: types.PositionEncodingKind | str) -> None:
        """Count positions as the client does, before any document is open."""
        self.now = replace(self.now, encoding=encoding)

    def set_home(self, home: Path | None) -> None:
        """Set the folder of documents without a file, which is the client's open folder."""
        if home != self.now.home:
            self.now = replace(self.now, home=home)

    def open(self, uri: str, text: str, version: int = 0, language: str = "") -> None:
        """Add an open document; those with other URI schemes are silently ignored.

        `language` is the editor's language identifier, empty if unknown.
        """
        if urlsplit(uri).scheme not in _SCHEMES:
            return
        now = self.now
        document = OpenDocument(uri, version, language.lower(), Lines(text, now.encoding))
        path, named, suffix = now.path(uri), now.named, _LANGUAGES.get(document.language, "")
        if uri.startswith("untitled:"):
            # While it is open, it has this path, even in another folder's workspace.
            path = path.with_suffix(suffix) if suffix and not path.suffix else path
            named = {**named, uri: path}
        self.now = replace(now, documents={**now.documents, path: document}, named=named)

    def change(
        self,
        uri: str,
        changes: Sequence[types.TextDocumentContentChangeEvent],
        version: int = 0,
    ) -> None:
        """Apply an edit; edits of a document that is not open are ignored."""
        now = self.now
        path = now.path(uri)
        document = now.documents.get(path)
        if document is None:
            return
        lines = document.lines
        for change in changes:
            if isinstance(change, types.TextDocumentContentChangePartial):
                behind = len(lines.text) - lines.offset(change.range.end)
                lines = lines.edited(change)
                self.last_edits[path] = len(lines.text) - behind
            else:
                lines = Lines(change.text, now.encoding)
                self.last_edits.pop(path, None)
        edited = replace(document, lines=lines, version=version)
        self.now = replace(now, documents={**now.documents, path: edited})

    def close(self, uri: str) -> None:
        """Forget a document; from now on its file is read from disk."""
        now = self.now
        path = now.path(uri)
        document = now.documents.get(path)
        # On the first save of a new document, editors open its file before they close it.
        if document is not None and document.uri == uri:
            documents = {p: each for p, each in now.documents.items() if p != path}
            named = {name: each for name, each in now.named.items() if name != uri}
            self.now = replace(now, documents=documents, named=named)
            self.last_edits.pop(path, None)


def path_of(uri: str) -> Path:
    """Return the path of a document; without a file, a relative path that no file has.

    An unsaved document whose URI names the path it will be saved under has that path.
    """
    parts = urlsplit(uri)
    name = unquote(parts.path)
    if parts.scheme == "file" and "\0" not in name:
        if parts.netloc and name:
            name = f"//{unquote(parts.netloc)}{name}"
        elif _DRIVE.match(name):
            name = name[1].lower() + name[2:]
        return Path(os.path.normpath(Path(name).absolute()))
    name = name.replace("\0", "\ufffd")
    if parts.scheme == "untitled":
        return Path(os.path.normpath(name or "untitled"))
    return Path(parts.scheme or "untitled", name.lstrip("/") or "draft.tex")
