"""What the index packs comes back as it was; what it never packed is refused."""

from __future__ import annotations

import json
import zlib
from contextlib import suppress

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
