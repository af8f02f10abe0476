"""Parse files into model objects: drafts, bibliographies and papers.

`markups` lists the markup languages, each a `markup.Markup`; `drafts` reads a draft with the reader
of its markup. Readers share how files are found on the `disk` and decoded (`encoding`), and
`bibliography_files`, which finds the bibliographies that a draft names. What Markdown and Typst
have in common is in `walk` (a main file and what it includes), `scanning` and `prose_writer` (what
a text says and cites, region by region, and its prose), `conventions` and `pages` (how authors
cite, and pages in their notes).
"""
