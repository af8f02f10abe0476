"""BibTeX source → entries, with every broken one reported.

A file is scanned as a whole for its `statements`, and each `entry` is parsed on access: a scan of
tens of thousands takes some tenths of a second. `file` has what is wrong, `fields` decodes values,
`inherit` adds inherited ones.
"""

from .file import Bibliography, parse_bibliography, read_bibliography

__all__ = ["Bibliography", "parse_bibliography", "read_bibliography"]
