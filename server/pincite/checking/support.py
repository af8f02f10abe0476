"""Find citations whose paper hardly supports the citance.

A heuristic, off by default: it sees only words, and a paper may be cited for its data, its idea, or
as one of several.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..model.contexts import CitationContext
from ..model.papers import Candidate
from ..model.results import SupportingSentence
from ..text.tokens import terms, words

#: No citance there has fewer terms.
FEWEST_TERMS = 6


def can_be_judged(context: CitationContext, candidate: Candidate) -> bool:
    """Return whether there is enough to compare: a full text, and a citance with enough terms.

    A title or an abstract cannot show that the paper lacks something.
    """
    enough = len(terms(words(context.citance))) >= FEWEST_TERMS
    return enough and candidate.paper.basis == "full text" and bool(candidate.paper.sentences)


def is_weak(supporting: Sequence[SupportingSentence]) -> bool:
    """Return whether none of these sentences, as a recommender returns them, is support.

    A sentence of strength "weak" counts as support: its probability is at least one half.
    """
    return not any(sentence.strength for sentence in supporting)
