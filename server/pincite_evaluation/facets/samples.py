"""The rows of annotators as samples: a citance, sentences of the reference paper, facets."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pincite.model.problems import Problem

from ..cited_text.choices import Choices
from ..cited_text.overlap import judged_rows
from ..corpora.annotations import AnnotatedCorpus
from ..corpora.annotators_fields import Key, citance_key, numbers
from ..corpora.markup import without_tags
from .classifier import FACETS, Facet

_WORD: Final = re.compile(r"[a-z]+")
#: Gold files of the test set write ``Result_Citation``, training files ``Results_Citation``.
_NAMES: Final[Mapping[str, Facet]] = {
    **{facet.lower(): facet for facet in FACETS},
    "result": "Results",
}
_RESULTS: Final = re.compile(r"results?[ _]citation")


@dataclass(frozen=True, slots=True)
class Sample:
    """A citance as one annotator judged it; `paper` is the id of its reference paper."""

    paper: str
    citing: str
    citance: str
    sentences: tuple[str, ...]
    facets: tuple[Facet, ...]


def facets_in(field: str | None) -> tuple[Facet, ...]:
    """Return the facets in an annotator's field, in any spelling.

    ``Method_Citation``, ``Method citation``, ``['Aim_Citation', 'Result_Citation']``; the order is
    that of `FACETS`, and unknown names are left out.
    """
    named = {_NAMES[word] for word in _WORD.findall((field or "").lower()) if word in _NAMES}
    return tuple(facet for facet in FACETS if facet in named)


def samples(
    corpus: AnnotatedCorpus, choices: Sequence[Choices] | None = None
) -> tuple[Sample, ...]:
    """Return a sample for every citance to which an annotator gave sentences and a facet.

    Its sentences are the annotator's, or with `choices` (aligned with the papers) those that a
    system chose for the citance. If an annotator has several rows for a citance, the last counts.
    """
    found: list[Sample] = []
    for number, paper in enumerate(corpus.papers):
        texts = dict(zip(paper.sids, (each.text for each in paper.paper.sentences), strict=True))
        chosen: dict[Key, tuple[str, ...]] = {}
        if choices is not None:
            keys = (citance_key(one.citing, one.written) for one in paper.citances)
            chosen = dict(zip(keys, choices[number].texts(paper), strict=True))
        for file in paper.gold:
            for key, row in judged_rows(file).items():
                facets = facets_in(row.facet)
                if not facets:
                    continue
                if choices is None:
                    wanted = numbers(row.reference_offset)
                    sentences = tuple(text for sid, text in texts.items() if sid in wanted)
                else:
                    sentences = chosen.get(key, ())
                citance = without_tags(row.citation_text)
                found.append(Sample(paper.id, key[0], citance, sentences, facets))
    return tuple(found)


def unknown_facets(corpus: AnnotatedCorpus) -> Iterator[Problem]:
    """Yield a problem for each row with sentences but no known facet, which is not a sample."""
    for paper in corpus.papers:
        for file in paper.gold:
            for row in judged_rows(file).values():
                if not facets_in(row.facet):
                    where = f"{file.name}, citance {row.number}"
                    yield Problem(
                        paper.paper.source, None, f"{where}: {row.facet!r} is not a known facet"
                    )


def written(facet: Facet, corpus: AnnotatedCorpus) -> str:
    """Return a facet in the form that the organisers' script compares: ``method_citation``.

    "Results" is spelled as in most gold rows of the corpus, since the script compares strings.
    """
    if facet != "Results":
        return f"{facet.lower()}_citation"
    spelled = Counter(
        spelling.replace(" ", "_")
        for paper in corpus.papers
        for file in paper.gold
        for row in file.rows
        for spelling in _RESULTS.findall((row.facet or "").lower())
    )
    return max(spelled, key=lambda name: (spelled[name], name), default="results_citation")
