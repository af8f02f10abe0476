"""Pincite: ranked citations and supporting sentences for drafts in LaTeX, Markdown and Typst.

    >>> import pincite
    >>> project = pincite.open("examples/survey.tex")
    >>> place = project.place("survey.tex", line=98, column=61)
    >>> [each.key for each in project.suggest(place, top=1)]
    ['barzilay2008coherence']

docs/python-api.md is a tutorial. The language server imports this package, too, and editors wait
for its start: the API is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .api import (
        Citation,
        Enriched,
        EnrichmentPlan,
        Entry,
        Evidence,
        Finding,
        Indexed,
        LibraryHealth,
        PinciteError,
        Place,
        Problem,
        Project,
        Ranking,
        Suggestion,
        Support,
        enrich,
        index,
        open,
        plan_enrichment,
    )

__version__ = "0.2.0"
__all__ = [
    "Citation",
    "Enriched",
    "EnrichmentPlan",
    "Entry",
    "Evidence",
    "Finding",
    "Indexed",
    "LibraryHealth",
    "PinciteError",
    "Place",
    "Problem",
    "Project",
    "Ranking",
    "Suggestion",
    "Support",
    "enrich",
    "index",
    "open",
    "plan_enrichment",
]


def __getattr__(name: str) -> object:
    if name in __all__:
        return getattr(import_module("pincite.api"), name)
    raise AttributeError(f"module 'pincite' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
