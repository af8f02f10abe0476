"""Changes of files that were shown as a diff before they are written, such as merged duplicates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from ..model.edits import PlannedEdits, applied
from ..model.problems import InputError
from ..parsing.encoding import decoded, encoded_as, read_bytes
from ..project.merging import EntryPlace as EntryPlace
from ..project.merging import Merge, MergePlan, Unmerged, drafts_sharing, merge_plan
from ..whole_files import require_writable, rewrite
from .project import Project


class Changes:
    """What would be changed, in which `files`."""

    def __init__(self, plan: PlannedEdits) -> None:
        """Use a function such as `plan_merge` instead."""
        self._plan = plan
        self.files: Sequence[Path] = tuple(plan.by_path)

    def diff(self, name_of: Callable[[Path], str] = str) -> str:
        """Return what would be changed, as a unified diff without context."""
        return "".join(f"{line}\n" for line in self._plan.diff(name_of))

    def write(self) -> None:
        """Change the files, each in its encoding.

        Raises `PinciteError` if one has changed since or cannot be written; then none is changed,
        but for those before one that another program changes at this moment.
        """
        for path in self.files:
            require_writable(path)
            self._changed(path, read_bytes(path))
        for path in self.files:
            rewrite(path, partial(self._changed, path))

    def _changed(self, path: Path, data: bytes) -> bytes:
        now = decoded(data)
        if now.text != self._plan.texts[path]:
            raise InputError(f"{path}: changed in the meantime; try again")
        new = applied(now.text, self._plan.by_path[path])
        try:
            return encoded_as(data, new, now.encoding)
        except UnicodeEncodeError as error:
            lacks = f"its encoding ({now.encoding}) lacks U+{ord(new[error.start]):04X}"
            raise InputError(f"{path}: {lacks}: save it as UTF-8, or leave it out") from None


def encoding_of(path: Path) -> str:
    """Return the encoding of a file; raise `PinciteError` if it cannot be written."""
    require_writable(path)
    return decoded(read_bytes(path)).encoding


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
