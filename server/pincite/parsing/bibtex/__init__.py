"""BibTeX source → entries, with every broken one reported.

A file is scanned as a whole for its `statements`, and entries are parsed on access: a scan of tens
of thousands takes some tenths of a second. `file` is a parsed file; `entry` parses one entry,
`fields` decodes its values, `inherit` adds inherited fields, and `faults` finds what is wrong.
`entry_places` finds the entry and fields at a cursor.

    entry = parse_bibliography(text, path).entries["knuth:1984"]
    entry.fields["title"]
"""

from .file import Bibliography, parse_bibliography, read_bibliography

__all__ = ["Bibliography", "parse_bibliography", "read_bibliography"]
