"""What is known about each entry: full texts, inlink contexts, and the index that stores them.

`library` finds the text of an entry in files, folders and fields. `file_fields` parses which files
an entry names, `same_work/` matches references, papers and other drafts' entries to entries,
`fallback_texts` finds texts of the same works in other bibliographies of the workspace. `indexing`
reads files into `index`, in separate processes (`reading_process`); `stored` is the format of its
rows, `database` the file on disk. `inlinks` finds who cites an entry, and in what words.

Sentences and inlink contexts are loaded from the index only when an entry needs them.
`WorkMatcher`, which holds all entries for comparison, lives only while something is being linked.
See docs/reference/library.md.
"""
