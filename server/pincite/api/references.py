"""Whether the works of a draft's entries exist as they say, were retracted, or are published."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ..checking.references import Asked
from ..checking.retractions import read_retractions
from ..checking.whole_draft import check_references as judged
from ..checking.whole_draft import cited_first
from ..enrichment.plans import known_of, places, plan, run
from ..model.papers import BibEntry
from .enriching import EnrichmentPlan, chosen_sources, shown_plan
from .nouns import AnyPath, Finding
from .project import Project


@dataclass(frozen=True, slots=True)
class CheckedReferences:
    """What was found about the entries of a draft; `asked` says who has answered, and when."""

    findings: tuple[Finding, ...]
    asked: Asked


def plan_references(
    project: Project, *, services: Iterable[str] = (), email: str = ""
) -> EnrichmentPlan:
    """Return what would be sent to check the entries of a draft; this sends nothing.

    `enrich` carries the plan out, and `check_references` then uses the answers, which are cached
    for 30 days, together with those that `enrich` has fetched. For `services` and `email` see
    `plan_enrichment`.
    """
    asked = chosen_sources(services, email)
    place, answers = places()
    planned = plan((), lambda _entry: True, asked, answers, references=_entries(project))
    carry_out = partial(run, planned, tuple(asked), answers, place, email=email)
    return shown_plan(planned, carry_out, email, ())


def check_references(
    project: Project, *, retractions: AnyPath | None = None, services: Iterable[str] = ()
) -> CheckedReferences:
    """Return what is wrong with entries, by the answers that are cached; this sends nothing.

    Entries that the draft cites come first. `retractions` is the CSV file of the Retraction Watch
    Database; raises `PinciteError` if it cannot be used.
    """
    look_up = (lambda *_: ()) if retractions is None else read_retractions(Path(retractions))
    known = [*known_of(_entries(project), chosen_sources(services, ""), places()[1])]
    found = judged(project._checked, known, project._bibliography.where, look_up)
    return CheckedReferences(tuple(found), Asked.of(known))


def _entries(project: Project) -> list[BibEntry]:
    return cited_first(project._checked, project._bibliography.sound_entries())
