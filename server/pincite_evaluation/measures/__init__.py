"""Measures and their confidence intervals, one per module."""
