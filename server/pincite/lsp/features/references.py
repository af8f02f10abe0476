"""References of a key: every citation of it in the draft."""

from __future__ import annotations

from ..language_server import PinciteServer


def register(server: PinciteServer) -> None:
    """Answer nothing yet."""
