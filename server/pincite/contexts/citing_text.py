"""Drafts → `CitingText`: one text in reading order with everything that it cites."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..model.citing_text import PARAGRAPH_BREAK, CitedPlace, CitingText, TextHeading, TextPart
from ..model.drafts import Draft, DraftFile, DraftRegion


@dataclass(frozen=True, slots=True, eq=False)
class _FilePlaces:
    file: DraftFile
    in_prose: list[int]
    in_text: list[int]


@dataclass(frozen=True, slots=True, eq=False)
class TextOfDraft:
    """A draft's text in reading order, and the places of its files in it."""

    text: CitingText
    places: Mapping[Path, _FilePlaces]

    def place_of(self, path: Path, offset: int) -> int:
        """Return the offset in the whole text for a source offset in a file."""
        own = self.places.get(path)
        if own is None:
            return 0
        start = own.file.prose.offset_at(offset)
        at = max(bisect_right(own.in_prose, start) - 1, 0)
        # A part does not include the last break of its region.
        return min(own.in_text[at] + start - own.in_prose[at], self.text.length)


def text_of_draft(draft: Draft) -> TextOfDraft:
    r"""Return a draft's text in reading order, without the citations of ``\nocite``."""
    parts: list[TextPart] = []
    starts: list[int] = []
    places: dict[Path, _FilePlaces] = {}
    length = 0
    # A file is taken out where it is read.
    unread = {file.path: file for file in draft.all_files}
    for path in (draft.root, *unread):
        for file, first, end in _read_from(path, draft, unread):
            own = places.setdefault(file.path, _FilePlaces(file, [], []))
            for start, part in _parts(file, first, end):
                own.in_prose.append(start)
                own.in_text.append(length)
                parts.append(part)
                starts.append(length)
                length += len(part.text) + len(PARAGRAPH_BREAK)
    text = CitingText(tuple(parts), starts) if parts else CitingText.of("")
    return TextOfDraft(text, places)


def _parts(file: DraftFile, first: int, end: int) -> Iterator[tuple[int, TextPart]]:
    """Yield the parts of a range of a file's prose by region, and the offset of each there."""
    starts = file.prose.region_starts
    number = max(bisect_right(starts, first) - 1, 0)
    # An empty range also gets a part, as a place may be in it.
    for each in range(number, bisect_left(starts, end, number + 1)):
        region, start = file.regions[each], starts[each]
        length = len(region.prose.text)
        if length or each == number:
            own = max(first - start, 0), min(end - start, length)
            if own not in region.parts:
                region.parts[own] = _part(region, *own)
            yield start + own[0], region.parts[own]


def _part(region: DraftRegion, first: int, end: int) -> TextPart:
    """Return a range of the prose of a region as a part, without the break at its end."""
    at = region.prose.offset_at
    prose = region.prose.text[first:end].removesuffix(PARAGRAPH_BREAK)
    places = tuple(
        CitedPlace(start - first, tuple(key.key for key in citation.keys))
        for citation in region.citations
        if citation.keys
        and not citation.listed_only
        and first <= (start := at(citation.span.start)) < end
    )
    headings: list[TextHeading] = []
    for heading in region.headings:
        if first <= (start := at(heading.offset)) < end:
            start -= first
            while prose[start : start + 1].isspace():  # a possible break before its words
                start += 1
            stop = prose.find(PARAGRAPH_BREAK, start)
            headings.append(TextHeading(start, len(prose) if stop < 0 else stop, heading.level))
    return TextPart(prose, places, tuple(headings))


def _read_from(
    path: Path, draft: Draft, unread: dict[Path, DraftFile]
) -> Iterator[tuple[DraftFile, int, int]]:
    """Yield the ranges of a file's prose and, where it names them, of files that it includes."""
    file, start = unread.pop(path, None), 0
    if file is None:
        return
    for offset, included in sorted(draft.inclusions.get(path, ())):
        if included in unread:
            end = max(start, file.prose.offset_at(offset))
            yield file, start, end
            yield from _read_from(included, draft, unread)
            start = end
    yield file, start, file.prose.length + 1
