"""The program that reads a bibliography decides what in it is an entry, and which one counts."""

from pathlib import Path

import pytest

from pincite.model.programs import BIBER, BIBTEX, CITATION_JS, PANDOC, TYPST
from pincite.parsing.bibliographies import entry_at
from pincite.parsing.bibliographies import parse_bibliography as parse_any
from pincite.parsing.bibtex import parse_bibliography

BIB = Path("refs.bib")
COMMENTED = """\
%% Works on moss
% @article{moss,
%   title = {A draft of the entry},
% }
@article{moss, title = {Moss on stones}} % @misc{stone, title = {Stone}}
  %@book{fern, title={Ferns}} @book{reed, title={Reeds}}
50 % @string{peat = "Peat"}
@misc{bog, title = peat # {lands}}
"""


def titles(text, program):
    entries = parse_bibliography(text, BIB, program=program).entries.values()
    return {entry.key: entry.title for entry in entries}


@pytest.mark.parametrize("program", [BIBER, PANDOC, TYPST])
def test_after_a_per_cent_sign_outside_entries_is_no_entry_and_no_macro(program):
    read = parse_bibliography(COMMENTED, BIB, program=program)
    assert titles(COMMENTED, program) == {"moss": "Moss on stones", "bog": "peatlands"}
    assert [problem.message for problem in read.problems] == [
        "@misc bog: @string macro peat is not defined"
    ]
    assert read.places["moss"].line == 5
    assert read.repeated == ()


@pytest.mark.parametrize("program", [BIBTEX, CITATION_JS])
def test_for_bibtex_a_per_cent_sign_begins_no_comment(program):
    read = parse_bibliography(COMMENTED, BIB, program=program)
    assert list(read.entries)[-4:] == ["stone", "fern", "reed", "bog"]
    assert read.entries["bog"].title == "Peatlands"
    assert [key.key for key in read.repeated] == ["moss"]


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("@misc{a, title={50% of @misc{b, title={B}}}}", ["a"]),
        ("@misc{a, title={not closed}\n% @misc{b}\n@misc{c}", ["a", "c"]),
    ],
)
def test_a_per_cent_sign_in_an_entry_ends_it_not(text, keys):
    assert list(titles(text, BIBER)) == keys


PUT_ASIDE = """\
@comment{
@article{moss, title={Moss {on} stones}}
@article{fern,
  title = {Ferns},
} }
  @Comment {@misc{reed, title={Reeds}}} @misc{bog, title={Bogs}}
@misc{peat, note={@comment{x}}, title={Peat}}
"""


@pytest.mark.parametrize(
    ("program", "keys"),
    [
        (PANDOC, ["bog", "peat"]),
        (BIBTEX, ["moss", "fern", "reed", "bog", "peat"]),
    ],
)
def test_bibtex_alone_reads_the_entries_in_the_braces_of_a_comment(program, keys):
    read = parse_bibliography(PUT_ASIDE, BIB, program=program)
    assert list(read.entries) == keys
    assert read.problems == ()
    places = read.entry_places()
    assert [place.key for place in places] == keys
    at = PUT_ASIDE.index("fern")
    found = entry_at(BIB, PUT_ASIDE, at, comments=program.comments)
    assert (found is not None) == ("fern" in keys)


@pytest.mark.parametrize(
    "text", ["@comment{\n@misc{a}\n@misc{b}", "@comment{x\n@comment{@misc{c}}\n@misc{b}"]
)
def test_a_comment_that_is_not_closed_hides_nothing(text):
    assert list(parse_bibliography(text, BIB).entries)[-1] == "b"
    # As soon as it is closed, entries far after its beginning are hidden.
    assert not parse_bibliography(text + "}", BIB).entries
    assert parse_bibliography(text[1:] + "}", BIB).entries.keys() >= {"b"}


def test_of_a_repeated_key_pandoc_uses_the_last_entry_and_bibtex_the_first():
    text = "@misc{a, title={One}}\n@misc{b, title={Two}}\n@misc{a, title={Three}}\n"
    for program, found, ignored, what in [
        (BIBER, ["One", "Two"], text.rindex("a,"), "already used in line 1; the first"),
        (PANDOC, ["Two", "Three"], text.index("a,"), "used again in line 3; the last"),
    ]:
        read = parse_bibliography(text, BIB, program=program)
        assert [entry.title for entry in read.entries.values()] == found
        assert [key.span.start for key in read.repeated] == [ignored]
        (problem,) = read.problems
        assert problem.message == f"@misc a: key {what} entry counts"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("refs.json", '[{"id": "a", "title": "One"}, {"id": "a", "title": "Two"}]'),
        ("refs.yaml", "references:\n- id: a\n  title: One\n- id: a\n  title: Two\n"),
    ],
)
def test_that_holds_for_items_of_csl(name, text):
    found = [
        parse_any(text, Path(name), program=program).entries["a"].title
        for program in (TYPST, PANDOC)
    ]
    assert found == ["One", "Two"]
    read = parse_any(text, Path(name), program=PANDOC)
    assert "the last entry counts" in read.problems[0].message


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("@misc{a=b, title={A}}", "a=b"),
        ("@misc(a=b, title={A})", "a=b"),
        ("@misc{key title={A}}", "key"),
    ],
)
def test_a_key_may_have_an_equals_sign(written, key):
    (entry,) = parse_bibliography(written, BIB).entries.values()
    assert (entry.key, entry.title) == (key, "A")
    (place,) = parse_bibliography(written, BIB).entry_places()
    assert place.key_span.of(written) == key


def test_a_field_is_no_key():
    assert not titles("@misc{year=2020, title={A}}", BIBER)
