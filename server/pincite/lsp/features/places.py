"""What a position in a document means: which citation or placeholder."""

from __future__ import annotations

from dataclasses import dataclass

from ...contexts.windows import sentence_at
from ...model.drafts import Citation, CitationKey, CitationPlaceholder, DraftFile, is_gap
from ...model.spans import TextSpan

#: In characters of the source.
_MAX_SENTENCE = 5_000


@dataclass(frozen=True, slots=True)
class Place:
    """A place to cite: a citation with its `keys`, a placeholder (or both), or only the cursor.

    A key that is only a placeholder is not among the `keys`.
    """

    span: TextSpan
    citation: Citation | None = None
    keys: tuple[CitationKey, ...] = ()
    placeholder: CitationPlaceholder | None = None

    def key_at(self, offset: int) -> CitationKey | None:
        """Return the key at an offset."""
        return next((key for key in self.keys if key.span.covers(offset)), None)


def place_at(file: DraftFile, offset: int) -> Place:
    """Return the citation or placeholder at `offset`, else an empty place."""
    gaps = file.placeholders_near(offset)
    for citation in reversed(file.citations_near(offset)):
        if citation.span.covers(offset) and not citation.listed_only:
            keys = tuple(key for key in citation.keys if not is_gap(key.key))
            gap = next((gap for gap in gaps if gap.citation == citation), None)
            return Place(citation.span, citation, keys, gap)
    for gap in gaps:
        if gap.span.covers(offset):
            return Place(gap.span, placeholder=gap)
    return Place(TextSpan(offset, offset))


def places_around(file: DraftFile, offset: int) -> tuple[Place, ...]:
    """Return the citation or placeholder at `offset`; elsewhere, all those of the sentence there.

    They come in reading order; a sentence without any has none.
    """
    here = place_at(file, offset)
    if here.citation is not None or here.placeholder is not None:
        return (here,)
    prose = file.prose
    sentence = sentence_at(prose.text, prose.offset_at(offset))
    if sentence is None or offset < prose.source_offset(sentence[0]):
        return ()  # in a preamble, say
    citations, gaps = file.citations_near(offset), file.placeholders_near(offset)
    cited = (citation.span.start for citation in citations if not citation.listed_only)
    empty = (gap.span.start for gap in gaps if gap.citation is None)
    starts = sorted(
        start
        for start in (*cited, *empty)
        if abs(start - offset) < _MAX_SENTENCE
        and sentence_at(prose.text, prose.offset_at(start)) == sentence
    )
    return tuple(place_at(file, start) for start in starts)
