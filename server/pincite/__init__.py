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
    from .api.merging import Merging, plan_merge
    from .api.nouns import (
        AttributedNumber,
        CheckedCitation,
        Citation,
        Entry,
        Evidence,
        Finding,
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
    from .api.writing import Changes
    from .checking.decisions import Decision
    from .checking.library_health import EntryHealth, LibraryHealth, LibraryProblem

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
#: Where the names are defined that are not in `pincite.api.nouns`.
_HOMES: Final = {
    "api.adding": ("NewWork", "ServiceRequest", "WorkSearch", "find_work"),
    "api.decisions": ("Decided", "accept", "decided"),
    "api.discovering": (
        *("Discovered", "DiscoveryPlan", "Literature", "discover", "plan_discovery"),
        *("proposed_words", "search_literature"),
    ),
    "api.enriching": ("Enriched", "EnrichmentPlan", "enrich", "plan_enrichment"),
    "api.indexing": ("Indexed", "index"),
    "api.merging": ("Merging", "plan_merge"),
    "api.project": ("Project", "open"),
    "api.references": (
        *("CheckedReferences", "check_references", "plan_references", "plan_taking", "takings"),
    ),
    "api.writing": ("Changes",),
    "checking.decisions": ("Decision",),
    "checking.library_health": ("EntryHealth", "LibraryHealth", "LibraryProblem"),
}


if not TYPE_CHECKING:  # where any name would be an attribute

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module 'pincite' has no attribute {name!r}")
        home = next((home for home, names in _HOMES.items() if name in names), "api.nouns")
        return getattr(import_module(f"pincite.{home}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
