"""The author's project: drafts, bibliographies, papers and rankings, in an editor and on disk.

Nothing here speaks the protocol. `snapshot` is what a request looks at, and `inputs` what it is
read from; `reader` reads in one thread, and sees the disk through `seen_disk`, which remembers
what it saw. `session` takes snapshots and does the slow work in the background; `polling` looks
for changes that no client reports.

`workspace` knows the drafts below a folder and their libraries; `bibliographies` reads them once in
each state, and merges a draft's; `rankings` makes what ranks the entries of a draft, or takes what
was kept on disk, `chosen_matcher` the sentence matcher of the settings. `indexes` holds what ranks
a draft over time; `search` finds typed words; `global_library` is the author's whole library.
`gc_tuning` keeps garbage collection away from large objects and returns freed memory to the system.
"""
