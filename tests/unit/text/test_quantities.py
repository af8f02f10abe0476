"""The numbers that a text reports."""

import pytest

from pincite.text.quantities import quantities, values_of


def found(text):
    return [(each.written, each.unit) for each in quantities(text)]


@pytest.mark.parametrize(
    "written", ["86 %", "86%", "86\u202f%", "86 percent", "86 per cent", "86.0 %", "86 Prozent"]
)
def test_all_ways_to_write_a_percentage_are_the_same(written):
    (same,) = quantities(f"An accuracy of {written} was reached.")
    assert (same.unit, same.values, same.is_exact) == ("percent", {86.0}, True)


def test_units_are_distinguished():
    text = "It was 3.2-fold (p = .03, n = 120, r = .44) for 35,000 words, 4 times as many."
    assert found(text) == [
        ("3.2-fold", "fold"),
        ("p = .03", "p"),
        ("n = 120", "n"),
        (".44", "decimal"),
        ("35,000", "thousands"),
        ("4 times", "fold"),
    ]


def test_years_citations_and_counts_are_no_quantities():
    assert found("In 2013, 12 of 40 (see Section 3.2.1, [86] and items 5,6) were in v1.2.3.") == []


@pytest.mark.parametrize(
    "text",
    [
        "about 86 %", "more than 86 %", ">86 %", "80–86 %", "p < .05", "between 80 % and 86 %",
        "84 to 86 %", "86 % to 90 %", "rund 86 %",
    ],
)  # fmt: skip
def test_what_is_rounded_a_bound_or_the_end_of_a_range_is_not_exact(text):
    assert not any(each.is_exact for each in quantities(text))


@pytest.mark.parametrize(
    ("number", "values"),
    [
        (".05", {0.05}),
        ("2·5", {2.5}),
        ("86,1", {86.1}),
        ("1,234,567", {1234567}),
        ("1.234", {1.234, 1234}),
        ("1.234,5", {1234.5}),
        ("1,234.5", {1234.5}),
        ("1'234", {1234}),
        ("0.001", {0.001}),
    ],
)
def test_a_number_has_the_values_that_its_signs_allow(number, values):
    assert values_of(number) == values


def test_more_decimals_are_the_same_number_after_rounding():
    (whole,) = quantities("86 %")
    assert whole.is_rounded(85.9)
    assert whole.is_rounded(86.5)
    assert not whole.is_rounded(86.6)


@pytest.mark.parametrize(
    "written", ["3 × 10⁻⁵", "3 × 10^{-5}", "3·10−5", "3 times 10⁻⁵", "3e-5", "0.00003"]
)
def test_all_ways_to_write_a_power_of_ten_are_the_same(written):
    (same,) = quantities(f"The groups differ (p = {written}).")
    assert (same.written, same.unit, same.values) == (f"p = {written}", "p", {3e-5})


def test_powers_and_scales_are_part_of_a_number():
    text = (
        "There were 1.2 million birds, 10⁴ nests in 512 × 512 squares, 2 Mrd. flies for 3 months."
    )
    assert [(each.written, *each.values) for each in quantities(text)] == [
        ("1.2 million", 1_200_000),
        ("10⁴", 10_000),
        ("2 Mrd", 2_000_000_000),
    ]
