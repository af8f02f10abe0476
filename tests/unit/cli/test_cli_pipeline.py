"""Checks where nobody looks at a terminal: SARIF, annotations, git, GitHub's Action, pre-commit."""

import json
import os
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest
import yaml

from where import ROOT

DRAFT = r"""\documentclass{article}
\begin{document}
Beavers keep sediment in rivers behind
their dams \cite{nowhere, naiman}.

Frogs are loud at night \cite{}.
\bibliography{refs}
\end{document}
"""
OTHER = "@article{other,\n  title = {Frogs},\n  doi = {10.1000/x}}\n"
BIB = "@article{naiman, title = {Dams of beavers}, author = {Naiman, Robert}, year = 1996}\n"
KINDS = ("--kind", "undefined-key", "--kind", "placeholder", "--zotero", "off")


def git(*arguments):
    name = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(("git", *name, *arguments), check=True, capture_output=True)


def since(run_json, revision="HEAD", draft="my draft/main.tex", kinds=KINDS):
    """Return kind and key of what a check finds that has changed since a revision."""
    _, found, _ = run_json("check", draft, *kinds, "--since", revision)
    return [(each["kind"], each["key"]) for each in found["findings"]]


@pytest.fixture(name="retracted_since")
def check_for_retractions(run_json):
    """Return the keys of the retracted entries that have changed since the last commit."""

    def retracted_since():
        Path("rw.csv").write_text(
            "RetractionDate,RetractionDOI,OriginalPaperDOI,OriginalPaperPubMedID,RetractionNature,Reason\n"
            "5/4/2020 0:00,,10.1000/x,0,Retraction,\n"
        )
        kinds = ("--kind", "retracted", "--retractions", "rw.csv")
        return [key for _, key in since(run_json, kinds=kinds)]

    return retracted_since


@pytest.fixture(name="project")
def repository(tmp_path, monkeypatch):
    """A repository with a draft in a folder with a space."""
    folder = tmp_path / "my draft"
    folder.mkdir()
    (folder / "main.tex").write_text(DRAFT)
    (folder / "refs.bib").write_text(BIB)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PINCITE_CACHE", str(tmp_path / "cache"))
    git("init", "-q", "-b", "main")
    git("add", "my draft")
    git("commit", "-q", "-m", "one")
    return folder


def test_findings_as_sarif(project, run, run_json):
    """The form is that of SARIF 2.1.0 (schemastore.org/sarif-2.1.0.json)."""
    command = ("check", "my draft/main.tex", *KINDS)
    _, found, _ = run_json(*command)
    status, out, _ = run(*command, "--format", "sarif")
    assert status == 1
    (log,) = json.loads(out)["runs"]
    driver, results = log["tool"]["driver"], log["results"]
    assert json.loads(out) == {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
        ],
    }
    assert driver["rules"][0] == {
        "id": "undefined-key",
        "shortDescription": {"text": "Undefined keys"},
        "fullDescription": {"text": "No bibliography has these keys."},
    }
    region = {"startLine": 4, "startColumn": 18}
    place = {"artifactLocation": {"uri": "my%20draft/main.tex"}, "region": region}
    assert results[0] == {
        "ruleId": "undefined-key",
        "level": "error",
        "message": {"text": "No entry of the bibliography has the key “nowhere”."},
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": {"finding/v1": found["findings"][0]["id"]},
    }
    assert (results[1]["ruleId"], results[1]["level"]) == ("placeholder", "warning")


def test_what_was_accepted_is_suppressed_in_sarif(project, run):
    run("check", "my draft/main.tex", *KINDS, "--accept", "placeholder", "--note", "later")
    _, out, _ = run("check", "my draft/main.tex", *KINDS, "--format", "sarif")
    suppressed = [each.get("suppressions") for each in json.loads(out)["runs"][0]["results"]]
    accepted = {"kind": "external", "status": "accepted", "justification": "later"}
    assert suppressed == [None, [accepted]]


def test_findings_as_annotations(project, run):
    _, out, _ = run("check", "my draft/main.tex", *KINDS, "--format", "github")
    first, second = out.splitlines()
    place = "file=my draft/main.tex,line=4,col=18,title=pincite%3A undefined-key"
    assert first == f"::error {place}::No entry of the bibliography has the key “nowhere”."
    assert second.startswith("::warning file=my draft/main.tex,line=6,")


