"""Markdown → what it says and cites: Pandoc's, Quarto's, R Markdown's and MyST's.

`scanner` reads a text once, with `lines` for what begins at a line, `chunks` for the options of
chunks, `raw_tex` for commands of LaTeX and `citations` for the syntax of keys; `parse` does so in
regions, so that an edit affects only one. `header` reads the YAML header, `project` the settings of
a Quarto project, a book or Pandoc, and `reader` builds drafts.
`myst` knows what only MyST has; `syntax` says how keys are typed and written.
"""

from .reader import MarkdownDraftReader

__all__ = ["MarkdownDraftReader"]
