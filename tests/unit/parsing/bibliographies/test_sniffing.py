"""Which JSON and YAML files are bibliographies: a workspace is full of others."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.parsing.bibliographies.item_file import HEAD, begins_as_bibliography

ITEM = '{"id": "moss", "type": "book", "title": "Moss"}'
LONG = "Moss grows. " * HEAD


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("refs.json", f"\ufeff\n[\n  {ITEM},\n  {ITEM}\n]\n"),
        ("refs.json", f'{{"version": "1.0", "references": [{ITEM}]}}'),
        ("refs.json", '[{"citation-key": "m", "author": [{"family": "Aalto"}], "type": "thesis"}]'),
        ("refs.json", f'[{{"id": 1, "type": "book", "title": "Moss", "abstract": "{LONG}"}}]'),
        ("refs.yaml", "---\nreferences:\n- title: Moss\n  type: article-journal\n  id: moss\n...\n"),
        ("refs.yml", "# Works\nmoss:\n  type: Book\n  title: Moss\n  author: Aalto, Ida\n"),
        ("refs.yml", "moss:\n    title: 'Moss'\n    type: article\n    parent:\n        type: periodical\n"),
    ],
)  # fmt: skip
def test_a_bibliography_is_known_by_its_first_entry(name, text):
    assert begins_as_bibliography(Path(name), text[:HEAD])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("package.json", '{"name": "x", "type": "module", "version": "1.0.0"}'),
        ("map.geojson.json", '{"type": "FeatureCollection", "features": [{"type": "Feature", "id": 1}]}'),
        ("posts.json", '[{"id": 1, "type": "post", "body": "No title"}]'),
        ("works.json", '[{"type": "book", "title": "Moss"}]'),
        ("empty.json", ""),
        ("schema.yaml", "Moss:\n  type: object\n  title: Moss\n  properties:\n    id:\n      type: string\n"),
        ("action.yml", "name: Build\non: push\njobs:\n  web:\n    steps:\n      - type: book\n        title: x\n"),
        ("list.yaml", "- title: Moss\n  type: shrub\n  id: 3\n"),
        ("refs.txt", f"[{ITEM}]"),
    ],
)  # fmt: skip
def test_other_files_are_none(name, text):
    assert not begins_as_bibliography(Path(name), text[:HEAD])


PIECES = ["[", "]", "{", "}", '"id"', '"type"', ":", '"book"', '"title"', ",", '"', "\\", "1", "\n", " ", "- ",
    "moss:", "  type: book", "  title: x", "references:", "&a", "*a", "!!", "\t", "#", "|", ">", "'", "\ud800"]  # fmt: skip


@given(st.sampled_from(["a.json", "a.yaml"]), st.lists(st.sampled_from(PIECES)).map("".join))
def test_any_beginning_has_an_answer(name, text):
    assert begins_as_bibliography(Path(name), text) in (True, False)
