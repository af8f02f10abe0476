from __future__ import annotations

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
        ("Parsing is hard (Smith, 2001).", ["(Smith, 2001)"]),
        ("Hard (Smith 2001).", ["(Smith 2001)"]),
        (
            "Hard (Smith and Jones, 2001; Och et al., 2003a).",
            ["(Smith and Jones, 2001; Och et al., 2003a)"],
        ),
        ("Hard (see Smith et al., 2001, p. 5).", ["(see Smith et al., 2001, p. 5)"]),
        ("Hard (cf. e.g. Smith & Jones 2001a,b).", ["(cf. e.g. Smith & Jones 2001a,b)"]),
        (
            "Hard (Della Croce, Van den Berg, and O'Hara, 1997).",
            ["(Della Croce, Van den Berg, and O'Hara, 1997)"],
        ),
        ("Hard (Müller-Łoś et al., to appear).", ["(Müller-Łoś et al., to appear)"]),
        ("Hard (Smith et al. 87).", ["(Smith et al. 87)"]),
        ("Smith et al. (2001) parse it.", ["Smith et al. (2001)"]),
        ("As Smith and Jones (2001, 2003) say", ["Smith and Jones (2001, 2003)"]),
        ("However, Smith, Jones, and Lee (2001) say", ["Smith, Jones, and Lee (2001)"]),
        ("As Smith (2001) says", ["Smith (2001)"]),
        ("Smith and colleagues’ [2001] parser", ["Smith and colleagues’ [2001]"]),
        ("after de Vries (1999: 12)", ["de Vries (1999: 12)"]),
        ("the parser (2001) is", ["(2001)"]),
        ("the parser [12] is", ["[12]"]),
        ("the parser[3, 7-9] is", ["[3, 7-9]"]),
        ("the parser [4][5] is", ["[4]", "[5]"]),
        ("the parser [Smith01] is", ["[Smith01]"]),
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
        "a probability in [0, 1]",
        "the element a[1] of the array",
        "the noun phrase [NP the dog]",
        "the release (in January 2001)",
        "We parse (Table 3).",
        "Smith parses (and Jones does not)",
        "",
    ],
)
def test_what_is_no_marker(text: str) -> None:
    assert markers(text) == []


def test_a_bracket_keeps_what_else_it_says() -> None:
    text = "two models (the noisy channel of Brown et al., 1993) agree"
    assert markers(text) == ["Brown et al., 1993"]
    assert "the noisy channel of" in without_markers(text)


@pytest.mark.parametrize(
    "unit",
    ["(", "[1,", "Aa ", "Aa, ", "Aa-", "A", "A. ", "de ", " ", "(Aa ", "2001 ", "Aa et al ", "a["],
)
def test_time_is_linear(unit: str) -> None:
    # A quadratic pattern would need hours for this.
    marker_spans(unit * (1_000_000 // len(unit)))


def named(text: str) -> list[tuple[str, tuple[str, ...], bool, str]]:
    return [
        (text[work.start : work.end], work.names, work.others, work.year)
        for work in cited_works(text)
    ]


def test_the_works_of_a_marker_cover_it() -> None:
    assert named("Hard (see Smith, 2001, p. 5; Och et al., 2003a, b).") == [
        ("(see Smith, 2001, p. 5; ", ("Smith",), False, "2001"),
        ("Och et al., 2003a", ("Och",), True, "2003a"),
        (", b)", ("Och",), True, "2003b"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Smith (2001; 2003a,b)", ["2001", "2003a", "2003b"]),
        ("(Smith and Jones '02; Smith et al. 98)", ["2002", "1998"]),
        ("(Smith, to  appear)", ["to appear"]),
        ("Smith (2001a, p. 5)", ["2001a"]),
        ("the parser (2001, 2003)", ["2001", "2003"]),
    ],
)
def test_each_year_is_a_work(text: str, expected: list[str]) -> None:
    assert [work.year for work in cited_works(text)] == expected


def test_the_names_of_a_work_and_where_they_end() -> None:
    text = "So Smith, de Vries, and Tou- tanova (2001, 2003) say."
    first, second = cited_works(text)
    assert first.names == second.names == ("Smith", "de Vries", "Tou- tanova")
    assert text[: first.names_end].endswith("Tou- tanova")
    (others,) = cited_works("Smith and his colleagues (2001)")
    assert (others.names, others.others) == (("Smith",), True)


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
