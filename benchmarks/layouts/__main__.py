"""Measure the PDF reader on papers in publishers' layouts whose exact text is known.

    python -m benchmarks.layouts

The papers and their truth are made by `benchmarks.layouts.make`.
"""

from .measure import measure, table

print(table(measure()))
