"""BibTeX source → entries, with every broken one reported.

A file is scanned for keys, and entries are parsed lazily: `parse_bibliography` takes a tenth of a
second for tens of thousands of entries, and an edit of them a millisecond. `parts` splits a file
into parts that edits can reuse; `bibliography` is one parsed file, `merged` several; `entry` parses
one entry, `fields` decodes its values, `inherit` adds inherited fields, and `faults` finds what is
wrong. `entry_places` finds the entry and fields at a cursor.

    entry = parse_bibliography(text, path).entries["knuth:1984"]
    entry.fields["title"]
"""

from .bibliography import Bibliography, parse_bibliography, read_bibliography
from .merged import MergedEntries

__all__ = [
    "Bibliography",
    "MergedEntries",
    "parse_bibliography",
    "read_bibliography",
]
