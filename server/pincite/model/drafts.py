"""A LaTeX draft: its files, citations, placeholders and readable text.

All offsets are code points into the text of the file that holds them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from .problems import Problem
from .spans import TextSpan

#: Stands for one citation in prose (U+FFFC, the object replacement character).
CITATION_MARK = "\ufffc"


@dataclass(frozen=True, slots=True)
class CitationKey:
    """One key of a citation command."""

    key: str
    span: TextSpan

    def moved(self, by: int) -> CitationKey:
        """Return the key `by` code points later."""
        return CitationKey(self.key, self.span.moved(by))


@dataclass(frozen=True, slots=True)
class KeyList:
    """One ``{...}`` of keys; `span` is what stands between the braces.

    `closed` is False while the closing brace is not typed yet.
    """

    span: TextSpan
    keys: tuple[CitationKey, ...]
    closed: bool = True

    @property
    def empty(self) -> bool:
        """Whether the list names nothing."""
        return not self.keys


@dataclass(frozen=True, slots=True)
class Citation:
    r"""One citation command with its arguments; `command` has no backslash.

    `span` runs from the backslash to the end of the last argument. `listed_only` marks
    ``\nocite``: it adds to the bibliography without citing anything at this place.
    """

    command: str
    span: TextSpan
    key_lists: tuple[KeyList, ...]
    listed_only: bool = False

    @property
    def keys(self) -> tuple[CitationKey, ...]:
        """All keys in order; what stands for a gap (``?``, ``TODO``) is among them."""
        return tuple(key for key_list in self.key_lists for key in key_list.keys)


@dataclass(frozen=True, slots=True)
class CitationPlaceholder:
    """A gap to fill with a citation."""

    span: TextSpan
    citation: Citation | None = None


#: "root" is the main file that a subfile names: its preamble and bibliographies serve both.
IncludeKind = Literal["text", "package", "root"]


@dataclass(frozen=True, slots=True)
class Include:
    r"""A file that this one reads: ``\input`` and its kin, or a package or class."""

    name: str
    span: TextSpan
    kind: IncludeKind
    #: Folder argument of ``\import`` and ``\subimport``.
    folder: str = ""


@dataclass(frozen=True, slots=True)
class BibliographyName:
    r"""A bibliography as a file names it (``\bibliography``, ``\addbibresource``, ...)."""

    name: str
    span: TextSpan


@dataclass(frozen=True, slots=True)
class BibItem:
    r"""One ``\bibitem`` of a ``thebibliography`` environment; `key_span` is its key."""

    key: str
    text: str
    span: TextSpan
    key_span: TextSpan


@dataclass(frozen=True, slots=True)
class EmbeddedFile:
    """A file that a ``filecontents`` environment carries."""

    name: str
    span: TextSpan


@dataclass(frozen=True, slots=True)
class Heading:
    r"""A sectioning command at `offset`; `level` is 0 for ``\part``, 2 for ``\section``."""

    offset: int
    level: int


@dataclass(frozen=True, slots=True)
class Prose:
    """The text of a LaTeX file as a reader would say it, with a way back to the source.

    Every citation is one `CITATION_MARK`. `starts` and `source_starts` are parallel and rising:
    the prose from ``starts[i]`` comes from the source at ``source_starts[i]``.
    """

    text: str
    starts: tuple[int, ...] = (0,)
    source_starts: tuple[int, ...] = (0,)

    def offset_at(self, source_offset: int) -> int:
        """Return the prose offset of the place nearest to an offset of the source."""
        index = bisect_right(self.source_starts, source_offset) - 1
        if index < 0:
            return 0
        offset = self.starts[index] + source_offset - self.source_starts[index]
        end = self.starts[index + 1] if index + 1 < len(self.starts) else len(self.text)
        return min(offset, end)

    def source_offset(self, offset: int) -> int:
        """Return where in the source the character at a prose offset comes from."""
        index = max(bisect_right(self.starts, offset) - 1, 0)
        return self.source_starts[index] + offset - self.starts[index]


@dataclass(frozen=True, slots=True)
class TexFile:
    """One file of a draft, parsed."""

    path: Path
    text: str
    citations: tuple[Citation, ...] = ()
    placeholders: tuple[CitationPlaceholder, ...] = ()
    includes: tuple[Include, ...] = ()
    bibliographies: tuple[BibliographyName, ...] = ()
    bib_items: tuple[BibItem, ...] = ()
    embedded_files: tuple[EmbeddedFile, ...] = ()
    headings: tuple[Heading, ...] = ()
    prose: Prose = field(default_factory=lambda: Prose(""))
    line_starts: tuple[int, ...] = (0,)

    def line_column(self, offset: int) -> tuple[int, int]:
        """Return the 1-based line and column (code points) of an offset."""
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a 1-based line and column, kept inside the line and the text."""
        line = min(max(line, 1), len(self.line_starts))
        start = self.line_starts[line - 1]
        end = self.line_starts[line] if line < len(self.line_starts) else len(self.text) + 1
        return min(max(start + column - 1, start), max(end - 1, start))


@dataclass(frozen=True, slots=True)
class BibliographySource:
    """A bibliography of a draft: a .bib file, or one embedded in the LaTeX file at `path`.

    `text` is None for a file, to be read; `first_line` is the 1-based line and `start` the offset
    where `text` starts in the file.
    """

    path: Path
    text: str | None = None
    first_line: int = 1
    start: int = 0


@dataclass(frozen=True, slots=True)
class Draft:
    """A draft: the file asked for with all text files it reads, in the order they are read.

    `root` is the main file; `own_paths` are all files that it reads, packages too, and `others` its
    further files of text, those that the file asked for does not read. `inclusions`
    are for each file the offsets at which it reads other files of text, and these files. Where
    `case_sensitive_keys` is False, BibTeX resolves the keys and ignores their case. `stand_ins` are
    .bib files that serve although the draft does not name them: it names none, or one is missing.
    """

    path: Path
    root: Path
    files: tuple[TexFile, ...]
    others: tuple[TexFile, ...] = ()
    own_paths: frozenset[Path] = frozenset()
    bibliographies: tuple[BibliographySource, ...] = ()
    stand_ins: tuple[BibliographySource, ...] = ()
    bib_items: tuple[BibItem, ...] = ()
    case_sensitive_keys: bool = True
    languages: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    inclusions: Mapping[Path, tuple[tuple[int, Path], ...]] = field(
        default_factory=dict, hash=False
    )

    def file(self, path: Path) -> TexFile | None:
        """Return the draft's file at `path`, if it is one of them."""
        return next((file for file in self.files if file.path == path), None)
