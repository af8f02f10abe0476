"""Candidates: what is known of them without reading anything."""

from functools import cache
from pathlib import Path

import pytest
from lsprotocol.types import CompletionItemKind, Position, Range

from pincite.lsp.features.completion import completion_item
from pincite.model.papers import BibEntry, Candidate, ReferencePaper
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
    return Candidate(entry.key, cache(reads), entry, entry.surnames)


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
    assert "Distributional structure" in f"{item.label_details.detail} {item.detail}"
    assert reads.times == 0


def row(label="key", basis="full text", title="Distributional structure", who="", **options):
    fields = {**FIELDS, "title": title, **({"author": who} if who else {})}
    entry = RankedEntry(candidate(Reads(), **fields), 0.5, 0.5, 0.0, (basis,), (), 0, ("like",))
    nowhere = Range(Position(0, 6), Position(0, 6))
    return completion_item(entry, 0, KeySlot(0, 6, 6, ""), nowhere, label=label, **options)


def read(item):
    """Return what can be read of a row from left to right, and the detail beside it."""
    details = item.label_details
    return item.label + (details.detail or ""), details.description, item.detail


def test_a_row_is_author_year_and_title_and_the_key_is_beside_it_or_comes_first():
    title = "Harris 1954 · Distributional structure"
    assert read(row("author-year")) == (title, None, "harris1954")
    assert read(row()) == (f"harris1954 {title}", None, None)


def test_a_row_is_the_same_whatever_the_rank_of_the_entry():
    entry = RankedEntry(candidate(Reads(), **FIELDS), 0.0, 0.0, 0.0, ("title",), ())
    nowhere = Range(Position(0, 6), Position(0, 6))
    item = completion_item(entry, 0, KeySlot(0, 6, 6, ""), nowhere, label="author-year")
    assert read(item) == read(row("author-year"))
    assert item.text_edit.new_text == "harris1954"


def test_long_names_leave_room_for_the_title():
    body = row("author-year", who="Internationale Standardisierungsorganisation, I.")
    assert read(body)[0] == "Internationale Standardisier… 1954 · Distributional structure"
    assert body.label in read(row(who="Internationale Standardisierungsorganisation, I."))[0]


def test_a_work_without_author_and_year_goes_by_its_title_and_else_by_its_key():
    nowhere = Range(Position(0, 6), Position(0, 6))

    def shown(**fields):
        entry = RankedEntry(candidate(Reads(), **fields), 0.5, 0.5, 0.0, ("title",), ())
        return completion_item(entry, 0, KeySlot(0, 6, 6, ""), nowhere, label="author-year")

    assert read(shown(title="On ponds")) == ("On ponds", None, "harris1954")
    assert read(shown(year="1954", title="On ponds"))[0] == "1954 · On ponds"


def test_the_icon_of_a_row_is_what_its_rank_rests_on():
    bases = ("full text", "abstract", "title")
    rows = [*(row(basis=basis) for basis in bases), row(from_library=True)]
    kinds = CompletionItemKind
    assert [each.kind for each in rows] == [kinds.File, kinds.Text, kinds.Reference, kinds.Folder]


def test_what_is_special_about_a_row_stands_at_its_end():
    first = row("author-year", remark="papers are being read")
    assert read(first)[1] == "papers are being read"
    assert read(row("author-year", from_library=True))[1] == "library"
    alias = row("author-year", alias="structure")
    assert read(alias)[1:] == ("alias of harris1954", "structure")
