"""Match citations of sentences that cite several works: by the sentence, its own clause, or both.

    python -m benchmarks.citing_clauses DATA

DATA has `cl-scisumm`, the texts of judged pairs, and `evidence`. Of CL-SciSumm, these are the
citances that name several works, one of them of the year of the reference paper; of the judged
pairs, citations in such sentences. *other clause* are those whose clause is not the sentence.
`both` is the clause with the whole sentence behind it, so that its words count twice. `fused` is
trained on these data alone, without the fifth of the works that is scored. `first` is how often the
first sentence is one that people chose (or, of those that were judged, one that helps), `in three`
one of the first three.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pincite.contexts.windows import asked_at, citance_at
from pincite.matching.base import SentenceMatcher
from pincite.matching.vectors import WordVectors
from pincite.model.drafts import CITATION_MARK
from pincite.model.papers import ReferencePaper
from pincite.text.markers import cited_works
from pincite.text.sentences import sentence_spans
from pincite_evaluation.baselines.systems import named
from pincite_evaluation.cited_text.overlap import Scorer
from pincite_evaluation.corpora.scisumm import AnnotatedPaper
from pincite_evaluation.evidence.judged import CitedPassage
from pincite_evaluation.evidence.run import Material, held_out

from .shared import Given, measurement, table

_QUERIES = ("sentence", "clause", "both")
_JUDGEMENTS = Path("benchmarks/data/judged_evidence.json")
_Matchers = Mapping[str, SentenceMatcher[Any]]


@dataclass(frozen=True, slots=True)
class Cited:
    """A citation of `work` in a sentence that cites others; `among` are the judged sentences."""

    source: str
    work: str
    paper: ReferencePaper
    sentence: str
    clause: str
    chosen: frozenset[int]
    among: frozenset[int]

    def query(self, name: str) -> str:
        """Return the text to match by."""
        texts = {"sentence": self.sentence, "clause": self.clause}
        return texts.get(name, f"{self.clause} {self.sentence}")


def _of_annotated(paper: AnnotatedPaper) -> Iterator[Cited]:
    year = paper.id[1:3]
    for citance, chosen in zip(paper.citances, Scorer(paper).cited, strict=True):
        works = cited_works(citance.text)
        own = [one for one in works if one.year[2:4] == year]
        if not chosen or len(own) != 1 or len(works) < 2:
            continue
        parts, at, place = [], 0, 0
        for one in works:
            parts.append(citance.text[at : one.start])
            place = sum(map(len, parts)) if one is own[0] else place
            parts.append(CITATION_MARK)
            at = one.end
        prose = "".join((*parts, citance.text[at:]))
        texts = citance_at(prose, place), asked_at(prose, place)
        if len(sentence_spans(prose)) == 1:
            every = frozenset(range(len(paper.paper.sentences)))
            yield Cited("CL-SciSumm", paper.id, paper.paper, *texts, chosen, every)


def _of_judged(passage: CitedPassage) -> Iterator[Cited]:
    near = passage.text[max(0, passage.offset - 1_000) : passage.offset + 1_000]
    place = min(passage.offset, 1_000)
    spans = sentence_spans(near)
    start, end = next(((s, e) for s, e in spans if s <= place < e), (0, 0))
    if near.count(CITATION_MARK, start, end) > 1 and passage.supporting:
        context, judged = passage.context, frozenset(passage.grades)
        texts = context.citance, context.asked
        source = f"judged, {passage.paper.basis}"
        yield Cited(source, passage.work, passage.paper, *texts, passage.supporting, judged)


def _rows(cited: Sequence[Cited], systems: Mapping[str, _Matchers]) -> Iterator[tuple[object, ...]]:
    for source in dict.fromkeys(one.source for one in cited):
        own = [one for one in cited if one.source == source]
        several = [one for one in own if one.clause != one.sentence]
        for kind, some in (("all", own), ("other clause", several)):
            for name, of_work in systems.items():
                for query in _QUERIES if some else ():
                    ranks = [_rank(one, of_work[one.work], query) for one in some]
                    found = (
                        sum(rank == 1 for rank in ranks) / len(ranks),
                        sum(0 < rank <= 3 for rank in ranks) / len(ranks),
                        sum(1 / rank for rank in ranks if rank) / len(ranks),
                    )
                    yield source, kind, name, query, len(some), *(f"{one:.3f}" for one in found)


def _rank(cited: Cited, matcher: SentenceMatcher[Any], query: str) -> int:
    """Return the rank of the first chosen sentence among the judged ones; 0 if none is found."""
    number = len(cited.paper.sentences)
    returned = matcher.match(cited.query(query), matcher.fit(cited.paper), number)
    order = [one.position for one in returned if one.position in cited.among]
    return next((rank for rank, at in enumerate(order, start=1) if at in cited.chosen), 0)


@measurement("data")
def main(given: Given) -> None:
    material = replace(Material.read([given.data], _JUDGEMENTS), marked=())
    cited = [one for paper in material.annotated for one in _of_annotated(paper)]
    cited += [one for passage in material.judged for one in _of_judged(passage)]
    vectors = WordVectors.packaged()
    works = {one.work for one in cited}
    systems: dict[str, _Matchers] = {
        name: dict.fromkeys(works, named(name).matcher(vectors)) for name in ("bm25", "asymmetric")
    }
    kinds = [*material.works, sorted(paper.id for paper in material.annotated)]
    systems["fused"] = held_out(named("fused"), material, kinds, vectors)
    table(
        ("source", "citations", "system", "query", "number", "first", "in three", "MRR"),
        _rows(cited, systems),
    )
