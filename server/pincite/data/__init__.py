"""Data that Pincite ships."""
