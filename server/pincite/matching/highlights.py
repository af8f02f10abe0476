"""Which sentences of a paper the author has highlighted.

Only letters and digits are compared: a PDF viewer and a reader of PDFs differ in spaces, hyphens
and ligatures. A sentence counts if half of it, or half of a highlight, is in the other.
"""

from __future__ import annotations

import re
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
_BETWEEN: Final = re.compile(r"[\W_]+")


def highlighted(
    sentences: Sequence[str], highlights: Iterable[Highlight]
) -> Mapping[int, tuple[str, str]]:
    """Return the positions of the highlighted sentences.

    With each come the author's comments or "", and the first highlight's key in Zotero or "".
    """
    letters = [_letters(sentence) for sentence in sentences]
    text = "".join(letters)
    ends = list(accumulate(map(len, letters)))
    alike: dict[str, list[Highlight]] = {}
    for each in islice(highlights, _MAX_HIGHLIGHTS):
        alike.setdefault(_letters(each.text), []).append(each)
    found: dict[int, list[Highlight]] = {}
    for highlight, own in alike.items():
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
                found.setdefault(position, []).extend(own)
    return {
        position: (
            "; ".join(dict.fromkeys(each.comment for each in own if each.comment)),
            next((each.key for each in own if each.key), ""),
        )
        for position, own in found.items()
    }


def _letters(text: str) -> str:
    return _BETWEEN.sub("", unicodedata.normalize("NFKC", text).casefold())
