"""What stands in the folder where a command is given is not run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pincite.library.index import default_index_path


@pytest.mark.parametrize("name", ["secrets", "random", "tempfile", "rich", "json"])
def test_a_module_in_the_current_folder_is_not_run(tmp_path, name):
    (tmp_path / f"{name}.py").write_text("open('ran', 'w').close()\n")
    (tmp_path / "refs.bib").write_text("@misc{a, title={Red birds}}\n")
    (tmp_path / "main.tex").write_text("\\bibliography{refs} Red birds \\cite{}.\n")
    done = subprocess.run(
        [sys.executable, "-m", "pincite", "recommend", "main.tex"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "ran").exists()


def test_a_system_that_cannot_be_had_is_an_error_where_a_flag_names_it(tmp_path):
    (tmp_path / "refs.bib").write_text("@misc{a, title={Red birds}}\n")
    (tmp_path / "main.tex").write_text("\\bibliography{refs} Red birds \\cite{a}.\n")
    extras = ("torch", "transformers", "onnxruntime", "tokenizers")
    program = f"import sys; sys.modules.update(dict.fromkeys({extras})); import pincite.cli as c; c.main()"
    done = subprocess.run(
        [sys.executable, "-c", program, "evidence", "main.tex", "--system", "sbert"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("pincite: ")


def test_the_home_folder_in_the_name_of_the_cache(monkeypatch):
    monkeypatch.setenv("PINCITE_CACHE", "~/x")
    assert default_index_path() == Path.home() / "x" / "index.sqlite"


@pytest.mark.parametrize("jobs", ["0", "257", "1000000"])
def test_jobs_are_bounded(tmp_path, jobs):
    done = subprocess.run(
        [sys.executable, "-m", "pincite", "index", str(tmp_path), "--jobs", jobs],
        capture_output=True,
        env={**os.environ, "NO_COLOR": "1"},
        check=False,
    )
    assert done.returncode == 2
