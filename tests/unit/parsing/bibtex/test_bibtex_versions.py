"""A bibliography that is read again after an edit: what the edit leaves is not read again."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from pincite.parsing.bibtex import parse_bibliography

PATH = Path("refs.bib")
BEFORE = """@string{acl = "Assoc. for Comp. Ling."}
@article{ada, title = {Engines}, publisher = acl}
@article{bell, title = {Hidden variables}, crossref = ada}
@book{curie, title = {Radioactivity – a study}}
"""
PARTS = st.sampled_from(
    [
        '@string{acl = "X"}\n',
        "@misc{a, title=acl}",
        "@misc{b, crossref={a}}",
        "{",
        "}",
        "\n",
        "é\ud800",
    ]
)
TEXTS = st.lists(PARTS, max_size=8).map("".join)


def read(text, earlier=None):
    return parse_bibliography(text, PATH, earlier=earlier)


def shown(bibliography):
    entries = bibliography.all_entries.values()
    found = [(each.key, each.entry_type, dict(each.fields), each.aliases) for each in entries]
    return found, bibliography.faults, dict(bibliography.places), bibliography.text


@given(TEXTS, TEXTS)
def test_it_is_as_if_it_was_read_for_the_first_time(before, now):
    earlier = read(before)
    shown(earlier)
    assert shown(read(now, earlier)) == shown(read(now))


def test_entries_that_an_edit_leaves_are_the_same_objects():
    before = read(BEFORE)
    now = read(BEFORE.replace("Hidden", "Open"), before)
    assert now.entries["ada"] is before.entries["ada"]
    assert now.entries["curie"] is before.entries["curie"]
    assert now.entries["bell"].title == "Open variables"
