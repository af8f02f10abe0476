"""From a place in a text to the words around it.

`windows` gives the words around a place and its citance, taken from prose only: a key or an
author's name inside a citation is never part of a context. `citing_text` is a draft as one text,
whichever of its files is open; its parts are the regions in which files are parsed, and a part that
an edit leaves alone stays the same object. `surroundings` says what stands around a place of it.
`inlinks` and `drafts` give the contexts of everything that a paper or a draft cites.
"""
