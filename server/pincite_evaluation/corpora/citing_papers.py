"""Papers → `CitingText`: one text in reading order with everything that it cites."""

from __future__ import annotations

from collections.abc import Callable

from pincite.model.citing_text import PARAGRAPH_BREAK, CitedPlace, CitingText, TextHeading
from pincite.model.drafts import CITATION_MARK
from pincite.model.papers import ReferencePaper


def text_of_paper(paper: ReferencePaper, names: Callable[[int], str | None]) -> CitingText:
    """Return a paper's text; `names` are the keys of its references, None for those to leave out.

    If the paper's paragraphs are unknown, each section is one. A section's name is its heading.
    """
    parts: list[str] = []
    places: list[CitedPlace] = []
    headings: list[TextHeading] = []
    length, number, section = 0, 0, None

    def add(text: str) -> None:
        nonlocal length
        parts.append(text)
        length += len(text)

    for index, sentence in enumerate(paper.sentences):
        if sentence.section != section:
            section = sentence.section
            add(PARAGRAPH_BREAK)
            if section:
                headings.append(TextHeading(length, length + len(section), 2))
                add(section + PARAGRAPH_BREAK)
        last = 0
        while number < len(paper.markers) and paper.markers[number].sentence == index:
            marker = paper.markers[number]
            add(sentence.text[last : marker.start])
            found = (names(reference) for reference in marker.references)
            keys = tuple(dict.fromkeys(name for name in found if name is not None))
            if keys:
                places.append(CitedPlace(length, keys))
            add(CITATION_MARK)
            last, number = marker.end, number + 1
        add(sentence.text[last:] + " ")
    return CitingText.of("".join(parts), tuple(places), tuple(headings))
