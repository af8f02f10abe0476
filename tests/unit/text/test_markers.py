import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.text import markers as patterns
from pincite.text.markers import cited_works, marker_spans, without_markers, years


def markers(text: str) -> list[str]:
    return [text[start:end] for start, end in marker_spans(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hard (see Smith et al., 2001, p. 5).", ["(see Smith et al., 2001, p. 5)"]),
        (
            "Hard (Della Croce, Van den Berg, and O'Hara, 1997).",
            ["(Della Croce, Van den Berg, and O'Hara, 1997)"],
        ),
        ("Hard (Müller-Łoś et al., to appear).", ["(Müller-Łoś et al., to appear)"]),
        ("As Smith and Jones (2001, 2003) say", ["Smith and Jones (2001, 2003)"]),
        ("However, Smith, Jones, and Lee (2001) say", ["Smith, Jones, and Lee (2001)"]),
        ("Smith and colleagues’ [2001] parser", ["Smith and colleagues’ [2001]"]),
        (
            "Müller u. a. (2010), García y otros (2011)",
            ["Müller u. a. (2010)", "García y otros (2011)"],
        ),
        ("Кратко (Иванов и др., 2010).", ["(Иванов и др., 2010)"]),
        ("Krótko (Łoś i in., 2010; Yılmaz vd., 2011)", ["(Łoś i in., 2010; Yılmaz vd., 2011)"]),
        ("Lyhyt (Virtanen ja Mäki, 2010).", ["(Virtanen ja Mäki, 2010)"]),
        ("Hard (Mai et al., 2015), as Mai (2015) says", ["(Mai et al., 2015)", "Mai (2015)"]),
        ("the parser[3, 7-9] is", ["[3, 7-9]"]),
        ("the parser [SJ01, OHK+03a] is", ["[SJ01, OHK+03a]"]),
        ("the parser [Smith et al., 2001] is", ["[Smith et al., 2001]"]),
        ("as shown by Smith et al., 2001 and", ["Smith et al., 2001"]),
    ],
)
def test_markers(text: str, expected: list[str]) -> None:
    assert markers(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "In 2001 we parsed (about 30 sentences).",
        "the release (in January 2001)",
        "We parse (Table 3).",
        "die Tagung (Wien, Juni 2015)",
        "",
    ],
)
def test_what_is_no_marker(text: str) -> None:
    assert markers(text) == []


@pytest.mark.parametrize(
    "unit",
    ["(", "[1,", "Aa ", "Aa, ", "Aa-", "A", "A. ", "de ", " ", "(Aa ", "2001 ", "Aa et al ", "a["],
)
def test_time_is_linear(unit: str) -> None:
    # A quadratic pattern would need hours for this.
    marker_spans(unit * (1_000_000 // len(unit)))


def test_numbers_and_keys_are_labels() -> None:
    labels = [work.labels for work in cited_works("the parser [3, 7–9], [OHK+03a, SJ01]")]
    assert labels == [("3",), ("7", "8", "9"), ("OHK+03a",), ("SJ01",)]


def test_years_anywhere() -> None:
    assert list(years("in 2001a,b")) == [(3, 8, "2001a"), (8, 10, "2001b")]


PIECES = st.one_of(
    st.sampled_from(
        ["Smith", "et al.", "and", "see", "van", "O’Hara", "K.", "parser", "学", "é", "and others"]
    ),
    st.sampled_from(["2001", "2003a", "12", "p. 5", "to appear", "[4]", "\u0301"]),
    st.sampled_from([", ", " ", "\n", " In Press", "(", ")", "[", "]", ";", "-"]),
)
TEXTS = st.one_of(st.text(), st.lists(PIECES, max_size=40).map("".join))


@given(TEXTS)
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


@given(TEXTS)
def test_no_marker_is_where_none_is_looked_for(text: str) -> None:
    for pattern, hint in (
        (patterns._NARRATIVE, patterns._MAY_BE_NARRATIVE),
        (patterns._WITHOUT_BRACKETS, patterns._MAY_BE_WITHOUT_BRACKETS),
    ):
        assert pattern.search(text) is None or hint.search(text) is not None
