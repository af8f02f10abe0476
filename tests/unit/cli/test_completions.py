"""Completions of the shell, as its script asks for them."""

import os
import subprocess
import sys

import pytest

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
