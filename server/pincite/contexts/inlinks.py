"""Inlink contexts: the words around the citations in other drafts and papers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import accumulate

from ..model.bibliographies import EntryNames
from ..model.drafts import Citation, Draft, DraftFile
from ..model.papers import BibEntry, CitingPaper, InlinkContext, ReferencePaper
from ..parsing.papers.references import reference_of
from ..settings import Window
from ..text.markers import blanked
from .windows import citance_at, words_after, words_around, words_before

#: Of a longer sentence, the part around a marker is its citance: whatever it is, thousands of
#: markers in it must not each store all of it.
_MAX_CITANCE = 6_000


def citing_paper(draft: Draft, entries: Mapping[str, BibEntry], window: Window) -> CitingPaper:
    """Return the contexts in which a draft cites works, in the order of their first citation."""
    names = EntryNames(entries)
    numbers: dict[str, int] = {}
    contexts: list[tuple[int, InlinkContext]] = []
    for file in draft.files:
        for key, context in inlink_contexts(file, window):
            cited = names.key_of(key, case_sensitive=draft.case_sensitive_keys)
            if cited is not None:
                contexts.append((numbers.setdefault(cited, len(numbers)), context))
    return CitingPaper(tuple(reference_of(entries[key]) for key in numbers), tuple(contexts))


def inlink_contexts(file: DraftFile, window: Window) -> Iterator[tuple[str, InlinkContext]]:
    r"""Yield each key that a file cites with the words around it; ``\nocite`` has none.

    The `citing_paper` of a context is the path of its file, since drafts share files.
    """
    prose = file.prose.text
    for citation, start in _places(file):
        left, right = words_around(prose, start, window)
        context = InlinkContext(str(file.path), left, right, citance_at(prose, start))
        for key in citation.keys:
            yield key.key, context


def hashes_of_contexts(draft: Draft, window: Window) -> set[int]:
    """Return the hashes of the words around each citation of a draft, which identify its copies."""
    return {
        hash(words_around(file.prose.text, start, window))
        for file in draft.files
        for _, start in _places(file)
    }


def _places(file: DraftFile) -> Iterator[tuple[Citation, int]]:
    for citation in file.citations:
        if not citation.listed_only and citation.keys:
            yield citation, file.prose.offset_at(citation.span.start)


def paper_contexts(
    paper: ReferencePaper, citing_paper: str, window: Window
) -> Iterator[tuple[int, InlinkContext]]:
    """Yield the index of each reference that a paper cites with the words around the place.

    Windows extend across sentence boundaries and contain no markers. The citance is the sentence as
    printed; of one that is longer than any should be, what is around the marker.
    """
    spans: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for marker in paper.markers:
        spans[marker.sentence].append((marker.start, marker.end))
    texts = [blanked(each.text, spans.get(at, ())) for at, each in enumerate(paper.sentences)]
    starts = [*accumulate((len(text) + 1 for text in texts), initial=0)]
    text = "\n".join(texts)
    for marker in paper.markers:
        if not marker.references:
            continue
        sentence, begin = paper.sentences[marker.sentence], starts[marker.sentence]
        is_long = len(sentence.text) > _MAX_CITANCE
        start = max(0, marker.start - _MAX_CITANCE // 2) if is_long else 0
        context = InlinkContext(
            citing_paper,
            words_before(text, begin + marker.start, window.left),
            words_after(text, begin + marker.end, window.right),
            sentence.text[start : start + _MAX_CITANCE],
            sentence.page,
        )
        for index in marker.references:
            yield index, context
