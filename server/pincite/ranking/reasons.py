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
from .draft_citations import NEIGHBOURS
from .features import FAR, Evidence, Features, Place

Floats = npt.NDArray[np.float64]

_MAX_REASONS: Final = 3
#: Reasons that contribute less than this share of the strongest one are omitted.
_SHARE: Final = 0.2
_MAX_WORDS: Final = 4
#: Cosines from this on are of texts that an author would call similar.
_ALIKE: Final = 0.15
_ROMAN: Final = re.compile("[IVX]+")
#: How far back, in characters, a citation still belongs to this paragraph, to this section.
_PARAGRAPH: Final = 2_500
_SECTION: Final = 12_000
#: The kinds of reasons by the first part of a feature's name, where that suffices.
_KINDS: Final[Mapping[str, str]] = {
    "cover": "matches",
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
        stated: list[str] = []
        least = 0.0
        for at in order:
            if own[at] <= least or len(stated) >= _MAX_REASONS:
                break
            if texts := _stated(kinds[at], names, place, found, slot, candidate, words):
                least = max(least, _SHARE * own[at])
                stated += texts
        explained.append(tuple(stated[:_MAX_REASONS]))
    return explained


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
    if kind in ("title", "mixed"):
        return "related" if part == "recent" else "matches"
    if kind == "list":
        return {"own": "own", "words": "matches", "wide": "matches", "title": "matches"}.get(part)
    if kind == "name":
        return "year" if rest == "year" else "named"
    return _KINDS.get(kind)


def _stated(
    kind: str,
    names: Sequence[tuple[str, frozenset[int]]],
    place: Place,
    found: Features,
    slot: int,
    candidate: Candidate,
    matched: Sequence[str],
) -> list[str]:
    """Return the reasons of a kind in words; none if there is no such evidence."""
    position = int(found.positions[slot])

    def value(name: str) -> float:
        return float(found.values[slot, found.columns[name]])

    if kind == "matches":
        words = ", ".join(matched[:_MAX_WORDS])
        stated = [f"matches: {words}"] if words else []
        if found.outside[slot] > found.inside[slot]:
            by_you = "by you " if cited_by_author(candidate, matched) else ""
            stated.insert(0, f"cited {by_you}in a similar context")
        return stated
    if kind == "named":
        return [f"you name {word}" for word, named in names if position in named][:1]
    if kind == "cited":
        return _cited(place, position)
    is_true, text = {
        "year": (value("name.year") < FAR, "you name its year"),
        "own": (
            max(value("own.sentence.best"), value("own.both.best")) >= _ALIKE,
            "you cited it in a similar sentence",
        ),
        "related": (value("mixed.recent.cos") >= _ALIKE, "similar to what you just cited"),
        "cocited": (
            value("cocited.follow") + value("cocited.library") > 0.0,
            "you cite it with what you just cited"
            if value("cocited.follow") > 0.0
            else "often cited with what you just cited",
        ),
        "author": (value("author.same") > 0.0, "same authors as what you just cited"),
        "bib": (value("bib.near3") <= NEIGHBOURS, "beside what you just cited in the .bib"),
    }[kind]
    return [text] if is_true else []


def _cited(place: Place, position: int) -> list[str]:
    """Return where the draft cites an entry before the place, as near as possible."""
    if (citations := place.citations) is None:
        return []
    offset, text = place.offset, place.text
    end = citations.pair_start[citations.before(offset)]
    own = citations.pair_citation[:end][citations.pair_entry[:end] == position]
    if not len(own):
        return []
    back = offset - citations.starts[own]
    if ((citations.paragraphs[own] == text.paragraph(offset)) & (back < _PARAGRAPH)).any():
        return ["cited in this paragraph"]
    if ((citations.sections[own] == text.section(offset)) & (back < _SECTION)).any():
        return ["cited in this section"]
    return ["cited before" if len(own) == 1 else f"cited {len(own)} times before"]


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
