"""Measure the speed that an author can perceive: `python -m benchmarks.speed --help`."""
