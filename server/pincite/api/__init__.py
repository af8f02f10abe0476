"""The public API, which the command line uses as well: what `pincite` offers is defined here.

`project` opens drafts, `indexing` reads libraries ahead, `enriching` fetches what is missing of
them from the network, and `nouns` are their results. Only these modules use the project, the
recommender and the checks; the API never prints.
"""

from ..checking.library_health import EntryHealth, LibraryHealth, LibraryProblem, ProblemKind
from ..checking.whole_draft import KINDS, OF_PAPERS, FindingKind
from ..model.basis import Basis, TextBasis
from ..model.health import CommonFolder, FromService, LibraryCounts
from ..model.problems import InputError, PinciteError, Problem
from .enriching import (
    Enriched,
    EnrichmentPlan,
    PlannedRequests,
    check_bibliography_path,
    check_services,
    enrich,
    plan_enrichment,
)
from .indexing import Indexed, check_contexts_path, clear_index, index, index_status
from .nouns import (
    Citation,
    Entry,
    Evidence,
    Finding,
    Place,
    Progress,
    Suggestion,
    Support,
    problem_text,
)
from .project import Project, check_report_path, open
from .ranking import Ranking

__all__ = [
    "KINDS",
    "OF_PAPERS",
    "Basis",
    "Citation",
    "CommonFolder",
    "Enriched",
    "EnrichmentPlan",
    "Entry",
    "EntryHealth",
    "Evidence",
    "Finding",
    "FindingKind",
    "FromService",
    "Indexed",
    "InputError",
    "LibraryCounts",
    "LibraryHealth",
    "LibraryProblem",
    "PinciteError",
    "Place",
    "PlannedRequests",
    "Problem",
    "ProblemKind",
    "Progress",
    "Project",
    "Ranking",
    "Suggestion",
    "Support",
    "TextBasis",
    "check_bibliography_path",
    "check_contexts_path",
    "check_report_path",
    "check_services",
    "clear_index",
    "enrich",
    "index",
    "index_status",
    "open",
    "plan_enrichment",
    "problem_text",
]
