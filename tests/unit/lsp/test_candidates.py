"""Candidates and their rows in a list: what is known of them without reading anything."""

from functools import cache
from pathlib import Path

import pytest
from lsprotocol.types import CompletionItemKind, Position, Range

from pincite.lsp.features.completion import completion_item
from pincite.model.papers import BibEntry, Candidate, ReferencePaper
from pincite.model.results import RankedEntry
from pincite.parsing.markups import KeySlot

FIELDS = {"author": "Harris, Zellig", "title": "Distributional structure", "year": "1954"}
LONG = {**FIELDS, "author": "Internationale Standardisierungsorganisation, I."}
ROW = "Harris 1954 · Distributional structure"
PAPER = ReferencePaper("As printed", "full text")
BY_NAME = {"label": "author-year"}


def candidate(read=lambda: PAPER, **fields):
    entry = BibEntry("harris1954", "article", fields, Path("refs.bib"))
    return Candidate(entry.key, cache(read), entry, entry.surnames)


def never():
    raise AssertionError("a paper is read")


def row(fields=FIELDS, basis="full text", score=0.5, **options):
    ranked = RankedEntry(candidate(never, **fields), score, score, 0.0, (basis,), ("like",))
    nowhere = Range(Position(0, 6), Position(0, 6))
    return completion_item(ranked, 0, KeySlot(0, 6, 6, ""), nowhere, **options)


def test_a_paper_is_read_once_and_when_it_is_looked_at():
    reads = []
    harris = candidate(lambda: reads.append(1) or PAPER, **FIELDS)
    assert (harris.title, harris.author_year) == ("Distributional structure", "Harris 1954")
    assert not reads
    assert harris.paper is harris.paper
    assert len(reads) == 1


def test_a_work_without_a_title_has_that_of_its_paper():
    assert candidate(year="1954").title == "As printed"
    assert Candidate("harris1954", PAPER).title == "As printed"


@pytest.mark.parametrize("score", [0.0, 0.5])
@pytest.mark.parametrize(
    ("fields", "options", "shown"),
    [
        (FIELDS, BY_NAME, (ROW, None, "harris1954")),
        (FIELDS, {}, (f"harris1954 {ROW}", None, None)),
        # Long names leave room for the title.
        (LONG, BY_NAME, ("Internationale Standardisier… 1954 · Distributional structure", None, "harris1954")),
        (LONG, {}, ("harris1954 Internationale Standardisier… 1954 · Distributional structure", None, None)),
        ({"title": "On ponds"}, BY_NAME, ("On ponds", None, "harris1954")),
        ({"title": "On ponds", "year": "1954"}, BY_NAME, ("1954 · On ponds", None, "harris1954")),
        # What is special is at the end.
        (FIELDS, {**BY_NAME, "remark": "papers are being read"}, (ROW, "papers are being read", "harris1954")),
        (FIELDS, {**BY_NAME, "from_library": True}, ("Harris 1954 · Distributional structu…", "library", "harris1954")),
        (FIELDS, {"from_library": True}, (f"harris1954 {ROW}", "library", None)),
        (FIELDS, {**BY_NAME, "alias": "structure"}, ("Harris 1954 · Distribution…", "alias of harris1954", "structure")),
        # Elsewhere, the detail has it all.
        (FIELDS, {"label_details": False}, (f"harris1954 {ROW}", None, ROW)),
    ],
)  # fmt: skip
def test_what_can_be_read_of_a_row_from_left_to_right_and_beside_it(fields, options, shown, score):
    item = row(fields, score=score, **options)
    details = item.label_details
    assert (item.label + (details.detail or ""), details.description, item.detail) == shown
    assert item.text_edit.new_text == options.get("alias", "harris1954")


def test_the_icon_of_a_row_is_what_its_rank_rests_on():
    bases = ("full text", "abstract", "title")
    rows = [*(row(basis=basis) for basis in bases), row(from_library=True)]
    kinds = CompletionItemKind
    assert [each.kind for each in rows] == [kinds.File, kinds.Text, kinds.Reference, kinds.Folder]
