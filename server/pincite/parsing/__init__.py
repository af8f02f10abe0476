"""Parse files into model objects: drafts, bibliographies and papers.

`markups` lists the markup languages, each a `Markup`; `drafts` reads a draft with the reader
of its markup. Markdown and Typst share `walk` (a main file and what it includes), `scanning` (what
a text says and cites, region by region) and `conventions` (how authors cite).
"""
