"""Markdown → its prose and citations: Pandoc's, Quarto's, R Markdown's and MyST's.

`scanner` reads a text once, with `lines` for what begins at a line, `chunks` for the options of
chunks and `citations` for the syntax of keys; `parse` does so in regions, in the `dialect` that the
text and its `project` have, and `reader` builds drafts.
"""
