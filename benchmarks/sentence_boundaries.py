"""Compare sentence boundaries with those of the CL-SciSumm reference papers.

    python -m benchmarks.sentence_boundaries CORPUS

CORPUS is a folder below which `Reference_XML/*.xml` lie (Task1 of the training set). The given
sentences of a section are joined with a space and split again; a boundary is the offset where a
sentence starts. The corpus' own sentences were split by a program, so its errors count against us.
"""

import html
import re
from itertools import accumulate
from pathlib import Path

from pincite.text.sentences import sentence_spans

from .shared import options, share

SECTION = re.compile(r"<(ABSTRACT|SECTION)\b[^>]*>(.*?)</\1>", re.DOTALL)
SENTENCE = re.compile(r"<S\b[^>]*>(.*?)</S>", re.DOTALL)


def read_sections(path: Path) -> list[list[str]]:
    """Return the sentences of every section of a reference paper."""
    content = path.read_bytes().decode("utf-8", "replace")
    sections = []
    for section in SECTION.finditer(content):
        found = (
            # Entities were escaped twice in places (&amp;quot;).
            " ".join(html.unescape(html.unescape(sentence)).split())
            for sentence in SENTENCE.findall(section[2])
        )
        sections.append([sentence for sentence in found if sentence])
    return sections


def main() -> None:
    right = extra = missed = papers = 0
    for path in sorted(options(__doc__, "corpus").corpus.rglob("Reference_XML/*.xml")):
        papers += 1
        for given in read_sections(path):
            text = " ".join(given)
            wanted = set(accumulate(len(sentence) + 1 for sentence in given[:-1]))
            got = {start for start, _ in sentence_spans(text)[1:]}
            right += len(got & wanted)
            extra += len(got - wanted)
            missed += len(wanted - got)
    precision, recall = share(right, right + extra), share(right, right + missed)
    f1 = 2 * precision * recall / max(1e-9, precision + recall)
    print(f"papers {papers}, boundaries {right + missed}")
    print(f"precision {precision:.4f}  recall {recall:.4f}  F1 {f1:.4f}")


if __name__ == "__main__":
    main()
