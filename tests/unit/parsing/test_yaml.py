"""YAML of settings and headers: plain values, whatever aliases make of them."""

import pytest

from pincite.parsing.yaml import mapping_in, strings_in


def test_settings_are_texts_truth_values_and_collections_of_them():
    text = "a: no\nb: 'no'\nc: ~\nd: 010\ne: [2020-01-01, true]\nf:\n  g: {h: i}\n"
    assert mapping_in(text) == {
        "a": False,
        "b": "no",
        "c": None,
        "d": "010",
        "e": ["2020-01-01", True],
        "f": {"g": {"h": "i"}},
    }
    assert mapping_in("a: &x {b: c}\nd: {<<: *x, e: f}\ng: *x\n") == {
        "a": {"b": "c"},
        "d": {"b": "c", "e": "f"},
        "g": {"b": "c"},
    }


@pytest.mark.parametrize(
    "text", ["", "a", "- a", "a: [", "a: *b", "a: b\n c: d\n", "a: " + "[" * 500]
)
def test_what_is_no_mapping_has_no_content(text):
    assert mapping_in(text) == {}


def test_strings_have_their_places():
    text = " [a.bib, 'b.bib', \"😀.bib\", ~, {c: d}, &x e.bib, *x]"
    found = [(value, span.of(text)) for value, span in strings_in(text)]
    names = ["a.bib", "b.bib", "😀.bib", "e.bib", "e.bib"]
    assert found == [(name, name) for name in names]