@pytest.mark.parametrize(
    ("name", "uri"),
    [("thésis 100%,a.tex", "th%C3%A9sis%20100%25%2Ca.tex"), ("m\udcff.tex", "m%FF.tex")],
)
def test_addresses_of_files_with_any_name(project, run, monkeypatch, name, uri):
    monkeypatch.chdir(project)
    try:
        Path(name).write_text(DRAFT)
    except (OSError, UnicodeError):
        pytest.skip("no file can have this name here")
    status, out, _ = run("check", name, *KINDS, "--format", "sarif")
    places = [
        each["locations"][0]["physicalLocation"] for each in json.loads(out)["runs"][0]["results"]
    ]
    assert (status, {each["artifactLocation"]["uri"] for each in places}) == (1, {uri})
    assert run("check", name, *KINDS, "--format", "github")[0] == 1


def test_a_draft_outside_of_the_folder_or_on_another_drive_is_named_in_full(
    project, run, monkeypatch
):
    def no_path(*_):
        raise ValueError("path is on another drive")

    def is_named_in_full():
        _, out, _ = run("check", project / "main.tex", *KINDS, "--format", "sarif")
        place = json.loads(out)["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
        _, out, _ = run("check", project / "main.tex", *KINDS, "--format", "github")
        named = f"file={project / 'main.tex'}".replace(":", "%3A")
        assert place["artifactLocation"]["uri"] == (project / "main.tex").as_uri()
        return named in out

    (project.parent / "other").mkdir()
    monkeypatch.chdir("other")
    assert is_named_in_full()
    monkeypatch.setattr("os.path.relpath", no_path)
    assert is_named_in_full()
    (project / "refs.bib").write_text("@article{naiman, title = {Dams\n")
    for form in ("text", "json"):
        assert run("check", project / "main.tex", *KINDS, "--format", form)[0] == 1


def test_only_what_has_changed_since_a_revision(project, run_json):
    status, found, _ = run_json("check", "my draft/main.tex", *KINDS, "--since", "HEAD")
    assert (status, found["findings"]) == (0, [])
    # The citation is in the second line of the sentence.
    (project / "main.tex").write_text(DRAFT.replace("Beavers keep", "Beavers often keep"))
    assert since(run_json) == [("undefined-key", "nowhere")]
    (project / "main.tex").write_text(DRAFT.replace("Frogs are", "Frogs were"))
    assert since(run_json) == [("placeholder", "")]
    # A file that git does not know is new.
    (project / "new.tex").write_text(DRAFT)
    assert len(since(run_json, draft="my draft/new.tex")) == 2


def test_of_a_file_that_was_renamed_only_what_has_changed(project, run_json):
    (project / "parts").mkdir()
    renamed = "my draft/parts/thésis.tex"
    git("mv", "my draft/main.tex", renamed)
    moved = DRAFT.replace("{refs}", "{../refs}")
    Path(renamed).write_text(moved, "utf-8")
    assert since(run_json, draft=renamed) == []
    Path(renamed).write_text(moved.replace("Beavers keep", "Beavers often keep"), "utf-8")
    assert since(run_json, draft=renamed) == [("undefined-key", "nowhere")]


def test_a_bibliography_that_was_renamed_and_entries_that_were_moved(project, retracted_since):
    (project / "refs.bib").write_text(f"{BIB}{OTHER}")
    git("commit", "-q", "-am", "two")
    git("mv", "my draft/refs.bib", "my draft/works.bib")
    (project / "main.tex").write_text(DRAFT.replace("{refs}", "{works}"))
    assert retracted_since() == []
    # A file that was added is new as a whole, as far as git is concerned.
    (project / "more.bib").write_text(OTHER)
    (project / "works.bib").write_text(BIB)
    (project / "main.tex").write_text(DRAFT.replace("{refs}", "{works,more}"))
    assert retracted_since() == ["other"]


@pytest.mark.parametrize("revision", ["no-such", "--output=x"])
def test_a_revision_that_does_not_exist_is_an_error(project, run, revision):
    status, _, err = run("check", "my draft/main.tex", *KINDS, f"--since={revision}")
    assert status == 2
    assert "--since" in err
    assert "revision" in err
    assert not Path("x").exists()


def test_entries_that_changed_are_known_by_their_lines(project, retracted_since):
    (project / "refs.bib").write_text(f"{BIB}{OTHER}")
    assert retracted_since() == ["other"]
    git("commit", "-q", "-am", "two")
    assert retracted_since() == []
    (project / "refs.bib").write_text(f"{BIB}{OTHER}".replace("{Frogs}", "{Frogs sing}"))
    assert retracted_since() == ["other"]


def test_lines_that_break_elsewhere_are_no_change_and_another_key_is_one(project, run_json):
    broken_elsewhere = DRAFT.replace("behind\ntheir", "behind their").replace("keep ", "keep\r\n")
    (project / "main.tex").write_text(broken_elsewhere)
    assert since(run_json) == []
    (project / "main.tex").write_text(DRAFT.replace("nowhere,", "nowhere, neither,"))
    assert since(run_json) == [("undefined-key", "nowhere"), ("undefined-key", "neither")]


def test_a_sentence_that_was_made_shorter_has_changed(project, run_json):
    (project / "main.tex").write_text(DRAFT.replace("Beavers keep sediment in rivers behind\n", ""))
    assert since(run_json) == [("undefined-key", "nowhere")]
    (project / "main.tex").write_text(DRAFT.replace("Beavers keep", "Naiman et al. keep"))
    git("commit", "-q", "-am", "two")
    (project / "main.tex").write_text(DRAFT.replace("Beavers keep", "Frank et al. keep"))
    assert since(run_json) == [("undefined-key", "nowhere")]


@pytest.mark.parametrize("change", ["rename", "delete the entry", "delete the file", "cut"])
def test_a_key_whose_entry_is_gone_is_found_where_the_sentence_is_as_it_was(
    project, run_json, change
):
    (project / "more.bib").write_text("@book{moss, title = {Moss}}\n")
    (project / "main.tex").write_text(DRAFT.replace("{refs}", "{refs,more}"))
    git("add", ".")
    git("commit", "-q", "-m", "two")
    assert since(run_json) == []
    if change == "rename":
        (project / "refs.bib").write_text(BIB.replace("naiman", "naiman1996"))
    elif change == "delete the file":
        (project / "refs.bib").unlink()
    else:
        (project / "refs.bib").write_text("% Nothing\n" if change == "cut" else "")
    assert since(run_json) == [("undefined-key", "naiman")]


def test_what_others_have_changed_meanwhile_is_not_ours(project, run_json):
    git("checkout", "-q", "-b", "ours")
    (project / "main.tex").write_text(DRAFT.replace("Frogs are", "Frogs were"))
    git("commit", "-q", "-am", "ours")
    git("checkout", "-q", "main")
    (project / "main.tex").write_text(DRAFT.replace("Beavers keep", "Beavers often keep"))
    git("commit", "-q", "-am", "theirs")
    git("checkout", "-q", "ours")
    assert since(run_json, "main") == [("placeholder", "")]
    git("merge", "-q", "main")
    assert since(run_json, "main") == [("placeholder", "")]
    assert since(run_json, "main~") == [("undefined-key", "nowhere"), ("placeholder", "")]


def test_a_part_of_another_repository_is_new(project, run_json, monkeypatch):
    part = project / "shared"
    part.mkdir()
    (part / "part.tex").write_text("More \\cite{other}.\n")
    monkeypatch.chdir(part)
    git("init", "-q")
    git("add", ".")
    git("commit", "-q", "-m", "part")
    monkeypatch.chdir(project.parent)
    (project / "main.tex").write_text(DRAFT.replace("\\bib", "\\input{shared/part}\n\n\\bib"))
    assert since(run_json) == [("undefined-key", "other")]


def test_only_citations_that_have_changed_are_counted(project, run):
    two = DRAFT.replace("Frogs are loud at night", "Frogs are loud \\cite{naiman}. They sing")
    (project / "main.tex").write_text(two)
    command = ("check", "my draft/main.tex", "--zotero", "off")
    assert "\n3 citations: " in run(*command)[1]
    assert "\n1 citation: " in run(*command, "--since", "HEAD")[1]
    run(*command, "--since", "HEAD", "--report", "report.md")
    assert "1 citation: " in Path("report.md").read_text("utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="the program is a script of the shell")
def test_no_program_that_a_repository_names_is_run(project, tmp_path, run_json):
    program, ran, hooks = tmp_path / "program", tmp_path / "ran", tmp_path / "hooks"
    program.write_text(f"#!/bin/sh\ntouch {ran}\n")
    program.chmod(0o755)
    hooks.mkdir()
    (hooks / "post-index-change").symlink_to(program)
    (project / ".gitattributes").write_text("*.tex diff=x filter=x\n*.bib diff=x filter=x\n")
    (project / "main.tex").write_text(DRAFT.replace("Frogs are", "Frogs were"))
    (project / "moved.bib").write_text(BIB)
    blob = subprocess.run(
        ("git", "rev-parse", "HEAD:my draft/refs.bib"), capture_output=True, text=True
    ).stdout.strip()
    for name in (
        *("filter.x.clean", "filter.x.smudge", "filter.x.process", "diff.x.textconv"),
        *("diff.x.command", "diff.external", "core.fsmonitor", "core.pager", "core.sshCommand"),
        "remote.origin.uploadpack",
    ):
        git("config", name, str(program))
    git("config", "core.hooksPath", str(hooks))
    git("config", "core.repositoryFormatVersion", "1")
    git("config", "extensions.partialClone", "origin")
    git("config", "remote.origin.url", str(tmp_path))
    (tmp_path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    ran.unlink(missing_ok=True)
    assert since(run_json) == [("placeholder", "")]
    assert not ran.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="the runner has another bash")
def test_the_steps_of_the_action(project, tmp_path):
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    install, check = action["runs"]["steps"]
    # A wheel that only leads to what is installed here.
    wheel = tmp_path / "pincite-0-py3-none-any.whl"
    with ZipFile(wheel, "w") as file:
        info = "pincite-0.dist-info"
        file.writestr("here.pth", "\n".join(filter(None, sys.path)))
        file.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: pincite\nVersion: 0\n")
        file.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        file.writestr(
            f"{info}/entry_points.txt", "[console_scripts]\npincite = pincite.cli.app:main\n"
        )
        file.writestr(f"{info}/RECORD", "")
    given = {"PACKAGE": str(wheel), "DRAFT": "my draft/main.tex", "OPTIONS": " ".join(KINDS)}
    assert {*install["env"], *check["env"]} == {*given}
    summary, outputs = tmp_path / "summary.md", tmp_path / "outputs"
    runner = {
        "RUNNER_TEMP": str(tmp_path),
        "GITHUB_STEP_SUMMARY": str(summary),
        "GITHUB_OUTPUT": str(outputs),
    }

    def done_by(step):
        command = ("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"])
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        environment = {**os.environ, **given, **runner, "PATH": path, "PIP_NO_INDEX": "1"}
        return subprocess.run(command, env=environment, capture_output=True, text=True)

    done = done_by(install)
    assert done.returncode == 0, done.stderr
    done = done_by(check)
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("::error file=my draft/main.tex,line=4")
    assert summary.read_text("utf-8").startswith("# Claim check of main.tex")
    assert outputs.read_text() == f"report={tmp_path}/pincite-check.md\n"
    assert action["outputs"]["report"]["value"] == "${{ steps.check.outputs.report }}"


@pytest.mark.parametrize(
    ("hook", "arguments", "code"),
    [
        ("pincite-check", [*KINDS, "my draft/main.tex"], "undefined-key"),
        ("pincite-citations", ["my draft/main.tex"], "nowhere"),
    ],
)
def test_pre_commit_runs_the_hooks(project, tmp_path, monkeypatch, hook, arguments, code):
    pytest.importorskip("pre_commit", reason="pre-commit is not installed")
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    (hooks / ".pre-commit-hooks.yaml").write_bytes((ROOT / ".pre-commit-hooks.yaml").read_bytes())
    for arguments_of_git in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "hooks")):
        monkeypatch.chdir(hooks)
        git(*arguments_of_git)
    monkeypatch.chdir(tmp_path)
    # It is installed here already, so pre-commit need not make an environment of its own.
    used = {"id": hook, "args": arguments, "language": "unsupported"}
    revision = subprocess.run(
        ("git", "-C", "hooks", "rev-parse", "HEAD"), capture_output=True, text=True
    ).stdout.strip()
    config = {"repos": [{"repo": str(hooks), "rev": revision, "hooks": [used]}]}
    Path(".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
    git("add", ".pre-commit-config.yaml")
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / "pre-commit"))
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    command = (sys.executable, "-m", "pre_commit", "run", "--all-files", "--color", "never")

    def run_hooks():
        return subprocess.run(command, capture_output=True, text=True)

    done = run_hooks()
    assert done.returncode == 1, done.stdout + done.stderr
    assert code in done.stdout
    (project / "main.tex").write_text(DRAFT.replace("nowhere, ", "").replace("\\cite{}", ""))
    done = run_hooks()
    assert done.returncode == 0, done.stdout + done.stderr
