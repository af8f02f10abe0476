"""Measure speed at the size of real libraries: `python -m benchmarks.speed --help`."""
