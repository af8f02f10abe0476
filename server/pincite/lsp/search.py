"""Finding works by what an author remembers of them: key, author, title or year."""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from ..cancellation import check

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ..model.papers import Candidate, Candidates
    from ..model.results import RankedEntry
    from ..ranking.base import Ranking
    from .indexes import Ranks

    Positions = npt.NDArray[np.int32]
    Mask = npt.NDArray[np.bool_]

_SPELLED_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})
_WORD = re.compile(r"[^\W_]+")
_LAST_LETTER = "\U0010ffff"
#: Made once for each recommender: a large bibliography is searched at every key stroke.
_SEARCHED: WeakKeyDictionary[Ranks, Searched] = WeakKeyDictionary()


def found(typed: str, ranking: Ranking, index: Searched) -> Iterator[RankedEntry]:
    """Yield the entries that have all words typed, in their order, the likeliest meant first.

    These are the one with exactly this key, those whose keys begin so, and those in which each
    word typed begins a word. Entries that nobody asks for are not looked for.
    """
    words = [_spellings(word) for word in typed.split()]
    key = _spellings(" ".join(typed.split()))[0]
    order = ranking.order
    exact, told = index.mask(index.exactly_named(key)), index.named(key)
    yield from ranking.entries(order[exact[order]])
    yield from ranking.entries(order[(told & ~exact)[order]])
    for holding in (index.beginning, index.containing):
        check()
        having = index.all()
        for word in words:
            having &= index.any(holding(spelled) for spelled in word)
        yield from ranking.entries(order[(having & ~told)[order]])
        told |= having


def searched(recommender: Ranks) -> Searched:
    """Return what typed words are looked up in."""
    known = _SEARCHED.get(recommender)
    if known is None:
        known = _SEARCHED[recommender] = Searched(recommender.candidates)
    return known


class Searched:
    """The words of candidates' keys, titles, names and years, and who has them."""

    def __init__(self, candidates: Candidates) -> None:
        """Read all candidates, whose positions are those of the recommender that has them."""
        import numpy as np

        self._keys = tuple(candidates)
        #: What was typed with a sign in it is looked up here, as a whole.
        self._texts = tuple(map(_text_of, candidates.values()))
        number_of: dict[str, int] = {}
        numbers, starts = array("i"), array("l", [0])
        for text in self._texts:
            words = _WORD.findall(text)
            numbers.extend(number_of.setdefault(word, len(number_of)) for word in words)
            starts.append(len(numbers))
        self._words = sorted(number_of)
        rank_of = np.empty(len(number_of), dtype=np.int32)
        rank_of[[number_of[word] for word in self._words]] = np.arange(len(number_of))
        #: The candidates that have each word, by the order of words; and where each word's begin.
        sizes = np.diff(np.frombuffer(starts, dtype="l"))
        owners = np.repeat(np.arange(len(self._keys), dtype=np.int32), sizes)
        word_at = rank_of[np.frombuffer(numbers, dtype=np.intc)]
        self._owners: Positions = owners[np.argsort(word_at, kind="stable")]
        counts = np.bincount(word_at, minlength=len(self._words))
        self._starts = np.concatenate([[0], np.cumsum(counts)])
        self._joined = "\n".join(self._words)
        self._offsets = np.cumsum([0, *(len(word) + 1 for word in self._words)])
        folded_keys = [_spellings(key)[0] for key in self._keys]
        self._by_key = sorted(range(len(folded_keys)), key=folded_keys.__getitem__)
        self._folded_keys = [folded_keys[position] for position in self._by_key]

    def all(self) -> Mask:
        """Return a mask of all candidates."""
        import numpy as np

        return np.ones(len(self._keys), dtype=np.bool_)

    def mask(self, positions: Sequence[int] | Positions) -> Mask:
        """Return a mask of some candidates."""
        import numpy as np

        mask = np.zeros(len(self._keys), dtype=np.bool_)
        mask[np.asarray(positions, dtype=np.intp)] = True
        return mask

    def any(self, masks: Iterable[Mask]) -> Mask:
        """Return a mask of the candidates that are in any of some masks."""
        first, *others = masks
        for other in others:
            first = first | other
        return first

    def exactly_named(self, key: str) -> list[int]:
        """Return the candidates with this key."""
        first = bisect_left(self._folded_keys, key)
        last = bisect_left(self._folded_keys, key + "\0", first)
        return self._by_key[first:last]

    def named(self, beginning: str) -> Mask:
        """Return a mask of the candidates whose keys begin so."""
        first = bisect_left(self._folded_keys, beginning)
        last = bisect_left(self._folded_keys, beginning + _LAST_LETTER, first)
        return self.mask(self._by_key[first:last])

    def beginning(self, typed: str) -> Mask:
        """Return a mask of the candidates in which a word begins as was typed."""
        first, *others = _WORD.findall(typed) or [""]
        low = bisect_left(self._words, first)
        high = bisect_left(self._words, first + _LAST_LETTER, low)
        mask = self.mask(self._owners[self._starts[low] : self._starts[high]])
        # What was typed with a hyphen in it is looked up in parts, and then as a whole.
        whole = re.compile(rf"(?<![^\W_]){re.escape(typed)}") if others or first != typed else None
        return mask if whole is None else self._checked(mask, others, whole)

    def containing(self, typed: str) -> Mask:
        """Return a mask of the candidates that have what was typed anywhere."""
        parts = _WORD.findall(typed)
        if parts == [typed]:
            return self._within(typed)
        return self._checked(self.all(), parts, re.compile(re.escape(typed)))

    def _within(self, part: str) -> Mask:
        """Return a mask of the candidates that have a word with `part` in it."""
        mask = self.mask(())
        at = self._joined.find(part)
        while at >= 0:
            word = int(self._offsets.searchsorted(at, side="right")) - 1
            mask[self._owners[self._starts[word] : self._starts[word + 1]]] = True
            at = self._joined.find(part, int(self._offsets[word + 1]))
        return mask

    def _checked(self, mask: Mask, parts: Iterable[str], whole: re.Pattern[str]) -> Mask:
        for part in parts:
            mask = mask & self._within(part)
        positions = mask.nonzero()[0].tolist()
        return self.mask([at for at in positions if whole.search(self._texts[at])])


def _text_of(candidate: Candidate) -> str:
    """Return what is looked through of a candidate, as it may be typed."""
    parts = [candidate.key, candidate.paper.title, *candidate.names]
    if (known := candidate.entry) is not None:
        people = (known.fields.get(role, "") for role in ("author", "editor"))
        parts += [known.year, *known.aliases, *people]
    return "\n".join(_spellings("\n".join(parts)))


def _spellings(text: str) -> tuple[str, ...]:
    """Return a text as it may be typed: without its accents, and with ü as ue."""
    from ..library.works import folded

    plain = folded(text)
    if text.isascii():
        return (plain,)
    spelled_out = folded(unicodedata.normalize("NFC", text).lower().translate(_SPELLED_OUT))
    return (plain,) if spelled_out == plain else (plain, spelled_out)
