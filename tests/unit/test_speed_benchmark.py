"""The benchmark of speed: everything that it promises comes out, on a little invented material."""

import json
import subprocess
import sys

import pytest

from where import ROOT

COMPLETION = "completion at an empty prefix"
WITH_TEXTS = ", with 30 full texts"
READ = "while 12 PDFs are read"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="needs Linux's /proc"),
]


@pytest.fixture(scope="module", name="report")
def report_of_a_quick_run(tmp_path_factory):
    output = tmp_path_factory.mktemp("bench")
    command = [sys.executable, "-m", "benchmarks.speed", "--quick", "--output", str(output)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == (output / "speed.md").read_text("utf-8").strip()
    return {**json.loads((output / "speed.json").read_text("utf-8")), "shown": done.stdout}


def test_every_budget_is_measured(report):
    judged = {row["name"]: row["met"] for row in report["rows"] if row["budget"]}
    assert [name for name, met in judged.items() if met is None] == []
    assert list(judged) == [
        "`initialize` answered, from process start",
        "of numpy, scipy, sklearn, gensim loaded by then",
        "first key list in a small project, from process start",
        "first ranked completion in a small project, from process start",
        "keys completable, cold, from process start",
        "ranked completion, cold, from process start",
        "keys completable, warm, from process start",
        "ranked completion, warm, from process start",
        "keys completable in the thesis, cold, from process start",
        "ranked completion in the thesis, cold, from process start",
        "keys completable in the thesis, warm, from process start",
        "ranked completion in the thesis, warm, from process start",
        "edit of one entry visible, saved by another program",
        "edit of one entry visible, typed into the open .bib",
        f"{COMPLETION}, inside the server",
        "completion with a prefix, inside the server",
        f"{COMPLETION}, ranker mixed, inside the server",
        "completion with a prefix, ranker mixed, inside the server",
        f"{COMPLETION}{WITH_TEXTS}, inside the server",
        f"completion with a prefix{WITH_TEXTS}, inside the server",
        "hover, cold, inside the server",
        "hover, warm, inside the server",
        "resolve, cold, inside the server",
        "resolve, warm, inside the server",
        "`didChange` in the thesis of 400 lines in 4 files, inside the server",
        "`didChange` in the thesis of 400 lines in one file, inside the server",
        f"any request {READ}",
        f"`didChange`, inside the server, {READ}",
        "resident with the thesis, its .bib and 30 full texts open",
        "growth of memory with sentences, exponent",
        "processor when idle",
    ]


def test_every_row_has_been_measured(report):
    assert [row for row in report["rows"] if not row["values"]] == []


@pytest.mark.parametrize("peer", ["empty pygls server", "bibtexparser", "scikit-learn", "per-sentence loop"])  # fmt: skip
def test_peers_stand_beside_in_the_same_run(report, peer):
    (row, *_) = [row for row in report["rows"] if row["beside"] == peer]
    assert row["figures"]["ratio"] > 0.0


def test_each_stage_is_measured_at_each_size(report):
    stages = {curve["stage"]: curve for curve in report["scale"]}
    assert len(stages) == 9
    assert all(list(curve["points"]) == ["100", "400"] for curve in stages.values())
    assert all(curve["exponents"]["cpu"] is not None for curve in stages.values())


def test_what_is_printed_says_where_it_was_measured(report):
    assert f"Python {report['machine']['python']}" in report["shown"]
    assert "all material is invented" in report["shown"]
