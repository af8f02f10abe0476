"""A document as it was read: the draft that it belongs to, and that draft's bibliography."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..model.drafts import Draft, DraftFile
    from .bibliographies import DraftBibliography
    from .workspace import Workspace


@dataclass(frozen=True, slots=True)
class ReadDraft:
    """A document with the draft it belongs to, at one moment; `workspace` read it."""

    workspace: Workspace
    draft: Draft
    file: DraftFile
    bibliography: DraftBibliography
