"""Markdown → its prose and citations: Pandoc's, Quarto's, R Markdown's and MyST's.

`scanner` reads a text once, in regions, with `lines` for the beginnings of lines, `chunks` for the
options of chunks and `citations` for the syntax of keys, in the `dialect` of the text and its
`project`; `reader` builds drafts.
"""
