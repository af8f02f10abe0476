"""Edits of the author's files, as `TextEdit`s, which are not written here.

`citations` cites and pins pages as the draft's markup has it, `keys` renames keys, `entries` copies
an entry into a bibliography, as `bibtex_entries` or `csl_items` write it; `naming` names a
bibliography in a draft that has none.
"""
