"""Inlay hints: author and year behind citation keys."""

from __future__ import annotations

from ..language_server import PinciteServer


def register(server: PinciteServer) -> None:
    """Answer nothing yet."""
