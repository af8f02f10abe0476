"""Merge what is in a draft's bibliographies twice; a plan comes first, which writes nothing."""

from __future__ import annotations

from ..project.changes import Changes as Changes
from ..project.changes import encoding_of
from ..project.merging import EntryPlace as EntryPlace
from ..project.merging import Merging as Merging
from ..project.merging import drafts_sharing, merge_plan
from .project import Project


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

    return merge_plan(drafts_sharing(workspace, whole), encoding_of, aliases=aliases)
