"""Commands as processes: what is in files and folders neither runs nor controls the terminal."""

from pathlib import Path

import pytest

from pincite.library.index import default_index_path


@pytest.mark.parametrize("name", ["secrets", "random", "tempfile", "rich", "json"])
def test_a_module_in_the_current_folder_is_not_run(tmp_path, monkeypatch, process, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / f"{name}.py").write_text("open('ran', 'w').close()\n")
    (tmp_path / "refs.bib").write_text("@misc{a, title={Red birds}}\n")
    (tmp_path / "main.tex").write_text("\\bibliography{refs} Red birds \\cite{}.\n")
    done = process("recommend", "main.tex")
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "ran").exists()


def test_a_missing_system_is_an_error_where_a_flag_names_it(tmp_path, process):
    (tmp_path / "refs.bib").write_text("@misc{a, title={Red birds}}\n")
    (tmp_path / "main.tex").write_text("\\bibliography{refs} Red birds \\cite{a}.\n")
    extras = ("torch", "transformers", "onnxruntime", "tokenizers")
    program = f"import sys; sys.modules.update(dict.fromkeys({extras})); import pincite.cli as c; c.main()"
    draft = tmp_path / "main.tex"
    done = process("evidence", draft, "--system", "sbert", program=("-c", program))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("pincite: ")


def test_the_home_folder_in_the_name_of_the_cache(monkeypatch):
    monkeypatch.setenv("PINCITE_CACHE", "~/x")
    assert default_index_path() == Path.home() / "x" / "index.sqlite"


@pytest.mark.parametrize("jobs", ["0", "257", "1000000"])
def test_jobs_are_bounded(tmp_path, run, jobs):
    status, _, err = run("index", tmp_path, "--jobs", jobs)
    assert (status, jobs in err) == (2, True)


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
def test_no_control_character_is_printed(draft, run, command, form):
    options = ["--format", form] if command != "citations" or form == "json" else []
    _, out, err = run(command, draft, *options)
    printed = out + err
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
def test_commands_and_options_are_completed(process, words, completions):
    asked = {"COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    done = process(program=("-c", PROGRAM), _PINCITE_COMPLETE="complete_bash", **asked)
    assert done.stdout.split() == completions
