"""Readers of the corpora that Pincite is trained and evaluated on, one per module."""
