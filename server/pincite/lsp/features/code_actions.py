"""Code actions: cite, pin the page, show evidence, and the fixes of diagnostics."""

from __future__ import annotations

from ..language_server import PinciteServer


def register(server: PinciteServer) -> None:
    """Answer nothing yet."""
