from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pincite.text import sentences
from pincite.text.sentences import sentence_spans

PIECES = st.sampled_from(
    """. ! ? … 。 \ufffc et_al e.g Fig J We the 3 ( ) " [1] é 中 𝒳""".split()
).map(lambda piece: piece.replace("_", " ")) | st.sampled_from(
    [" ", "\n", "\n\n", "\r\n", "\u00a0", "\x1c", "\x85"]
)
TEXTS = st.one_of(st.text(), st.lists(PIECES, max_size=40).map("".join))


@given(TEXTS)
def test_spans_in_order_cover_all_but_the_space_between_them(text: str) -> None:
    previous = 0
    for start, end in sentence_spans(text):
        assert previous <= start < end <= len(text)
        assert text[start:end] == text[start:end].strip()
        assert not text[previous:start].strip()
        previous = end
    assert not text[previous:].strip()


@given(TEXTS, TEXTS)
def test_a_blank_line_parts_texts(left: str, right: str) -> None:
    text = f"{left}\n\n{right}"
    middle = len(left)
    assert not any(start < middle and end > middle + 2 for start, end in sentence_spans(text))


@given(TEXTS | st.text(".!? 5\n\t\x1c\u2028)]¹。」"))
def test_stops_are_those_that_one_expression_finds(text: str) -> None:
    found = [match.span() for match in sentences._stops(text)]
    assert found == [match.span() for match in sentences._STOP.finditer(text)]
