"""Parse files into model objects: drafts, bibliographies and papers.

`markups` lists the markup languages, each a `Markup`; `drafts` reads a draft with the reader
of its markup, for Markdown and Typst from a main file to what it includes. These two share
`scanning` (what a text contains and cites, region by region) and `conventions` (how authors cite).
"""
