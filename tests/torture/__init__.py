"""Stress tests of the real product: attack each promise of docs/reliability.md many times.

``make torture`` runs all parts for less than a quarter of an hour and prints one table.
"""
