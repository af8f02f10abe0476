"""The organisers' script by its reference implementation, and corpora in the layout of the test part."""

import csv
import importlib.util

import pytest

from where import SHARED

REFERENCE = SHARED / "references" / "official_f1.py"
COLUMNS = [
    *("Citance Number", "Reference Article", "Citing Article", "Citation Text"),
    *("Reference Offset", "Reference Text", "Discourse Facet"),
]
TEST, GOLD = "Test-Set-2018", "Test-Set-2018-Gold/Task1"


def reference_implementation():
    if not REFERENCE.is_file():
        pytest.skip("the shared reference implementation is absent")
    spec = importlib.util.spec_from_file_location("official_f1", REFERENCE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def write(path, header, rows, encoding="utf-8", line_end="\n", quoting=csv.QUOTE_MINIMAL):
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding=encoding, errors="replace") as file:
        writer = csv.writer(file, lineterminator=line_end, quoting=quoting)
        writer.writerow(header)
        writer.writerows(rows)


def write_paper(corpus, name, task=None):
    """Write a paper of fourteen sentences, and the citances that a system is given."""
    folder = corpus / TEST / name / "Reference_XML"
    folder.mkdir(parents=True)
    sentences = "".join(f'<S sid="{n}" ssid="1">Sentence {n}.</S>\n' for n in range(14))
    (folder / f"{name}.xml").write_text(f"<PAPER>{sentences}</PAPER>", encoding="utf-8")
    if task is not None:
        write(folder.with_name("annotation") / f"{name}.csv", COLUMNS, task)


def marked(*sids):
    return "".join(f'<S sid="{sid}" ssid="1">Sentence {sid} &amp;amp; more.</S>' for sid in sids)
