"""F1 of the asymmetric matcher on CL-SciSumm's annotated training papers, model by model.

    python benchmarks/vectors_quantisation.py CORPUS [MODEL...]

CORPUS is the corpus's folder ``Training-Set-2019/Task1/From-Training-Set-2018``; a MODEL is what
`pincite vectors train` wrote. The packaged model and "no vectors" are always among the rows.
Scores are micro-averaged over citances (one annotator each), in percent.
"""

from __future__ import annotations

import argparse
import html
import re
import time
from dataclasses import dataclass
from pathlib import Path

from pincite.matching.asymmetric import AsymmetricMatcher
from pincite.matching.vectors import WordVectors
from pincite.model.papers import ReferencePaper, Sentence


@dataclass(frozen=True)
class Citance:
    text: str
    gold: frozenset[str]


@dataclass(frozen=True)
class AnnotatedPaper:
    paper: ReferencePaper
    sids: list[str]
    citances: list[Citance]


def read(folder: Path) -> AnnotatedPaper:
    xml = "".join(
        path.read_text("utf-8", errors="replace") for path in folder.glob("Reference_XML/*.xml")
    )
    found = re.findall(r'<S\s+sid\s*=\s*"(\d+)"[^>]*>([^<]*)', xml)
    citances = []
    for path in sorted(folder.glob("annotation/*")):
        for line in path.read_text("utf-8", errors="replace").splitlines():
            # A field's value runs to the next "| Name:"; a text may hold a bar of its own.
            parts = re.split(r"(?:^|\|)\s*([A-Z][\w ]+?):\s", line)
            fields = dict(zip(parts[1::2], parts[2::2], strict=False))
            if "Citation Text" in fields and "Reference Offset" in fields:
                text = re.sub(r"<[^>]*>", " ", fields["Citation Text"])
                gold = re.findall(r"\d+", fields["Reference Offset"])
                citances.append(Citance(html.unescape(text), frozenset(gold)))
    return AnnotatedPaper(
        ReferencePaper(
            title=folder.name,
            basis="full text",
            sentences=tuple(Sentence(html.unescape(text)) for _, text in found),
        ),
        [sid for sid, _ in found],
        citances,
    )


def scores(papers: list[AnnotatedPaper], vectors: WordVectors) -> tuple[float, float, float]:
    matcher = AsymmetricMatcher(vectors)
    right = returned = wanted = 0
    for annotated in papers:
        fitted = matcher.fit(annotated.paper)
        for citance in annotated.citances:
            matched = matcher.match(citance.text, fitted)
            sids = {annotated.sids[sentence.position] for sentence in matched}
            right += len(sids & citance.gold)
            returned += len(sids)
            wanted += len(citance.gold)
    precision, recall = right / returned, right / wanted
    return precision, recall, 2 * right / (returned + wanted)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("models", type=Path, nargs="*")
    arguments = parser.parse_args()
    papers = [read(folder) for folder in sorted(arguments.corpus.iterdir()) if folder.is_dir()]
    print(f"{len(papers)} papers, {sum(len(paper.citances) for paper in papers)} citances")
    models = {
        "no vectors": WordVectors.empty(),
        "packaged": WordVectors.packaged(),
        **{path.name: WordVectors.load(path) for path in arguments.models},
    }
    print(f"{'model':28} {'words':>7}     P     R    F1  seconds")
    for name, vectors in models.items():
        start = time.perf_counter()
        precision, recall, f1 = scores(papers, vectors)
        seconds = time.perf_counter() - start
        figures = " ".join(f"{100 * score:5.2f}" for score in (precision, recall, f1))
        print(f"{name:28} {len(vectors):7} {figures} {seconds:8.1f}")


if __name__ == "__main__":
    main()
