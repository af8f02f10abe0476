"""LaTeX source → what it says and cites.

`hidden` blanks out comments, listings and false branches; `commands` knows which commands cite and
learns a draft's own; `arguments` finds their keys; `named_files` the files that are named; `prose`
what a reader would read, token by token (`tokens`). `parse` puts them together, in `regions`, so
that an edit costs one of them. `symbols` reads a string such as a title. What a macro says is in
`accents`, `common_symbols`, `rare_symbols`, `shorthands`, `glossary` and `layout`.
"""
