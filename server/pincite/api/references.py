"""Whether the works of a draft's entries exist as given there, were retracted, or are published.

Entries can be updated with what services have; a plan comes first, which writes nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..checking.references import Asked
from ..checking.retractions import read_retractions
from ..checking.whole_draft import check_references as judged
from ..checking.whole_draft import cited_first
from ..edits.taking import Taking
from ..enrichment.plans import known_of, plan
from ..model.papers import BibEntry
from ..model.problems import InputError
from ..project.adding import taking_plan, takings_of
from ..project.changes import Changes, encoding_of
from .enriching import EnrichmentPlan, chosen_sources
from .nouns import AnyPath, Finding
from .project import Project


@dataclass(frozen=True, slots=True)
class CheckedReferences:
    """What was found about the entries of a draft; `asked` is who has answered, and when."""

    findings: tuple[Finding, ...]
    asked: Asked


def plan_references(
    project: Project,
    *,
    services: Iterable[str] = (),
    email: str = "",
    keys: Collection[str] | None = None,
) -> EnrichmentPlan:
    """Return what would be sent to check the entries of a draft, or only those with some `keys`.

    This sends nothing.

    `enrich` carries the plan out, and `check_references` then uses the answers, which are cached
    for 30 days, together with those that `enrich` has fetched. For `services` and `email` see
    `plan_enrichment`.
    """
    asked = chosen_sources(services, email)
    return plan((), lambda _entry: True, asked, _entries(project, keys), email=email)


def check_references(
    project: Project,
    *,
    retractions: AnyPath | None = None,
    services: Iterable[str] = (),
    keys: Collection[str] | None = None,
) -> CheckedReferences:
    """Return what is wrong with entries according to cached answers; this sends nothing.

    Entries that the draft cites come first; `keys` are those to check, by default all.
    `retractions` is the CSV file of the Retraction Watch Database; raises `PinciteError` if it
    cannot be used.
    """
    look_up = (lambda *_: ()) if retractions is None else read_retractions(Path(retractions))
    known = [*known_of(_entries(project, keys), chosen_sources(services, ""))]
    found = judged(known, project._bibliography.where, look_up)
    return CheckedReferences(tuple(found), Asked.of(known))


def takings(project: Project, finding: Finding) -> tuple[Taking, ...]:
    """Return what can be taken into the entry of a finding: fields, or the published version."""
    return tuple(takings_of(project._bibliography, finding))


def plan_taking(project: Project, findings: Iterable[Finding], names: Iterable[str]) -> Changes:
    """Return the changes that update entries from services; this writes nothing.

    Each of the `names` is the id of a finding and a change: ``3f2a1c9e:year``,
    ``3f2a1c9e:replace``; if there is only one change, the id is enough. Raises `PinciteError` for
    other names.

    >>> from pincite import open
    >>> plan_taking(open("examples/survey.tex"), [], []).files
    ()
    """
    by_id = {each.id: each for each in findings}
    chosen = [_chosen(project, by_id, name) for name in names]
    return taking_plan(project._bibliography, chosen, encoding_of)


def _chosen(project: Project, findings: Mapping[str, Finding], name: str) -> tuple[Finding, Taking]:
    finding_id, _, what = name.partition(":")
    if (finding := findings.get(finding_id)) is None:
        raise InputError(f"no finding {finding_id}; pincite check shows the id of each")
    there = takings(project, finding)
    found = [each for each in there if what in ("", each.name)]
    if len(found) != 1:
        known = ", ".join(f"{finding_id}:{each.name}" for each in there)
        known = f"choose from {known}" if known else "there is nothing to take for it"
        raise InputError(f"{name}: {known}")
    return finding, found[0]


def _entries(project: Project, keys: Collection[str] | None) -> list[BibEntry]:
    every = project._bibliography.sound_entries()
    chosen = (each for each in every if keys is None or each.key in keys)
    return cited_first(project._checked, chosen)
