"""BibTeX source → entries, with every broken one reported.

A file is scanned as a whole for its `statements`, and each `entry` is parsed on access: a scan of
tens of thousands takes some tenths of a second.
"""

from .file import Bibliography, parse_bibliography, read_bibliography

__all__ = ["Bibliography", "parse_bibliography", "read_bibliography"]
