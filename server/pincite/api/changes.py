"""What has changed in a draft since a revision of git."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

from ..checking.references import REFERENCE_KINDS
from ..model.problems import InputError
from .nouns import Finding
from .project import Project

_GIT_SECONDS = 60
#: The lines that a part of a diff without context adds: where they begin, and how many.
_ADDED = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", re.MULTILINE)
#: Where a sentence may end in a source.
_END = re.compile(r"[.!?][)}\]'”\"]*\s|\n[ \t\r]*\n")


def changed_since(project: Project, findings: Iterable[Finding], revision: str) -> list[Finding]:
    """Return the findings whose sentence or entry has changed since a revision of git.

    A file that is new counts as changed; of one that git knows as renamed, only what was changed.
    Raises `PinciteError` if git cannot compare.
    """
    if revision.startswith("-"):
        raise InputError(f"--since: {revision!r} is not a revision")
    changed: dict[Path, list[range] | None] = {}
    found = []
    for each in findings:
        path = each.place.file
        if path not in changed:
            changed[path] = _changed_lines(path, revision)
        lines, around = changed[path], _lines_of(project, each)
        if lines is None or any(
            one.start < around.stop and around.start < one.stop for one in lines
        ):
            found.append(each)
    return found


def _changed_lines(path: Path, revision: str) -> list[range] | None:
    """Return the lines of a file that are new since a revision; None if all of it is."""
    git(path.parent, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}", wrong=revision)
    names = [path.name]
    if not git(path.parent, "ls-tree", "--name-only", revision, "--", path.name).strip():
        if not (old := _old_name(path, revision)):
            return None
        names.append(f":(top,literal){old}")
    command = ("diff", "--unified=0", "--find-renames", "--no-color", "--no-ext-diff", revision)
    parts = _ADDED.findall(git(path.parent, *command, "--", *names))
    return [range(int(start), int(start) + int(number or 1)) for start, number in parts]


def _old_name(path: Path, revision: str) -> str:
    """Return the path, from the top, that a renamed file had; "" if git knows of none."""
    own = git(path.parent, "ls-files", "--full-name", "-z", "--", path.name).rstrip("\0")
    command = ("diff", "--find-renames", "--diff-filter=R", "--name-status", "-z", revision)
    parts = git(path.parent, *command).split("\0")
    return dict(zip(parts[2::3], parts[1::3], strict=False)).get(own, "")


def git(folder: Path, *arguments: str, wrong: str = "") -> str:
    """Return what a command of git prints; `wrong` is what git may not know."""
    try:
        done = subprocess.run(
            ("git", *arguments), cwd=folder, capture_output=True, timeout=_GIT_SECONDS
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise InputError(f"--since: git cannot be run: {error}") from None
    if done.returncode:
        said = (
            done.stderr.decode("utf-8", "replace").strip() or f"git does not know {wrong or 'it'}"
        )
        raise InputError(f"--since: {said.splitlines()[0]}")
    return done.stdout.decode("utf-8", "replace")


def _lines_of(project: Project, finding: Finding) -> range:
    """Return the lines, from 1, of the sentence that a finding is in, or of its entry."""
    line = finding.place.line
    if finding.kind in REFERENCE_KINDS:
        entry = project._bibliography.entries.get(finding.key)
        place = None if entry is None else project._bibliography.place(entry)
        text = project._workspace.read(finding.place.file) or ""
        ends = 0 if place is None else place.span.of(text).count("\n")
        return range(line, line + ends + 1)
    file = project._draft.file(finding.place.file)
    if file is None:
        return range(line, line + 1)
    before = max((each.end() for each in _END.finditer(file.text, 0, finding.start)), default=0)
    behind = _END.search(file.text, finding.end)
    end = behind.start() if behind else len(file.text)
    first = line - file.text.count("\n", before, finding.start)
    return range(first, line + file.text.count("\n", finding.start, end) + 1)
