"""Search services for works by words, which the author has seen and agreed to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from functools import partial
from typing import Final

from ..enrichment.service import Service, ServiceError
from ..enrichment.sources import Wanted
from ..model.papers import BibEntry
from ..text.tokens import words
from .found import entry_of, merged
from .neighbours import FOUND_BY

#: Words with fewer letters rarely name a subject.
_MIN_LETTERS: Final = 4
_MAX_WORDS: Final = 8


def rare_words(sentence: str, draft: str, ignored: Collection[str]) -> str:
    """Return the rarest words of a sentence, by their frequency in the draft, in their order.

    They are proposed for a search: never the sentence as it stands, of which one word at least is
    left out.
    """
    counts = Counter(word.lower() for word in words(draft))
    own = words(sentence)
    telling = [
        word
        for word in dict.fromkeys(own)
        if len(word) >= _MIN_LETTERS and word.isalpha() and word.lower() not in ignored
    ]
    most = min(_MAX_WORDS, max(1, len(own) - 1))
    rarest = sorted(telling, key=lambda word: counts[word.lower()])[:most]
    return " ".join(word for word in telling if word in rarest)


def search(asked: str, services: Sequence[Service], failures: dict[str, str]) -> list[BibEntry]:
    """Return the works that services find by words, each once, with who found it.

    Why a service gave no answer is in `failures`, by its name.
    """
    lists = []
    for service in services:
        source = service.source
        is_answer = partial(source.is_answer, Wanted("", asked))
        try:
            works = source.search(asked, partial(service.ask, is_answer=is_answer))
        except ServiceError as error:
            failures[source.name] = str(error)
            continue
        named = (each._replace(id=f"{source.name}:{each.id}") for each in works)
        lists.append([entry_of(each, **{FOUND_BY: source.name}) for each in named])
    return merged(lists)
