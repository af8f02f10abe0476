"""Typst → its prose and citations.

`scanner` reads a text once, with the words of `tokens` and what `code` reads in code, in regions;
`reader` builds drafts. Which functions of the project cite, and which names may be labels, `names`
says.
"""
