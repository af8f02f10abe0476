"""Candidates: what is known of them without reading anything."""

from pathlib import Path

import pytest
from lsprotocol.types import CompletionItemKind, Position, Range

from pincite.lsp.features.completion import completion_item
from pincite.model.papers import BibEntry, Candidate, ReferencePaper, UnreadPaper
from pincite.model.results import RankedEntry
from pincite.parsing.markups import KeySlot

FIELDS = {"author": "Harris, Zellig", "title": "Distributional structure", "year": "1954"}


class Reads:
    def __init__(self):
        self.times = 0

    def __call__(self):
        self.times += 1
        return ReferencePaper("As printed", "full text")


def candidate(reads, **fields):
    entry = BibEntry("harris1954", "article", fields, Path("refs.bib"))
    return Candidate(entry.key, UnreadPaper(reads), entry, entry.surnames)


def test_a_paper_is_read_once_and_when_it_is_looked_at():
    reads = Reads()
    harris = candidate(reads, **FIELDS)
    assert harris.title == "Distributional structure"
    assert harris.author_year == "Harris 1954"
    assert reads.times == 0
    assert harris.paper.basis == "full text"
    assert harris.paper is harris.paper
    assert reads.times == 1


def test_a_work_without_a_title_goes_by_that_of_its_paper():
    assert candidate(Reads(), year="1954").title == "As printed"
    assert Candidate("harris1954", ReferencePaper("As printed", "full text")).title == "As printed"


@pytest.mark.parametrize("label_details", [True, False])
def test_an_item_of_a_list_reads_no_paper(label_details):
    reads = Reads()
    entry = RankedEntry(candidate(reads, **FIELDS), 0.5, 0.5, 0.0, ("full text",), ("like",))
    nowhere = Range(Position(0, 6), Position(0, 6))
    item = completion_item(entry, 0, KeySlot(0, 6, 6, ""), nowhere, label_details=label_details)
    assert "Distributional structure" in item.detail
    assert reads.times == 0


def row(
    label="key", basis="full text", title="Distributional structure", reasons=("like",), **options
):
    fields = {**FIELDS, "title": title}
    entry = RankedEntry(candidate(Reads(), **fields), 0.5, 0.5, 0.0, (basis,), (), 0, reasons)
    nowhere = Range(Position(0, 6), Position(0, 6))
    item = completion_item(entry, 0, KeySlot(0, 6, 6, ""), nowhere, label=label, **options)
    details = item.label_details
    return item.label, (details.detail or "").strip(), details.description, item.kind


def test_a_row_begins_with_the_key_or_with_author_and_year():
    assert row()[:3] == ("harris1954", "Harris 1954", "like")
    assert row("author-year")[:3] == ("Harris 1954", "like", "harris1954")


def test_a_row_without_reasons_shows_the_title():
    entry = RankedEntry(candidate(Reads(), **FIELDS), 0.0, 0.0, 0.0, ("title",), ())
    nowhere = Range(Position(0, 6), Position(0, 6))
    slot = KeySlot(0, 6, 6, "")
    item = completion_item(entry, 0, slot, nowhere, label="author-year")
    assert item.label_details.detail == " Distributional structure"
    assert item.text_edit.new_text == "harris1954"


def test_the_icon_of_a_row_is_what_its_rank_rests_on():
    bases = ("full text", "abstract", "title")
    icons = [row(basis=basis)[3] for basis in bases] + [row(from_library=True)[3]]
    kinds = CompletionItemKind
    assert icons == [kinds.File, kinds.Text, kinds.Reference, kinds.Folder]


def test_the_first_row_says_that_papers_are_being_read():
    assert row("author-year", remark="papers are being read")[1] == "papers are being read · like"
