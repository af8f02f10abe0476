"""Drafts and papers → `CitingText`: one text in reading order with everything that it cites."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain
from pathlib import Path
from typing import Final, TypeAlias

from ..model.citing_text import PARAGRAPH_BREAK, CitedPlace, CitingText, TextHeading, TextPart
from ..model.drafts import CITATION_MARK, Draft, DraftFile, DraftRegion
from ..model.papers import ReferencePaper
from ..model.runs import shared_ends


class DraftTexts:
    """Builds the texts of drafts; after an edit, unedited parts remain the same objects."""

    def __init__(self) -> None:
        self._latest: tuple[Draft, TextOfDraft] | None = None

    def of(self, draft: Draft) -> TextOfDraft:
        """Return the text of a draft; the last result is cached."""
        known = self._latest
        if known is None or known[0] is not draft:
            text = TextOfDraft.of(draft, _NO_TEXT if known is None else known[1])
            # Replaced at once: other threads may read other states of the draft.
            self._latest = known = (draft, text)
        return known[1]


#: The prose of a region, or what is between two offsets of it.
_Range: TypeAlias = DraftRegion | tuple[DraftRegion, int, int]


@dataclass(frozen=True, slots=True, eq=False)
class _Piece:
    """A range of a file's prose in parts, one for each of `ranges`.

    `in_prose` are the offsets of the parts in the file's prose, `in_piece` those in the text of the
    piece, whose `length` includes the break at its end.
    """

    file: DraftFile
    extent: tuple[int, int]
    ranges: Sequence[_Range]
    parts: Sequence[TextPart]
    in_prose: Sequence[int]
    in_piece: Sequence[int]
    length: int

    @classmethod
    def of(
        cls, file: DraftFile, first: int, end: int, earlier: Sequence[_Piece], number: int
    ) -> _Piece:
        """Return a range of a file's prose.

        `earlier` are the pieces of the file before an edit, of which it was the one of this number.
        """
        ranges, in_prose = _ranges(file, first, end)
        empty = cls(file, (0, 0), (), (), (), (), 0)
        before = earlier[number] if number < len(earlier) else empty
        front, behind = shared_ends(ranges, before.ranges)
        last, later = len(ranges) - behind, len(before.ranges) - behind
        known = dict(zip(before.ranges[front:later], before.parts[front:later], strict=True))
        for piece in earlier:
            if piece is not before:
                known.update(zip(piece.ranges, piece.parts, strict=True))
        edited = [known.get(own) or _part(own) for own in ranges[front:last]]
        lengths = (len(part.text) + len(PARAGRAPH_BREAK) for part in edited)
        *in_piece, end_of_edit = accumulate(lengths, initial=before.start_of(front))
        moved = end_of_edit - before.start_of(later)
        return cls(
            file,
            (first, end),
            ranges,
            [*before.parts[:front], *edited, *before.parts[later:]],
            in_prose,
            [*before.in_piece[:front], *in_piece, *[at + moved for at in before.in_piece[later:]]],
            before.length + moved,
        )

    def start_of(self, number: int) -> int:
        """Return the offset of a part in the piece, or its length after the last one."""
        return self.in_piece[number] if number < len(self.in_piece) else self.length


@dataclass(frozen=True, eq=False)
class TextOfDraft:
    r"""A draft's text in reading order, without the citations of ``\nocite``.

    It consists of `pieces`: piece i starts at the offset ``begins[i]`` with the part
    ``first_parts[i]``; the last item of both is the end of the text.
    """

    text: CitingText
    pieces: Sequence[_Piece]
    first_parts: Sequence[int]
    begins: Sequence[int]

    @classmethod
    def of(cls, draft: Draft, earlier: TextOfDraft) -> TextOfDraft:
        """Return the text of a draft; what an `earlier` text has as well is taken from it."""
        pieces: list[_Piece] = []
        edited_of: Counter[Path] = Counter()
        for number, (file, first, end) in enumerate(_reading_order(draft)):
            piece = earlier.pieces[number] if number < len(earlier.pieces) else None
            if piece is None or piece.file is not file or piece.extent != (first, end):
                known = [earlier.pieces[at] for at in earlier.of_file.get(file.path, ())]
                piece = _Piece.of(file, first, end, known, edited_of[file.path])
                edited_of[file.path] += 1
            pieces.append(piece)
        if not pieces:
            return _NO_TEXT
        front, behind = shared_ends(pieces, earlier.pieces)
        edited, later = pieces[front : len(pieces) - behind], len(earlier.pieces) - behind
        sizes, lengths = ([len(each.parts) for each in edited], [each.length for each in edited])
        first_parts = _spliced(earlier.first_parts, front, later, sizes)
        begins = _spliced(earlier.begins, front, later, lengths)
        before, after = earlier.first_parts[front], earlier.first_parts[later]
        moved = begins[len(pieces) - behind] - earlier.begins[later]
        # A text without pieces has an empty part.
        parts = earlier.text.parts if earlier.pieces else ()
        starts = earlier.text.starts if earlier.pieces else ()
        text = CitingText(
            (*parts[:before], *chain.from_iterable(each.parts for each in edited), *parts[after:]),
            [
                *starts[:before],
                *(
                    begin + start
                    for begin, each in zip(begins[front:], edited, strict=False)
                    for start in each.in_piece
                ),
                *[start + moved for start in starts[after:]],
            ],
        )
        return cls(text, pieces, first_parts, begins)

    @cached_property
    def of_file(self) -> Mapping[Path, Sequence[int]]:
        """The numbers of the pieces of each file, in order."""
        found: dict[Path, list[int]] = {}
        for number, piece in enumerate(self.pieces):
            found.setdefault(piece.file.path, []).append(number)
        return found

    def place_of(self, path: Path, offset: int) -> int:
        """Return the offset in the whole text for a source offset in a file."""
        numbers = self.of_file.get(path)
        if numbers is None:
            return 0
        start = self.pieces[numbers[0]].file.prose.offset_at(offset)
        after = bisect_right(numbers, start, key=lambda each: self.pieces[each].in_prose[0])
        number = numbers[max(after - 1, 0)]
        piece = self.pieces[number]
        at = max(bisect_right(piece.in_prose, start) - 1, 0)
        place = self.begins[number] + piece.in_piece[at] + start - piece.in_prose[at]
        # A part does not include the last break of its region.
        return min(place, self.text.length)


_NO_TEXT: Final = TextOfDraft(CitingText.of(""), (), (0,), (0,))


def _spliced(starts: Sequence[int], front: int, later: int, sizes: Sequence[int]) -> list[int]:
    """Return starts, with items of other `sizes` in place of those from `front` to `later`."""
    *edited, end = accumulate(sizes, initial=starts[front])
    moved = end - starts[later]
    return [*starts[:front], *edited, *[start + moved for start in starts[later:]]]


def _ranges(file: DraftFile, first: int, end: int) -> tuple[Sequence[_Range], Sequence[int]]:
    """Return the parts of a range of a file's prose by region, and the offset of each there."""
    starts, with_prose, regions = file.prose.region_starts, file.prose.with_prose, file.regions
    number = max(bisect_right(starts, first) - 1, 0)
    behind = bisect_left(starts, end, number + 1)
    # An empty range also gets a part, as a place may be in it.
    numbers = [
        number,
        *with_prose[bisect_right(with_prose, number) : bisect_left(with_prose, behind)],
    ]
    ranges: list[_Range] = [regions[each] for each in numbers]
    in_prose = [starts[each] for each in numbers]
    # All between are whole.
    for at in {0, len(numbers) - 1}:
        length = len(regions[numbers[at]].prose.text)
        begin, last = max(first - in_prose[at], 0), min(end - in_prose[at], length)
        if (begin, last) != (0, length):
            ranges[at] = (regions[numbers[at]], begin, last)
            in_prose[at] += begin
    return ranges, in_prose


def _part(own: _Range) -> TextPart:
    """Return the prose of a range as a part, without the break at its end."""
    region, first, end = own if isinstance(own, tuple) else (own, 0, len(own.prose.text))
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
    # A file is taken out where it is read.
    unread = {file.path: file for file in (*draft.files, *draft.others)}
    for path in (draft.root, *unread):
        if path in unread:
            yield from _read_from(path, draft, unread)


def _read_from(
    path: Path, draft: Draft, unread: dict[Path, DraftFile]
) -> Iterator[tuple[DraftFile, int, int]]:
    """Yield the parts of a file and, where it names them, of those that it includes."""
    file, start = unread.pop(path), 0
    for offset, included in sorted(draft.inclusions.get(path, ())):
        if included in unread:
            end = max(start, file.prose.offset_at(offset))
            yield file, start, end
            yield from _read_from(included, draft, unread)
            start = end
    yield file, start, file.prose.length + 1


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
