"""Commands that clients may execute (``workspace/executeCommand``)."""

from __future__ import annotations

from ..language_server import PinciteServer


def register(server: PinciteServer) -> None:
    """Answer nothing yet."""
