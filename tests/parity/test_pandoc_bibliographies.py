"""Pandoc converts the examples' bibliography: what is read of the result is what is in the original."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from pincite.model.programs import PANDOC
from pincite.parsing.bibliographies import parse_bibliography
from pincite.parsing.bibtex import read_bibliography

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def _pandoc():
    try:
        import pypandoc

        return pypandoc.get_pandoc_path()
    except (ImportError, OSError):
        return shutil.which("pandoc")


pytestmark = pytest.mark.skipif(_pandoc() is None, reason="Pandoc is not installed")


@pytest.mark.parametrize(
    ("name", "options"),
    [("refs.json", ["--to=csljson"]), ("refs.yaml", ["--standalone", "--to=markdown"])],
)
def test_entries_are_the_same(name, options):
    command = [_pandoc(), "--from=biblatex", *options, EXAMPLES / "references.bib"]
    text = subprocess.run(command, capture_output=True, check=True).stdout.decode()
    ours = parse_bibliography(text, Path(name))
    original = read_bibliography(EXAMPLES / "references.bib")
    assert ours.faults == ()
    assert ours.entries.keys() == original.entries.keys()
    for key, entry in original.entries.items():
        other = ours.entries[key]
        assert (other.surnames, other.year, other.doi) == (entry.surnames, entry.year, entry.doi)
        # CSL has no proceedings.
        assert other.entry_type == {"proceedings": "book"}.get(entry.entry_type, entry.entry_type)
        is_whole = entry.entry_type == "proceedings"
        for field in () if is_whole else ("volume", "number", "journal", "booktitle", "publisher"):
            # Pandoc writes titles as sentences.
            values = [each.fields.get(field, "").casefold() for each in (entry, other)]
            assert values[0] == values[1], (key, field)
        assert other.title.casefold() == entry.title.casefold()
        assert other.abstract == entry.abstract


WRITTEN = {
    "commented out": "% @misc{moss,\n% title={Old}\n% }\n@misc{moss, title={Moss}}\n",
    "behind an entry": "@misc{moss, title={Moss}} % @misc{fern}\n@misc{reed, title={Reed}}\n",
    "in an entry": "@misc{moss,\n% title={Old},\n title={Moss}, % so\n year=2020 % @misc{fern}\n}\n",
    "repeated": "@misc{moss, title={Old}}\n@misc{reed, title={Reed}}\n@misc{moss, title={Moss}}\n",
    "case": "@misc{Moss, title={One}}\n@misc{moss, title={Two}}\n",
    "equals sign": "@misc{moss=1, title={Moss}}\n",
}


@pytest.mark.parametrize("text", WRITTEN.values(), ids=WRITTEN.keys())
def test_what_counts_in_bibtex(tmp_path, text):
    (tmp_path / "refs.bib").write_text(text)
    command = [_pandoc(), "--from=biblatex", "--to=csljson", tmp_path / "refs.bib"]
    items = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    # Its citeproc uses the last item of one id.
    theirs = {item["id"]: item["title"] for item in items}
    read = parse_bibliography(text, tmp_path / "refs.bib", program=PANDOC)
    assert {entry.key: entry.title for entry in read.entries.values()} == theirs
