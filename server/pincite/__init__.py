"""Pincite: ranked citations and supporting sentences for LaTeX drafts."""

__version__ = "0.2.0"
