"""A draft in any markup; all offsets are code points into the text of the file that holds them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any, Literal, TypeVar

from .citing_text import TextPart
from .papers import doi_in_key
from .problems import Problem
from .programs import BIBER, Program
from .spans import TextSpan, line_starts

#: Stands for one citation in prose (U+FFFC, the object replacement character).
CITATION_MARK = "\ufffc"
_File = TypeVar("_File")
_S = TypeVar("_S", bound="Spanned")
_GAP = re.compile(
    r"\?+|(?:todo|fixme|xxx|tbd)(?![A-Za-z0-9]).*|citation[ _-]?(?:needed|here)|cite[ _-]?me",
    re.IGNORECASE | re.DOTALL,
)
#: A placeholder that is written as words: "[citation needed]".
GAP_IN_WORDS = re.compile(r"\[\s*citations?\s+(?:here|needed)\s*\]", re.IGNORECASE)


def is_gap(key: str) -> bool:
    """Return whether a key is only a placeholder for a missing citation."""
    return _GAP.fullmatch(key) is not None


class Spanned:
    """A dataclass with spans of a text, of its own and of its parts."""

    __slots__ = ()
    __match_args__: tuple[str, ...]

    def moved(self: _S, by: int) -> _S:
        """Return it `by` code points later."""
        return type(self)(*[_moved(getattr(self, name), by) for name in self.__match_args__])


def _moved(value: Any, by: int) -> Any:  # noqa: ANN401 - a field of any kind
    if isinstance(value, tuple):
        return tuple([_moved(each, by) for each in value])
    return value.moved(by) if isinstance(value, (TextSpan, Spanned)) else value


@dataclass(frozen=True, slots=True)
class CitationKey(Spanned):
    """One key of a citation."""

    key: str
    span: TextSpan


@dataclass(frozen=True, slots=True)
class KeyList(Spanned):
    """A list of keys, and the text between its brackets; one without an end is not `closed`."""

    span: TextSpan
    keys: tuple[CitationKey, ...]
    closed: bool = True


@dataclass(frozen=True, slots=True)
class Citation(Spanned):
    r"""One citation with its arguments; `command` names the way of citing, without a backslash.

    `span` is all of it, in LaTeX from the backslash to the end of the last argument. `listed_only`
    marks ``\nocite``: it adds to the bibliography without citing anything at this place.
    """

    command: str
    span: TextSpan
    key_lists: tuple[KeyList, ...]
    listed_only: bool = False

    @property
    def keys(self) -> tuple[CitationKey, ...]:
        """All keys in order, including placeholders (``?``, ``TODO``)."""
        return tuple(key for key_list in self.key_lists for key in key_list.keys)


@dataclass(frozen=True, slots=True)
class CitationPlaceholder(Spanned):
    """A placeholder to replace with a citation."""

    span: TextSpan
    citation: Citation | None = None


#: "root" is the main file that a subfile names: its preamble and bibliographies serve both.
IncludeKind = Literal["text", "package", "root"]


@dataclass(frozen=True, slots=True)
class Include(Spanned):
    r"""A file that this one reads: ``\input`` and similar commands, or a package or class."""

    name: str
    span: TextSpan
    kind: IncludeKind
    #: Folder argument of ``\import`` and ``\subimport``.
    folder: str = ""
    #: Whether it is read only if it exists.
    optional: bool = False


@dataclass(frozen=True, slots=True)
class BibliographyName(Spanned):
    """A bibliography as a file names it; an `optional` one may be missing."""

    name: str
    span: TextSpan
    optional: bool = False


@dataclass(frozen=True, slots=True)
class BibItem(Spanned):
    r"""One ``\bibitem`` of a ``thebibliography``, or ``\bib`` of amsrefs; `key_span` is its key."""

    key: str
    text: str
    span: TextSpan
    key_span: TextSpan


@dataclass(frozen=True, slots=True)
class EmbeddedFile(Spanned):
    """A file that is embedded in a ``filecontents`` environment."""

    name: str
    span: TextSpan


@dataclass(frozen=True, slots=True)
class Heading:
    r"""A sectioning command at `offset`; `level` is 0 for ``\part``, 2 for ``\section``."""

    offset: int
    level: int


@dataclass(frozen=True, slots=True)
class Prose:
    """The source of a draft as readable text, with a mapping back to the source.

    Every citation is one `CITATION_MARK`. `starts` and `source_starts` are parallel and increasing:
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

    def piece_at(self, offset: int) -> TextSpan:
        """Return what was written at once with the character at a prose offset."""
        index = max(bisect_right(self.starts, offset) - 1, 0)
        end = self.starts[index + 1] if index + 1 < len(self.starts) else len(self.text)
        return TextSpan(self.starts[index], end)


