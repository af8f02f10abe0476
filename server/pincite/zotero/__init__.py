"""The author's Zotero library on this computer, as a bibliography.

`profiles` finds where Zotero has its data, `database` reads the works in ``zotero.sqlite``, and
`entries` makes BibTeX entries of them; `libraries` writes these into bibliographies in the cache
folder. Zotero's own files are only read, and no connection is opened (decision 18).
"""
