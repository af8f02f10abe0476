"""Evaluation on whole drafts: every citation, ranked from what the author knew at that place."""
