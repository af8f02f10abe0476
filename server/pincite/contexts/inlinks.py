"""Inlink contexts: the words around the citations in other drafts and papers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from ..model.drafts import Citation, Draft, DraftFile
from ..model.papers import InlinkContext, ReferencePaper
from ..settings import Window
from ..text.markers import blanked
from .citance import citance_at
from .windows import words_after, words_around, words_before

Words = tuple[str, ...]

#: Of a longer sentence, the part around a marker is its citance: whatever it is, thousands of
#: markers in it must not each store all of it.
_MAX_CITANCE = 6_000


def inlink_contexts(
    file: DraftFile, citing_paper: str, window: Window
) -> Iterator[tuple[str, InlinkContext]]:
    r"""Yield each key that a file cites with the words around it; ``\nocite`` has none."""
    prose = file.prose.text
    for citation, start in _places(file):
        left, right = words_around(prose, start, window)
        context = InlinkContext(citing_paper, left, right, citance_at(prose, start))
        for key in citation.keys:
            yield key.key, context


def hashes_of_contexts(draft: Draft, window: Window) -> set[int]:
    """Return the hashes of the words around each citation of a draft: they tell its copies."""
    return {
        hash(words_around(file.prose.text, start, window))
        for file in draft.files
        for _, start in _places(file)
    }


def _places(file: DraftFile) -> Iterator[tuple[Citation, int]]:
    """Yield each citation with its offset in the prose."""
    for citation in file.citations:
        if not citation.listed_only and citation.keys:
            yield citation, file.prose.offset_at(citation.span.start)


def paper_contexts(
    paper: ReferencePaper, citing_paper: str, window: Window
) -> Iterator[tuple[int, InlinkContext]]:
    """Yield the index of each reference that a paper cites with the words around the place.

    Windows extend across sentence boundaries. They contain no markers, so citations in direct
    succession share theirs. The citance is the sentence as printed, with its markers; of a sentence
    that is longer than any should be, what is around the marker.
    """
    spans: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for marker in paper.markers:
        spans[marker.sentence].append((marker.start, marker.end))
    prose = _Prose(paper, spans)
    for marker in paper.markers:
        if not marker.references:
            continue
        sentence = paper.sentences[marker.sentence]
        context = InlinkContext(
            citing_paper,
            prose.before(marker.sentence, marker.start, window.left),
            prose.after(marker.sentence, marker.end, window.right),
            _near(sentence.text, marker.start),
            sentence.page,
        )
        for index in marker.references:
            yield index, context


def _near(sentence: str, offset: int) -> str:
    if len(sentence) <= _MAX_CITANCE:
        return sentence
    start = max(0, offset - _MAX_CITANCE // 2)
    return sentence[start : start + _MAX_CITANCE]


class _Prose:
    """A paper's sentences without their markers; a window loads only those that it reaches."""

    def __init__(self, paper: ReferencePaper, spans: dict[int, list[tuple[int, int]]]) -> None:
        self._paper = paper
        self._spans = spans
        self._texts: dict[int, str] = {}

    def _text(self, sentence: int) -> str:
        if sentence not in self._texts:
            text, spans = self._paper.sentences[sentence].text, self._spans.get(sentence, ())
            self._texts[sentence] = blanked(text, spans)
        return self._texts[sentence]

    def before(self, sentence: int, offset: int, number: int) -> tuple[str, ...]:
        """Return up to `number` words before the offset in a sentence."""
        found = words_before(self._text(sentence), offset, number)
        for earlier in range(sentence - 1, -1, -1):
            if len(found) >= number:
                break
            text = self._text(earlier)
            found = words_before(text, len(text), number - len(found)) + found
        return found

    def after(self, sentence: int, offset: int, number: int) -> tuple[str, ...]:
        """Return up to `number` words after the offset in a sentence."""
        found = words_after(self._text(sentence), offset, number)
        for later in range(sentence + 1, len(self._paper.sentences)):
            if len(found) >= number:
                break
            found += words_after(self._text(later), 0, number - len(found))
        return found
