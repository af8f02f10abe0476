"""When lines were written, by git: in the form of the times that entries note."""

import os
import shutil
import subprocess

import pytest

from pincite.project.git import line_times

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

TEXT = "@misc{old,\n  title={Old}}\n@misc{new}\n"


class Repository:
    """A folder under version control, with the clock of each commit."""

    def __init__(self, folder):
        self.folder = folder
        self.git("init", "--quiet")

    def git(self, *arguments, day="2026-01-01"):
        when = f"{day}T12:00:00"
        who = ("-c", "user.name=A", "-c", "user.email=a@b.c", "-c", "core.autocrlf=false")
        environment = {
            "GIT_AUTHOR_DATE": when,
            "GIT_COMMITTER_DATE": when,
            "PATH": os.environ["PATH"],
        }
        subprocess.run(("git", *who, *arguments), cwd=self.folder, check=True, env=environment)

    def commit(self, text, day):
        (self.folder / "refs.bib").write_text(text, "utf-8")
        self.git("add", "refs.bib")
        self.git("commit", "--quiet", "-m", day, day=day)


@pytest.fixture(name="repository")
def repository_of_two_commits(tmp_path):
    made = Repository(tmp_path)
    made.commit("@misc{old,\n  title={Old}}\n", "2026-03-09")
    made.commit(TEXT, "2026-03-10")
    return made


def days(repository, text=TEXT):
    times = line_times(repository.folder / "refs.bib")
    return [times.get(line.strip(), "")[:10] for line in text.splitlines()]


def test_each_line_has_the_day_of_its_commit(repository):
    assert days(repository, TEXT) == ["2026-03-09", "2026-03-09", "2026-03-10"]


def test_a_line_that_is_not_committed_has_none(repository):
    assert days(repository, "@misc{now}\n" + TEXT) == ["", "2026-03-09", "2026-03-09", "2026-03-10"]


def test_after_a_commit_they_are_those_of_it(repository):
    assert days(repository, "@misc{later}") == [""]
    repository.commit("@misc{later}\n" + TEXT, "2026-03-12")
    assert days(repository, "@misc{later}") == ["2026-03-12"]


def test_letters_and_tabs_in_entries_are_no_headers(repository):
    text = "\tauthor-time 0\n\t\tü\n" + TEXT
    repository.commit(text, "2026-03-11")
    assert days(repository, text)[:3] == ["2026-03-11", "2026-03-11", "2026-03-09"]


def test_nothing_is_known_without_a_repository_or_of_a_file_that_it_lacks(repository, tmp_path):
    (tmp_path / "other.bib").write_text(TEXT)
    assert line_times(tmp_path / "other.bib") == {}
    assert line_times(tmp_path / "gone" / "refs.bib") == {}


def test_no_program_that_the_repository_names_is_run(repository, tmp_path):
    ran = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {ran}\ncat\n")
    program.chmod(0o755)
    for name in ("core.fsmonitor", "diff.bib.textconv", "filter.bib.clean", "filter.bib.smudge"):
        repository.git("config", name, str(program))
    (tmp_path / ".gitattributes").write_text("*.bib diff=bib filter=bib\n")
    (tmp_path / "refs.bib").write_text(TEXT + "@misc{more}\n")
    assert days(repository) == [
        "2026-03-09",
        "2026-03-09",
        "2026-03-10",
    ]
    assert not ran.exists()


def test_what_a_partial_clone_lacks_is_not_fetched(repository, tmp_path):
    for name in ("uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"):
        repository.git("config", name, "true")
    partial, fetched = tmp_path / "partial", tmp_path / "fetched"
    options = ("--quiet", "--no-checkout", "--filter=blob:none")
    repository.git("clone", *options, tmp_path.as_uri(), str(partial))
    program = tmp_path / "program"
    program.write_text(f'#!/bin/sh\ntouch {fetched}\nexec git-upload-pack "$@"\n')
    program.chmod(0o755)
    clone = Repository(partial)
    clone.git("config", "remote.origin.uploadpack", str(program))
    clone.git("config", "protocol.file.allow", "always")
    assert line_times(partial / "refs.bib") == {}
    assert not fetched.exists()
