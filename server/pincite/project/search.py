"""Finding works by what an author remembers of them: key, author, title or year."""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import chain, count
from operator import and_, or_
from threading import Lock
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol
from weakref import WeakKeyDictionary

from ..cancellation import cancelled_by, check, holding

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ..model.papers import BibEntry, Candidates
    from ..model.results import RankedEntry
    from ..ranking.base import Ranking
    from ..recommend import Recommender, Since

    Positions = npt.NDArray[np.int32]
    Mask = npt.NDArray[np.bool_]

_SPELLED_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})
_WORD = re.compile(r"[^\W_]+")
#: Of what is kept of texts; an editor may send half of a character.
_ENCODING = ("utf-8", "surrogatepass")
_LAST_LETTER = "\U0010ffff"
#: Made once for each recommender: a large bibliography is searched at every key stroke.
_SEARCHED: WeakKeyDictionary[Recommender, _Once] = WeakKeyDictionary()
_SEARCHED_KEYS: WeakKeyDictionary[Recommender, SearchedKeys] = WeakKeyDictionary()
_looking_up = Lock()


def found_by(recommender: Recommender, typed: str, ranking: Ranking) -> Iterator[RankedEntry]:
    """Yield what is `found` of a recommender's ranking.

    While no more than titles are known, it is the entries whose keys have what was typed, if any
    do: to read everything else takes seconds.
    """
    if recommender.extent != "texts":
        keys = _SEARCHED_KEYS.get(recommender)
        if keys is None:
            keys = SearchedKeys(recommender.candidates, _aliases(recommender.candidates))
            _SEARCHED_KEYS[recommender] = keys
        by_key = found(typed, ranking, keys)
        if (first := next(by_key, None)) is not None:
            yield from chain((first,), by_key)
            return
    yield from found(typed, ranking, searched(recommender))


def found(typed: str, ranking: Ranking, index: Lookup) -> Iterator[RankedEntry]:
    """Yield the entries that have all words typed, in their order, the likeliest meant first.

    These are the one with exactly this key, those whose keys begin so, and those in which each
    word typed begins a word. An alias is a key as well. Entries that nobody asks for are not looked
    for.
    """
    words = [_spellings(word) for word in typed.split()]
    key = _spellings(" ".join(typed.split()))[0]
    exact, told = index.named(key, exactly=True), index.named(key)
    yield from ranking.among(exact)
    yield from ranking.among(told & ~exact)
    for masked in (index.beginning, index.containing):
        check()
        masks = (reduce(or_, map(masked, spelled)) for spelled in words)
        having = reduce(and_, masks, ~told)
        yield from ranking.among(having)
        told = told | having


def names_found(typed: str, key: str, aliases: Iterable[str]) -> list[str]:
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


def searched(recommender: Recommender) -> Lookup:
    """Return the index for typed words; callers wait while it is built."""
    with _looking_up:
        once = _SEARCHED.setdefault(recommender, _Once())
    with holding(once.lock):
        if once.made is None:
            # Others wait for it: not cancelled with this request, nor does it give way to theirs.
            with cancelled_by(lambda: False):
                once.made = _lookup_of(recommender)
    return once.made


class Lookup(Protocol):
    """Candidates by what is typed of them: masks over the positions that they are ranked by."""

    def named(self, beginning: str, *, exactly: bool = False) -> Mask:
        """Return a mask of the candidates whose keys begin so, or are `exactly` that."""

    def beginning(self, typed: str) -> Mask:
        """Return a mask of the candidates in which a word begins as was typed."""

    def containing(self, typed: str) -> Mask:
        """Return a mask of the candidates that have what was typed anywhere."""


@dataclass(slots=True)
class _Once:
    lock: Lock = field(default_factory=Lock)
    made: Lookup | None = None


def _lookup_of(recommender: Recommender) -> Lookup:
    # While a bibliography is edited, nearly all of its entries remain the same.
    if recommender.since is not None:
        return _SearchedSince(recommender.candidates, recommender.since)
    return Searched(recommender.candidates)


class _SearchedSince:
    """The index of an edited bibliography: an earlier index, and one of the changed entries."""

    def __init__(self, candidates: Candidates, since: Since) -> None:
        import numpy as np

        from ..model.papers import Candidates

        keys, unchanged = since.earlier.keys.updated(candidates, since.changed)
        self._is_known = unchanged >= 0
        self._unchanged = unchanged[self._is_known]
        self._earlier = searched(since.earlier)
        changed = (candidates[keys.listed[at]] for at in np.flatnonzero(unchanged < 0))
        self._changed = Searched(Candidates.of(changed))

    def named(self, beginning: str, *, exactly: bool = False) -> Mask:
        return self._joined(
            self._earlier.named(beginning, exactly=exactly),
            self._changed.named(beginning, exactly=exactly),
        )

    def beginning(self, typed: str) -> Mask:
        return self._joined(self._earlier.beginning(typed), self._changed.beginning(typed))

    def containing(self, typed: str) -> Mask:
        return self._joined(self._earlier.containing(typed), self._changed.containing(typed))

    def _joined(self, before: Mask, now: Mask) -> Mask:
        mask: Mask = self._is_known.copy()
        mask[self._is_known] = before[self._unchanged]
        mask[~self._is_known] = now
        return mask


