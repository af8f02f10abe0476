"""Measure the PDF reader on papers in publishers' layouts whose exact text is known.

    python -m benchmarks.layouts

The papers and their truth are made by `benchmarks.layouts.make`.
"""

import json
from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import regex
from rapidfuzz import fuzz

from pincite.model.papers import Reference, ReferencePaper
from pincite.parsing.papers import read_paper

from ..shared import Given, measurement

PAPERS = Path(__file__).parent / "papers"
#: Two titles are the same from this ratio on, in per cent.
_SAME_TITLE = 95.0
_LETTERS = regex.compile(r"\p{L}")


class Row(NamedTuple):
    """Shares from 0 to 1 of one paper.

    `sentences` are found as set; `order` is of neighbouring ones that were found. A reference is
    found where one of the list has its first author and year, and none else; `precision` is the
    share of references read that were set. Of `markers`, pairs of a sentence and a work that it
    cites, so many are found, and so many of those read are `right`.
    """

    sentences: float
    order: float
    references: float
    precision: float
    markers: float
    right: float
    labels: float
    title: bool


def row_of(papers: Path, name: str, truth: dict[str, Any]) -> Row:
    """Read one paper and compare it with what was set."""
    paper = read_paper(papers / f"{name}.pdf")
    text, starts = _running_text(paper)
    places = [text.find(_letters(one["text"])) for one in truth["sentences"]]
    both = [(a, b) for a, b in pairwise(places) if a >= 0 and b >= 0]
    keys = _keys(paper.references, truth["references"])
    set_pairs, read_pairs = set(), set()
    for index, (one, place) in enumerate(zip(truth["sentences"], places, strict=True)):
        set_pairs.update((index, key) for key in one["keys"])
        if place >= 0:
            # The end of the sentence decides, as several may have been read as one.
            at = bisect_right(starts, place + len(_letters(one["text"])) - 1) - 1
            cited = (i for m in paper.markers if m.sentence == at for i in m.references)
            read_pairs.update((index, keys[i] or f"?{i}") for i in cited)
    found = {key for key in keys if key is not None}
    return Row(
        sentences=sum(place >= 0 for place in places) / len(places),
        order=sum(a < b for a, b in both) / max(1, len(both)),
        references=len(found) / len(truth["references"]),
        precision=len(found) / max(1, len(paper.references)),
        markers=len(set_pairs & read_pairs) / len(set_pairs),
        right=len(set_pairs & read_pairs) / max(1, len(read_pairs)),
        labels=_labels_right(paper, truth["first_page"]),
        title=fuzz.ratio(paper.title.casefold(), truth["title"].casefold()) >= _SAME_TITLE,
    )


def _letters(text: str) -> str:
    return "".join(_LETTERS.findall(text)).casefold()


def _running_text(paper: ReferencePaper) -> tuple[str, list[int]]:
    """Return the letters of all sentences without their markers, and where each begins."""
    text, starts = "", []
    for index, sentence in enumerate(paper.sentences):
        starts.append(len(text))
        characters = list(sentence.text)
        for marker in paper.markers:
            if marker.sentence == index:
                characters[marker.start : marker.end] = " " * (marker.end - marker.start)
        text += _letters("".join(characters))
    return text, starts


def _keys(read: Sequence[Reference], wanted: Sequence[dict[str, Any]]) -> list[str | None]:
    """Return for each reference that was read the key of the one that was set, each once."""
    left = {(_letters(one["surnames"][0]), one["year"]): one["key"] for one in wanted}
    return [
        left.pop((_letters(one.surnames[0]), one.year[:4]), None) if one.surnames else None
        for one in read
    ]


def _labels_right(paper: ReferencePaper, first: int | None) -> float:
    pages = {(one.page, one.page_label) for one in paper.sentences if one.page is not None}
    right = [label == (None if first is None else str(first + page - 1)) for page, label in pages]
    return sum(right) / max(1, len(right))


@measurement()
def main(_: Given) -> None:
    truth = json.loads((PAPERS / "truth.json").read_text("utf-8"))
    rows = {name: row_of(PAPERS, name, truth[name]) for name in sorted(truth)}
    means = [sum(map(float, values)) / len(rows) for values in zip(*rows.values(), strict=True)]
    width = max(map(len, rows))
    print(" " * width + "".join(f"{name:>12}" for name in Row._fields))
    for name, row in (*rows.items(), ("mean", means)):
        print(f"{name:<{width}}" + "".join(f"{float(value):>12.3f}" for value in row))
