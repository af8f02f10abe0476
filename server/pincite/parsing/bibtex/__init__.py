"""BibTeX source → entries, with every broken one reported.

A file is scanned as a whole for its `statements`, and entries are parsed on access: a scan of tens
of thousands takes some tenths of a second. `file` is a parsed file with what is wrong in it;
`entry` parses one entry, `fields` decodes its values, and `inherit` adds inherited fields.
`entry_places` finds the entry and fields at a cursor.

    entry = parse_bibliography(text, path).entries["knuth:1984"]
    entry.fields["title"]
"""

from .file import Bibliography, parse_bibliography, read_bibliography

__all__ = ["Bibliography", "parse_bibliography", "read_bibliography"]
