"""LaTeX source → what it says and cites.

`hidden` blanks out comments, listings and false branches; `commands` knows which commands cite and
learns a draft's own; `arguments` finds their keys; `named_files` finds the files that are named;
`prose` extracts readable text, token by token (`tokens`). `parse` combines them, in `regions`, so
that an edit affects only one region. `symbols` decodes a string such as a title. The meanings of
macros are in `accents`, `common_symbols`, `rare_symbols`, `shorthands`, `glossary` and `layout`.
"""
