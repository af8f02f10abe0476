r"""LaTeX source → its prose and citations.

`regions` splits a file, without what is hidden, into parts that are parsed and cached by their
text; `commands` knows which commands cite and learns a draft's own, `arguments` finds their keys,
`named_files` the files that are named; `prose` extracts readable text with the meanings of macros
in `layout` and `symbols`, and `parse` combines all for each region. `walk` and `draft` read the
files of a draft; `markup` and `conventions` are for edits.
"""
