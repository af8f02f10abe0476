"""Which sentences of a paper the author has highlighted.

Only letters and digits are compared: a PDF viewer and a reader of PDFs differ in spaces, hyphens
and ligatures. A sentence counts if half of it, or half of a highlight, is in the other.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, islice
from typing import Final

from ..model.zotero import Highlight

#: A shorter highlight, such as a single word, is in many sentences.
_MIN_LETTERS: Final = 12
_MAX_HIGHLIGHTS: Final = 2_000
_SHARE: Final = 0.5


def highlighted(sentences: Sequence[str], highlights: Iterable[Highlight]) -> Mapping[int, str]:
    """Return the positions of the highlighted sentences, with the author's comments or ""."""
    letters = [_letters(sentence) for sentence in sentences]
    text = "".join(letters)
    ends = list(accumulate(map(len, letters)))
    comments: dict[str, dict[str, None]] = {}
    for each in islice(highlights, _MAX_HIGHLIGHTS):
        comments.setdefault(_letters(each.text), {})[each.comment] = None
    found: dict[int, dict[str, None]] = {}
    for highlight, own in comments.items():
        start = text.find(highlight) if len(highlight) >= _MIN_LETTERS else -1
        if start < 0:
            continue
        end = start + len(highlight)
        for position in range(bisect_right(ends, start), len(ends)):
            first = ends[position] - len(letters[position])
            if first >= end:
                break
            shared = min(end, ends[position]) - max(start, first)
            if shared >= _SHARE * min(len(letters[position]), len(highlight)):
                found.setdefault(position, {}).update(own)
    return {position: "; ".join(filter(None, own)) for position, own in found.items()}


def _letters(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).casefold()
    return "".join(filter(str.isalnum, plain))
