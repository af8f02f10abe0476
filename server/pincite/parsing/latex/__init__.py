"""LaTeX source → its prose and citations.

`hidden` blanks out comments, listings and false branches; `commands` knows which commands cite and
learns a draft's own; `arguments` finds their keys; `named_files` finds the files that are named;
`prose` extracts readable text, token by token (`tokens`). `regions` splits a file by its text, and
`parse` combines all for each region, cached by its text. `symbols` decodes a string such as a
title. The meanings of macros are in `signs`, `scripts`, `glossary` and `layout`.
"""
