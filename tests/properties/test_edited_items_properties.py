"""Bibliographies that are lists of items are, after an edit inside one, as if they were read anew."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pincite.model.edits import TextEdit, applied, narrowed
from pincite.model.spans import TextSpan
from pincite.parsing.bibliographies import parse_bibliography

JSON = """[
  {"id": "moss", "title": "Moss é on walls"},
  {
    "id": "kelp", "author": [{"family": "Aalto"}]
  }, {"id": "fern",}
  {"id": "moss"}
]
"""
IN_OBJECT = '{"version": "1", "references": [{"id": "a"}, {"id": "b", "items": []}]}'
ONE = '{"id": "a", "title": "Moss"}'
CSL = "---\nreferences:\n- id: moss\n  title: Moss é\n  # remark\n\n- title: |\n    Kelp\n  id: kelp\nnocite: x\n"
LIST = "  - id: a\n    title: A\n  - id: b\n"
HAYAGRIVA = "# Works\nmoss:\n  type: book\n  title: Moss é\n\nkelp: # here\n  title: >\n    Kelp\n\n  date: 1990\n"
SHARED = "moss: &m\n  title: Moss\nkelp:\n  title: Kelp\n  parent: *m\n"
TEXTS = [
    *(("a.json", text) for text in (JSON, IN_OBJECT, ONE)),
    *(("a.yaml", text) for text in (CSL, LIST, HAYAGRIVA, SHARED)),
]
NEW = ["x", "é", '"', "}", "{", ", ", "},\n{", "\n", "\n  ", "\n- id: c", "references:", "items", '"items": [], ', ": ",
    "#", "\n# no", "&m", "*m", "\\", "\r", "\n...\n", "id: z", " ", ""]  # fmt: skip


def everything(file):
    return (
        (file.text, file.form.name, file._items, file._begins, file._ends, dict(file.positions)),
        (list(file._complaints), file.faults, dict(file.entries), dict(file.places)),
    )


@given(
    st.sampled_from(TEXTS),
    st.lists(st.tuples(st.integers(0, 150), st.integers(0, 6), st.lists(st.sampled_from(NEW), max_size=3).map("".join)), min_size=1, max_size=4),
)  # fmt: skip
@example(("a.json", ONE), [(1, 0, '"items": [], ')])
@example(("a.yaml", SHARED), [(30, 0, "x")])
@example(("a.yaml", LIST), [(5, 0, "x")])
def test_an_edit_gives_what_reading_anew_does(named, edits):
    path, text = Path(named[0]), named[1]
    file = parse_bibliography(text, path)
    for start, size, new in edits:
        start = min(start, len(text))
        edit = TextEdit(path, TextSpan(start, min(start + size, len(text))), new)
        text = applied(text, [edit])
        before, file = file, file.edited(edit)
        afresh = parse_bibliography(text, path)
        assert everything(file) == everything(afresh)
        assert set(file.keys_in_changed_parts(before)) == set(afresh.keys_in_changed_parts(before))


@pytest.mark.parametrize(
    ("name", "text"),
    [("a.json", JSON), ("a.json", IN_OBJECT), ("a.yaml", CSL), ("a.yaml", LIST), ("a.yaml", HAYAGRIVA)],
)  # fmt: skip
def test_an_edit_inside_an_item_reads_no_other(name, text, monkeypatch):
    path = Path(name)
    file = parse_bibliography(text, path)
    split, read = type(file.form).split, []
    monkeypatch.setattr(
        type(file.form), "split", lambda form, whole: read.append(whole) or split(form, whole)
    )
    at = text.index("moss" if "moss" in text else "a") + 1
    # An editor's edit replaces lines, or more.
    after = file.edited(TextEdit(path, TextSpan(0, len(text)), f"{text[:at]}x{text[at:]}"))
    assert after.text == f"{text[:at]}x{text[at:]}"
    assert after.text not in read


@given(st.text("ab", max_size=6), st.text("ab", max_size=6), st.integers(0, 6), st.integers(0, 6))
def test_a_narrowed_edit_does_the_same(text, new, start, size):
    start = min(start, len(text))
    edit = TextEdit(Path("a"), TextSpan(start, min(start + size, len(text))), new)
    small = narrowed(text, edit)
    assert applied(text, [small]) == applied(text, [edit])
    old = small.span.of(text)
    assert not (old and small.text and (old[0] == small.text[0] or old[-1] == small.text[-1]))
