"""An entry as CSL data: what a style sorts and prints by."""

from pathlib import Path

import pytest

from pincite.edits.csl_items import csl_item
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
        ("Öz Demir, A", {"family": "Öz Demir", "given": "A"}),
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
