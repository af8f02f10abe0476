"""Whether the words and the people of an entry are those of a record.

Names are abbreviated, transliterated and written in another order, titles cut and spelt in other
ways: only what cannot be explained by that makes a difference.
"""

from __future__ import annotations

import re
from typing import Final

from rapidfuzz import fuzz

from ..enrichment.known_works import Record
from ..enrichment.verification import replaced_words
from ..library.same_work.titles import OTHER_TITLE, TITLE_SCORE, Title, same_name, words_of
from ..model.papers import NO_BREAK_SPACE, OTHERS, BibEntry

#: What publishers put before the title of a work that they retract.
IN_TITLE: Final = re.compile(
    r"\W*(retracted|withdrawn|removed)\b\W*(?:article|chapter|paper)?\W*", re.IGNORECASE
)
#: Titles in which more than one word was replaced by another are two titles.
MAX_REPLACED: Final = 1
#: A name with fewer letters is found in others by chance.
MIN_NAME: Final = 3
_MIN_WORDS_SHARED: Final = 2


def same_words(title: str, other: str) -> bool:
    """Return whether two titles have the same words, but for one of them, or a subtitle."""
    one, two = Title.of(IN_TITLE.sub("", title, 1)), Title.of(IN_TITLE.sub("", other, 1))
    if not one.letters or not two.letters:
        return False
    own, theirs = replaced_words(one, two)
    if one.letters in two.letters or two.letters in one.letters:
        return True
    if min(len(own), len(theirs)) > MAX_REPLACED:
        return False
    score = fuzz.ratio(one.letters, two.letters)
    return (
        one.likeness(two) is not None
        or score >= TITLE_SCORE
        or (score >= OTHER_TITLE and max(len(own), len(theirs)) <= 2 * MAX_REPLACED)
    )


def contradict(entry: BibEntry, record: Record) -> bool:
    """Return whether the people of an entry are certainly not those of a record: none is."""
    own, theirs = people_of(entry), people_of(record.work)
    if not own or not theirs:
        return False
    if len({"".join(word for each in people for word in each[1]).isascii()
            for people in (own, theirs)}) > 1:  # fmt: skip
        return False
    return not any(same_person(one, two) for one in own for two in theirs)


Person = tuple[str, frozenset[str]]


def people_of(entry: BibEntry, *fields: str) -> list[Person]:
    """Return the people of an entry, by surname and all words; none if one is an institution."""
    written = map(entry.fields.get, fields or ("author", "editor"))
    names = " and ".join(filter(None, written)).split(" and ")
    people = []
    for name in names:
        words = frozenset(words_of(OTHERS.sub("", name.strip())))
        if not words:
            continue
        is_in_braces = NO_BREAK_SPACE in name and "," not in name
        if is_in_braces or (len(words) == 1 and len(names) < 3):
            return []
        surname = " ".join(words_of(BibEntry("", "", {"author": name}, entry.path).surnames[0]))
        people.append((surname, words))
    return people


def same_person(one: Person, two: Person) -> bool:
    """Return whether two people may be the same, however their names are written."""
    if one[0] and two[0] and same_name(one[0], two[0]):
        return True
    # Written in another order, or without a comma between the parts.
    crossed = one[0] in two[1] or two[0] in one[1]
    initials = [{word[0] for word in each[1]} for each in (one, two)]
    if crossed and min(len(one[0]), len(two[0])) >= MIN_NAME and initials[0] == initials[1]:
        return True
    shared = {word for word in one[1] & two[1] if len(word) >= MIN_NAME}
    return len(shared) >= _MIN_WORDS_SHARED
