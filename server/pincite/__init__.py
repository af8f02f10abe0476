"""Pincite: ranked citations and supporting sentences for drafts in LaTeX, Markdown and Typst."""

__version__ = "0.2.0"
