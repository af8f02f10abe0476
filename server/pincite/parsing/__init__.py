"""From files to nouns: drafts, bibliographies and papers."""
