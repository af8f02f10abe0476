"""Bibliographies of items: any text gives a result, and what is written is read again."""

import json
from pathlib import Path

import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from pincite.edits.entries import copy_entry, read_files
from pincite.model.edits import applied
from pincite.model.papers import NO_BREAK_SPACE, BibEntry
from pincite.parsing.bibliographies import parse_bibliography

NAMES = ("refs.json", "refs.yaml", "refs.yml")
PIECES = (
    *('[', ']', '{', '}', '"id": "a"', '"id"', ':', ',', '"', "'", '\n', '\r\n', '\r', ' ', '  ', '- '),
    *('id: ', 'references:\n', '- id: b\n', '  title: x\n', 'key:\n', '  type: book\n', '&a', '*a', '#', '|\n'),
    *('"type": "book"', '\\u00e9', '\\ud800', '\\', 'é', '😀', '\ufeff', '---\n', '...', '%', '!!x ', '\x00', '\ud800'),
    *('null', '12', '"issued": {"date-parts": [[2020]]}', '  parent:\n', '<<: *a', '\u2028', '\t', '? '),
)  # fmt: skip
texts = st.one_of(st.text(), st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
keys = st.builds(str.__add__, st.sampled_from("aZ_0"), st.text("bcX9_.:/+-", max_size=8))
words = st.text("abXéΩ😀9&'\"#:*_[]{}\\-", min_size=1, max_size=8)
lines = st.lists(words, min_size=1, max_size=6).map(" ".join)
people = st.one_of(
    st.tuples(words, words).map(lambda name: {"family": name[0], "given": name[1]}),
    lines.map(lambda name: {"literal": name}),
)
items = st.fixed_dictionaries(
    {"id": keys, "type": st.sampled_from(["book", "article-journal", "paper-conference", "thesis"])},
    optional={
        "title": lines, "container-title": lines, "abstract": lines, "note": lines, "volume": st.integers(0, 99),
        "author": st.lists(people, min_size=1, max_size=3),
        "issued": st.fixed_dictionaries({"date-parts": st.tuples(
            st.tuples(st.integers(1000, 2100), st.integers(1, 12)).map(list)).map(list)}),
        "DOI": st.just("10.1/x_y"), "page": st.just("1-9"),
    },
)  # fmt: skip
lists = st.lists(items, min_size=1, max_size=4, unique_by=lambda item: item["id"])


def check(file, text):
    for key, entry in file.entries.items():
        assert entry.key == key
        assert all(isinstance(value, str) and value for value in dict(entry.fields).values())
        _ = (entry.title, entry.year, entry.doi, entry.arxiv, entry.surnames)
        place = file.places[key]
        assert (
            0
            <= place.span.start
            <= place.key_span.start
            <= place.key_span.end
            <= place.span.end
            <= len(text)
        )
    for fault in file.faults:
        assert 0 <= fault.entry.start <= fault.entry.end <= len(text)
        assert 0 <= fault.offset <= len(text)
    assert len(file.problems) == len(file.faults)
    assert file.text == text


@given(texts, st.sampled_from(NAMES))
def test_any_text_gives_a_result(text, name):
    check(parse_bibliography(text, Path(name)), text)


def written_in(entry):
    return {name: value for name, value in entry.fields.items() if name not in ("title", "booktitle", "note", "abstract", "journal", "author")}  # fmt: skip


@given(lists, st.sampled_from([None, 0, 2, "\t"]), st.booleans())
def test_json_and_yaml_give_the_same(made, indent, ascii_only):
    in_json = parse_bibliography(
        json.dumps(made, indent=indent, ensure_ascii=ascii_only), Path("r.json")
    )
    text = yaml.safe_dump({"references": made}, allow_unicode=not ascii_only, sort_keys=False)
    in_yaml = parse_bibliography(text, Path("r.yaml"))
    check(in_yaml, text)
    assert in_json.faults == in_yaml.faults == ()
    assert list(in_json.entries) == list(in_yaml.entries) == [item["id"] for item in made]
    for key, entry in in_json.entries.items():
        assert written_in(entry) == written_in(in_yaml.entries[key])
        assert entry.surnames == in_yaml.entries[key].surnames


@given(lists, items, st.sampled_from([None, 1, 2, "\t"]), st.sampled_from(["\n", "\r\n"]))
def test_an_entry_is_inserted_into_json_and_nothing_else_changes(made, new, indent, line_end):
    text = json.dumps([item for item in made if item["id"] != new["id"]], indent=indent).replace(
        "\n", line_end
    )
    check_insertion(text, "refs.json", new)


@given(lists, items, st.booleans(), st.sampled_from(["\n", "\r\n"]))
@example([], {"id": "a", "type": "book", "title": "[]{# }"}, False, "\n")
def test_an_entry_is_inserted_into_yaml_and_nothing_else_changes(made, new, is_sorted, line_end):
    others = [item for item in made if item["id"] != new["id"]]
    text = yaml.safe_dump({"references": others}, sort_keys=is_sorted).replace("\n", line_end)
    check_insertion(text, "refs.yaml", new)


def check_insertion(text, name, new):
    library = read_files([(Path("/l/library.json"), json.dumps([new]))])
    draft = read_files([(Path("/d", name), text)])
    entry: BibEntry = library[0].entries[new["id"]]
    edit = copy_entry(entry.key, library, draft, draft[0])
    assert edit.span.start == edit.span.end
    after = applied(text, [edit])
    assert "\n" not in edit.text.replace("\r\n", "") or "\r\n" not in text
    found = parse_bibliography(after, Path("/d", name))
    assert dict(draft[0].entries) == {
        key: each for key, each in found.entries.items() if key != entry.key
    }
    copied = found.entries[entry.key]
    assert found.faults == ()
    assert copied.entry_type == entry.entry_type
    assert plain(copied.fields) == plain(entry.fields)


def plain(fields):
    return {name: value.replace(NO_BREAK_SPACE, " ") for name, value in fields.items()}
