"""Citation markers in a paper's sentences → the references that they cite.

Only the letters of names are compared, as sources lose and add spaces, hyphens and accents. A wrong
reference is worse than none: a marker that fits several references equally well has none.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, chain
from typing import NamedTuple

import regex
from rapidfuzz.distance import Levenshtein

from ...model.papers import Marker, Reference, Sentence
from ...text.characters import folded
from ...text.markers import CitedWork, cited_works, numbers, years

#: Characters before a year that are searched for its names.
_REACH = 160
#: How far its author may be before a bare year: "the parser of Smith … (2001)".
_FAR = 90
#: Letters of given names that may precede a surname.
_WITHIN = 25
#: First characters of a reference, which have no title.
_FRONT = 60
_MAX_NAMES = 12
#: Lengths of names from which on one typing error, and two, are tolerated.
_ONE_ERROR, _TWO_ERRORS = 7, 14

_OTHERS_AT_END = regex.compile(
    r"(?:et\s{0,3}\.?\s{0,3}al|(?:\band|&)\s{0,3}(?:(?:his|her|their)\s{1,3})?"
    r"(?:others|colleagues|co-?workers))\W{0,8}\Z"
)
_POSSESSIVE_AT_END = regex.compile(r"['’]s?\W{0,4}\Z")
#: The last character before the names: another year or bracket.
_NOT_IN_NAMES = regex.compile(r"(?r)[\d()\[\];:]")
#: Words among the names that are not part of a surname.
_NOT_A_NAME = regex.compile(r"\b(?:and|und|y|with|[JS]r|IV)\b|(?:\b|(?<=\p{Ll}))I{2,3}\b")
#: The name that an "and" joins to the following one.
_TIED_NAME = regex.compile(
    r"([\p{L}\p{M}'’-]{2,40})\s{0,3},?\s{0,3}(?:\b(?:and|und|y)|&)\s{1,3}(?:\p{Lu}\.[\s-]{0,3}){0,4}\Z"
)
_INITIALS = regex.compile(r"\A(?:\p{Lu}\.[\s-]{0,3}){1,4}")
_WORD = regex.compile(r"[\p{L}\p{M}'’-]+")
_NAME_BEFORE = regex.compile(r"(?<![\p{L}\p{M}'’-])(\p{Lu}[\p{L}\p{M}'’-]{1,40})\s\Z")
#: A letter that begins a word, or a capital after a small letter.
_STARTS_WORD = regex.compile(r"(?<!\p{L})|(?<=\p{Ll})(?=\p{Lu})")
_BRACKET = regex.compile(r"[()\[\]]")
_MONTHS = frozenset(
    "january february march april may june july august september october november december".split()
)
_ACRONYM_AT_END = regex.compile(r"\p{Lu}[\s-]{0,2}\Z|-\Z")
_BETWEEN_YEARS = regex.compile(r"[\s,;&/–-]*(?:and\s)?\s*")
_UNDATED = regex.compile(r"appear|press|forthcoming|submitted|prep", regex.IGNORECASE)

_RANGE = r"(?P<part>[1-9]\d{0,2}(?:\s?[–-]\s?[1-9]\d{0,2})?)"
_IN_PARENTHESES = regex.compile(
    r"(?<!(?:[Ee]quations?|[Ee]qs?\.?|[Ff]ormulas?|[Ee]xamples?|[Ss]entences?|[Rr]ules?)\s)"
    rf"\(\s?{_RANGE}(?:\s?[,;]\s?{_RANGE}){{0,20}}\s?\)"
)
_RAISED = r"(?P<part>[⁰¹²³⁴-⁹]{1,3}(?:[⁻–‐-][⁰¹²³⁴-⁹]{1,3})?)"
#: After a word or punctuation; an exponent comes after a symbol or a unit.
_SUPERSCRIPTS = regex.compile(
    rf"(?<=[\p{{L}}\p{{M}}]{{3}}|[.,;:!?)\]”’]){_RAISED}(?:[,;]\s?{_RAISED}){{0,20}}"
)
_LOWERED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_IN_SQUARE_BRACKETS = regex.compile(
    r"\[(?P<part>[^\[\],;]{2,60})(?:[,;](?P<part>[^\[\],;]{2,60})){0,20}\]"
)


class _Place(NamedTuple):
    start: int
    end: int
    cited: tuple[int, ...] = ()


def find_markers(
    sentences: Sequence[Sentence], references: Sequence[Reference]
) -> tuple[Marker, ...]:
    """Return the citation markers of `sentences`, in reading order, without overlaps.

    Each work that a marker names is one `Marker`; together they cover its brackets too.
    """
    starts = [0, *accumulate(len(sentence.text) + 1 for sentence in sentences)]
    text = " ".join(sentence.text for sentence in sentences)
    # Of two that overlap, the resolved one counts, else the first.
    apart: list[_Place] = []
    for place in sorted(_places(text, references), key=lambda place: (place.start, -place.end)):
        if apart and place.start < apart[-1].end:
            if apart[-1].cited or not place.cited:
                continue
            apart.pop()
        apart.append(place)
    markers: list[Marker] = []
    for start, end, cited in apart:
        number = bisect_right(starts, start) - 1
        while start < end:
            first, last = starts[number], min(end, starts[number + 1] - 1)
            if text[start:last].strip():
                markers.append(Marker(number, start - first, last - first, cited))
                cited = ()
            number += 1
            start = starts[number]
    return tuple(markers)


def _places(text: str, references: Sequence[Reference]) -> Iterator[_Place]:
    """Yield every place that may cite, in no order; places may overlap."""
    works = cited_works(text)
    yield from _named_places(text, [work for work in works if not work.labels], references)
    by_label: dict[str, int] = {}
    for index, reference in enumerate(references):
        if label := _label(reference.label):
            by_label.setdefault(label, index)

    def cited(labels: Iterable[str]) -> tuple[int, ...]:
        return tuple(by_label[label] for label in map(_label, labels) if label in by_label)

    def lists(
        pattern: regex.Pattern[str], labels_in: Callable[[str], Iterable[str]]
    ) -> Iterator[list[_Place]]:
        """Yield the parts of each list of labels; `labels_in` returns those written in a part."""
        for match in pattern.finditer(text):
            bounds = [match.start(), *match.starts("part")[1:], match.end()]
            parts = (cited(labels_in(part)) for part in match.captures("part"))
            yield [*map(_Place, bounds, bounds[1:], parts)]

    bracketed = [_Place(work.start, work.end, cited(work.labels)) for work in works if work.labels]
    yield from bracketed
    if not all(map(str.isdigit, by_label)):
        for places in lists(_IN_SQUARE_BRACKETS, lambda key: [key]):
            if any(place.cited for place in places):
                yield from places
    if any(map(str.isdigit, by_label)) and not any(place.cited for place in bracketed):
        raised = lists(_SUPERSCRIPTS, lambda part: numbers(part.translate(_LOWERED)))
        yield from chain.from_iterable(raised)
        parenthesised = [*chain.from_iterable(lists(_IN_PARENTHESES, numbers))]
        # Examples and equations have such numbers too, but citations cover most of the list.
        if 2 * len({each for place in parenthesised for each in place.cited}) > len(by_label):
            yield from parenthesised


def _label(written: str) -> str:
    """Return a label in the form that is compared: letters, digits and signs in lower case."""
    return "".join(written.casefold().split()).strip("[]().")


def _named_places(
    text: str, works: Sequence[CitedWork], listed: Sequence[Reference]
) -> Iterator[_Place]:
    """Yield the works named by author and year, and other years that exactly one reference fits."""
    references = _NamedReferences(listed)
    for work in works:
        index, at = references.find(text, work)
        start = work.start
        # A later year of the same authors does not start with their names.
        if index is not None and work.names and start < work.names_end:
            at = references.first_of_names(text, at, index)
            # A word before it may look like a name ("System Smith (2001)"), or a name not ("van").
            start = at if text[start] not in "([" else min(start, at)
        yield _Place(start, work.end, () if index is None else (index,))
    position = 0
    last = (0, 0)  # where the names and the year of the work before this one end
    for start, end, year in years(text):
        while position < len(works) and works[position].end <= start:
            last = (works[position].names_end, works[position].end)
            position += 1
        if position < len(works) and works[position].start <= start:
            continue
        follows = bool(last[0]) and bool(_BETWEEN_YEARS.fullmatch(text, last[1], start))
        names_end = last[0] if follows else start
        index, at = references.named_before(text, names_end, year)
        # "CoNLL 2003", "ACE-2004" are names of events and data.
        if index is not None and (follows or not _ACRONYM_AT_END.search(text[at:start])):
            last = (names_end, end)
            yield _Place(start if follows else at, end, (index,))


class _NamedReferences:
    """A reference list, indexed by the names and years by which a text cites it."""

    def __init__(self, references: Sequence[Reference]) -> None:
        self.references = references
        self.surnames: list[list[str]] = []
        #: Names in the text → what they name: reference, number of authors, whether in full.
        self.namings: dict[str, list[tuple[int, int, bool]]] = defaultdict(list)
        self.of_year: dict[str, list[int]] = defaultdict(list)
        for index, reference in enumerate(references):
            named = [surname for surname in reference.surnames if _surname(surname)]
            whole = [*map(_surname, named)]
            self.surnames.append(whole)
            self.of_year[reference.year[:4]].append(index)
            # Surnames may also be named by their last word alone, without particles.
            last = [_surname(name.split()[-1]) or _surname(name) for name in named]
            for count in range(1, min(len(whole), _MAX_NAMES) + 1):
                # The space after the "and" may be lost.
                tied = "".join(whole[: count - 1]) + "and" + whole[count - 1]
                written = {"".join(last[:count]): False, "".join(whole[:count]): True}
                for letters, is_whole in (written | ({tied: True} if count > 1 else {})).items():
                    self.namings[letters].append((index, count, is_whole))
        self.known = {name for surnames in self.surnames for name in surnames}
        self.longest = max(map(len, self.namings), default=0)

    def find(self, text: str, work: CitedWork) -> tuple[int | None, int]:
        """Return the reference of a work, or None, and where its names start."""
        index, start = self.named_before(text, work.names_end, work.year)
        if index is not None or start != work.names_end:  # not where several fit
            return index, start
        of_year = self.of_year.get(work.year[:4], ())
        found = [each for each in of_year if self._agreement(work.year, each) > 1]
        # The names differ by a typing error, or were not parsed from the text that has them.
        names = [_letters(_INITIALS.sub("", name)) for name in work.names]
        if not names:
            found = self._far(text, work, found)
        elif all(names):
            like = [each for each in found if self._is_like(each, names, work)]
            found = like or [each for each in found if self._begins_with(each, names, work)]
        else:
            found = []
        return found[0] if len(found) == 1 else None, work.start

    def named_before(self, text: str, end: int, year: str) -> tuple[int | None, int]:
        """Return the reference of a year whose names end at `end`, and where they start."""
        offset = max(0, end - _REACH)
        left = _POSSESSIVE_AT_END.sub("", text[offset:end].rstrip("([,:. "))
        if stop := _NOT_IN_NAMES.search(left):
            left = left[stop.end() :]
            offset += stop.end()
        others = _OTHERS_AT_END.search(left)
        left = left[: others.start()] if others else left
        letters, places = _spelt(_NOT_A_NAME.sub(lambda match: " " * len(match[0]), left))
        fits: list[tuple[tuple[int, ...], int, int]] = []
        for position in range(max(0, len(letters) - self.longest), len(letters)):
            written = letters[position:]
            namings = () if written in _MONTHS else self.namings.get(written, ())
            start = offset + places[position]
            if not namings or not _STARTS_WORD.match(text, start) or self._is_tied(text, start):
                continue
            for index, names, is_whole in namings:
                agreement = self._agreement(year, index)
                count = len(self.surnames[index])
                if not others:
                    completeness = 4 if names == count else 1
                else:
                    # "et al." for one other author is a slip; for none, the list was not read to
                    # its end.
                    completeness = min(max(count - names, 0), 2) + 2
                unmistakable = names == count > 1 and not others and len(namings) == 1
                if agreement >= (3 if completeness == 1 else 0 if unmistakable else 1):
                    fit = (agreement > 1, len(written), agreement == 4)
                    fits.append(((*fit, completeness, agreement, is_whole), index, start))
        if not fits:
            return None, end
        best, index, start = max(fits)
        is_unique = all(other == index for fit, other, _ in fits if fit == best)
        return (index if is_unique else None), start

    def first_of_names(self, text: str, start: int, index: int) -> int:
        """Return where the names of a reference start, including preceding given names."""
        reference = self.references[index]
        words = chain(*map(_WORD.findall, (*reference.surnames, reference.text[:_FRONT])))
        listed = set(map(_letters, words))
        while (before := _NAME_BEFORE.search(text, max(0, start - 40), start)) and _letters(
            before[1]
        ) in listed:
            start = before.start()
        return start

    def _is_tied(self, text: str, start: int) -> bool:
        """Return whether a known author precedes the names: "Smith and | Jones"."""
        tied = _TIED_NAME.search(text, max(0, start - 60), start)
        return tied is not None and tied[1][0].isupper() and _letters(tied[1]) in self.known

    def _agreement(self, year: str, index: int) -> int:
        """Return how well the years agree, from 4 (also the letter) to 0 (neighbours) and -1."""
        reference = self.references[index]
        listed, letter = reference.year[:4], reference.year[4:]
        if not year[:1].isdigit():
            return 3 if not listed.isdigit() or _UNDATED.search(reference.text) else 1
        if not listed.isdigit():
            return 1
        if year[:4] != listed:
            return 0 if abs(int(year[:4]) - int(listed)) == 1 else -1
        if year[4:] == letter:
            return 4 if letter else 3
        return -1 if year[4:] and letter else 2

    def _is_like(self, index: int, names: list[str], work: CitedWork) -> bool:
        """Return whether names are those of a reference except for typing errors."""
        surnames = self.surnames[index]
        count = len(surnames)
        if count < len(names) or (count > len(names) and not work.others):
            return False
        if names[0] in self.known and names[0] != surnames[0]:
            return False
        written, listed = "".join(names), "".join(surnames[: len(names)])
        errors = (len(written) >= _ONE_ERROR) + (len(written) >= _TWO_ERRORS)
        return Levenshtein.distance(written, listed, score_cutoff=errors) <= errors

    def _begins_with(self, index: int, names: list[str], work: CitedWork) -> bool:
        """Return whether the text of a reference begins with names that its surnames lack."""
        count = len(self.surnames[index])
        text = _letters(self.references[index].text[:_REACH])
        if len(names) == 1 and not work.others:
            return not count and text.startswith(names[0])
        place = 0
        for number, name in enumerate(names):
            start = text.find(name, place, place + _WITHIN + len(name))
            if start < 0 or len(name) < (3 if number or len(names) > 1 else 5):
                return False
            place = start + len(name)
        return count <= len(names)

    def _far(self, text: str, work: CitedWork, same_year: Sequence[int]) -> list[int]:
        """Return the references of the year whose first author is named shortly before."""
        # A name before another bracket has its own year there.
        before = _BRACKET.split(text[max(0, work.start - _FAR) : work.start])[-1]
        words = (word for word in _WORD.findall(before) if word[0].isupper())
        named = {_surname(_POSSESSIVE_AT_END.sub("", word)) for word in words} - _MONTHS
        return [each for each in same_year if not named.isdisjoint(self.surnames[each][:1])]


def _surname(written: str) -> str:
    """Return the letters of a surname without "III" or "Jr." after it."""
    return _letters(_NOT_A_NAME.sub("", written))


def _letters(text: str) -> str:
    return _spelt(text)[0]


def _spelt(text: str) -> tuple[str, list[int]]:
    """Return the letters of `text` in lower case, without accents, and the offset of each."""
    spelt = [(sign, at) for at, each in enumerate(text) for sign in folded(each) if sign.isalpha()]
    return "".join(sign for sign, _ in spelt), [at for _, at in spelt]
