"""Commands as processes: what is in files and folders neither runs nor controls the terminal."""

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


# Nothing in a file of somebody else reaches the terminal as a command.

PAYLOAD = "\x1b[31m\x1b]0;owned\x07\x9b2J\u202e"
BIB = (
    f"@article{{a, title={{Red{PAYLOAD} birds}}, author={{A{PAYLOAD}uthor, B.}}, year=2001,\n"
    f"  abstract={{Birds are red{PAYLOAD} in towns.}}}}\n@article{{b{PAYLOAD}, title={{x}}}}\n@book{{c, title=}}\n"
)
DRAFT = f"\\documentclass{{article}}\\begin{{document}}Red birds \\cite{{a}} \\cite{{n{PAYLOAD}}} \\cite{{}}\\bibliography{{refs,g{PAYLOAD}}}\\end{{document}}"


@pytest.fixture(name="draft")
def draft_with_payloads(tmp_path):
    (tmp_path / "refs.bib").write_text(BIB, "utf-8")
    (tmp_path / "main.tex").write_text(DRAFT, "utf-8")
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "a.txt").write_text(
        f"Birds in towns are red{PAYLOAD}. Red birds sing.\n"
    )
    return tmp_path / "main.tex"


@pytest.mark.parametrize("command", ["recommend", "evidence", "citations", "index"])
@pytest.mark.parametrize("form", ["text", "json"])
def test_no_control_character_is_printed(draft, command, form):
    options = ["--format", form] if command != "citations" or form == "json" else []
    done = subprocess.run(
        [sys.executable, "-m", "pincite", command, str(draft), *options],
        capture_output=True,
        check=False,
    )
    printed = (done.stdout + done.stderr).decode("utf-8")
    assert "Traceback" not in printed
    assert [sign for sign in printed if not sign.isprintable() and sign not in "\n\t\r\xa0"] == []


# Completions of the shell, as its script asks for them.

PROGRAM = "import sys; sys.argv[0] = 'pincite'; from pincite.cli import main; main()"


@pytest.mark.parametrize(
    ("words", "completions"),
    [
        ("pincite che", ["check"]),
        ("pincite check --ref", ["--references"]),
        ("pincite evaluate res", ["resolution"]),
    ],
)
def test_commands_and_options_are_completed(words, completions):
    asked = {
        "_PINCITE_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(words.count(" ")),
    }
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, **asked},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert done.stdout.split() == completions
