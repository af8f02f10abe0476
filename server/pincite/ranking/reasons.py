"""Why an entry has its rank, in words that an author understands.

The reasons are the kinds of evidence that contributed most to the entry's score, by the
contributions of the trees. What a reason names (an author, a word) comes from the evidence itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from ..model.papers import Candidate
from ..parsing.markups import ALL_DRAFT_SUFFIXES
from .features import FAR, Evidence, Features, Place

Floats = npt.NDArray[np.float64]

_MOST_REASONS: Final = 3
#: Reasons that contribute less than this share of the strongest one are omitted.
_SHARE: Final = 0.2
_MOST_WORDS: Final = 4
#: Cosines from this on are of texts that an author would call similar.
_ALIKE: Final = 0.15
_ROMAN: Final = re.compile("[IVX]+")
#: The kinds of reasons by the first part of a feature's name, where that suffices.
_KINDS: Final[Mapping[str, str]] = {
    "cover": "matches",
    "inlinks": "others",
    "inlink": "others",
    "cited": "cited",
    "own": "own",
    "cocited": "cocited",
    "author": "author",
    "bib": "bib",
}


def reasons(
    evidence: Evidence,
    place: Place,
    found: Features,
    slots: Sequence[int],
    kinds: Sequence[str],
    totals: Floats,
    candidates: Sequence[Candidate],
    matched: Sequence[Sequence[str]],
) -> list[tuple[str, ...]]:
    """Return up to three reasons for each of some selected entries, strongest first.

    `slots` are the rows of the entries in `found`, `totals` what each of the `kinds` of evidence
    contributes to their scores (entries by kinds), `candidates` the entries themselves, and
    `matched` the words of the context that each shares.
    """
    names = _names(evidence, place)
    explained: list[tuple[str, ...]] = []
    strongest = np.argsort(-totals, axis=1, kind="stable").tolist()
    for slot, own, order, candidate, words in zip(
        slots, totals.tolist(), strongest, candidates, matched, strict=True
    ):
        value = _Values(found, slot)
        position = int(found.positions[slot])
        said: dict[str, None] = {}
        least = 0.0
        for at in order:
            if own[at] <= least or len(said) == _MOST_REASONS:
                break
            if text := _said(kinds[at], names, position, value, candidate, words):
                least = max(least, _SHARE * own[at])
                said[text] = None
        explained.append(tuple(said))
    return explained


class _Values:
    """The features of one entry by name."""

    def __init__(self, found: Features, slot: int) -> None:
        self._columns, self._row = found.columns, found.values[slot]

    def __getitem__(self, name: str) -> float:
        return float(self._row[self._columns[name]])


def kinds_of(features: Sequence[str]) -> tuple[tuple[str, ...], Floats]:
    """Return the kinds of reasons, and which features belong to each (features by kinds)."""
    of_feature = list(map(_kind, features))
    kinds = tuple(dict.fromkeys(kind for kind in of_feature if kind is not None))
    return kinds, np.asarray(
        [[kind == other for other in kinds] for kind in of_feature], np.float64
    )


def _kind(feature: str) -> str | None:
    """Return the kind of reason that a feature belongs to; None if it is no reason."""
    kind, _, rest = feature.partition(".")
    part = rest.partition(".")[0]
    if kind in ("title", "abstract", "passages", "mixed", "venue"):
        return "related" if part in ("recent", "like") else "matches"
    if kind == "list":
        return {"own": "own", "words": "matches", "wide": "matches", "title": "matches"}.get(part)
    if kind == "name":
        return "year" if rest == "year" else "named"
    return _KINDS.get(kind)


def _said(
    kind: str,
    names: Sequence[tuple[str, frozenset[int]]],
    position: int,
    value: _Values,
    candidate: Candidate,
    matched: Sequence[str],
) -> str:
    """Return a reason in words; empty if there is no such evidence."""
    words = ", ".join(matched[:_MOST_WORDS])
    if kind == "matches":
        return f"matches: {words}" if words else ""
    if kind == "others":
        if not any(value[f"inlinks.{window}.cos"] > 0.0 for window in ("left", "both")):
            return ""
        return (
            f"cited {'by you ' if cited_by_author(candidate, matched) else ''}in a similar context"
        )
    if kind == "named":
        name = next((word for word, named in names if position in named), "")
        return f"you name {name}" if name else ""
    if kind == "year":
        return "you name its year" if value["name.year"] < FAR else ""
    if kind == "cited":
        return _cited(value)
    if kind == "own":
        own = max(value["own.left.best"], value["own.sentence.best"], value["own.both.best"])
        return "you cited it in a similar sentence" if own >= _ALIKE else ""
    if kind == "related":
        return "similar to what you just cited" if value["title.recent.cos"] >= _ALIKE else ""
    if kind == "cocited":
        own = value["cocited.paragraph"] + value["cocited.event"] + value["cocited.follow"]
        if own > 0.0:
            return "you cite it with what you just cited"
        return "often cited with what you just cited" if value["cocited.library"] > 0.0 else ""
    if kind == "author":
        return "same authors as what you just cited" if value["author.same"] > 0.0 else ""
    if kind == "bib":
        return "beside what you just cited in the .bib" if value["bib.near3"] <= 3.0 else ""
    return ""


def _cited(value: _Values) -> str:
    if value["cited.paragraph"] > 0.0:
        return "cited in this paragraph"
    if value["cited.section"] > 0.0:
        return "cited in this section"
    if (number := round(value["cited.count"])) > 0:
        return "cited before" if number == 1 else f"cited {number} times before"
    return ""


def _names(evidence: Evidence, place: Place) -> list[tuple[str, frozenset[int]]]:
    """Return the words near a place that name entries, nearest first, and these entries.

    A function word at the beginning of a sentence names nobody, nor does a Roman numeral, although
    a key or an acronym may have it.
    """
    words, at = place.text.words(place.offset)
    near = dict.fromkeys((*reversed(words[max(0, at - 30) : at]), *words[at : at + 8]))
    naming = (word for word in near if evidence.ids[word] >= 0 and not _ROMAN.fullmatch(word))
    return [(word, named) for word in naming if (named := evidence.named_by(word))]


def cited_by_author(candidate: Candidate, matched: Sequence[str]) -> bool:
    """Return whether most words shared with inlink contexts are in the author's own drafts.

    Drafts are identified by their files, papers by their keys or titles.
    """
    own = {name for name in candidate.citing_papers if name.lower().endswith(ALL_DRAFT_SUFFIXES)}
    if not own:
        return False
    shared = set(matched)
    counts = {True: 0, False: 0}
    for context in candidate.inlink_contexts:
        is_own = context.citing_paper in own
        words = (word.lower() for word in (*context.left, *context.right))
        counts[is_own] += sum(word in shared for word in words)
    return counts[True] > counts[False]
