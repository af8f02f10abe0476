r"""LaTeX sources → `ReferencePaper`: a paper's folder from arXiv, or the author's earlier paper.

The text is the prose of the document's body, with each file where it is included. A citation
becomes what a reader sees: names and year, or its key if the bibliography lacks it.
"""

from .reader import read_latex
from .sources import is_latex_folder, latex_sources

__all__ = ["is_latex_folder", "latex_sources", "read_latex"]
