"""What an evaluation of cited text identification found, as a page for readers or as a table.

Scores are in percent, as in the papers, and each column is of one ruler: figures of different
rulers say nothing about each other.
"""

from .as_markdown import markdown
from .as_page import html

__all__ = ["html", "markdown"]
