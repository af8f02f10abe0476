"""What a ranking is based on."""

from __future__ import annotations

from typing import Literal

#: What is known about an entry's text, best first.
TextBasis = Literal["full text", "abstract", "title"]
#: What is known about an entry.
Basis = Literal["full text", "abstract", "title", "inlink contexts"]
