"""Hayagriva: what an entry and its parents contain."""

from pathlib import Path

import pytest

from pincite.parsing.bibliographies import parse_bibliography

TEXT = """\
# Works
kinetics:
    type: Article
    title: {value: Kinetics of a Condensate, shorthand: Kinetics}
    author: ["Doan, T. D.", "von der Leyen, Ursula", Institute of Physics, "King, Martin, Jr."]
    serial-number:
        doi: "10.1000/kin"
        arxiv: 2003.13722
    page-range: 165126-165139
    date: 2020-10-14
    url: { value: https://example.org/k, date: 2020-12-29 }
    parent:
        title: Physical Review B
        volume: 102
        issue: 16
        publisher: American Physical Society

talk:
    type: article
    title: A Talk
    author: {name: Watkins, given-name: Gloria Jean, prefix: de}
    abstract: About {NASA}.
    parent:
        - type: proceedings
          title: Proceedings of Talks
          date: 2019
          editor: Ed, Ann
          publisher: {name: Press, location: Turku}
          parent: {type: anthology, title: Lecture Notes}
        - type: video
          runtime: "00:13:42"
web:
    type: web
    doi: 10.1000/web
    affiliated:
        - role: Translator
          names: [Lee, "Ann, B."]
"""


def read(text):
    return parse_bibliography(text, Path("works.yml"))


def test_an_article_in_a_periodical():
    file = read(TEXT)
    entry = file.entries["kinetics"]
    assert file.faults == ()
    assert entry.entry_type == "article"
    assert (entry.title, entry.fields["shorttitle"]) == ("Kinetics of a Condensate", "Kinetics")
    assert entry.surnames == ("Doan", "von der Leyen", "Institute of Physics", "King")
    assert (entry.doi, entry.arxiv, entry.year) == ("10.1000/kin", "2003.13722", "2020")
    assert {name: entry.fields[name] for name in ("journal", "volume", "number", "pages", "url")} == {
        "journal": "Physical Review B", "volume": "102", "number": "16", "pages": "165126-165139",
        "url": "https://example.org/k",
    }  # fmt: skip


def test_an_article_in_proceedings_has_their_place_and_date():
    entry = read(TEXT).entries["talk"]
    assert entry.entry_type == "inproceedings"
    assert entry.surnames == ("de Watkins",)
    assert entry.abstract == "About NASA."
    fields = {
        name: entry.fields[name]
        for name in ("booktitle", "series", "year", "editor", "publisher", "address")
    }
    assert fields == {
        "booktitle": "Proceedings of Talks", "series": "Lecture Notes", "year": "2019", "editor": "Ed, Ann",
        "publisher": "Press", "address": "Turku",
    }  # fmt: skip


def test_other_entries():
    entry = read(TEXT).entries["web"]
    assert (entry.entry_type, entry.doi) == ("online", "10.1000/web")
    assert entry.fields["translator"] == "Lee and Ann, B."


def test_places():
    places = read(TEXT).places
    assert {key: (place.line, place.key_span.of(TEXT)) for key, place in places.items()} == {
        "kinetics": (2, "kinetics"), "talk": (18, "talk"), "web": (32, "web"),
    }  # fmt: skip
    assert places["kinetics"].span.of(TEXT).endswith("American Physical Society")


@pytest.mark.parametrize(
    "text", ["on: [push]\njobs:\n  build:\n    url: x\n", "just text", "a: 5\nb:\n  - 7\n"]
)
def test_other_yaml_is_no_bibliography(text):
    file = read(text)
    assert (list(file.entries), len(file.faults)) == ([], 1)


def test_a_broken_entry_does_not_affect_others():
    file = read("a:\n  title: A: b: c\n  type: book\nb:\n  title: B\nc: text\n")
    assert list(file.entries) == ["a", "b"]
    assert [problem.line for problem in file.problems] == [2, 6]


def test_an_empty_file_has_nothing_wrong():
    assert read("").faults == read("\n# later\n").faults == ()
