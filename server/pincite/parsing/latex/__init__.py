"""LaTeX source → what it says and cites.

`hidden` blanks out comments, listings and false branches; `commands` knows which commands cite and
learns a draft's own; `arguments` finds their keys; `named_files` the files that are named; `prose`
what a reader would read (`layout`, `glossary`, `symbols` and `rare_symbols` hold what it knows).
`parse` puts them together, in `regions`, so that an edit costs one of them.
"""
