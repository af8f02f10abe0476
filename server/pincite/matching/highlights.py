"""Which sentences of a paper the author has highlighted.

Only letters and digits are compared: a PDF viewer and a reader of PDFs differ in spaces, hyphens
and ligatures. A sentence counts if half of it, or half of a highlight, is in the other.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Final

#: A shorter highlight, such as a single word, is in many sentences.
_FEWEST_LETTERS: Final = 12
_MOST_HIGHLIGHTS: Final = 2_000
_SHARE: Final = 0.5


def highlighted(sentences: Sequence[str], highlights: Iterable[str]) -> frozenset[int]:
    """Return the positions of the sentences that are highlighted, wherever a text occurs first."""
    letters = [_letters(sentence) for sentence in sentences]
    text = "".join(letters)
    ends = list(accumulate(map(len, letters)))
    found: set[int] = set()
    for highlight in list(dict.fromkeys(map(_letters, highlights)))[:_MOST_HIGHLIGHTS]:
        start = text.find(highlight) if len(highlight) >= _FEWEST_LETTERS else -1
        if start < 0:
            continue
        end = start + len(highlight)
        for position in range(bisect_right(ends, start), len(ends)):
            first = ends[position] - len(letters[position])
            if first >= end:
                break
            shared = min(end, ends[position]) - max(start, first)
            if shared >= _SHARE * min(len(letters[position]), len(highlight)):
                found.add(position)
    return frozenset(found)


def _letters(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).casefold()
    return "".join(filter(str.isalnum, plain))
