"""Edits of the author's files, as `TextEdit`s, which are not written here.

`conventions` detects how a draft cites, with `usage` for what markups share; `citations`
inserts citations and pins their pages, `keys` finds every place that names an entry, `entries`
copies an entry into a .bib file, with the `letters` that its encoding has. `bibtex_entries` writes
entries in BibTeX: one, or a whole file of Pincite's own.
"""
