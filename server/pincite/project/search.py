"""Finding works by what an author remembers of them: key, author, title or year."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from operator import and_, or_
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from ..cancellation import cancelled_by, check

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ..model.papers import BibEntry, Candidates
    from ..model.results import RankedEntry
    from ..ranking.base import Ranking
    from ..recommend import Recommender

    Mask = npt.NDArray[np.bool_]

_SPELLED_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})
_WORD = re.compile(r"[^\W_]+")
#: Made once for each recommender: a large bibliography is searched at every key stroke.
_SEARCHABLE: WeakKeyDictionary[Recommender, SearchableEntries] = WeakKeyDictionary()
_SEARCHABLE_KEYS: WeakKeyDictionary[Recommender, SearchableKeys] = WeakKeyDictionary()


def search(recommender: Recommender, typed: str, ranking: Ranking) -> Iterator[RankedEntry]:
    """Yield the `matching` entries of a recommender's ranking.

    While no more than titles are known, it is the entries whose keys have what was typed, if any
    do: to read everything else takes seconds.
    """
    if recommender.extent != "texts":
        keys = _SEARCHABLE_KEYS.get(recommender)
        if keys is None:
            keys = _SEARCHABLE_KEYS[recommender] = SearchableKeys(recommender.candidates)
        if any(mask.any() for mask in _masks(typed, keys)):
            yield from matching(typed, ranking, keys)
            return
    yield from matching(typed, ranking, searchable(recommender))


def matching(typed: str, ranking: Ranking, index: SearchableKeys) -> Iterator[RankedEntry]:
    """Yield the entries that have all words typed, in their order, the likeliest meant first.

    These are the one with exactly this key, those whose keys begin so, those in which each word
    typed begins a word, and those that have each word typed anywhere. An alias is a key as well.
    Later groups are searched only if they are consumed.
    """
    yielded = None
    for mask in _masks(typed, index):
        check()
        yield from ranking.among(mask if yielded is None else mask & ~yielded)
        yielded = mask if yielded is None else yielded | mask


def _masks(typed: str, index: SearchableKeys) -> Iterator[Mask]:
    words = [_spellings(word) for word in typed.split()]
    key = _spellings(" ".join(typed.split()))[0]
    yield index.named(key, exactly=True)
    yield index.named(key)
    for masked in (index.beginning, index.containing):
        masks = (reduce(or_, map(masked, spelled)) for spelled in words)
        yield reduce(and_, masks, ~index.none())


def matching_names(typed: str, key: str, aliases: Iterable[str]) -> list[str]:
    """Return the names of an entry that can be chosen: its key, and aliases with all words typed.

    What begins as was typed comes first.
    """
    words = [_spellings(word) for word in typed.split()]
    begun = _spellings(" ".join(typed.split()))[0]

    def has_words(alias: str) -> bool:
        text = "\n".join(_spellings(alias))
        return all(any(each in text for each in spelled) for spelled in words)

    def rank(name: str) -> tuple[bool, bool]:
        text = _spellings(name)[0]
        return text != begun, not text.startswith(begun)

    return sorted((key, *filter(has_words, aliases)), key=rank)


def searchable(recommender: Recommender) -> SearchableEntries:
    """Return what typed words are searched in."""
    found = _SEARCHABLE.get(recommender)
    if found is None:
        # Finished even if the request is cancelled: the next letter would begin it anew.
        with cancelled_by(lambda: False):
            found = _SEARCHABLE[recommender] = SearchableEntries(recommender.candidates)
    return found


class _Rows:
    """A text for each candidate, joined to search all of them at once."""

    def __init__(self, texts: Iterable[str]) -> None:
        """Take texts without line feeds, by position."""
        import numpy as np

        rows = list(texts)
        self._joined = "\n".join(("", *rows, ""))
        self._starts = np.cumsum([1, *(len(row) + 1 for row in rows)])

    def having(self, text: str) -> Mask:
        """Return a mask of the candidates whose text has another in it."""
        import numpy as np

        mask = np.full(len(self._starts) - 1, not text)
        at = self._joined.find(text) if text else -1
        while at >= 0:
            row = int(self._starts.searchsorted(at, side="right")) - 1
            mask[row] = True
            at = self._joined.find(text, int(self._starts[row + 1]) - 1)
        return mask

    def row(self, position: int) -> str:
        """Return the text of a candidate."""
        start, end = self._starts[position : position + 2].tolist()
        return self._joined[start : end - 1]


class SearchableKeys:
    """The keys of candidates, with their aliases."""

    def __init__(self, candidates: Candidates) -> None:
        """Take the candidates in the order of the recommender that has them."""
        named = [(key, *_aliases(candidates.entries[key])) for key in candidates]
        spelled = [[spelling for name in each for spelling in _spellings(name)] for each in named]
        #: Each spelling of each name between a mark at its beginning and one at its end.
        self._names = _Rows("".join(f"\v{name}\t" for name in each) for each in spelled)
        self._number = len(named)
        self._text = _Rows(self._texts(candidates, spelled))

    def _texts(self, candidates: Candidates, names: list[list[str]]) -> Iterable[str]:
        del candidates
        return ("\v".join(each) for each in names)

    def none(self) -> Mask:
        """Return an empty mask."""
        import numpy as np

        return np.zeros(self._number, np.bool_)

    def named(self, beginning: str, *, exactly: bool = False) -> Mask:
        """Return a mask of the candidates whose keys begin so, or are `exactly` that."""
        return self._names.having(f"\v{beginning}" + "\t" * exactly)

    def beginning(self, typed: str) -> Mask:
        """Return a mask of the candidates in which a word begins as was typed."""
        mask = self._text.having(typed)
        begins = re.compile(rf"(?<![^\W_]){re.escape(typed)}").search
        for position in mask.nonzero()[0].tolist():
            mask[position] = begins(self._text.row(position)) is not None
        return mask

    def containing(self, typed: str) -> Mask:
        """Return a mask of the candidates that have what was typed anywhere."""
        return self._text.having(typed)


class SearchableEntries(SearchableKeys):
    """The keys of candidates, their titles, names and years."""

    def __init__(self, candidates: Candidates) -> None:
        """Take the candidates in the order of the recommender that has them."""
        super().__init__(candidates)
        rows = map(self._text.row, range(self._number))
        self._words = _Rows(" " + " ".join(_WORD.findall(row)) for row in rows)

    def _texts(self, candidates: Candidates, names: list[list[str]]) -> Iterable[str]:
        del names
        return (_text_of(key, candidates.entries[key], candidates) for key in candidates)

    def beginning(self, typed: str) -> Mask:
        """Return a mask of the candidates in which a word begins as was typed."""
        # What was typed with a sign in it is searched as a whole.
        is_word = _WORD.fullmatch(typed) is not None
        return self._words.having(f" {typed}") if is_word else super().beginning(typed)


def _aliases(entry: BibEntry | None) -> Iterable[str]:
    return () if entry is None else entry.aliases


def _text_of(key: str, entry: BibEntry | None, candidates: Candidates) -> str:
    """Return what is searched of a candidate, as it may be typed."""
    title = "" if entry is None or entry.members else entry.title
    parts = [key, title]
    if not title:
        # What no entry says of itself; to make a candidate of each would take long.
        candidate = candidates[key]
        parts += [candidate.title, *candidate.names]
    if entry is not None:
        # Surnames are part of these.
        people = (entry.fields.get(role, "") for role in ("author", "editor"))
        parts += [entry.year, *entry.aliases, *people]
    return "\n".join(_spellings("\n".join(parts))).replace("\n", "\v")


def _spellings(text: str) -> tuple[str, ...]:
    """Return a text as it may be typed: without its accents, and with ü as ue."""
    if text.isascii():
        lower = text.lower()
        # Most keys are in lower case already: a copy of each would take some megabytes.
        return (text if lower == text else lower,)
    plain = text.translate(_PLAIN)
    spelled_out = unicodedata.normalize("NFC", text).translate(_SPELLED)
    return (plain,) if spelled_out == plain else (plain, spelled_out)


class _Folds(dict[int, str]):
    """What characters are typed as, found out once for each: for `str.translate`."""

    def __init__(self, spelled: Mapping[int, str]) -> None:
        super().__init__()
        self._spelled = spelled

    def __missing__(self, code: int) -> str:
        from ..text.folding import folded

        self[code] = typed = folded(chr(code).lower().translate(self._spelled))
        return typed


_PLAIN, _SPELLED = _Folds({}), _Folds(_SPELLED_OUT)
