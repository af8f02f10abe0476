"""Pincite: ranked citations and supporting sentences for drafts in LaTeX, Markdown and Typst.

    >>> import pincite
    >>> project = pincite.open("examples/survey.tex")
    >>> place = project.place("survey.tex", line=98, column=61)
    >>> [each.key for each in project.suggest(place, top=1)]
    ['barzilay2008coherence']

docs/tutorial/python.md is a tutorial. Editors wait for the language server, which imports this
package, too: each name is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from .api.adding import NewWork, ServiceRequest, WorkSearch, find_work
    from .api.decisions import Decided, accept, decided
    from .api.discovering import (
        Discovered,
        DiscoveryPlan,
        Literature,
        discover,
        plan_discovery,
        proposed_words,
        search_literature,
    )
    from .api.enriching import Enriched, EnrichmentPlan, enrich, plan_enrichment
    from .api.indexing import Indexed, index
    from .api.nouns import (
        AttributedNumber,
        CheckedCitation,
        Citation,
        Decision,
        Entry,
        EntryHealth,
        Evidence,
        Finding,
        LibraryHealth,
        LibraryProblem,
        PinciteError,
        Place,
        Problem,
        Ranking,
        Suggestion,
        Support,
        Verdict,
        VerdictCounts,
    )
    from .api.project import Project, open
    from .api.references import (
        CheckedReferences,
        check_references,
        plan_references,
        plan_taking,
        takings,
    )
    from .api.writing import Changes, Merging, plan_merge

__version__ = "0.2.0"
__all__ = [
    "AttributedNumber",
    "Changes",
    "CheckedCitation",
    "CheckedReferences",
    "Citation",
    "Decided",
    "Decision",
    "Discovered",
    "DiscoveryPlan",
    "Enriched",
    "EnrichmentPlan",
    "Entry",
    "EntryHealth",
    "Evidence",
    "Finding",
    "Indexed",
    "LibraryHealth",
    "LibraryProblem",
    "Literature",
    "Merging",
    "NewWork",
    "PinciteError",
    "Place",
    "Problem",
    "Project",
    "Ranking",
    "ServiceRequest",
    "Suggestion",
    "Support",
    "Verdict",
    "VerdictCounts",
    "WorkSearch",
    "accept",
    "check_references",
    "decided",
    "discover",
    "enrich",
    "find_work",
    "index",
    "open",
    "plan_discovery",
    "plan_enrichment",
    "plan_merge",
    "plan_references",
    "plan_taking",
    "proposed_words",
    "search_literature",
    "takings",
]
#: The modules of `pincite.api` that define the names, those that are used most first.
_MODULES: Final = (
    *("nouns", "project", "indexing", "references", "decisions", "writing"),
    *("enriching", "adding", "discovering"),
)


if not TYPE_CHECKING:  # where any name would be an attribute

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module 'pincite' has no attribute {name!r}")
        modules = (import_module(f"pincite.api.{each}") for each in _MODULES)
        return next(getattr(each, name) for each in modules if hasattr(each, name))


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
