"""Compare the inlink contexts between papers of a library with annotators' citing sentences.

    python -m benchmarks.inlink_contexts LIBRARY [--missed] [--judged FILE]

LIBRARY is a folder with `library.bib`, a PDF for each of its keys, and `citances.jsonl`: lines of
`{"citing": key, "cited": key, "text": citing sentence}`. A pair is found when a marker in the
citing paper is resolved to a reference that is the cited entry. A context is found when, for its
pair, an extracted citance (or the window of 20 words on each side, clipped to the citing sentence)
shares at least 60 % of its words with the annotated sentence, or the annotated sentence with it.
`--judged` computes the precision of those in a list `{"judged": {id: bool}}`, where an id is
"citing>cited#" and a hash of these and the citance.
"""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from pincite.contexts.inlinks import paper_contexts
from pincite.library.same_work import WorkMatcher
from pincite.model.papers import InlinkContext, ReferencePaper
from pincite.parsing.bibtex import read_bibliography
from pincite.settings import Window
from pincite.text.markers import without_markers
from pincite.text.tokens import words

from .shared import Given, measurement, read_papers, share

SHARED = 0.6
#: The keys of the citing and of the cited paper.
Pair = tuple[str, str]
WINDOW = Window(20, 20)


class Extracted(NamedTuple):
    """One context, and the words of its window that are in the citing sentence."""

    citing: str
    cited: str
    context: InlinkContext
    clipped: list[str]

    @property
    def identity(self) -> str:
        """The id of a context in a list of judgements."""
        parts = "\0".join((self.citing, self.cited, self.context.citance))
        return f"{self.citing}>{self.cited}#{hashlib.sha256(parts.encode()).hexdigest()[:12]}"


def clipped_windows(paper: ReferencePaper) -> Iterator[list[str]]:
    """Yield the words of each context that are in its citing sentence, as `paper_contexts` does."""
    for number, markers in groupby(paper.markers, key=lambda marker: marker.sentence):
        own = tuple(replace(marker, sentence=0) for marker in markers)
        alone = replace(paper, sentences=(paper.sentences[number],), markers=own)
        for _, context in paper_contexts(alone, "", WINDOW):
            yield [*context.left, *context.right]


def shares(extracted: list[str], annotated: list[str]) -> tuple[float, float]:
    """Return the fraction of each one's words that the other contains."""
    ours, theirs = (Counter(map(str.casefold, text)) for text in (extracted, annotated))
    common = (ours & theirs).total() if ours else 0
    return common / max(1, ours.total()), common / max(1, theirs.total())


def report(library: Path, found: dict[Pair, list[Extracted]]) -> list[tuple[Pair, str]]:
    """Print the recall of the annotated pairs and citances; return those that are missed."""
    with (library / "citances.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    hits: Counter[str] = Counter()
    missed = []
    for row in rows:
        pair = row["citing"], row["cited"]
        annotated, bare = words(row["text"]), words(without_markers(row["text"]))
        compared = {
            "citance": [shares(words(one.context.citance), annotated) for one in found[pair]],
            "window": [shares(one.clipped, bare) for one in found[pair]],
        }
        ways = [
            f"{name}, {way}"
            for name, all_shares in compared.items()
            for way, meets in WAYS.items()
            if any(map(meets, all_shares))
        ]
        hits.update(ways)
        if not ways:
            missed.append((pair, row["text"]))
    pairs = {(row["citing"], row["cited"]) for row in rows}
    found_pairs, hit = sum(bool(found[pair]) for pair in pairs), len(rows) - len(missed)
    print(f"{sum(map(len, found.values()))} contexts of {sum(map(bool, found.values()))} pairs")
    print(f"pairs    {found_pairs}/{len(pairs)} = {found_pairs / len(pairs):.3f}")
    print(f"contexts {hit}/{len(rows)} = {hit / len(rows):.3f}")
    for name in (f"{name}, {way}" for name in ("citance", "window") for way in WAYS):
        print(f"  {name}: {hits[name]} = {hits[name] / len(rows):.3f}")
    return missed


#: When a context is the annotated one, by the fractions that `shares` returns.
WAYS: dict[str, Callable[[tuple[float, float]], bool]] = {
    "60 % of its words are annotated": lambda both: both[0] >= SHARED,
    "60 % of the annotated words are in it": lambda both: both[1] >= SHARED,
    "either": lambda both: max(both) >= SHARED,
    "both": lambda both: min(both) >= SHARED,
}


@measurement("library", missed=False, judged=Path)
def main(given: Given) -> None:
    entries = read_bibliography(given.library / "library.bib").entries
    works = WorkMatcher(entries.values())
    files = (given.library / f"{key}.pdf" for key in entries)
    papers = {path.stem: paper for path, paper, _ in read_papers(files)}
    found: dict[Pair, list[Extracted]] = defaultdict(list)
    listed: set[Pair] = set()
    for citing, paper in papers.items():
        cited = [works.find(reference) for reference in paper.references]
        listed.update((citing, key) for key in cited if key)
        contexts = zip(paper_contexts(paper, citing, WINDOW), clipped_windows(paper), strict=True)
        for (index, context), clipped in contexts:
            key = cited[index]
            if key and key != citing:
                found[citing, key].append(Extracted(citing, key, context, clipped))

    def why(pair: Pair) -> str:
        if pair[0] not in papers:
            return "the paper cannot be read"
        if not papers[pair[0]].references:
            return "no reference list was read"
        if pair not in listed:
            return "the reference was not matched"
        others = len(found[pair])
        return f"{others} other contexts" if others else "no marker was resolved to it"

    missed = report(given.library, found)
    for pair, text in missed if given.missed else ():
        print(f"{' > '.join(pair)}: {why(pair)}\n    {text}")
    if given.judged:
        judged = json.loads(given.judged.read_text("utf-8"))["judged"]
        identities = {one.identity for own in found.values() for one in own}
        present = [judged[one] for one in identities if one in judged]
        print(f"precision {share(sum(present), len(present)):.3f} of {len(present)} judged")
