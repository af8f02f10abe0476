"""Parts of papers as bytes and back, and what is none."""

from __future__ import annotations

import json
import random
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pincite.library.paper_codec import (
    dump_cited,
    dump_citing,
    dump_contexts,
    dump_head,
    dump_sentences,
    load_cited,
    load_citing,
    load_contexts,
    load_head,
    load_sentences,
)
from pincite.model.papers import (
    CitingPaper,
    InlinkContext,
    Marker,
    Reference,
    ReferencePaper,
    Sentence,
)

REFERENCE = Reference("Títle", ("Och", "Ney"), "2003a", "10.1/x", "1706.03762", "7", "as printed")
PAPER = ReferencePaper(
    title="A “paper”",
    basis="full text",
    sentences=(Sentence("One.", 3, "iii", "Intro"), Sentence("Two.")),
    abstract="Short.",
    page_count=9,
    surnames=("Li",),
    year="2001",
    doi="10.1/y",
    arxiv="cs/0112017",
    front="A paper\nLi",
    references=(REFERENCE, Reference()),
    markers=(Marker(0, 1, 2, (0, 1)), Marker(1, 0, 4)),
)
CONTEXT = InlinkContext("a.tex", ("left",), ("right", "words"), "A citance.", 4)
CITING = CitingPaper(
    (REFERENCE, Reference(label="k")),
    ((0, CONTEXT), (1, CONTEXT), (0, InlinkContext("", (), ()))),
)


@pytest.mark.parametrize("paper", [PAPER, ReferencePaper("", "title")])
def test_heads_come_back_without_what_is_kept_apart(paper: ReferencePaper) -> None:
    head = replace(paper, sentences=(), references=(), markers=())
    assert load_head(dump_head(replace(paper, source=Path("x.pdf")))) == head


def test_sentences_come_back() -> None:
    assert load_sentences(dump_sentences(PAPER.sentences)) == PAPER.sentences
    assert load_sentences(dump_sentences(())) == ()


def test_a_lone_surrogate_becomes_the_replacement_character() -> None:
    assert load_sentences(dump_sentences([Sentence("a \ud835 “b”")])) == (Sentence("a \ufffd “b”"),)


def test_a_context_that_is_missing_is_refused() -> None:
    context = {"citing_paper": "a.tex", "left": [], "right": []}
    for number in (1, -1, -2):
        assert is_refused(load_citing, packed([[], [context], [[0, number]]]))


def test_citing_papers_come_back_and_share_their_contexts() -> None:
    loaded = load_citing(dump_citing(CITING))
    assert loaded == CITING
    assert loaded.contexts[0][1] is loaded.contexts[1][1]


def test_what_is_said_of_each_reference_comes_back_with_its_places() -> None:
    said = {reference: load_contexts(data) for reference, data in dump_contexts(CITING).items()}
    assert said == {0: [(0, CONTEXT), (2, InlinkContext("", (), ()))], 1: [(1, CONTEXT)]}
    assert load_cited(dump_cited(CITING)) == (CITING.references, {0: 2, 1: 1})


def is_refused(load: Callable[[bytes], object], data: bytes) -> bool:
    """Whether `data` raises `ValueError`; anything else that is raised fails the test."""
    try:
        load(data)
    except ValueError:
        return True
    return False


def rows_in(data: bytes):
    return json.loads(zlib.decompress(data).decode("utf-8", "surrogatepass"))


def packed(rows: object) -> bytes:
    return zlib.compress(json.dumps(rows).encode())


EACH_KIND = pytest.mark.parametrize(
    ("load", "data"),
    [
        (load_head, dump_head(PAPER)),
        (load_citing, dump_citing(CITING)),
        (load_cited, dump_cited(CITING)),
        (load_contexts, dump_contexts(CITING)[0]),
        (load_sentences, dump_sentences(PAPER.sentences)),
    ],
    ids=["paper", "citing paper", "cited works", "contexts", "sentences"],
)


@EACH_KIND
def test_damaged_data_is_refused(load, data: bytes) -> None:
    assert all(is_refused(load, data[:length]) for length in range(len(data)))
    chance = random.Random(0)
    for _ in range(1_000):
        damaged = bytearray(data)
        damaged[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        # zlib has no use for some bits of its header.
        assert is_refused(load, bytes(damaged)) or load(bytes(damaged)) == load(data)


@EACH_KIND
def test_foreign_data_is_refused(load, data: bytes) -> None:
    rows = rows_in(data)
    for wrong in ({}, 1, None, "row", [1], [[1]] * 3, [rows] * 2, [None] * 12):
        assert is_refused(load, packed(wrong)), wrong


def test_every_value_is_checked() -> None:
    head = rows_in(dump_head(PAPER))
    for name in head:
        for wrong in (1.5, {"a": 1}, [[[]]]):
            assert is_refused(load_head, packed({**head, name: wrong})), (name, wrong)


def test_what_would_fill_the_memory_is_refused() -> None:
    bomb = zlib.compressobj(1)
    block = b" " * (1024 * 1024)
    data = b"".join(bomb.compress(block) for _ in range(100)) + bomb.flush()
    assert is_refused(load_sentences, data)
