"""What to tell the author about a draft and its bibliographies, as data."""
