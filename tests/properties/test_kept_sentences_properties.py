from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pincite.library.index import PaperIndex
from pincite.model.papers import CitingPaper, ReferencePaper, Sentence

sentences = st.builds(Sentence, st.text(), st.none() | st.integers(1, 9999), st.none() | st.text())
bounds = st.none() | st.integers(-6, 6)


@given(st.lists(sentences, max_size=5).map(tuple), st.builds(slice, bounds, bounds))
def test_kept_sentences_are_the_tuple_that_was_kept(kept, part):
    index = PaperIndex.in_memory()
    index.put("d", ".pdf", ReferencePaper("A title", "full text", kept), CitingPaper())
    lazy = index.paper("d", ".pdf").sentences
    assert len(lazy) == len(kept)
    assert tuple(lazy) == kept
    assert tuple(lazy[part]) == kept[part]
    assert [lazy[place] for place in range(-len(kept), len(kept))] == [*kept, *kept]
    assert list(reversed(lazy)) == list(reversed(kept))
    index.close()
