r"""LaTeX source → its prose and citations.

`regions` splits a file into parts that are parsed and cached by their text; `commands` knows which
commands cite and learns a draft's own, `arguments` finds their keys, `named_files` the files that
are named; `prose` extracts readable text, `parse` combines all for each region.
"""
