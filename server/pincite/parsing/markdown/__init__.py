"""Markdown → its prose and citations: Pandoc's, Quarto's, R Markdown's and MyST's.

`scanner` reads a text once, in regions, with `lines` for what begins at a line, `chunks` for the
options of chunks and `citations` for the syntax of keys, in the `dialect` that the text and its
`project` have; `reader` builds drafts.
"""
