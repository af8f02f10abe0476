"""Edits of the author's files, as `TextEdit`s, which are not written here."""
