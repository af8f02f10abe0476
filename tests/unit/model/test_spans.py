from hypothesis import given
from hypothesis import strategies as st

from pincite.model.spans import line_start, line_starts


@given(st.text(alphabet="ab\n\r"), st.integers(0, 20))
def test_a_line_starts_at_the_last_start_of_a_line_before_an_offset(text, offset):
    offset = min(offset, len(text))
    if text[offset - 1 : offset + 1] == "\r\n":
        return  # Between the two, there is no place.
    assert line_start(text, offset) == max(each for each in line_starts(text) if each <= offset)
