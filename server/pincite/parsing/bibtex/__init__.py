"""BibTeX source → entries, with every broken one reported.

A file is scanned for keys, and an entry read when somebody looks at it: `parse_bibliography` takes
a tenth of a second for tens of thousands of entries, and an edit of them a millisecond. `parts` are
what an edit leaves alone; `bibliography` is what is known of a file, `merged` of several; `entry`
reads one entry to its end, `fields` are its values, `inherit` gives it what it takes from others,
and `faults` are what is wrong. `entry_places` tells what stands at a cursor.

    entry = parse_bibliography(text, path).entries["knuth:1984"]
    entry.fields["title"]
"""

from .bibliography import Bibliography, parse_bibliography, read_bibliography
from .faults import Fault
from .merged import MergedEntries

__all__ = [
    "Bibliography",
    "Fault",
    "MergedEntries",
    "parse_bibliography",
    "read_bibliography",
]
