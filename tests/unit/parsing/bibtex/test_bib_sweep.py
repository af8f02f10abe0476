"""What `benchmarks/bib_sweep.py` reports about a folder."""

from pathlib import Path

import pytest
from benchmarks.bib_sweep import main
from benchmarks.shared import Given

BIB = r"""
@comment{no, entry}
@string{pub = {Press}}
@book{one, title={{\"O}l und Wasser}, publisher=pub, year=1999}
  @misc {two , title = "Words" # " more", author={Gödel, Kurt}}
@misc{one, title={Again}}
@misc{three, title={$\alpha$ decay}}
"""


def test_a_folder_is_swept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "refs.bib").write_text(BIB, "utf-8")
    (tmp_path / "b.bib").write_bytes(b"\0")
    main(Given(folders=[tmp_path], examples=2, seconds=10.0))
    printed = capsys.readouterr().out
    assert "refused: " in printed
    counts = dict(line.rsplit(maxsplit=1) for line in printed.split("\n\n")[-1].splitlines())
    assert counts["entries"] == "4"
    assert counts["files with the same keys"] == "1"
    assert counts["values: equal"] == "5"
    assert counts["values: command"] == "1"