@dataclass(frozen=True, slots=True, eq=False)
class DraftRegion:
    """Some lines of a file, parsed alone, with their own offsets; unedited, it stays one object.

    `unmarked` are words among citations, as in ``[@a; b]``: if they are keys, a sign is missing.
    """

    text: str
    citations: tuple[Citation, ...] = ()
    placeholders: tuple[CitationPlaceholder, ...] = ()
    unmarked: tuple[CitationKey, ...] = ()
    includes: tuple[Include, ...] = ()
    bibliographies: tuple[BibliographyName, ...] = ()
    bib_items: tuple[BibItem, ...] = ()
    headings: tuple[Heading, ...] = ()
    prose: Prose = Prose("")
    parts: dict[tuple[int, int], TextPart] = field(default_factory=dict, init=False, repr=False)


def _merged(of: Callable[[DraftRegion], Iterable[_S]]) -> cached_property[tuple[_S, ...]]:
    """Return a property of a file: what is `of` its regions, at its places in the file."""

    def merged(file: DraftFile) -> tuple[_S, ...]:
        return tuple(each.moved(by) for by, region in file.placed for each in of(region))

    return cached_property(merged)


@dataclass(frozen=True)
class DraftFile:
    """One file of a draft, parsed in regions, of which there is at least one."""

    path: Path
    text: str
    regions: tuple[DraftRegion, ...] = (DraftRegion(""),)

    @cached_property
    def region_starts(self) -> Sequence[int]:
        """The offset of each region."""
        return list(accumulate((len(region.text) for region in self.regions[:-1]), initial=0))

    def region_at(self, offset: int) -> tuple[int, DraftRegion]:
        """Return the region that contains an offset, and where it starts."""
        number = _region_at(self.region_starts, offset)
        return self.region_starts[number], self.regions[number]

    #: All that there is in the regions, in order.
    citations = _merged(lambda region: region.citations)
    placeholders = _merged(lambda region: region.placeholders)
    unmarked = _merged(lambda region: region.unmarked)
    includes = _merged(lambda region: region.includes)
    bibliographies = _merged(lambda region: region.bibliographies)
    bib_items = _merged(lambda region: region.bib_items)

    def citations_by(self, is_wanted: Callable[[str], bool]) -> Iterator[Citation]:
        """Yield the citations with some commands, in order, as far as they are asked for."""
        for by, region in self.placed:
            yield from (each.moved(by) for each in region.citations if is_wanted(each.command))

    @property
    def placed(self) -> Iterator[tuple[int, DraftRegion]]:
        """The regions with their offsets."""
        return zip(self.region_starts, self.regions, strict=True)

    def citations_near(self, offset: int) -> tuple[Citation, ...]:
        """Return the citations of the region that contains an offset."""
        by, region = self.region_at(offset)
        return tuple(each.moved(by) for each in region.citations)

    def key_list_at(self, offset: int) -> tuple[Citation, KeyList] | None:
        """Return the list of keys that covers an offset, with its citation: the last of several."""
        for citation in reversed(self.citations_near(offset)):
            for listed in citation.key_lists if citation.span.covers(offset) else ():
                if listed.span.covers(offset):
                    return citation, listed
        return None

    def placeholders_near(self, offset: int) -> tuple[CitationPlaceholder, ...]:
        """Return the placeholders of the region that contains an offset."""
        by, region = self.region_at(offset)
        return tuple(each.moved(by) for each in region.placeholders)

    @property
    def cites(self) -> bool:
        """Whether there is a citation or a placeholder for one."""
        return any(region.citations or region.placeholders for region in self.regions)

    @cached_property
    def prose(self) -> FileProse:
        """The readable text."""
        return FileProse(self.regions, self.region_starts)

    @cached_property
    def line_starts(self) -> tuple[int, ...]:
        """The offset of each line."""
        return line_starts(self.text)

    def line_column(self, offset: int) -> tuple[int, int]:
        """Return the 1-based line and column (code points) of an offset."""
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a 1-based line and column, clamped to the line and the text."""
        line = min(max(line, 1), len(self.line_starts))
        start = self.line_starts[line - 1]
        end = self.line_starts[line] if line < len(self.line_starts) else len(self.text) + 1
        return min(max(start + column - 1, start), max(end - 1, start))


class FileProse:
    """The prose of a file: the concatenated prose of its regions."""

    # Without the file, which refers to its prose: texts in a reference cycle would stay in memory
    # until the next garbage collection.

    def __init__(self, regions: Sequence[DraftRegion], starts: Sequence[int]) -> None:
        self._regions, self._starts = regions, starts
        *before, self.length = accumulate((len(each.prose.text) for each in regions), initial=0)
        #: Where the prose of each region starts.
        self.region_starts: Sequence[int] = before

    @cached_property
    def text(self) -> str:
        """All of it, joined on first use."""
        return "".join(region.prose.text for region in self._regions)

    def offset_at(self, source_offset: int) -> int:
        """Return the prose offset of the place nearest to an offset of the source."""
        number = _region_at(self._starts, source_offset)
        within = source_offset - self._starts[number]
        return self.region_starts[number] + self._regions[number].prose.offset_at(within)

    def source_offset(self, offset: int) -> int:
        """Return where in the source the character at a prose offset comes from."""
        number, within = self._within(offset)
        return self._starts[number] + self._regions[number].prose.source_offset(within)

    def piece_at(self, offset: int) -> TextSpan:
        """Return what was written at once with the character at a prose offset."""
        number, within = self._within(offset)
        return self._regions[number].prose.piece_at(within).moved(self.region_starts[number])

    def _within(self, offset: int) -> tuple[int, int]:
        """Return the number of the region with a prose offset, and the offset within it."""
        number = _region_at(self.region_starts, offset)
        while number and not self._regions[number].prose.text:
            number -= 1
        return number, offset - self.region_starts[number]


def _region_at(starts: Sequence[int], offset: int) -> int:
    return max(bisect_right(starts, offset) - 1, 0)


@dataclass(frozen=True, slots=True)
class BibliographySource:
    """A bibliography of a draft: a file of its own, or a part of the draft's file at `path`.

    `text` is None for a file, to be read; `first_line` is the 1-based line and `start` the offset
    where `text` starts in the file.
    """

    path: Path
    text: str | None = None
    first_line: int = 1
    start: int = 0


@dataclass(frozen=True, slots=True)
class Draft:
    """A draft: the requested file with all text files that it includes, in reading order.

    `root` is the main file; `own_paths` are all files that it includes, with packages, and `others`
    its other text files, which the requested file does not include. `inclusions` has for each file
    the offsets at which it includes others, and these files. `program` reads its
    bibliographies. If `case_sensitive_keys` is False, BibTeX resolves the keys and ignores their
    case. If it `resolves_dois`, a DOI is cited without an entry.
    `fallback_bibliographies` are used although the draft does not name them, because it names none
    or one is missing.
    If it `lacks_bibliography`, there is no bibliography at all to look up keys in. `has_all_text`
    indicates that no text file is missing, so all citations are known. In a markup that other texts
    have too, `is_other_text` indicates that it names no bibliography and certainly cites nothing.
    """

    path: Path
    root: Path
    files: tuple[DraftFile, ...]
    others: tuple[DraftFile, ...] = ()
    own_paths: frozenset[Path] = frozenset()
    bibliographies: tuple[BibliographySource, ...] = ()
    fallback_bibliographies: tuple[BibliographySource, ...] = ()
    bib_items: tuple[BibItem, ...] = ()
    lacks_bibliography: bool = False
    has_all_text: bool = True
    case_sensitive_keys: bool = True
    resolves_dois: bool = False
    program: Program = BIBER
    is_other_text: bool = False
    languages: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    inclusions: Mapping[Path, tuple[tuple[int, Path], ...]] = field(
        default_factory=dict, hash=False
    )

    def resolves(self, key: str) -> bool:
        """Return whether a key cites a work that needs no entry."""
        return self.resolves_dois and doi_in_key(key) != ""

    def by_precedence(
        self, files: Sequence[tuple[BibliographySource, _File]]
    ) -> Sequence[tuple[BibliographySource, _File]]:
        """Return what was read of bibliographies so that the first one with a key counts."""
        if not self.program.last_counts:
            return files
        # Entries in the draft itself are preferred to all others.
        inside = [each for each in files if each[0].text is not None]
        return [*inside[::-1], *(each for each in files[::-1] if each[0].text is None)]

    @property
    def all_files(self) -> tuple[DraftFile, ...]:
        """The text files of the whole draft."""
        return (*self.files, *self.others)

    @property
    def main(self) -> DraftFile | None:
        """The main file, if it could be read."""
        return next((file for file in self.all_files if file.path == self.root), None)

    def file(self, path: Path) -> DraftFile | None:
        """Return the draft's file at `path`, if it is one of them."""
        return next((file for file in self.files if file.path == path), None)
