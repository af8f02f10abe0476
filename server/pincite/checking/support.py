"""Find citations whose paper hardly supports the citance.

A heuristic, off by default: it sees only words, and a paper may be cited for its data, its idea, or
as one of several.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol
from weakref import WeakKeyDictionary

from ..cancellation import check
from ..model.contexts import CitationContext
from ..model.drafts import CitationKey, Draft, DraftFile
from ..model.papers import BibEntry, Candidate, Candidates
from ..model.results import SupportingSentence
from ..text.tokens import terms, words
from .findings import Finding

#: No citance there has fewer terms.
MIN_TERMS = 6


class FindsSupport(Protocol):
    """What finds supporting sentences: a `pincite.recommend.Recommender`."""

    @property
    def candidates(self) -> Candidates:
        """The works that may be cited."""

    def context(self, draft: Draft, file: DraftFile, offset: int) -> CitationContext:
        """Return the citation context of a place in a file of a draft."""

    def supporting(
        self, context: CitationContext, key: str, number: int | None = None
    ) -> list[SupportingSentence]:
        """Return at most `number` sentences of a candidate that support a citation."""


#: Whether a citance is weakly supported by the paper with a key, as far as it was judged.
_JUDGED: WeakKeyDictionary[FindsSupport, dict[tuple[str, str], bool]] = WeakKeyDictionary()


def can_be_judged(context: CitationContext, candidate: Candidate) -> bool:
    """Return whether there is enough to compare: a full text, and a citance with enough terms.

    A title or an abstract cannot show that the paper lacks something.
    """
    enough = len(terms(words(context.citance))) >= MIN_TERMS
    return enough and candidate.paper.basis == "full text" and bool(candidate.paper.sentences)


def is_weak(supporting: Sequence[SupportingSentence]) -> bool:
    """Return whether none of these sentences, as a recommender returns them, is support.

    A sentence of strength "weak" counts as support: its probability is at least one half.
    """
    return not any(sentence.strength for sentence in supporting)


def judged(
    draft: Draft, file: DraftFile, find: Callable[[str], BibEntry | None], recommender: FindsSupport
) -> Iterator[tuple[CitationKey, CitationContext, Candidate]]:
    """Yield the citations of a file whose support can be judged; `find` finds entries by key."""
    for citation in file.citations:
        check()
        if citation.listed_only:
            continue
        context = recommender.context(draft, file, citation.span.start)
        for key in citation.keys:
            entry = find(key.key)
            candidate = recommender.candidates.get(entry.key) if entry else None
            if candidate is not None and can_be_judged(context, candidate):
                yield key, context, candidate


def judge(recommender: FindsSupport, context: CitationContext, candidate: Candidate) -> bool:
    """Return whether a citation is weakly supported; the judgement is cached."""
    known = _JUDGED.setdefault(recommender, {})
    asked = (context.citance, candidate.key)
    if asked not in known:
        known[asked] = is_weak(recommender.supporting(context, candidate.key, 1))
    return known[asked]


def judgement(
    recommender: FindsSupport, context: CitationContext, candidate: Candidate
) -> bool | None:
    """Return at once whether a citation is weakly supported; None if it was not judged yet."""
    return _JUDGED.get(recommender, {}).get((context.citance, candidate.key))


def weak_support(key: CitationKey, candidate: Candidate) -> Finding:
    """Return the finding for a key of a citation that is weakly supported."""
    message = f"Nothing in {name_of(candidate)} seems to support this sentence."
    return Finding("weak-support", key.span, message, key.span, key.key)


def name_of(candidate: Candidate) -> str:
    """Return what messages call a work: its authors and year, or its key without authors."""
    entry = candidate.entry
    return entry.author_year if entry is not None and entry.surnames else candidate.key
