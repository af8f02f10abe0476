"""Agreement with bibtexparser 2 on real bibliographies, and where it has to end.

bibtexparser drops an entry that has one field twice or text BibTeX cannot read, where Pincite
keeps what BibTeX keeps and reports the rest; it drops one with two commas in a row as well. It
takes an empty key for a key, and knows no comments.
"""

import logging
import re
from pathlib import Path

import pytest

from pincite.parsing.bibtex import parse_bibliography
from pincite.parsing.encoding import read_text

bibtexparser = pytest.importorskip("bibtexparser")

SHARED = Path(__file__).resolve().parents[2].parent / "shared"
SIMPLE = re.compile(r"[^\\{}$~`]+|\{[^\\{}$~`]+\}")
#: bibtexparser keeps these; we read their digits as Unicode subscripts.
SUBSCRIPT = re.compile(r"<sub>(\d+)</sub>")
SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
FAULTS_THAT_COST_IT_AN_ENTRY = re.compile(
    "given twice|not closed|not a field|no comma|no value|quotes inside|not begin a comment"
)
TWO_COMMAS = re.compile(r",\s*,")
LINE_OF_COMMENT = re.compile(r"^[ \t]*%.*", re.MULTILINE)

pytestmark = pytest.mark.skipif(
    not SHARED.is_dir(), reason="the shared bibliographies are not on this machine"
)


@pytest.fixture(autouse=True)
def _quiet():
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


def compare(text, path):
    """Assert equal keys and titles; return how many entries and titles were compared."""
    ours = parse_bibliography(text, path)
    read = bibtexparser.parse_string(LINE_OF_COMMENT.sub("", text)).entries
    theirs = {entry.key: entry for entry in read if entry.key}
    entries = ours.entries
    starts = {place.span.start: key for key, place in ours.places.items()}
    broken = {
        starts.get(fault.entry.start)
        for fault in ours.faults
        if FAULTS_THAT_COST_IT_AN_ENTRY.search(fault.message)
    }
    broken |= {key for key, place in ours.places.items() if TWO_COMMAS.search(place.span.of(text))}
    assert theirs.keys() <= entries.keys() | broken, path
    assert entries.keys() - theirs.keys() <= broken, path
    titles = 0
    for key, entry in theirs.items():
        names = {field.key.lower(): str(field.value) for field in entry.fields}
        if key in broken or key not in entries:
            continue
        assert names.keys() <= entries[key].fields.keys(), (path, key)
        title = " ".join(names.get("title", "").split())
        if title and SIMPLE.fullmatch(title) and "--" not in title and "''" not in title:
            title = SUBSCRIPT.sub(lambda digits: digits[1].translate(SUBSCRIPTS), title)
            assert entries[key].fields["title"] == title.strip("{} "), (path, key)
            titles += 1
    return len(theirs), titles


def test_libraries_of_real_projects():
    compared = [compare(read_text(path), path) for path in sorted(SHARED.rglob("*.bib"))]
    assert sum(entries for entries, _ in compared) > 9000
    assert sum(titles for _, titles in compared) > 3000
