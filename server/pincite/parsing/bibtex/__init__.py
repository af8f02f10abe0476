"""BibTeX source → entries, with every broken one reported.

An entry ends at the latest where a line starts the next one, so a broken entry costs nothing but
itself. `reader` walks over a file and `entry` reads one entry of it; `fields` are its values, as
written and decoded; `inherit` gives entries what they take from others. `changes` reads a file
again after an edit, `glance` finds the keys alone, `entry_places` tells what stands at a cursor.
"""

from .bibliography import Bibliography, Fault, in_pieces
from .inherit import inherit_across
from .reader import parse_bibliography, read_bibliography

__all__ = [
    "Bibliography",
    "Fault",
    "in_pieces",
    "inherit_across",
    "parse_bibliography",
    "read_bibliography",
]
