"""Nothing in a file of somebody else reaches the terminal as a command."""

import subprocess
import sys

import pytest

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
