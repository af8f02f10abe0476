"""An entry as CSL data: what a style sorts and prints by."""

from pathlib import Path

import pytest

from pincite.edits.csl_items import csl_item, inserted
from pincite.model.edits import applied
from pincite.model.problems import InputError
from pincite.parsing.bibliographies import parse_bibliography as parse_items
from pincite.parsing.bibtex import parse_bibliography


def item(text):
    (entry,) = parse_bibliography(text, Path("refs.bib")).entries.values()
    return csl_item(entry)


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Moss, Ann", {"family": "Moss", "given": "Ann"}),
        ("van der Moss, Ann", {"family": "Moss", "given": "Ann", "non-dropping-particle": "van der"}),
        ("Ann van der Moss", {"family": "Moss", "given": "Ann", "non-dropping-particle": "van der"}),
        ("Álvarez Gómez, José", {"family": "Álvarez Gómez", "given": "José"}),
        ("Иванов Петров, Б", {"family": "Иванов Петров", "given": "Б"}),
        ("{Institute of Moss}", {"literal": "Institute of Moss"}),
    ],
)  # fmt: skip
def test_names_in_parts(written, name):
    assert item(f"@book{{a, author = {{{written}}}, title = {{A}}}}")["author"] == [name]


@pytest.mark.parametrize(
    ("entry_type", "kind"),
    [
        ("book", "book"),
        ("inproceedings", "paper-conference"),
        ("online", "webpage"),
        ("www", "webpage"),
        ("phdthesis", "thesis"),
        ("misc", "document"),
    ],
)
def test_types(entry_type, kind):
    assert item(f"@{entry_type}{{a, title = {{A}}}}")["type"] == kind


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("refs.json", '[\n  {"id": "kelp", "title": "Never closed\n  }\n]\n'),
        ("refs.json", '[{"id": "kelp"},\n {"id": "broken", "title": "Never closed\n'),
        ("refs.json", '[{"id": "kelp"},]'),
        ("refs.json", '[{"id": "kelp" "title": "Kelp"}]'),
        ("refs.json", '[{"id": "kelp"}] and more'),
        ("refs.json", '{"items": [{"id": "kelp"}]'),
        ("refs.json", '{"items": [{"id": "kelp"}], "more": }'),
        ("refs.json", '[{"id": "kelp", "volume": 01}]'),
        ("refs.yaml", 'references:\n- id: kelp\n  title: "Never closed\n'),
        ("refs.yaml", "references:\n- id: kelp\n  title: [Never closed\n"),
        ("refs.yaml", "references:\n- id: kelp\n title: Kelp\n"),
        ("refs.yaml", "references:\n- id: kelp\n  title: Kelp: a weed\n"),
        ("refs.yaml", "references:\n- id: kelp\nmore: {\n"),
    ],
)
def test_a_file_in_which_nothing_can_be_read_is_not_changed(name, text):
    """Pandoc reads valid JSON and YAML only, as a whole."""
    library = "@book{moss, title = {Moss}, author = {Moss, Ann}, year = 2001}"
    (entry,) = parse_bibliography(library, Path("refs.bib")).entries.values()
    with pytest.raises(InputError, match=r"it is broken|it has no list"):
        inserted(entry, Path(name), text, parse_items(text, Path(name)))


def test_a_key_like_a_number_stays_a_text_in_yaml():
    library = "@book{12e3, title = {Moss}, author = {Moss, Ann}, year = 2001}"
    (entry,) = parse_bibliography(library, Path("refs.bib")).entries.values()
    path, text = Path("refs.yaml"), "references:\n- id: kelp\n  title: Kelp\n"
    read = parse_items(text, path)
    assert '- id: "12e3"\n' in applied(text, [inserted(entry, path, text, read)])
