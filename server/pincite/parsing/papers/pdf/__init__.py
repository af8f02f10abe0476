"""PDF → `ReferencePaper`: characters → segments → lines → sentences and references."""

from .reader import read_pdf

__all__ = ["read_pdf"]
