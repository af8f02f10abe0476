"""Finding works by what an author remembers of them: key, author, title or year."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import reduce
from operator import and_, or_
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary, WeakValueDictionary

from ..cancellation import cancelled_by, check

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ..model.papers import BibEntry, Candidates
    from ..model.results import RankedEntry
    from ..ranking.base import Ranking
    from ..recommend import Recommender

    Mask = npt.NDArray[np.bool_]
    #: An entry, None if what is searched is not its own alone; its names between marks; its text.
    _Row = tuple[BibEntry | None, str, str]

_SPELLED_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})
#: Made once for each recommender, for keys alone and for everything: a large bibliography is
#: searched at every keystroke.
_SEARCHABLE: WeakKeyDictionary[Recommender, dict[bool, Searchable]] = WeakKeyDictionary()
_LATEST: WeakValueDictionary[bool, Searchable] = WeakValueDictionary()


def search(recommender: Recommender, typed: str, ranking: Ranking) -> Iterator[RankedEntry]:
    """Yield the `matching` entries of a ranking, by key alone where only titles are known."""
    if recommender.extent != "texts":
        keys = searchable(recommender, keys_only=True)
        if any(mask.any() for mask in keys.masks(typed)):
            yield from matching(typed, ranking, keys)
            return
    yield from matching(typed, ranking, searchable(recommender))


def matching(typed: str, ranking: Ranking, searched: Searchable) -> Iterator[RankedEntry]:
    """Yield the entries that have all words typed, in their order, the most probable first.

    First comes the entry with exactly this key, then those whose keys begin with it, those in which
    each word typed begins a word, and those that have each word typed anywhere. An alias counts as
    a key. Later groups are searched only if they are consumed.
    """
    yielded = None
    for mask in searched.masks(typed):
        check()
        yield from ranking.among(mask if yielded is None else mask & ~yielded)
        yielded = mask if yielded is None else yielded | mask


def matching_names(typed: str, key: str, aliases: Iterable[str]) -> list[str]:
    """Return the key of an entry and its aliases with all words typed, likeliest first."""
    words = [_spellings(word) for word in typed.split()]
    begun = _spellings(" ".join(typed.split()))[0]

    def has_words(alias: str) -> bool:
        text = "\n".join(_spellings(alias))
        return all(any(each in text for each in spelled) for spelled in words)

    def rank(name: str) -> tuple[bool, bool]:
        text = _spellings(name)[0]
        return text != begun, not text.startswith(begun)

    return sorted((key, *filter(has_words, aliases)), key=rank)


def searchable(recommender: Recommender, *, keys_only: bool = False) -> Searchable:
    """Return what typed words are searched in."""
    known = _SEARCHABLE.setdefault(recommender, {})
    if keys_only not in known:
        # Finished even if the request is cancelled: the next letter would begin it anew.
        with cancelled_by(lambda: False):
            earlier = _LATEST.get(keys_only)
            made = Searchable(recommender.candidates, earlier, keys_only=keys_only)
            known[keys_only] = _LATEST[keys_only] = made
    return known[keys_only]


class Searchable:
    """The keys of candidates, with their aliases, and their titles, names and years."""

    def __init__(
        self, candidates: Candidates, earlier: Searchable | None = None, *, keys_only: bool = False
    ) -> None:
        """Take the candidates in the order of the recommender that has them.

        Of entries that `earlier` has, nothing is made again: of tens of thousands, that would take
        most of a second after each change of the bibliography.
        """
        known = {id(each[0]): each for each in earlier._rows if each[0]} if earlier else {}
        self._rows: list[_Row] = [
            known.get(id(entry)) or _row(key, entry, candidates, keys_only)
            for key, entry in candidates.entries.items()
        ]
        self._names = [names for _, names, _ in self._rows]
        self._texts = self._names if keys_only else [text for _, _, text in self._rows]

    def masks(self, typed: str) -> Iterator[Mask]:
        """Yield a mask for each kind of match, in the order of `matching`."""
        words = [_spellings(word) for word in typed.split()]
        key = _spellings(" ".join(typed.split()))[0]
        yield _having(f"\v{key}\t", self._names)
        yield _having(f"\v{key}", self._names)
        for masked in (self.beginning, self.containing):
            masks = (reduce(or_, map(masked, spelled)) for spelled in words)
            yield reduce(and_, masks, self.containing(""))

    def beginning(self, typed: str) -> Mask:
        """Return a mask of the candidates in which a word begins as was typed."""
        mask = _having(typed, self._texts)
        begins = re.compile(rf"(?<![^\W_]){re.escape(typed)}").search
        for position in mask.nonzero()[0].tolist():
            mask[position] = begins(self._texts[position]) is not None
        return mask

    def containing(self, typed: str) -> Mask:
        """Return a mask of the candidates that have what was typed anywhere."""
        return _having(typed, self._texts)


def _having(text: str, texts: list[str]) -> Mask:
    import numpy as np

    return np.fromiter([text in each for each in texts], np.bool_, len(texts))


def _row(key: str, entry: BibEntry | None, candidates: Candidates, keys_only: bool) -> _Row:
    """Return what is searched of a candidate; each spelling of each name is between marks."""
    names = (key, *(entry.aliases if entry else ()))
    marked = "".join(f"\v{spelling}\t" for name in names for spelling in _spellings(name))
    if keys_only:
        return entry, marked, ""
    is_own = entry is not None and entry.title and not entry.members
    return entry if is_own else None, marked, _text_of(key, entry, candidates)


def _text_of(key: str, entry: BibEntry | None, candidates: Candidates) -> str:
    """Return what is searched of a candidate, as it may be typed."""
    title = "" if entry is None or entry.members else entry.title
    parts = [key, title]
    if not title:
        # Text that is in no entry; making a candidate of each would take too long.
        candidate = candidates[key]
        parts += [candidate.title, *candidate.names]
    if entry is not None:
        # Surnames are part of these.
        people = (entry.fields.get(role, "") for role in ("author", "editor"))
        parts += [entry.year, *entry.aliases, *people]
    return "\n".join(_spellings("\n".join(parts)))


def _spellings(text: str) -> tuple[str, ...]:
    """Return a text as it may be typed: without its accents, and with ü as ue."""
    if text.isascii():
        return (text.lower(),)
    from ..text.characters import folded

    spelled_out = unicodedata.normalize("NFC", text).lower().translate(_SPELLED_OUT)
    return tuple(dict.fromkeys((folded(text), folded(spelled_out))))
