"""Parse files into model objects: drafts, bibliographies and papers."""
