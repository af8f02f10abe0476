"""Evaluations called as a library: what they return is what the commands write."""

import json
import re
from pathlib import Path

import pytest

from pincite_evaluation.processes import showing
from pincite_evaluation.report.page import Cell, Table
from pincite_evaluation.resolution.run import evaluate as evaluate_resolution
from small_collections import some_papers, write

ROOT = Path(__file__).resolve().parents[2]


def test_the_example_of_the_documentation_runs(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    documented = (ROOT / "docs" / "explanation" / "evaluation.md").read_text("utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", documented, flags=re.S)
    found = {}
    exec(code, found)
    printed = capsys.readouterr().out.splitlines()
    of_all = [row for row in found["result"].rows if row["group"] == "all"]
    assert len(printed) == len(of_all) > 0
    assert printed[0].startswith("mixed writing ")


def test_resolution_grows_by_rows_and_has_records_for_each(tmp_path):
    corpus = write(tmp_path / "papers.jsonl", some_papers())
    steps, grown = [], []

    def begin(step):
        steps.append(step)
        return lambda _done, _total: None

    with showing(begin):
        result = evaluate_resolution(
            corpus,
            min_references=3,
            representations=["full-text", "inlink-20"],
            windows=["5,5", "3,0"],
            on_rows=lambda found: grown.append(len(found.rows)),
        )
    assert grown == [2, 4]
    assert steps == ["Reading papers", "Resolving citations"]
    records = list(result.records)
    assert len(records) == 4 * result.facts["resolvable_citations"]
    for row in result.rows:
        names = {name: row[name] for name in ("representation", "window")}
        own = [one for one in records if names.items() <= one.items()]
        assert sum(one["resolved"] for one in own) / len(own) == pytest.approx(row["accuracy"])
    # Each iteration makes them again.
    assert list(result.records) == records
    json.dumps(result.json())


def test_a_table_in_markdown():
    table = Table(
        "not shown",
        ["Name", Cell("a*", "strong")],
        {"": [["x|y", Cell("1", "em", "0–2")]], "Group": [["z", "10"]]},
    )
    assert table.markdown().splitlines() == [
        r"| Name  | **a\***   |",
        "| :--   | --:       |",
        r"| x\|y  | *1* (0–2) |",
        "| Group |           |",
        "| z     | 10        |",
    ]
