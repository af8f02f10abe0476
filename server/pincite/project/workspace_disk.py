"""The disk of a workspace, on which bibliographies in JSON and YAML are told by their content."""

from __future__ import annotations

from pathlib import Path

from ..parsing.disk import Disk
from ..parsing.encoding import read_head


class WorkspaceDisk(Disk):
    """Files and folders in their current state, with what begins as a bibliography."""

    def begins_as_bibliography(self, path: Path) -> bool:
        """Return whether a JSON or YAML file begins with an entry of CSL or Hayagriva."""
        from ..parsing.bibliographies.sight import HEAD, begins_as_bibliography

        return begins_as_bibliography(path, read_head(path, HEAD))
