"""Markdown → what it says and cites: Pandoc's, Quarto's, R Markdown's and MyST's.

`scanner` reads a text once, with `lines` for what begins at a line, `chunks` for the options of
chunks, `raw_tex` for commands of LaTeX and `citations` for the syntax of keys; `parse` does so in
regions, in the `dialect` that the text and its project have. `header` reads the YAML header,
`project` the settings of a Quarto project, a book or Pandoc, and `reader` builds drafts. `myst` has
what only MyST has; `syntax` is how keys are typed and written, `conventions` how authors cite.
"""
