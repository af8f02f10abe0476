"""Parse files into model objects: drafts, bibliographies and papers.

`drafts` chooses the reader of a draft, each of which is a `markup.MarkupReader`. Readers share how
files are looked for on the `disk` and decoded (`encoding`), and `bibliography_files`, which finds
the bibliographies that a draft names. What Markdown and Typst have in common is in `walk` (a main
file and what it includes), `regions` (a text in parts that are parsed again on their own),
`scanning` and `prose_writer` (what a text says and cites, and its prose).
"""
