r"""The documents that are open in the editor, and their positions.

Lines end at LF, CRLF and CR, as in the protocol, not where `str.splitlines` has them. Texts are
immutable, so all threads read them without a lock.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, quote, unquote, urlsplit

from lsprotocol import types

from ..model.spans import TextSpan, line_ends, line_starts
from ..parsing.disk import Listed
from ..parsing.encoding import Decoded
from ..parsing.markups import MARKUPS
from ..parsing.paths import VIRTUAL, is_virtual

#: The language identifiers of markups, with the suffix that an unsaved document without one gets:
#: the markup is that of the name.
_LANGUAGES = {name: suffix for each in MARKUPS for name, suffix in each.languages.items()}
#: Files with these suffixes are drafts whatever language identifier the editor sends.
_SUFFIXES = frozenset(suffix for each in MARKUPS for suffix in each.every_suffix)
#: Suffixes of documents that an editor may send and that are never drafts.
_NO_DRAFT = frozenset({".bib", ".bst", ".bbl", ".pdf", ".txt", ".json", ".yml", ".yaml"})
_DRIVE = re.compile(r"/[A-Za-z]:")
#: Cells are parts of a text; what has no scheme is no address.
_NO_DOCUMENTS = ("", "vscode-notebook-cell")
#: The earlier versions of files that version control shows; what they name is in the files' folder.
EARLIER = "git"


class Lines:
    """A text with its lines; converts the client's positions to offsets in code points and back."""

    def __init__(self, text: str, encoding: str, starts: Sequence[int] = ()) -> None:
        """Take a text and the client's encoding, and `starts` of the lines where they are known."""
        self.text = text
        self.encoding = encoding
        self._known = starts

    @cached_property
    def _starts(self) -> Sequence[int]:
        return self._known or line_starts(self.text)

    def edited(self, span: TextSpan, text: str) -> Lines:
        """Return the lines with a span replaced by a text."""
        starts: Sequence[int] = ()
        # Within a line, as letters are typed: in a long text, finding all lines again takes most
        # of the time. A letter between CR and LF makes two line ends of one.
        if not line_ends(text + self.text[span.start : span.end]) and "\r" not in self.text:
            at = bisect_right(self._starts, span.start)
            by = len(text) - (span.end - span.start)
            starts = [*self._starts[:at], *[start + by for start in self._starts[at:]]]
        edited = f"{self.text[: span.start]}{text}{self.text[span.end :]}"
        return Lines(edited, self.encoding, starts)

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

    def range(self, span: TextSpan) -> types.Range:
        """Return the range of a span."""
        return types.Range(self.position(span.start), self.position(span.end))

    def span(self, range_: types.Range) -> TextSpan:
        """Return the span of a range."""
        return TextSpan(*sorted((self.offset(range_.start), self.offset(range_.end))))

    def _units(self, text: str) -> int:
        """Return the length of a text in the client's units."""
        if text.isascii() or self.encoding == "utf-32":
            return len(text)
        if self.encoding == "utf-8":
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
    """All open documents at one moment; those without a file are as if in the folder `home`.

    For file systems that only the client can read, `read` has the files and `listed` the folders
    that it has read so far, None for those that cannot be read.
    """

    documents: Mapping[Path, OpenDocument] = field(default_factory=dict)
    encoding: str = "utf-16"
    home: Path | None = None
    read: Mapping[Path, Decoded | None] = field(default_factory=dict)
    listed: Mapping[Path, Listed | None] = field(default_factory=dict)

    @cached_property
    def texts(self) -> Mapping[Path, str]:
        """Their texts, and those of the files that the client has read, by path."""
        read = {path: found.text for path, found in self.read.items() if found is not None}
        opened = {path: document.lines.text for path, document in self.documents.items()}
        return {**read, **opened}

    @cached_property
    def _paths(self) -> Mapping[str, Path]:
        return {document.uri: path for path, document in self.documents.items()}

    def path(self, uri: str) -> Path:
        """Return the path that identifies a document: while it is open, it stays the same."""
        if uri in self._paths:
            return self._paths[uri]
        if self.home and uri.startswith("untitled:"):
            # An absolute path, from editors that know where it will be saved, stays as it is.
            return self.home / path_of(uri)
        return place_of(uri, "draft.tex")

    def uri(self, path: Path) -> str:
        """Return the URI of a file: the client's own URI while the file is open."""
        document = self.documents.get(path)
        return uri_of(path) if document is None else document.uri

    def version(self, path: Path) -> int | None:
        """Return the version of an open document, None for a file on disk."""
        document = self.documents.get(path)
        return None if document is None else document.version

    def has_folder(self, folder: Path) -> bool:
        """Return whether files can be in a folder: none can be beside a text that has no place."""
        return not is_virtual(folder) or self.listed.get(folder) is not None

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

    def set_encoding(self, encoding: str) -> None:
        """Count positions as the client does, before any document is open."""
        self.now = replace(self.now, encoding=encoding)

    def set_home(self, home: Path | None) -> None:
        """Set the folder of documents without a file, which is the client's open folder."""
        self.now = replace(self.now, home=home)

    def open(self, uri: str, text: str, version: int = 0, language: str = "") -> None:
        """Add an open document; the cells of notebooks are ignored."""
        if _parts(uri).scheme in _NO_DOCUMENTS:
            return
        now = self.now
        document = OpenDocument(uri, version, language.lower(), Lines(text, now.encoding))
        path, suffix = now.path(uri), _LANGUAGES.get(document.language)
        if suffix and not path.suffix and not uri.startswith("file:"):
            path = path.with_suffix(suffix)
        self.now = replace(now, documents={**now.documents, path: document})

    def change(
        self, uri: str, changes: Sequence[types.TextDocumentContentChangeEvent], version: int = 0
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
                span = lines.span(change.range)
                lines = lines.edited(span, change.text)
                self.last_edits[path] = span.start + len(change.text)
            else:
                lines = Lines(change.text, now.encoding)
                self.last_edits.pop(path, None)
        changed = replace(document, lines=lines, version=version)
        self.now = replace(now, documents={**now.documents, path: changed})

    def take(self, path: Path, found: Decoded | Listed | None, *, is_folder: bool) -> bool:
        """Take a file or folder that the client has read; return whether that is new."""
        known: Mapping[Path, object] = self.now.listed if is_folder else self.now.read
        if path in known and known[path] == found:
            return False
        taken: dict[str, Any] = {"listed" if is_folder else "read": {**known, path: found}}
        self.now = replace(self.now, **taken)
        return True

    def keep_read(self, systems: Collection[Path]) -> None:
        """Forget what the client has read of other file systems."""
        read = {path: each for path, each in self.now.read.items() if system_of(path) in systems}
        listed = {p: each for p, each in self.now.listed.items() if system_of(p) in systems}
        if (read, listed) != (self.now.read, self.now.listed):
            self.now = replace(self.now, read=read, listed=listed)

    def close(self, uri: str) -> None:
        """Forget a document; from now on its file is read from disk."""
        now = self.now
        path = now.path(uri)
        document = now.documents.get(path)
        # On the first save of a new document, editors open its file before they close it.
        if document is not None and document.uri == uri:
            documents = {p: each for p, each in now.documents.items() if p != path}
            self.now = replace(now, documents=documents)
            self.last_edits.pop(path, None)


def place_of(uri: str, name_of_root: str = "") -> Path:
    """Return the path of a file or another document: a folder for its file system, then its path.

    What else the address has, such as the number of a project, belongs to the file system.
    """
    path, parts = path_of(uri), _parts(uri)
    name = unquote(parts.path)
    if path.is_absolute() or parts.scheme in ("file", *_NO_DOCUMENTS) or "\0" in name:
        return path
    system = quote(parts._replace(path="").geturl(), safe="")
    within = os.path.normpath(f"{os.sep}{name}").lstrip(os.sep)
    return Path(f"{VIRTUAL}{os.sep}{system}{os.sep}{within or name_of_root}")


def uri_of(path: Path) -> str:
    """Return the URI of a file that is not open."""
    if not is_virtual(path):
        return path.as_uri()
    system, *names = path.relative_to(VIRTUAL).parts
    name = quote("/".join(("", *names)) or "/")
    parts = urlsplit(unquote(system))
    if parts.scheme == EARLIER:
        return f"file://{name}"
    return parts._replace(path=name).geturl()


def system_of(path: Path) -> Path:
    """Return the folder that stands for the file system of a virtual path."""
    return VIRTUAL / path.relative_to(VIRTUAL).parts[0]


def is_earlier(path: Path) -> bool:
    """Return whether a document is an earlier version of a file, of version control."""
    return is_virtual(path) and unquote(system_of(path).name).startswith(f"{EARLIER}:")


def path_of(uri: str) -> Path:
    """Return the path of a document: a relative one, as no file has, where it has no file."""
    parts = _parts(uri)
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


def _parts(uri: str) -> SplitResult:
    try:
        return urlsplit(uri)
    except ValueError:  # "file://[", say
        return SplitResult("", "", uri, "", "")
