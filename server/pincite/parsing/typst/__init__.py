"""Typst → its prose and citations.

`scanner` reads a text once, in regions, with the lexer in `tokens` and `code` for code; `reader`
builds drafts. `names` finds the project's functions that cite, and the names that may be labels.
"""
