"""The author's project: drafts, bibliographies, papers and rankings, in an editor and on disk.

Nothing here speaks the protocol. `project` is what a request sees: a function of documents,
settings and folders in one state. `session` holds the newest one, `builder` the newest recommender
of each draft, which the one thread of `background` makes; `disk` remembers what the disk looked
like.

`workspace` knows the drafts below a folder and their libraries, and has the `Caches` that all
projects share; `bibliographies` parses each file once and merges a draft's, `candidates` joins
entries with their texts, `chosen_matcher` makes the sentence matcher of the settings. `suggestions`
and `search` order what an author sees; `global_library` is the author's whole library. `memory`
keeps garbage collection away from large objects.
"""
