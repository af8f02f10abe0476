"""Our own requests: ``pincite/recommendations`` and ``pincite/evidence``."""

from __future__ import annotations

from ..language_server import PinciteServer


def register(server: PinciteServer) -> None:
    """Answer nothing yet."""
