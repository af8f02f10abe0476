"""The words of a whole prose give the windows that are read around each place."""

from hypothesis import example, given
from hypothesis import strategies as st

from pincite.contexts.windows import ProseWords, words_after, words_before

#: Words, digits, marks of citations, signs and spaces of many kinds.
PROSE = st.text(st.sampled_from("ab1é \n\t-'.,\N{OBJECT REPLACEMENT CHARACTER}αЖ²́"), max_size=200)


@given(PROSE, st.integers(0, 220), st.integers(-1, 12))
@example("1\N{COMBINING ACUTE ACCENT}", 1, 1)
@example("1\N{COMBINING ACUTE ACCENT}a b", 1, 2)
def test_they_are_those_read_around_a_place(prose, offset, number):
    words = ProseWords(prose)
    assert words.before(offset, number) == words_before(prose, offset, number)
    assert words.after(offset, number) == words_after(prose, offset, number)
