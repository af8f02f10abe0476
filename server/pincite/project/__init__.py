"""What is known of drafts, bibliographies, papers and rankings, on disk and in an editor.

Nothing here speaks the protocol.

`workspace` reads the drafts below a folder, what ranks their entries, and their libraries;
`bibliographies` scans .bib files, once in each state, and merges a draft's; `open_texts` are the
documents that an editor holds; `files` walks folders.

`session` answers the requests of an editor from that. `indexes` holds what ranks a draft over time,
`listed` stands in until there is something; `search` finds typed words; `global_library` is the author's whole
library; `polling` looks for what no client tells of. `turns` is their lock, and `garbage` keeps
garbage collection from large things and returns freed memory to the system.
"""
