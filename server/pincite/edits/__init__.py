"""What to change in the author's files, as `TextEdit`s; nothing is written here."""
