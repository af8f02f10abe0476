"""What is known of each entry: full texts, inlink contexts, and the index that keeps them.

`library` is the text of an entry, from files, folders and fields. `file_fields` reads which files
an entry names, `same_work/` finds which entry a reference, a paper or another draft's entry is,
`lent_texts` what the same works have in other bibliographies of the workspace. `indexing` reads
files, in processes of their own (`reading_process`), into `index/` (`database` is the file on
disk). `links` are the entries that papers and drafts are and cite, kept until an entry changes;
`citing_drafts` and `inlinks` say who cites an entry, and how.

Sentences and inlink contexts stay in the index until somebody looks at an entry. `WorkMatcher`,
which has read every entry to compare them all, lives only while something is linked. More in
docs/library.md.
"""
