"""Measure what is read of papers in publishers' layouts, whose text is known to the letter.

    python -m benchmarks.layouts

The papers and their truth are made by `benchmarks.layouts.make`.
"""

from .measure import measure, table

print(table(measure()))
