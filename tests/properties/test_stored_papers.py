"""What the index packs comes back as it was; what it never packed is refused."""

import json
import zlib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.library import stored
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
DECODERS = (stored.HEAD, stored.SENTENCES, stored.CITED, stored.CONTEXTS, stored.CITING)


@given(HEADS, SENTENCES, REFERENCES, CONTEXTS)
def test_a_paper_comes_back(
    head: ReferencePaper,
    sentences: tuple[Sentence, ...],
    references: tuple[Reference, ...],
    contexts: tuple[tuple[int, InlinkContext], ...],
) -> None:
    citing = CitingPaper(references, contexts)
    assert stored.unpacked(stored.CITING, stored.packed(citing)) == citing
    paper = stored.pack(replace(head, sentences=sentences), citing)
    assert replace(stored.unpacked(stored.HEAD, paper.head), sentences=()) == head
    assert stored.unpacked(stored.SENTENCES, paper.sentences) == sentences
    cited = stored.unpacked(stored.CITED, paper.cited)
    assert cited.references == references
    placed = {
        place: (reference, context)
        for reference, data in paper.contexts.items()
        for place, context in stored.unpacked(stored.CONTEXTS, data)
    }
    assert placed == dict(enumerate(contexts))
    for reference, count in cited.counts.items():
        assert count == sum(number == reference for number, _ in contexts)


def is_refused(decoder, data: bytes) -> bool:
    """Whether `data` raises `ValueError`; anything else that is raised fails the test."""
    try:
        stored.unpacked(decoder, data)
    except ValueError:
        return True
    return False


CONTEXT = InlinkContext("a.tex", ("left",), ("right", "words"), "A citance.", 4)
CITING = CitingPaper((Reference("Títle", ("Och",)), Reference()), ((0, CONTEXT), (1, CONTEXT)))
PAPER = ReferencePaper(
    "T", "title", (Sentence("One.", 3, "iii", "Intro"),), page_count=9, year="2001"
)
PACKED = stored.pack(PAPER, CITING)
DATA = (PACKED.head, PACKED.sentences, PACKED.cited, PACKED.contexts[0], stored.packed(CITING))


@pytest.mark.parametrize(("decoder", "data"), [*zip(DECODERS, DATA, strict=True)])
def test_damaged_and_foreign_data_is_refused(decoder, data: bytes) -> None:
    assert all(is_refused(decoder, data[:length]) for length in range(len(data)))
    for bit in range(8 * len(data)):
        damaged = bytearray(data)
        damaged[bit // 8] ^= 1 << bit % 8
        # zlib has no use for some bits of its header.
        assert is_refused(decoder, bytes(damaged)) or (
            stored.unpacked(decoder, bytes(damaged)) == stored.unpacked(decoder, data)
        )
    rows = json.loads(zlib.decompress(data))
    for wrong in (1, None, "row", [1], [[1]] * 3, [rows] * 2, [None] * 12):
        assert is_refused(decoder, stored.packed(wrong)), wrong


def test_what_would_fill_the_memory_is_refused() -> None:
    bomb = zlib.compressobj(1)
    block = b" " * (1024 * 1024)
    data = b"".join(bomb.compress(block) for _ in range(100)) + bomb.flush()
    assert is_refused(stored.SENTENCES, data)


def test_a_lone_surrogate_becomes_the_replacement_character() -> None:
    packed = stored.packed([Sentence("a \ud835 “b”")])
    assert stored.unpacked(stored.SENTENCES, packed) == (Sentence("a \ufffd “b”"),)
