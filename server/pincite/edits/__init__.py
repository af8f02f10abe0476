"""Edits of the author's files, as `TextEdit`s; nothing is written here.

`conventions` detects how a draft cites, with `usage` for what Markdown and Typst share; `citations`
inserts citations and pins their pages, `keys` finds every place that names an entry, `entries`
copies an entry into a .bib file.
"""