class Searched:
    """The words of candidates' keys, titles, names and years, and who has them."""

    def __init__(self, candidates: Candidates) -> None:
        """Read all candidates, whose positions are those of the recommender that has them."""
        import numpy as np

        self._number = len(candidates)
        number_of: dict[str, int] = defaultdict(count().__next__)
        numbers, starts = array("i"), array("i", [0])
        texts, ends = bytearray(), array("l", [0])
        names: list[tuple[str, int]] = []
        for position, key in enumerate(candidates):
            entry = candidates.entries[key]
            aliases = () if entry is None else entry.aliases
            names += ((_spellings(name)[0], position) for name in (key, *aliases))
            text = _text_of(key, entry, candidates)
            texts += text.encode(*_ENCODING)
            ends.append(len(texts))
            numbers.extend(map(number_of.__getitem__, _WORD.findall(text)))
            starts.append(len(numbers))
        #: What was typed with a sign in it is looked up here, as a whole.
        self._texts, self._ends = bytes(texts), ends
        self._words = sorted(number_of)
        rank_of = np.empty(len(self._words), dtype=np.int32)
        rank_of[[number_of[word] for word in self._words]] = np.arange(len(self._words))
        word_at = rank_of[np.frombuffer(numbers, dtype=np.intc)]
        first_words = np.array(starts, dtype=np.int32)
        sizes = first_words[1:] - first_words[:-1]
        owner = np.repeat(np.arange(self._number, dtype=np.int32), sizes)
        order = np.argsort(word_at, kind="stable")
        #: The candidates that have each word, by the order of words; and where each word's begin.
        self._owners: Positions = owner[order]
        self._starts: Positions = np.concatenate(
            [[0], np.cumsum(np.bincount(word_at, minlength=len(self._words)))]
        ).astype(np.int32)
        self._joined = "\n".join(self._words)
        self._offsets = np.cumsum([0, *(len(word) + 1 for word in self._words)])
        names.sort()
        self._by_name = [position for _, position in names]
        self._folded_names = [name for name, _ in names]

    def mask(self, positions: Sequence[int] | Positions) -> Mask:
        """Return a mask of some candidates."""
        import numpy as np

        mask = np.zeros(self._number, dtype=np.bool_)
        mask[np.asarray(positions, dtype=np.intp)] = True
        return mask

    def named(self, beginning: str, *, exactly: bool = False) -> Mask:
        """Return a mask of the candidates whose keys begin so, or are `exactly` that."""
        first = bisect_left(self._folded_names, beginning)
        behind = beginning + ("\0" if exactly else _LAST_LETTER)
        last = bisect_left(self._folded_names, behind, first)
        return self.mask(self._by_name[first:last])

    def beginning(self, typed: str) -> Mask:
        """Return a mask of the candidates in which a word begins as was typed."""
        first, *others = _WORD.findall(typed) or [""]
        low = bisect_left(self._words, first)
        high = bisect_left(self._words, first + _LAST_LETTER, low)
        mask = self.mask(self._owners[self._starts[low] : self._starts[high]])
        if not first:  # signs alone: an entry may have no word
            mask = ~self.mask(())
        # What was typed with a hyphen in it is looked up in parts, and then as a whole.
        whole = re.compile(rf"(?<![^\W_]){re.escape(typed)}") if others or first != typed else None
        return mask if whole is None else self._checked(mask, others, whole)

    def containing(self, typed: str) -> Mask:
        """Return a mask of the candidates that have what was typed anywhere."""
        parts = _WORD.findall(typed)
        if parts == [typed]:
            return self._within(typed)
        return self._checked(~self.mask(()), parts, re.compile(re.escape(typed)))

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
        return self.mask([at for at in positions if whole.search(self._text(at))])

    def _text(self, position: int) -> str:
        return self._texts[self._ends[position] : self._ends[position + 1]].decode(*_ENCODING)


class SearchedKeys:
    """The keys of candidates: to read all that an author may remember of them takes seconds."""

    def __init__(
        self, keys: Iterable[str], aliases: Mapping[str, Sequence[str]] = MappingProxyType({})
    ) -> None:
        """Take the keys in the order of positions, and what else some of these are called."""
        import numpy as np

        names = ((key, *aliases.get(key, ())) for key in keys)
        folded = ["\v".join("\t".join(_spellings(name)) for name in each) for each in names]
        #: A line for each key, with its aliases and the ways in which each may be typed.
        self._lines = "\n".join(("", *folded, ""))
        self._starts = np.cumsum([1, *(len(line) + 1 for line in folded)])
        #: What stands before a name; without aliases, a plain text is looked for, which is faster.
        self._before = "[\n\v]" if aliases else "\n"

    def named(self, beginning: str, *, exactly: bool = False) -> Mask:
        """Return a mask of the candidates whose keys begin so, or are `exactly` that."""
        return self._with(self._before, beginning, "(?=[\n\t\v])" if exactly else "")

    def beginning(self, typed: str) -> Mask:
        """Return a mask of the candidates in whose key a word begins as was typed."""
        return self._with(r"(?<![^\W_])", typed)

    def containing(self, typed: str) -> Mask:
        """Return a mask of the candidates that have what was typed anywhere in their key."""
        return self._with("", typed)

    def _with(self, before: str, typed: str, behind: str = "") -> Mask:
        import numpy as np

        mask = np.full(len(self._starts) - 1, not typed)
        if typed:
            pattern = before + re.escape(typed) + behind
            last = [match.end() - 1 for match in re.finditer(pattern, self._lines)]
            mask[np.searchsorted(self._starts, last, side="right") - 1] = True
        return mask


def _aliases(candidates: Candidates) -> dict[str, list[str]]:
    """Return the aliases of candidates by key, of those that have some."""
    from ..parsing.bibtex import MergedEntries

    found: dict[str, list[str]] = defaultdict(list)
    if isinstance(candidates.entries, MergedEntries):
        for alias, key in candidates.entries.aliases.items():
            found[key].append(alias)
    return found


def _text_of(key: str, entry: BibEntry | None, candidates: Candidates) -> str:
    """Return what is looked through of a candidate, as it may be typed."""
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
    return "\n".join(_spellings("\n".join(parts)))


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
