"""Definition of a citation key: its entry in the bibliography."""

from __future__ import annotations

from ..language_server import PinciteServer


def register(server: PinciteServer) -> None:
    """Answer nothing yet."""
