"""Diagnostics, pulled by the client or pushed to it."""

from __future__ import annotations

from ..language_server import PinciteServer


def register(server: PinciteServer) -> None:
    """Answer nothing yet."""
