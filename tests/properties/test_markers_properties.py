from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pincite.text import markers
from pincite.text.markers import marker_spans, without_markers

pieces = st.one_of(
    st.sampled_from(
        ["Smith", "et al.", "and", "see", "van", "O’Hara", "K.", "parser", "学", "é", "and others"]
    ),
    st.sampled_from(["2001", "2003a", "12", "p. 5", "to appear", "[4]", "\u0301"]),
    st.sampled_from([", ", " ", "\n", " In Press", "(", ")", "[", "]", ";", "-"]),
)
texts = st.one_of(st.text(), st.lists(pieces, max_size=40).map("".join))


@given(texts)
def test_markers_are_apart_and_everything_outside_of_them_stays(text: str) -> None:
    position = 0
    for start, end in marker_spans(text):
        assert position <= start < end <= len(text)
        position = end
    blanked = without_markers(text)
    assert len(blanked) == len(text)
    inside = {offset for start, end in marker_spans(text) for offset in range(start, end)}
    for offset, (before, after) in enumerate(zip(text, blanked, strict=True)):
        assert after == (" " if offset in inside else before)


@given(texts)
def test_no_marker_is_where_none_is_looked_for(text: str) -> None:
    for pattern, hint in (
        (markers._NARRATIVE, markers._MAY_BE_NARRATIVE),
        (markers._WITHOUT_BRACKETS, markers._MAY_BE_WITHOUT_BRACKETS),
    ):
        assert pattern.search(text) is None or hint.search(text) is not None
