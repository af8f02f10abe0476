"""BibTeX source → entries, with every broken one reported.

A file is scanned as a whole for its `statements`; each `entry` is parsed and decoded on access: a
scan of tens of thousands takes some tenths of a second. `file` has inheritance, and what is wrong.
"""

from .file import Bibliography, parse_bibliography, read_bibliography

__all__ = ["Bibliography", "parse_bibliography", "read_bibliography"]
