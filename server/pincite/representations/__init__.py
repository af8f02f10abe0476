"""Bags of words that stand for a candidate, and the space in which they are compared."""
