"""How well whole drafts are served: every citation, ranked by what an author has at that place."""
