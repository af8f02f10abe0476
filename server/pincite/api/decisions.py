"""What authors have decided about the findings in a draft."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..checking.decisions import ALL_KINDS as ALL_KINDS
from ..checking.decisions import FILE_NAME, Decision, read_decisions
from ..checking.decisions import accept as written
from ..model.problems import InputError, Problem
from ..project.git import git
from .nouns import Finding
from .project import Project


@dataclass(frozen=True, slots=True)
class Decided:
    """Findings, each with what has changed since it was accepted, and those that are accepted.

    `others` are decisions about what is not among the findings.
    """

    undecided: tuple[tuple[Finding, str], ...]
    accepted: tuple[tuple[Finding, Decision], ...]
    problems: tuple[Problem, ...]
    others: tuple[Decision, ...] = ()


def decided(project: Project, findings: Sequence[Finding]) -> Decided:
    """Separate findings from those accepted in ``pincite.decisions.toml`` beside the main file."""
    known = read_decisions(_path(project))
    accepted = [(each, known.made[each.id]) for each in findings if each.id in known.made]
    open_ = [each for each in findings if each.id not in known.made]
    undecided = tuple((each, known.change(each, findings)) for each in open_)
    ids = {each.id for each in findings}
    others = tuple(made for made in known.made.values() if made.id not in ids)
    return Decided(undecided, tuple(accepted), known.problems, others)


def accept(
    project: Project,
    findings: Iterable[Finding],
    names: Iterable[str],
    note: str = "",
    by: str = "",
) -> int:
    """Accept findings by their ids, or all of a kind that were not accepted; return how many.

    Raises `PinciteError` for an id that no finding has, and if the file cannot be written.
    """
    by_id, chosen = {each.id: each for each in findings}, {*names}
    if unknown := sorted(chosen - by_id.keys() - {*ALL_KINDS}):
        raise InputError(f"no finding {unknown[0]}; pincite check shows the id of each")
    made = {name for name in read_decisions(_path(project)).made if name not in chosen}
    found = [each for each in by_id.values() if not chosen.isdisjoint((each.id, each.kind))]
    accepted = [Decision.of(each, note, by) for each in found if each.id not in made]
    if accepted:
        written(_path(project), accepted)
    return len(accepted)


def git_user(folder: Path) -> str:
    """Return the name that git has of its user; raises `PinciteError` if it has none."""
    name = ""
    with suppress(InputError):
        name = git(folder, "config", "user.name").decode("utf-8", "replace")
    if not (name := name.strip()):
        raise InputError("git has no name of yours: set one with git config user.name NAME")
    return name


def _path(project: Project) -> Path:
    return project._draft.root.parent / FILE_NAME
