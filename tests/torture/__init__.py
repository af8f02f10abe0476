"""Attacks on the real product: what docs/reliability.md promises is tried many times over.

``make torture`` runs all parts for less than a quarter of an hour and prints one table.
"""
