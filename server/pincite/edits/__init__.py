"""Edits of the author's files, as `TextEdit`s, which are not written here.

`citations` inserts citations and pins their pages as the draft's markup has it
(`parsing.markup.Conventions`), `keys` finds every place that names an entry, `entries`
copies an entry into a .bib file, with the `letters` that its encoding has. `bibtex_entries` writes
entries in BibTeX: one, or a whole file of Pincite's own.
"""
