"""Drafts, their bibliographies and papers, as they stand on disk and in the editor."""

from .bibliographies import DraftBibliography
from .workspace import MakeMatcher, Workspace, kept_rankers

__all__ = ["DraftBibliography", "MakeMatcher", "Workspace", "kept_rankers"]
