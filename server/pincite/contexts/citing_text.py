"""Drafts and papers → `CitingText`: one text in reading order with everything that it cites."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from pathlib import Path

from ..model.citing_text import CitedPlace, CitingText, TextHeading
from ..model.drafts import CITATION_MARK, Draft, TexFile
from ..model.papers import ReferencePaper

_BREAK = "\n\n"


def text_of_draft(draft: Draft) -> tuple[CitingText, Callable[[Path, int], int]]:
    r"""Return a draft's text in the order it is read, and where a place of a file stands in it.

    That function takes the path of a file of the draft and an offset of its source. What
    ``\nocite`` lists is cited nowhere.
    """
    texts: list[str] = []
    places: list[CitedPlace] = []
    headings: list[TextHeading] = []
    #: For each file the prose offsets where its parts begin, and where these stand in the whole.
    parts: dict[Path, tuple[list[int], list[int]]] = {}
    length = 0
    for file, first, end in _reading_order(draft):
        prose = file.prose.text[first:end]
        own = parts.setdefault(file.path, ([], []))
        own[0].append(first)
        own[1].append(length)
        by = length - first
        for citation in file.citations:
            start = file.prose.offset_at(citation.span.start)
            if citation.keys and not citation.listed_only and first <= start < end:
                places.append(CitedPlace(start + by, tuple(key.key for key in citation.keys)))
        for heading in file.headings:
            start = file.prose.offset_at(heading.offset)
            if first <= start < end:
                headings.append(_heading(file.prose.text, start, heading.level, by))
        texts += (prose, _BREAK)
        length += len(prose) + len(_BREAK)

    def place_of(path: Path, offset: int) -> int:
        file = draft.file(path)
        if file is None or path not in parts:
            return 0
        start = file.prose.offset_at(offset)
        own, whole = parts[path]
        at = max(bisect_right(own, start) - 1, 0)
        return whole[at] + start - own[at]

    return CitingText("".join(texts), tuple(places), tuple(headings)), place_of


def _reading_order(draft: Draft) -> Iterator[tuple[TexFile, int, int]]:
    """Yield the parts of the draft's files in reading order, as ranges of prose offsets.

    Each file is read where it is first named; files that none of these names come last.
    """
    files = {file.path: file for file in draft.files}
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

    ordered = [files[draft.root]] if draft.root in files else []
    for file in (*ordered, *draft.files):
        if file.path not in seen:
            yield from read(file)


def _heading(prose: str, start: int, level: int, by: int) -> TextHeading:
    """Return the heading at an offset of the prose, where its text may follow a break."""
    while prose[start : start + 1].isspace():
        start += 1
    end = prose.find(_BREAK, start)
    return TextHeading(start + by, (len(prose) if end < 0 else end) + by, level)


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
            say(_BREAK)
            if section:
                headings.append(TextHeading(length, length + len(section), 2))
                say(section + _BREAK)
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
    return CitingText("".join(parts), tuple(places), tuple(headings))
