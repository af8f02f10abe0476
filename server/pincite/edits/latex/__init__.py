"""How drafts in LaTeX cite, and the edits of their citation commands."""
