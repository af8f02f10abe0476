"""PDF → `ReferencePaper`: characters → segments → lines → sentences and references."""

from .reader import declared_authors, read_pdf

__all__ = ["declared_authors", "read_pdf"]
