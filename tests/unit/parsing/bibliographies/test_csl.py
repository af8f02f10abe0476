"""CSL JSON and CSL YAML: what an item contains, where it is, and what is wrong with it."""

from pathlib import Path

import pytest

from pincite.parsing.bibliographies import parse_bibliography

JSON = """\
[
  {
    "id": "moss1998",
    "citation-key": "moss1998",
    "type": "article-journal",
    "title": "Moss on <i>Northern</i> Walls\\u2014again",
    "author": [
      {"family": "Aalto", "given": "Ida"},
      {"family": "Berg", "non-dropping-particle": "van den", "given": "Nils", "suffix": "Jr."},
      {"literal": "Society of Moss, Fern and Kelp"}
    ],
    "issued": {"date-parts": [[1998, 3]]},
    "container-title": "Walls",
    "volume": 12, "issue": "4", "page": "1-9",
    "DOI": "10.1000/moss", "keyword": "moss, walls", "abstract": "Moss grows\\n on walls."
  },
  { "id": "kelp", "type": "paper-conference", "title": "Kelp", "container-title": "Proc. of Sea",
    "issued": {"raw": "2003-05"}, "number": "arXiv:2003.13722", "publisher-place": "Turku" }
]
"""
YAML = """\
---
# Our works
references:
- id: moss1998
  type: article-journal
  title: "Moss on *Northern* [Walls]{.nocase}: \\\\*again\\\\*"
  author:
  - family: Aalto
    given: Ida
  - literal: Society of Moss, Fern and Kelp
  issued: 1998-03
  container-title: Walls
  doi: 10.1000/moss
  abstract: |
    Moss grows
    # on walls.
# The sea
- type: thesis
  genre: Master's thesis
  id: kelp
  issued:
    date-parts:
    - - 2003
      - 5
  note: no
...
"""


def read(text, name="refs.json"):
    return parse_bibliography(text, Path(name))


def test_an_item_of_csl_json_has_the_fields_of_bibtex():
    entry = read(JSON).entries["moss1998"]
    assert entry.entry_type == "article"
    assert entry.title == "Moss on Northern Walls—again"
    assert entry.surnames == ("Aalto", "van den Berg", "Society of Moss, Fern and Kelp")
    assert (entry.year, entry.doi, entry.abstract) == (
        "1998",
        "10.1000/moss",
        "Moss grows on walls.",
    )
    assert {name: entry.fields[name] for name in ("journal", "volume", "number", "pages", "date")} == {
        "journal": "Walls", "volume": "12", "number": "4", "pages": "1-9", "date": "1998-03",
    }  # fmt: skip
    assert entry.fields["keywords"] == "moss, walls"
    assert entry.aliases == ()


def test_a_paper_of_a_conference_is_in_a_book():
    entry = read(JSON).entries["kelp"]
    assert (entry.entry_type, entry.fields["booktitle"]) == ("inproceedings", "Proc. of Sea")
    assert (entry.year, entry.arxiv, entry.fields["address"]) == ("2003", "2003.13722", "Turku")


@pytest.mark.parametrize(
    ("written", "year", "date"),
    [
        ('{"date-parts": [[2020, 5, 1]]}', "2020", "2020-05-01"),
        ('{"date-parts": [["2020", "05"], [2021]]}', "2020", "2020-05/2021"),
        ('[{"year": 2020, "month": 5}]', "2020", "2020-05"),
        ('{"date-parts": [[0]]}', "0000", "0000"),
        ('{"date-parts": "x", "season": 1}', "", None),
        ("null", "", None),
    ],
)
def test_dates(written, year, date):
    entry = read(f'[{{"id": "k", "issued": {written}}}]').entries["k"]
    assert (entry.year, entry.fields.get("date")) == (year, date)


def test_the_key_is_the_id_and_the_citation_key_another_name():
    text = '[{"id": "http://zotero.org/users/1/items/X", "citation-key": "moss"}, {"citation-key": "b"}]'
    file = read(text)
    assert list(file.entries) == ["http://zotero.org/users/1/items/X", "b"]
    assert file.names.aliases == {"moss": "http://zotero.org/users/1/items/X"}


@pytest.mark.parametrize(("name", "text"), [("refs.json", JSON), ("refs.yaml", YAML)])
def test_places_are_offsets_of_the_file(name, text):
    file = read(text, name)
    for key, place in file.places.items():
        assert place.key_span.of(text) == key
        assert place.line == text[: place.span.start].count("\n") + 1
    assert file.places["moss1998"].span.of(text)[:1] in "{-"


