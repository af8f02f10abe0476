"""Drafts and papers → `CitingText`: one text in reading order with everything that it cites."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Final

from ..model.citing_text import PARAGRAPH_BREAK, CitedPlace, CitingText, TextHeading, TextPart
from ..model.drafts import CITATION_MARK, Draft, TexFile
from ..model.papers import ReferencePaper

#: A part has so many characters at least: what is found out about each is joined for each list.
_PART: Final = 16_000


class DraftTexts:
    """Reads the texts of drafts; of a draft that is edited, the parts that stay are the same."""

    def __init__(self) -> None:
        #: What was read last for each range of each file, by its number: of what, and the parts.
        self._ranges: dict[
            tuple[Path, int], tuple[TexFile, tuple[int, int], tuple[TextPart, ...]]
        ] = {}
        self._latest: tuple[Draft, TextOfDraft] | None = None

    def of(self, draft: Draft) -> TextOfDraft:
        """Return the text of a draft; that of the draft asked for last is kept."""
        known = self._latest
        if known is None or known[0] is not draft:
            self._latest = known = (draft, self._read(draft))
        return known[1]

    def _read(self, draft: Draft) -> TextOfDraft:
        parts: list[TextPart] = []
        ranges: dict[Path, tuple[TexFile, list[int], list[int]]] = {}
        length = 0
        for file, first, end in _reading_order(draft):
            _, starts, wholes = ranges.setdefault(file.path, (file, [], []))
            starts.append(first)
            wholes.append(length)
            parts += self._parts(len(starts), file, first, end)
            length += min(end, len(file.prose.text)) - first + len(PARAGRAPH_BREAK)
        return TextOfDraft(CitingText(tuple(parts)), ranges)

    def _parts(self, number: int, file: TexFile, first: int, end: int) -> tuple[TextPart, ...]:
        """Return the parts of the range of a file that has this number among its ranges."""
        known = self._ranges.get((file.path, number))
        if known is None or known[0] is not file or known[1] != (first, end):
            same: dict[object, TextPart | None] = {}
            for part in known[2] if known is not None else ():
                same[part.text, part.places, part.headings] = part
            found = (same.pop(each, None) or TextPart(*each) for each in _parts(file, first, end))
            self._ranges[file.path, number] = known = (file, (first, end), tuple(found))
        return known[2]


@dataclass(frozen=True, slots=True, eq=False)
class TextOfDraft:
    r"""A draft's text in the order it is read; what ``\nocite`` lists is cited nowhere.

    `ranges` has for each file the prose offsets where it goes on, and where these stand in the
    whole.
    """

    text: CitingText
    ranges: Mapping[Path, tuple[TexFile, Sequence[int], Sequence[int]]]

    def place_of(self, path: Path, offset: int) -> int:
        """Return where a place of a file stands in the whole text, by the offset of its source."""
        if path not in self.ranges:
            return 0
        file, own, whole = self.ranges[path]
        start = file.prose.offset_at(offset)
        at = max(bisect_right(own, start) - 1, 0)
        return whole[at] + start - own[at]


def _parts(
    file: TexFile, first: int, end: int
) -> Iterator[tuple[str, tuple[CitedPlace, ...], tuple[TextHeading, ...]]]:
    """Yield what the parts of a range of a file's prose are: a heading with what it is above."""
    prose, at = file.prose.text[first:end], file.prose.offset_at
    places = [
        (start - first, tuple(key.key for key in citation.keys))
        for citation in file.citations
        if citation.keys
        and not citation.listed_only
        and first <= (start := at(citation.span.start)) < end
    ]
    headings = [
        (_words_at(prose, start - first), heading.level)
        for heading in file.headings
        if first <= (start := at(heading.offset)) < end
    ]
    cuts = [0]
    for start, _ in headings:
        cut = prose.rfind(PARAGRAPH_BREAK, cuts[-1] + _PART, start)
        if cut >= 0:
            cuts.append(cut + len(PARAGRAPH_BREAK))
    for begin, behind in zip(cuts, (*cuts[1:], len(prose) + len(PARAGRAPH_BREAK)), strict=True):
        text = prose[begin : behind - len(PARAGRAPH_BREAK)]
        cited = places[_from(places, begin) : _from(places, behind)]
        above = headings[_from(headings, begin) : _from(headings, behind)]
        yield (
            text,
            tuple(CitedPlace(start - begin, keys) for start, keys in cited),
            tuple(_heading(text, start - begin, level) for start, level in above),
        )


def _from(some: Sequence[tuple[int, object]], offset: int) -> int:
    """Return how many of what stands at rising offsets stand before one."""
    return bisect_left(some, offset, key=itemgetter(0))


def _reading_order(draft: Draft) -> Iterator[tuple[TexFile, int, int]]:
    """Yield the parts of all files of a draft in reading order, as ranges of prose offsets.

    Each file is read where it is first named; files that none of these names come last.
    """
    files = {file.path: file for file in (*draft.files, *draft.others)}
    seen: set[Path] = set()

    def read(file: TexFile) -> Iterator[tuple[TexFile, int, int]]:
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
    """Return where the words of a heading start, which may follow a break."""
    while text[start : start + 1].isspace():
        start += 1
    return start


def _heading(text: str, start: int, level: int) -> TextHeading:
    end = text.find(PARAGRAPH_BREAK, start)
    return TextHeading(start, len(text) if end < 0 else end, level)


def text_of_paper(paper: ReferencePaper, names: Callable[[int], str | None]) -> CitingText:
    """Return a paper's text; `names` are the keys of its references, None for those of no matter.

    Where papers keep no paragraphs, a section is one. A section's name is its heading.
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
