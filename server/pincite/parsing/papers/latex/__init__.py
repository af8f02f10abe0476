r"""LaTeX sources → `ReferencePaper`: a paper's folder as arXiv gives it, or one's own earlier one.

The text is the prose of the document's body, each file where it is read. A citation becomes what a
reader sees: names and year, or its key where the bibliography does not have it.

`sources` finds the files and the main one, `structure` the headings and the abstract,
`front_matter` title, authors and year; `cited_works` numbers what is cited, in .bib files or in
`printed_references`, and `citations` prints it. `reader` puts the paper together.
"""

from .reader import read_latex
from .sources import is_latex_folder, latex_sources

__all__ = ["is_latex_folder", "latex_sources", "read_latex"]
