"""Why an entry has its rank, in words that an author understands.

The reasons are the kinds of evidence that contributed most to the entry's score, by the
contributions of the trees: words that the text before the place shares with the work, a similar
meaning, where the draft cites the work, how others cite it, and what the author names. Evidence
that such words cannot express (the order of a .bib, works of the same authors) is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from textwrap import shorten
from typing import Final

import numpy as np
import numpy.typing as npt

from ..model.papers import Candidate, InlinkContext
from ..parsing.markups import ALL_DRAFT_SUFFIXES
from .at_place import NEAR_IN_MEANING
from .draft_citations import DraftCitations
from .features import FAR, Evidence, Features, Place

Floats = npt.NDArray[np.float64]

_MAX_REASONS: Final = 3
#: Reasons that contribute less than this share of the strongest one are omitted.
_SHARE: Final = 0.2
_MAX_WORDS: Final = 4
#: How much of the paragraph is read for shared words: as much as its window has.
_PARAGRAPH_WORDS: Final = 80
#: Cosines from this on are of texts that an author would call similar.
_ALIKE: Final = 0.15
#: How many of the entries near in meaning get this reason: in a narrow field, most are near.
_NEAREST: Final = 3
_ROMAN: Final = re.compile("[IVX]+")
#: How far back, in characters, a citation in the same section is still near.
_NEARBY: Final = 2_500
#: Lengths in characters of the sentence that is quoted, and of a heading.
_MAX_QUOTE, _MAX_HEADING = 140, 60
#: How many of the contexts in which a work is cited are compared with the place.
_MAX_CONTEXTS: Final = 50
#: The kinds of reasons by the first part of a feature's name, where that suffices.
_KINDS: Final[Mapping[str, str]] = {
    "cover": "shares",
    "cited": "cited",
    "own": "own",
    "cocited": "cocited",
    "meaning": "meaning",
}


def reasons(
    evidence: Evidence,
    place: Place,
    found: Features,
    slots: Sequence[int],
    kinds: Sequence[str],
    totals: Floats,
    work_at: Callable[[int], Candidate],
    matched: Sequence[Sequence[str]],
) -> list[tuple[str, ...]]:
    """Return up to three reasons for each of some selected entries, strongest first.

    `slots` are the rows of the entries in `found`, `totals` what each of the `kinds` of evidence
    contributes to their scores (entries by kinds), `work_at` returns the work at a position, and
    `matched` are the words before the place that each shares.
    """
    at = _Stated(evidence, place, found, work_at)
    explained: list[tuple[str, ...]] = []
    strongest = np.argsort(-totals, axis=1, kind="stable").tolist()
    for slot, own, order, words in zip(slots, totals.tolist(), strongest, matched, strict=True):
        stated: list[str] = []
        least = 0.0
        for kind in order:
            if own[kind] <= least or len(stated) >= _MAX_REASONS:
                break
            if texts := at.stated(kinds[kind], slot, words):
                least = max(least, _SHARE * own[kind])
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
    """Return the kind of reason that a feature belongs to; None if it belongs to none."""
    kind, _, rest = feature.partition(".")
    part = rest.partition(".")[0]
    if kind in ("title", "mixed"):
        return None if part == "recent" else "shares"
    if kind == "list":
        return {"own": "own", "words": "shares", "wide": "shares", "title": "shares"}.get(part)
    if kind == "name":
        return "year" if rest == "year" else "named"
    return _KINDS.get(kind)


def words_before(place: Place) -> tuple[str, ...]:
    """Return the words before a place in its paragraph, the nearest first."""
    words, at = place.text.words(place.offset)
    return words[max(0, at - _PARAGRAPH_WORDS) : at][::-1]


def shared(words: Sequence[str]) -> tuple[str, ...]:
    """Return the words that a work shares as a reason, none if there are none."""
    return (f"shares: {', '.join(words[:_MAX_WORDS])}",) if words else ()


def cited_so(
    candidate: Candidate, words: Iterable[str], term: Callable[[str], object]
) -> tuple[str, ...]:
    """Return as a reason the sentence that cites a work with most of some words, if any does.

    Words are the same if their `term` is. The author's own other drafts are among those that cite.
    """
    asked = set(map(term, words))
    best, most = None, 0
    for context in list(candidate.inlink_contexts)[:_MAX_CONTEXTS]:
        number = len(asked.intersection(map(term, (*context.left, *context.right))))
        if number > most:
            best, most = context, number
    if best is None:
        return ()
    who = "you" if best.citing_paper.lower().endswith(ALL_DRAFT_SUFFIXES) else "others"
    return (f"{who} cite it so: “{_quoted(best)}”",)


def _quoted(context: InlinkContext) -> str:
    text = " ".join(context.citance.split()) or " ".join((*context.left, *context.right))
    return shorten(text, _MAX_QUOTE, placeholder=" …")


class _Stated:
    """The reasons for entries at one place, in words."""

    def __init__(
        self,
        evidence: Evidence,
        place: Place,
        found: Features,
        work_at: Callable[[int], Candidate],
    ) -> None:
        self._evidence, self._place, self._found, self._work_at = evidence, place, found, work_at
        words, at = place.text.words(place.offset)
        self._before, self._behind = words[max(0, at - 30) : at], words[at : at + 8]
        self._names = self._named()
        around = place.text.around(place.offset)
        written = around.left[len(around.left) - around.sentence_left :]
        self._sentence = frozenset(evidence.ids.counted(written))

    def stated(self, kind: str, slot: int, matched: Sequence[str]) -> list[str]:
        """Return the reasons of a kind in words; none if there is no such evidence."""
        position = int(self._found.positions[slot])
        if kind == "shares":
            return self._shares(slot, position, matched)
        if kind == "named":
            named = (word for word, entries in self._names if position in entries)
            return [f"you name {self._whole(word, position)}" for word in named][:1]
        if kind == "year":
            year = self._evidence.fields.years[position]
            return [f"you name {year}"] if self._value(slot, "name.year") < FAR else []
        if kind == "meaning":
            is_near = self._value(slot, "meaning.cos") >= NEAR_IN_MEANING
            is_nearest = self._value(slot, "meaning.rank") < np.log1p(_NEAREST)
            return ["similar in meaning"] if is_near and is_nearest else []
        citations = self._place.citations
        if kind == "cited":
            return _cited(self._place, citations, position)
        if kind == "cocited":
            return self._with(citations, position)
        alike = max(self._value(slot, "own.sentence.best"), self._value(slot, "own.both.best"))
        return self._similar(citations, position) if alike >= _ALIKE else []

    def _value(self, slot: int, name: str) -> float:
        return float(self._found.values[slot, self._found.columns[name]])

    def _named(self) -> list[tuple[str, frozenset[int]]]:
        """Return the words near the place that name entries, nearest first, and these entries.

        A function word at the beginning of a sentence names nobody, nor does a Roman numeral,
        although a key or an acronym may have it.
        """
        near, evidence = dict.fromkeys((*reversed(self._before), *self._behind)), self._evidence
        naming = (word for word in near if evidence.ids[word] >= 0 and not _ROMAN.fullmatch(word))
        return [(word, named) for word in naming if (named := evidence.named_by(word))]

    def _whole(self, word: str, position: int) -> str:
        """Return the name of an author that a word is part of, if all of it is written here."""
        written = " ".join((*self._before, *self._behind))
        names = (name for name in self._work_at(position).names if word in name.split())
        return next((name for name in names if name in written), word)

    def _shares(self, slot: int, position: int, matched: Sequence[str]) -> list[str]:
        ids = self._evidence.ids
        # Words of the sentence itself explain more than those of the sentences before it.
        words = [word for word in matched if ids[word] in self._sentence] or matched
        stated = list(shared(words))
        if self._found.outside[slot] > self._found.inside[slot]:
            stated[:0] = cited_so(self._work_at(position), matched, ids.__getitem__)
        return stated

    def _with(self, citations: DraftCitations, position: int) -> list[str]:
        """Return which of the works just cited is cited with an entry, here or by others."""
        citing = self._evidence.fields.citing
        end = int(citations.pair_start[citations.before(self._place.offset)])
        entries = citations.pair_entry[:end]
        paragraphs = citations.paragraphs[citations.pair_citation[:end]]
        own = paragraphs[entries == position]
        for recent in self._found.recent.tolist():
            if recent == position:
                continue
            together = np.isin(own, paragraphs[entries == recent]).any()
            if together or np.isin(citing[recent], citing[position]).any():
                work = self._work_at(recent)
                return [f"cited with {work.author_year or work.title or work.key}"]
        return []

    def _similar(self, citations: DraftCitations, position: int) -> list[str]:
        """Return under which heading the draft cites an entry in a similar sentence."""
        pairs = citations.pair_entry == position
        own = citations.pair_citation[
            pairs & (citations.starts[citations.pair_citation] < self._place.offset)
        ]
        if not len(own):
            return []
        best = max(
            own.tolist(),
            key=lambda c: len(self._sentence.intersection(citations.terms[c].tolist())),
        )
        heading = shorten(
            self._place.text.heading(int(citations.starts[best])), _MAX_HEADING, placeholder=" …"
        )
        return ["cited in a similar sentence" + (f" (in “{heading}”)" if heading else "")]


def _cited(place: Place, citations: DraftCitations, position: int) -> list[str]:
    """Return where the draft cites an entry before the place."""
    offset, text = place.offset, place.text
    end = citations.pair_start[citations.before(offset)]
    own = citations.pair_citation[:end][citations.pair_entry[:end] == position]
    if not len(own):
        return []
    is_near = offset - citations.starts[own] < _NEARBY
    if (is_near & (citations.sections[own] == text.section(offset))).any():
        return ["cited nearby"]
    return ["cited before" if len(own) == 1 else f"cited {len(own)} times before"]
