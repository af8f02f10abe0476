"""Citations whose paper says little of what the citance says.

An opinion, and off by default: it rests on the words only, and a paper may be cited for its data,
its idea, or as one of several.
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
    """Return whether there is enough to compare: the full text, and a sentence that says something.

    From a title or an abstract nothing can be said of what the paper does not say.
    """
    enough = len(terms(words(context.citance))) >= FEWEST_TERMS
    return enough and candidate.paper.basis == "full text" and bool(candidate.paper.sentences)


def is_weak(supporting: Sequence[SupportingSentence]) -> bool:
    """Return whether none of these sentences, as a recommender returns them, is support.

    One that is weak is more probable than not.
    """
    return not any(sentence.strength for sentence in supporting)
