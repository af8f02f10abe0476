"""PDF → `ReferencePaper`: characters → segments → lines → sentences and references."""
