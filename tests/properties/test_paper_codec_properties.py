"""What the index packs comes back as it was; what it never packed is refused."""

from __future__ import annotations

import json
import zlib
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.library import paper_codec as codec
from pincite.model.papers import CitingPaper, InlinkContext, Reference, ReferencePaper, Sentence

TEXT = st.text(max_size=12)
TEXTS = st.lists(TEXT, max_size=3).map(tuple)
NUMBER = st.none() | st.integers(0, 2_000)
SENTENCES = st.lists(
    st.builds(Sentence, TEXT, NUMBER, st.none() | TEXT, st.none() | TEXT), max_size=4
).map(tuple)
REFERENCES = st.lists(
    st.builds(Reference, TEXT, TEXTS, TEXT, TEXT, TEXT, TEXT, TEXT), max_size=4
).map(tuple)
CONTEXTS = st.lists(
    st.tuples(st.integers(0, 3), st.builds(InlinkContext, TEXT, TEXTS, TEXTS, TEXT, NUMBER)),
    max_size=5,
).map(tuple)
HEADS = st.builds(
    ReferencePaper,
    title=TEXT,
    basis=st.sampled_from(["full text", "abstract", "title"]),
    abstract=TEXT,
    page_count=NUMBER,
    surnames=TEXTS,
    year=TEXT,
    doi=TEXT,
    arxiv=TEXT,
    front=TEXT,
)
LOADS = (
    codec.load_head,
    codec.load_sentences,
    codec.load_cited,
    codec.load_contexts,
    codec.load_citing,
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda values: st.lists(values, max_size=5) | st.dictionaries(TEXT, values, max_size=2),
    max_leaves=12,
)


@given(HEADS, SENTENCES)
def test_a_paper_comes_back(head: ReferencePaper, sentences: tuple[Sentence, ...]) -> None:
    assert codec.load_head(codec.dump_head(head)) == head
    assert codec.load_sentences(codec.dump_sentences(sentences)) == sentences


@given(REFERENCES, CONTEXTS)
def test_what_it_says_of_others_comes_back(
    references: tuple[Reference, ...], contexts: tuple[tuple[int, InlinkContext], ...]
) -> None:
    citing = CitingPaper(references, contexts)
    assert codec.load_citing(codec.dump_citing(citing)) == citing
    cited = codec.load_cited(codec.dump_cited(citing))
    assert cited.references == references
    said = {
        place: (reference, context)
        for reference, data in codec.dump_contexts(citing).items()
        for place, context in codec.load_contexts(data)
    }
    assert sorted(said) == list(range(len(contexts)))
    for place, (reference, context) in enumerate(contexts):
        assert said[place] == (reference, context)
        assert cited.counts[reference] == sum(number == reference for number, _ in contexts)


@given(st.binary(max_size=40) | JSON.map(lambda value: zlib.compress(json.dumps(value).encode())))
def test_anything_else_raises_nothing_but_value_errors(data: bytes) -> None:
    for load in LOADS:
        with suppress(ValueError):
            load(data)


def is_refused(load, data: bytes) -> bool:
    """Whether `data` raises `ValueError`; anything else that is raised fails the test."""
    try:
        load(data)
    except ValueError:
        return True
    return False


def packed(rows: object) -> bytes:
    return zlib.compress(json.dumps(rows).encode())


CONTEXT = InlinkContext("a.tex", ("left",), ("right", "words"), "A citance.", 4)
CITING = CitingPaper((Reference("Títle", ("Och",)), Reference()), ((0, CONTEXT), (1, CONTEXT)))
DUMPED = {
    codec.load_head: codec.dump_head(ReferencePaper("T", "title", page_count=9, year="2001")),
    codec.load_citing: codec.dump_citing(CITING),
    codec.load_cited: codec.dump_cited(CITING),
    codec.load_contexts: codec.dump_contexts(CITING)[0],
    codec.load_sentences: codec.dump_sentences([Sentence("One.", 3, "iii", "Intro")]),
}


@pytest.mark.parametrize(("load", "data"), DUMPED.items())
def test_damaged_and_foreign_data_is_refused(load, data: bytes) -> None:
    assert all(is_refused(load, data[:length]) for length in range(len(data)))
    for bit in range(8 * len(data)):
        damaged = bytearray(data)
        damaged[bit // 8] ^= 1 << bit % 8
        # zlib has no use for some bits of its header.
        assert is_refused(load, bytes(damaged)) or load(bytes(damaged)) == load(data)
    rows = json.loads(zlib.decompress(data))
    for wrong in ({}, 1, None, "row", [1], [[1]] * 3, [rows] * 2, [None] * 12):
        assert is_refused(load, packed(wrong)), wrong


def test_every_value_of_a_head_is_checked() -> None:
    head = json.loads(zlib.decompress(DUMPED[codec.load_head]))
    for name in head:
        for wrong in (1.5, {"a": 1}, [[[]]]):
            assert is_refused(codec.load_head, packed({**head, name: wrong})), (name, wrong)


def test_what_would_fill_the_memory_is_refused() -> None:
    bomb = zlib.compressobj(1)
    block = b" " * (1024 * 1024)
    data = b"".join(bomb.compress(block) for _ in range(100)) + bomb.flush()
    assert is_refused(codec.load_sentences, data)


def test_contexts_are_stored_once_and_a_missing_one_is_refused() -> None:
    loaded = codec.load_citing(codec.dump_citing(CITING))
    assert loaded.contexts[0][1] is loaded.contexts[1][1]
    context = {"citing_paper": "a.tex", "left": [], "right": []}
    for number in (1, -1, -2):
        assert is_refused(codec.load_citing, packed([[], [context], [[0, number]]]))


def test_a_lone_surrogate_becomes_the_replacement_character() -> None:
    dumped = codec.dump_sentences([Sentence("a \ud835 “b”")])
    assert codec.load_sentences(dumped) == (Sentence("a \ufffd “b”"),)
