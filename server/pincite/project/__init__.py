"""The author's project: drafts, bibliographies, papers and rankings, in an editor and on disk.

Nothing here speaks the protocol. `project` is what a request sees: a function of documents,
settings and folders in one state. `builder` holds the newest recommender of each draft, which the
one thread of `background` makes; `disk` caches what the disk looked like, and shows documents that
are not files as if they were on one. `git` is the only module that runs git.

`workspace` knows the drafts below a folder and their libraries, `named_files` the files that they
name; `caches` has what all projects share, with the sentence matcher of the settings.
`bibliographies` parses each file once, merges a draft's, and joins entries with their texts.
`suggestions` and `search` order what an author sees; `global_library` is the author's whole
library. `adding` and `merging` make edits of bibliographies, and `changes` shows and writes them.
"""
