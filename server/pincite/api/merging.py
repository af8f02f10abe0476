"""Merge the duplicates of a draft's bibliographies: a plan first, which writes nothing."""

from __future__ import annotations

from collections.abc import Sequence

from ..project.merging import EntryPlace, Merge, MergePlan, Unmerged, drafts_sharing, merge_plan
from .project import Project
from .writing import Changes, encoding_of

__all__ = ["EntryPlace", "Merge", "Merging", "Unmerged", "plan_merge"]


class Merging(Changes):
    """How duplicates are merged: `merges`, and what is `unmerged`, with why."""

    def __init__(self, plan: MergePlan) -> None:
        """Use `plan_merge` instead."""
        super().__init__(plan)
        self.merges: Sequence[Merge] = plan.merges
        self.unmerged: Sequence[Unmerged] = plan.unmerged


def plan_merge(project: Project, *, aliases: bool = False) -> Merging:
    """Return how the duplicates of a draft's bibliographies are merged; this writes nothing.

    Of each work one entry stays, the one that is cited most. It gets what the others have more or
    better, and all drafts of the workspace cite its key. With `aliases`, the keys that go stay as
    its aliases (``ids``) where all drafts are read by biber. Entries whose fields differ so that
    neither is better are left as they are.

    >>> from pincite import open
    >>> plan_merge(open("examples/survey.tex")).merges
    ()
    """
    workspace, draft = project._workspace, project._draft
    whole = draft if draft.root == draft.path else workspace.draft(draft.root)

    return Merging(merge_plan(drafts_sharing(workspace, whole), encoding_of, aliases=aliases))
