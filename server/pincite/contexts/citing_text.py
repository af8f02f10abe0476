"""Drafts and papers → `CitingText`: one text in reading order with everything that it cites."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..model.citing_text import PARAGRAPH_BREAK, CitedPlace, CitingText, TextHeading, TextPart
from ..model.drafts import CITATION_MARK, Draft, DraftFile, DraftRegion
from ..model.papers import ReferencePaper


class DraftTexts:
    """Builds the texts of drafts; after an edit, unedited parts remain the same objects."""

    def __init__(self) -> None:
        #: The parts built last, by the region of a file and the range of its prose.
        self._parts: dict[tuple[DraftRegion, int, int], TextPart] = {}
        self._latest: tuple[Draft, TextOfDraft] | None = None

    def of(self, draft: Draft) -> TextOfDraft:
        """Return the text of a draft; the last result is cached."""
        known = self._latest
        if known is None or known[0] is not draft:
            self._latest = known = (draft, self._read(draft))
        return known[1]

    def _read(self, draft: Draft) -> TextOfDraft:
        known, self._parts = self._parts, {}
        parts: list[TextPart] = []
        ranges: dict[Path, tuple[DraftFile, list[int], list[int]]] = {}
        length = 0
        for file, first, end in _reading_order(draft):
            _, starts, wholes = ranges.setdefault(file.path, (file, [], []))
            for region, begin, last, start in _regions(file, first, end):
                part = known.get((region, begin, last)) or _part(region, begin, last)
                self._parts[region, begin, last] = part
                parts.append(part)
                starts.append(start)
                wholes.append(length)
                length += len(part.text) + len(PARAGRAPH_BREAK)
        return TextOfDraft(CitingText(tuple(parts) or (TextPart(""),)), ranges)


@dataclass(frozen=True, slots=True, eq=False)
class TextOfDraft:
    r"""A draft's text in reading order, without the citations of ``\nocite``.

    `ranges` has for each file the prose offsets where its pieces start, and the offsets of these in
    the whole text.
    """

    text: CitingText
    ranges: Mapping[Path, tuple[DraftFile, Sequence[int], Sequence[int]]]

    def place_of(self, path: Path, offset: int) -> int:
        """Return the offset in the whole text for a source offset in a file."""
        if path not in self.ranges:
            return 0
        file, own, whole = self.ranges[path]
        start = file.prose.offset_at(offset)
        at = max(bisect_right(own, start) - 1, 0)
        # A part does not include the last break of its region.
        return min(whole[at] + start - own[at], self.text.length)


def _regions(file: DraftFile, first: int, end: int) -> Iterator[tuple[DraftRegion, int, int, int]]:
    """Yield the regions of a range of a file's prose, the range in each, and where that starts.

    All are prose offsets: the range's in the region, its start in the file.
    """
    prose_starts = file.prose.region_starts
    number = max(bisect_right(prose_starts, first) - 1, 0)
    for region, start in zip(file.regions[number:], prose_starts[number:], strict=True):
        if start > first and start >= end:
            break
        begin, last = max(first - start, 0), min(end - start, len(region.prose.text))
        # An empty range also gets a part, as a place may be in it.
        if begin < last or start <= first:
            yield region, begin, last, start + begin


def _part(region: DraftRegion, first: int, end: int) -> TextPart:
    """Return a range of a region's prose as a part, without the break at its end."""
    at = region.prose.offset_at
    prose = region.prose.text[first:end].removesuffix(PARAGRAPH_BREAK)
    places = tuple(
        CitedPlace(start - first, tuple(key.key for key in citation.keys))
        for citation in region.citations
        if citation.keys
        and not citation.listed_only
        and first <= (start := at(citation.span.start)) < end
    )
    headings = tuple(
        _heading(prose, _words_at(prose, start - first), heading.level)
        for heading in region.headings
        if first <= (start := at(heading.offset)) < end
    )
    return TextPart(prose, places, headings)


def _reading_order(draft: Draft) -> Iterator[tuple[DraftFile, int, int]]:
    """Yield the parts of all files of a draft in reading order, as ranges of prose offsets.

    Each file comes where it is first named; files that are not named come last.
    """
    files = {file.path: file for file in (*draft.files, *draft.others)}
    seen: set[Path] = set()

    def read(file: DraftFile) -> Iterator[tuple[DraftFile, int, int]]:
        seen.add(file.path)
        start = 0
        for offset, path in sorted(draft.inclusions.get(file.path, ())):
            if path in files and path not in seen:
                end = max(start, file.prose.offset_at(offset))
                yield file, start, end
                yield from read(files[path])
                start = end
        yield file, start, len(file.prose.text) + 1

    for path in (draft.root, *files):
        if path in files and path not in seen:
            yield from read(files[path])


def _words_at(text: str, start: int) -> int:
    """Return where the words of a heading start, after a possible break."""
    while text[start : start + 1].isspace():
        start += 1
    return start


def _heading(text: str, start: int, level: int) -> TextHeading:
    end = text.find(PARAGRAPH_BREAK, start)
    return TextHeading(start, len(text) if end < 0 else end, level)


def text_of_paper(paper: ReferencePaper, names: Callable[[int], str | None]) -> CitingText:
    """Return a paper's text; `names` are the keys of its references, None for those to leave out.

    If the paper's paragraphs are unknown, each section is one. A section's name is its heading.
    """
    parts: list[str] = []
    places: list[CitedPlace] = []
    headings: list[TextHeading] = []
    length, number, section = 0, 0, None

    def say(text: str) -> None:
        nonlocal length
        parts.append(text)
        length += len(text)

    for index, sentence in enumerate(paper.sentences):
        if sentence.section != section:
            section = sentence.section
            say(PARAGRAPH_BREAK)
            if section:
                headings.append(TextHeading(length, length + len(section), 2))
                say(section + PARAGRAPH_BREAK)
        last = 0
        while number < len(paper.markers) and paper.markers[number].sentence == index:
            marker = paper.markers[number]
            say(sentence.text[last : marker.start])
            found = (names(reference) for reference in marker.references)
            keys = tuple(dict.fromkeys(name for name in found if name is not None))
            if keys:
                places.append(CitedPlace(length, keys))
            say(CITATION_MARK)
            last, number = marker.end, number + 1
        say(sentence.text[last:] + " ")
    return CitingText.of("".join(parts), tuple(places), tuple(headings))
