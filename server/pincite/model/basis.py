"""On what a ranking rests."""

from __future__ import annotations

from typing import Literal

#: What is known of an entry's text, best first.
TextBasis = Literal["full text", "abstract", "title"]
#: What is known of an entry.
Basis = Literal["full text", "abstract", "title", "inlink contexts"]