@pytest.mark.parametrize(
    "form", ['{{"items": {}}}', '{{"x": [1, {{}}], "references": {}}}', "\ufeff {}"]
)
def test_a_list_of_items_may_be_in_an_object(form):
    assert list(read(form.format(JSON)).entries) == ["moss1998", "kelp"]


def test_references_may_be_a_list_alone_or_in_flow_style():
    assert list(read("- id: a\n- id: b\n  title: B\n", "r.yml").entries) == ["a", "b"]
    assert list(read("references: [{id: a, title: A}, {id: b}]\n", "r.yml").entries) == ["a", "b"]
    assert list(read('[{"id": "a"},\n {"id": "b"}]\n', "r.yml").entries) == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "keys", "message"),
    [
        ('[{"id": "a",}, {"id": "b"}]', ["a", "b"], "a comma too many"),
        ('[{"id": "a"} {"id": "b"}]', ["a", "b"], "a comma is missing before this entry"),
        ('[\n {"id": "a", "title": "x,\n "type": "book"},\n {"id": "b"}]', ["a", "b"], "the string is not closed"),
        ('[\n {"id": "a", "author": [{"family": "X"},\n {"id": "b"}\n]', ["a", "b"], "the list is not closed"),
        ('[{"id": "a"}, {"id": "b"}', ["a", "b"], "the list of entries is not closed"),
        ('[{"id": "a", "title": x y}, {"id": "b"}]', ["a", "b"], "x is neither a quoted string nor a number"),
        ("[{\"id\": \"a\", title: 'x'}, {\"id\": \"b\"}]", ["a", "b"], "a name in quotes is expected"),
        ('[5, {"id": "a"}, "x", {"id": "b"}]', ["a", "b"], "this is not an entry"),
        ("hello", [], "a list of entries is expected"),
        ('[{"id": "a"}, {"id": "b"}, {"id": "a"}]', ["a", "b"], "key already used in line 1; the first entry counts"),
    ],
)  # fmt: skip
def test_broken_json_is_read_as_far_as_it_goes(text, keys, message):
    file = read(text)
    assert list(file.entries) == keys
    assert message in [fault.message for fault in file.faults]
    assert all(problem.line for problem in file.problems)


def test_a_broken_item_of_yaml_does_not_affect_others():
    text = "references:\n- id: a\n  title: A: b: c\n- id: b\n  title: B\n- title: no id\n"
    file = read(text, "r.yaml")
    assert list(file.entries) == ["a", "b"]
    assert file.entries["b"].title == "B"
    found = [(problem.line, problem.message) for problem in file.problems]
    assert found == [
        (3, "a: mapping values are not allowed in this context"),
        (6, "an entry needs an id"),
    ]


def test_a_bibliography_in_another_file_is_moved():
    moved = parse_bibliography(JSON, Path("refs.json"), start=100, line=7)
    place = moved.places["moss1998"]
    assert (place.span.start, place.line) == (100 + JSON.index("{"), 8)


def test_aliases_are_followed_between_items():
    text = "- id: a\n  author: &who\n  - family: Aalto\n- id: b\n  author: *who\n- id: c\n  title: 2 *3\n"
    file = read(text, "r.yaml")
    assert file.entries["b"].surnames == ("Aalto",)
    assert file.faults == ()
    assert list(read("- &a\n  id: k\n  author: *a\n", "r.yaml").entries) == ["k"]


@pytest.mark.parametrize("name", ["refs.json", "refs.yaml"])
@pytest.mark.parametrize(
    "text", ["[" * 100_000, '[{"id": "a", "x": ' + "[" * 100_000, "- " * 100_000, '{"a":' * 50_000]
)
def test_deep_nesting_is_a_fault(name, text):
    file = read(text, name)
    assert all(entry.fields is not None for entry in file.entries.values())
    assert file.problems


def test_a_file_that_is_something_else_is_complained_about_for_a_while():
    assert [fault.message for fault in read("[" * 100_000).faults] == [
        "this is not an entry",
        "the list of entries is not closed",
    ]
    assert len(read("[1," * 5_000).faults) == 1_000


def test_entries_between_lists_that_are_not_closed_are_read():
    text = "[" + "[[1, " * 2_000 + '{"id": "a"}, [["x", {"id": "b"}]'
    assert list(read(text).entries) == ["a", "b"]
