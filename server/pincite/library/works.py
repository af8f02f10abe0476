"""Which entry of a bibliography is this work: a reference of another paper, or a file.

DOI and arXiv identifier decide where both sides have them; else titles are compared, and authors
and years have to agree with them. A wrong match is worse than none, so what a reference or a file
says against an entry rules it out.

Candidates are the entries most of whose title, its words weighted by their rarity, occurs in what
is known of the work; only these are compared letter by letter.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import Final, Literal, NamedTuple
from urllib.parse import unquote

import numpy as np
from rapidfuzz import fuzz

from ..model.papers import BibEntry, Reference, ReferencePaper
from ..text.folding import folded

#: How alike two titles have to be, in per cent of their letters (`rapidfuzz.fuzz.ratio`). Every
#: word needs its like in the other title too, so this is not delicate: on 970 references and 104
#: PDFs against 48,949 entries (benchmarks/title_matching.py) all values from 70 to 96 give no wrong
#: match, with the right entries or without; 98 costs 5 % of titles broken by hyphens.
TITLE_SCORE: Final = 90.0
#: The same where authors are unknown, years apart, or the title has few words.
SURE_TITLE_SCORE: Final = 97.0
#: The same for a title within a longer text (`rapidfuzz.fuzz.partial_ratio`); same measurement.
PASSAGE_SCORE: Final = 92.0

# A title of fewer words says little: "Introduction", "Machine translation".
_TELLING_WORDS: Final = 4
# So many letters of a title that is cut, or has something glued to it, are enough to know it.
_TELLING_LETTERS: Final = 20
# How much of a title's words, weighted by their rarity, has to occur.
_COVERAGE: Final = 0.6
# A paper's own title begins within so many letters of its first page.
_TITLE_WITHIN: Final = 400
# A short one is mentioned in other titles and in abstracts: it has to be the very first words.
_SHORT_TITLE_WITHIN: Final = 1
_ANYWHERE: Final = 1_000_000
# No reference, title, first page or name says more in what follows so many characters.
_LONGEST: Final = 2_000
# So many characters of a reference are searched for its authors, and behind a title for one.
_AUTHORS_WITHIN: Final = 120
_AUTHOR_WITHIN: Final = 60
# A text has to have so many letters before what it lacks speaks against an entry.
_TELLING_TEXT: Final = 150
# Two spellings of one word, and of one surname, are at least so alike, in per cent.
_WORD_SCORE: Final = 80.0
_NAME_SCORE: Final = 85.0
# Titles less alike than this are two titles, whatever else agrees.
_OTHER_TITLE: Final = 70.0
# A name made of fewer letters occurs in longer words by chance.
_TELLING_NAME: Final = 5
# A file name that is the last part of a DOI, such as "s10579-005-2694-2".
_TELLING_SUFFIX: Final = 7

_WORD: Final = re.compile(r"[^\W_]+")
# Müller is also written Mueller.
_UMLAUT: Final = re.compile(r"(?<=[aou])e")
_NUMBERS: Final = re.compile(r"\d+")
_NUMBER: Final = re.compile(r"\d+|[ivx]{1,4}\Z")
_SUBTITLE: Final = re.compile(r"[:?!]\s|\s[–—-]{1,3}\s|\.\s")
_YEAR: Final = re.compile(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)")
# What may follow a title in a reference without punctuation before it.
_VENUE: Final = re.compile(r"\s+(?:in|proc\w*|journal|trans\w*|arxiv|corr)\b", re.IGNORECASE)
# What stands before the title of a whole volume, when a part of it is cited.
_VOLUME: Final = re.compile(r"\b(?:in|eds?|editors?)\b[\s.,:()]*\Z", re.IGNORECASE)
_WITHIN_WORD: Final = frozenset(("", "-", "'", "’", "‐", "\u00ad"))

_NOT_IN_FILE_NAMES: Final = re.compile(r'[/\\:*?"<>|\s]')
_FILE_DOI: Final = re.compile(r"10\.\d{4,9}[^\w.]?\S+")
_FILE_ARXIV: Final = re.compile(r"(?<![\d.])(\d\d(?:0[1-9]|1[0-2])\.\d{4,5})(?:v\d{1,2})?(?![\d.])")
_FILE_OLD_ARXIV: Final = re.compile(
    r"([a-z]+(?:-[a-z]+)?)(?:\.[a-z]{2})?[_./-]?(\d{7})(?:v\d{1,2})?"
)
# "Och and Ney - 2003 - A Systematic Comparison of...", and "och_2003_systematic".
_FILE_PARTS: Final = re.compile(r"(.{2,80}?) - ((?:1[89]|20)\d\d) - (.{3,})")
_FILE_NAMES: Final = re.compile(r",|&|\band\b|\bet al\b\.?")
_FILE_KEY: Final = re.compile(r"([^\W\d_]{2,40}?)[-_.]?((?:1[89]|20)\d\d)[-_.]?([^\W\d_]{4,40})")

MatchedBy = Literal["key", "doi", "arxiv", "title"]


@dataclass(frozen=True, slots=True)
class Match:
    """The entry that a file is the text of, and what told so."""

    key: str
    by: MatchedBy


def as_reference(entry: BibEntry) -> Reference:
    """Return an entry in the form that `Works.find` takes."""
    return Reference(entry.title, entry.surnames, entry.year, entry.doi, entry.arxiv, entry.key)


class Works:
    """The works of a bibliography, found by what others say of them.

    Nothing is computed before the first question; of 49,000 entries it then takes about a second.
    """

    def __init__(self, entries: Iterable[BibEntry]) -> None:
        self._entries = tuple(entries)

    @property
    def entries(self) -> tuple[BibEntry, ...]:
        """The entries of the bibliography."""
        return self._entries

    def entry(self, key: str) -> BibEntry:
        """Return the entry of a key; raise `KeyError` where there is none."""
        return self._entries[self._by_key[key]]

    def find(self, reference: Reference, key: str = "") -> str | None:
        """Return the key of the entry that a reference means, or None where that is not sure.

        `key` is what another bibliography calls the work.
        """
        sought = _Sought.by_reference(reference, key)
        for index in (*self._with_doi(reference.doi), *self._with_arxiv(reference.arxiv)):
            if not self._contradicts(index, sought):
                return self._entries[index].key
        found = self._by_title(sought)
        if found is None and key:
            found = self._by_same_key(sought)
        if found is None:
            found = self._by_place(sought)
        return None if found is None else self._entries[found].key

    def find_paper(self, paper: ReferencePaper, stem: str) -> Match | None:
        """Return the entry that a file is the text of, or None where that is not sure.

        `stem` is the name of the file without its suffix; `paper` is what was read from it, each
        part of which may be missing or wrong.
        """
        stem = unicodedata.normalize("NFC", unquote(stem[:_LONGEST])).lower()
        if (index := self._by_file_name.get(stem)) is not None:
            return Match(self._entries[index].key, "key")
        sought = _Sought.by_paper(paper)
        for by, index in self._identified(paper, stem):
            if not self._contradicts(index, sought):
                return Match(self._entries[index].key, by)
        found = self._by_title(sought)
        if found is None:
            found = self._named_by_file(sought, stem)
        return None if found is None else Match(self._entries[found].key, "title")

    # What is known of the entries. Of several that share a name, the one with the least key counts.

    @cached_property
    def _described(self) -> tuple[_Described, ...]:
        """What is compared of each entry; to read an entry costs much, whatever one looks at."""
        return tuple(map(_Described.of, self._entries))

    @cached_property
    def _titles(self) -> _Titles:
        return _Titles(Title.of(each.title) for each in self._described)

    @cached_property
    def _by_key(self) -> dict[str, int]:
        return {entry.key: index for index, entry in enumerate(self._entries)}

    @cached_property
    def _by_file_name(self) -> dict[str, int]:
        """Keys as file names can have them: "DBLP:conf/acl/Och03" may be "DBLP_conf_acl_Och03"."""
        names: dict[str, int] = {}
        for stand_in in (None, "_", "-", ""):
            for index in self._ordered:
                entry = self._entries[index]
                for key in (entry.key, *entry.aliases):
                    name = key if stand_in is None else _NOT_IN_FILE_NAMES.sub(stand_in, key)
                    names.setdefault(unicodedata.normalize("NFC", name).lower(), index)
        return names

    @cached_property
    def _by_doi(self) -> dict[str, int]:
        """The letters and digits of DOIs, as a file name can have them too."""
        return self._first_by(lambda each: letters_of(each.doi))

    @cached_property
    def _by_doi_suffix(self) -> dict[str, int]:
        """The last parts of DOIs, as publishers name files, where they are like no word."""
        suffixes = self._first_by(lambda each: letters_of(each.doi.rpartition("/")[2]))
        return {
            suffix: index
            for suffix, index in suffixes.items()
            if len(suffix) >= _TELLING_SUFFIX and not suffix.isalpha()
        }

    @cached_property
    def _by_arxiv(self) -> dict[str, int]:
        return self._first_by(lambda each: each.arxiv)

    @cached_property
    def _by_author(self) -> dict[tuple[str, int], list[int]]:
        """Entries by the surname of their first author and year."""
        found: dict[tuple[str, int], list[int]] = {}
        for index, each in enumerate(self._described):
            if each.names:
                name = each.names[0].replace(" ", "")
                found.setdefault((name, each.year), []).append(index)
        return found

    @cached_property
    def _ordered(self) -> list[int]:
        return sorted(range(len(self._entries)), key=lambda index: self._entries[index].key)

    def _first_by(self, name: Callable[[_Described], str]) -> dict[str, int]:
        named = ((name(self._described[index]), index) for index in reversed(self._ordered))
        return {value: index for value, index in named if value}

    def _with_doi(self, doi: str) -> tuple[int, ...]:
        index = self._by_doi.get(letters_of(doi)) if doi else None
        return () if index is None else (index,)

    def _with_arxiv(self, arxiv: str) -> tuple[int, ...]:
        index = self._by_arxiv.get(arxiv) if arxiv else None
        return () if index is None else (index,)

    def _title(self, index: int) -> Title:
        return Title.of(self._described[index].title)

    def _names(self, index: int) -> tuple[str, ...]:
        return self._described[index].names

    # What a sought work and an entry have in common.

    def _by_title(self, sought: _Sought) -> int | None:
        """Return the entry whose title, authors and year fit best, if any do."""
        best: tuple[tuple[object, ...], int] | None = None
        for index in self._titles.candidates(sought.title, sought.passage.words):
            authors = self._authors(index, sought)
            if authors < 0 or (likeness := self._likeness(index, sought)) is None:
                continue
            apart = self._years_apart(index, sought)
            if not likeness.suffices(authors, apart):
                continue
            entry = self._entries[index]
            fit = (
                *(likeness.whole, round(likeness.score), -likeness.start, entry.key == sought.key),
                *(-(apart or 0), self._shared_names(index, sought)),
            )
            # The key makes the choice between equals independent of the order of the entries.
            if best is None or (fit, self._entries[best[1]].key) > (best[0], entry.key):
                best = fit, index
        return None if best is None else best[1]

    def _likeness(self, index: int, sought: _Sought) -> _Likeness | None:
        """Compare an entry's title with the title sought, then with the text around it."""
        title = self._title(index)
        found = title.likeness(sought.title)
        if found is None or not found.whole:
            telling = len(title.words) >= _TELLING_WORDS
            within = sought.title_within if telling else sought.short_title_within
            return sought.passage.likeness(title, within, self._names(index)) or found
        return found

    def _authors(self, index: int, sought: _Sought) -> int:
        """Return how far the authors agree: -1 not at all, 0 not known, 1 in part, 2 mostly."""
        own = self._names(index)
        if not own or not (sought.names or sought.witness.letters):
            return 0
        known = sought.names
        shared = self._shared_names(index, sought)
        if 2 * shared > max(len(own), len(known)):
            alike = _same_name(own[0], known[0]) if known else sought.witness.names(own[0])
            return 2 if alike else 1
        first = sought.witness.names(own[0]) or any(_same_name(own[0], name) for name in known)
        if first or any(_same_name(known[0], name) for name in own if known):
            return 1
        return 1 if 2 * shared > len(own) else -1

    def _shared_names(self, index: int, sought: _Sought) -> int:
        return sum(
            sought.witness.names(name) or any(_same_name(name, other) for other in sought.names)
            for name in self._names(index)
        )

    def _years_apart(self, index: int, sought: _Sought) -> int | None:
        own = self._described[index].year
        return min((abs(own - year) for year in sought.years), default=None) if own else None

    def _contradicts(self, index: int, sought: _Sought) -> bool:
        """Tell whether neither authors nor title of an entry are those of the work sought."""
        if self._authors(index, sought) >= 0:
            return False
        telling = (sought.title.letters, _TELLING_LETTERS), (sought.passage.letters, _TELLING_TEXT)
        if all(len(letters) < enough for letters, enough in telling):
            return False
        title = self._title(index).letters
        return (
            fuzz.ratio(title, sought.title.letters) < _OTHER_TITLE
            and fuzz.partial_ratio(title, sought.passage.letters) < PASSAGE_SCORE
        )

    # Weaker signs, for works whose title is not known or not found.

    def _by_same_key(self, sought: _Sought) -> int | None:
        """Return the entry of the same key where title, or authors and year, agree with it."""
        index = self._by_key.get(sought.key)
        if index is None or (authors := self._authors(index, sought)) < 0:
            return None
        own, apart = self._title(index).letters, self._years_apart(index, sought)
        if own and sought.title.letters:
            alike = fuzz.ratio(own, sought.title.letters) >= _OTHER_TITLE
            return index if alike and (apart is None or apart <= 1) else None
        return index if authors > 0 and apart == 0 else None

    def _by_place(self, sought: _Sought) -> int | None:
        """Return the only entry of these authors and year with its page and volume in the text.

        Reference lists of the natural sciences do without titles: "Comput. Linguist. 29, 19".
        """
        if not sought.names or len(sought.years) != 1:
            return None
        first = sought.names[0].replace(" ", "")
        numbers = set(_NUMBERS.findall(sought.passage.text))
        found = [
            index
            for index in self._by_author.get((first, sought.years[0]), ())
            if self._shared_names(index, sought) >= min(len(sought.names), len(self._names(index)))
            and self._printed_at(index, numbers)
        ]
        return found[0] if len(found) == 1 else None

    def _printed_at(self, index: int, numbers: set[str]) -> bool:
        """Tell whether numbers name the place of an entry: first page, and volume or last page."""
        fields = self._entries[index].fields
        pages = _NUMBERS.findall(fields.get("pages", ""))[:2]
        volume = _NUMBERS.findall(fields.get("volume", ""))[:1]
        place = {*pages[:1], *(volume or pages)}
        return len(pages) > 0 and len(place) > 1 and place <= numbers

    def _identified(self, paper: ReferencePaper, stem: str) -> Iterator[tuple[MatchedBy, int]]:
        """Yield the entries whose identifier the file's name or the paper has."""
        doi = found.group() if (found := _FILE_DOI.search(stem)) else ""
        arxiv = found[1] if (found := _FILE_ARXIV.search(stem)) else ""
        if found := _FILE_OLD_ARXIV.fullmatch(stem):
            arxiv = f"{found[1]}/{found[2]}"
        if (index := self._by_doi_suffix.get(letters_of(stem))) is not None:
            yield "doi", index
        for name in (doi, paper.doi):
            yield from (("doi", index) for index in self._with_doi(name))
        for name in (arxiv, paper.arxiv):
            yield from (("arxiv", index) for index in self._with_arxiv(name))

    def _named_by_file(self, sought: _Sought, stem: str) -> int | None:
        """Return the entry whose title, or author, year and a word of it, name the file."""
        if key := _FILE_KEY.fullmatch(stem):
            (name,) = name_words((key[1],)) or ("",)
            same = self._by_author.get((name, int(key[2])), ())
            word = folded(key[3])
            found = [index for index in same if word in self._title(index).words]
            if len(found) == 1 and not self._contradicts(found[0], sought):
                return found[0]
        title = stem.replace("_", " ").replace("+", " ")
        names, years = sought.names, sought.years
        if parts := _FILE_PARTS.fullmatch(title):
            names, years = name_words(_FILE_NAMES.split(parts[1])), (int(parts[2]),)
            title = parts[3]
        named = replace(sought, title=Title.of(title), passage=_Passage(), names=names, years=years)
        return self._by_title(named)


class _Described(NamedTuple):
    """An entry as others describe it: names as they are compared, 0 where no year is known."""

    title: str
    names: tuple[str, ...]
    year: int
    doi: str
    arxiv: str

    @classmethod
    def of(cls, entry: BibEntry) -> _Described:
        year = _number(entry.year)
        return cls(entry.title, name_words(entry.surnames), year, entry.doi, entry.arxiv)


class Title(NamedTuple):
    """A title as it is compared: lower case, no accents, nothing but letters and digits.

    `main` has the letters before a subtitle, none where there is no subtitle.
    """

    words: tuple[str, ...]
    letters: str
    main: str

    @classmethod
    def of(cls, text: str) -> Title:
        """Return the title that a reader sees as `text`."""
        text = text[:_LONGEST]
        words = tuple(_WORD.findall(folded(text)))
        subtitle = _SUBTITLE.search(text)
        return cls(words, "".join(words), letters_of(text[: subtitle.start()]) if subtitle else "")

    def likeness(self, other: Title) -> _Likeness | None:
        """Compare with another title; either may lack its subtitle, be cut, or run on."""
        if not self.letters or not other.letters:
            return None
        score = fuzz.ratio(self.letters, other.letters, score_cutoff=TITLE_SCORE)
        words = min(len(self.words), len(other.words))
        if score and (score == 100 or (self._within(other) and other._within(self))):
            return _Likeness(score, True, words)
        if bool(self.main) != bool(other.main):
            one, two = (self.main, other.letters) if self.main else (self.letters, other.main)
            if score := fuzz.ratio(one, two, score_cutoff=SURE_TITLE_SCORE):
                return _Likeness(score, True, words)
        short, long = sorted((self, other), key=lambda title: len(title.letters))
        size = len(short.letters)
        if size < _TELLING_LETTERS:
            return None
        score = fuzz.ratio(short.letters, long.letters[:size], score_cutoff=PASSAGE_SCORE)
        ends = accumulate(len(word) for word in long.words)
        begins_long = Title(
            tuple(word for word, end in zip(long.words, ends, strict=True) if end <= size),
            long.letters[:size],
            "",
        )
        if score and short._within(long) and begins_long._within(short):
            return _Likeness(score, False, words)
        return None

    def _within(self, other: Title) -> bool:
        """Tell whether each word has its like in the other title: not Chinese for Japanese.

        Numbers have to be the same; words may be broken, joined or misspelt.
        """
        return all(
            word in other.words
            or (
                not _NUMBER.match(word)
                and (
                    len(word) < 3
                    or word in other.letters
                    or any(_same_word(word, one) for one in other.words)
                )
            )
            for word in self.words
        )


class _Likeness(NamedTuple):
    """How a title was found: as a `whole` or a part, beginning at a letter of a text."""

    score: float
    whole: bool
    words: int
    start: int = 0

    def suffices(self, authors: int, apart: int | None) -> bool:
        """Tell whether this is the work; arguments as `Works` says of authors and years."""
        telling = self.words >= _TELLING_WORDS
        near = apart is None or apart <= 1
        if not self.whole:
            return telling and not apart and authors > 1
        if authors > 0 and near and telling:
            return True
        return self.score >= SURE_TITLE_SCORE and (
            (authors > 0 and (near or telling)) or (near and telling)
        )


class _Passage:
    """A text in which titles and names are looked for."""

    def __init__(self, text: str = "") -> None:
        self.text = text
        self.words = tuple(_WORD.findall(folded(text)))
        self.letters = "".join(self.words)

    @cached_property
    def _name_words(self) -> frozenset[str]:
        return frozenset(_UMLAUT.sub("", word) for word in self.words)

    @cached_property
    def _joined_names(self) -> str:
        return _UMLAUT.sub("", self.letters)

    @cached_property
    def _places(self) -> list[int]:
        """The offset in the text of each letter."""
        sizes = (len(letters_of(sign)) for sign in self.text)
        return [place for place, size in enumerate(sizes) for _ in range(size)]

    def names(self, name: str) -> bool:
        """Tell whether a surname occurs, also one that is spaced out or turned round."""
        if self._name_words.issuperset(name.split()):
            return True
        letters = name.replace(" ", "")
        return len(letters) >= _TELLING_NAME and letters in self._joined_names

    def likeness(self, title: Title, within: int, authors: Sequence[str]) -> _Likeness | None:
        """Return where a title stands by itself, beginning before the letter `within`.

        It does where punctuation or a line's end sets it off, or its authors follow.
        """
        size = len(title.letters)
        if not title.letters or size > len(self.letters):
            return None
        start = self.letters.find(title.letters)
        while 0 <= start < within:
            if self._begins(start) and self._ends(start + size, authors):
                return _Likeness(100.0, True, len(title.words), start)
            start = self.letters.find(title.letters, start + 1)
        if size < _TELLING_LETTERS:
            return None
        found = fuzz.partial_ratio_alignment(
            title.letters, self.letters[: within + size], score_cutoff=PASSAGE_SCORE
        )
        if found is None or found.score == 100:
            return None
        begin, end = found.dest_start, found.dest_end
        begin = next((at for at in _around(begin) if self._begins(at)), -1)
        end = next((at for at in _around(end) if self._ends(at, authors)), -1)
        if begin < 0 or end <= begin:
            return None
        piece = Title.of(self.text[self._places[begin] : self._places[end - 1] + 1])
        if not (title._within(piece) and piece._within(title)):
            return None
        return _Likeness(found.score, True, len(title.words), begin)

    def _begins(self, letter: int) -> bool:
        """Tell whether something begins with a letter: a line, or what punctuation sets off."""
        if letter == 0:
            return True
        if not 0 < letter < len(self.letters):
            return False
        before, place = self._places[letter - 1], self._places[letter]
        gap = self.text[before + 1 : place]
        if not _parts(gap) and not (gap and self.text[before].isdigit()):
            return False
        return not _VOLUME.search(self.text[max(0, place - 12) : place])

    def _ends(self, letter: int, authors: Sequence[str]) -> bool:
        """Tell whether a title ends before a letter."""
        if letter >= len(self.letters):
            return letter == len(self.letters)
        if letter <= 0:
            return False
        before, place = self._places[letter - 1], self._places[letter]
        gap = self.text[before + 1 : place]
        return (
            _parts(gap)
            # The number of a footnote to the title.
            or (not gap and self.text[place].isdigit())
            or _VENUE.match(self.text, before + 1) is not None
            or self._followed_by(authors, place)
        )

    def _followed_by(self, authors: Sequence[str], place: int) -> bool:
        """Tell whether authors follow where lines were joined; a title would rather go on."""
        if self.text[place].islower() or "\n" in self.text:
            return False
        behind = _Passage(self.text[place : place + _AUTHOR_WITHIN])
        return any(behind.names(name) for name in authors)


@dataclass(frozen=True, slots=True)
class _Sought:
    """What is known of the work that is looked for.

    `title` is the title as far as it was recognised, and `passage` a text that has it somewhere,
    beginning before the letter `title_within`, or `short_title_within` where it has few words.
    `names` are surnames as `name_words` has them, `witness` is a text that names the authors.
    """

    title: Title
    passage: _Passage
    title_within: int
    short_title_within: int
    names: tuple[str, ...]
    witness: _Passage
    years: tuple[int, ...]
    key: str = ""

    @classmethod
    def by_reference(cls, reference: Reference, key: str) -> _Sought:
        """Return what a reference says."""
        text = reference.text[:_LONGEST]
        years = _YEAR.findall(reference.year) or _YEAR.findall(text)
        return cls(
            Title.of(reference.title),
            _Passage(text),
            _ANYWHERE,
            _ANYWHERE,
            name_words(reference.surnames),
            _Passage(text[:_AUTHORS_WITHIN]),
            tuple(sorted(set(map(int, years)))),
            key,
        )

    @classmethod
    def by_paper(cls, paper: ReferencePaper) -> _Sought:
        """Return what a paper says of itself."""
        front = _Passage(paper.front[:_LONGEST])
        telling = len(front.letters) >= _TELLING_TEXT
        return cls(
            Title.of(paper.title),
            front,
            # Notes and reading lists begin with the titles of other works; they have no pages.
            _TITLE_WITHIN if paper.page_count else 0,
            _SHORT_TITLE_WITHIN if paper.page_count else 0,
            name_words(paper.surnames),
            front if telling or paper.surnames else _Passage(),
            tuple(map(int, _YEAR.findall(paper.year))),
        )


class _Titles:
    """Which titles have which words, each weighted by its rarity."""

    def __init__(self, titles: Iterable[Title]) -> None:
        self._by_letters: dict[str, list[int]] = {}
        self._numbers: dict[str, int] = {}
        self._count = 0
        words, rows = array("i"), array("i")
        for row, title in enumerate(titles):
            for letters in {title.letters, title.main}:
                self._by_letters.setdefault(letters, []).append(row)
            for word in set(title.words):
                words.append(self._numbers.setdefault(word, len(self._numbers)))
                rows.append(row)
            self._count = row + 1
        of_word, of_row = np.array(words, np.int32), np.array(rows, np.int32)
        frequencies = np.bincount(of_word, minlength=len(self._numbers))
        rarity = np.log1p(self._count / np.maximum(frequencies, 1))
        totals = np.bincount(of_row, rarity[of_word], self._count)
        order = np.argsort(of_word, kind="stable")
        self._starts = [0, *accumulate(frequencies.tolist())]
        self._rows = of_row[order]
        self._weights = (rarity[of_word] / totals[of_row])[order]

    def candidates(self, title: Title, words: Iterable[str]) -> set[int]:
        """Return the rows of titles that consist mostly of these words and those of `title`."""
        found = set(self._by_letters.get(title.letters, ()) if title.letters else ())
        known = [
            slice(self._starts[number], self._starts[number + 1])
            for word in {*title.words, *words}
            if (number := self._numbers.get(word)) is not None
        ]
        if known:
            rows = np.concatenate([self._rows[part] for part in known])
            weights = np.concatenate([self._weights[part] for part in known])
            covered = np.bincount(rows, weights, self._count)
            found.update(np.flatnonzero(covered >= _COVERAGE).tolist())
        return found


def letters_of(text: str) -> str:
    """Return the letters and digits of a text, folded."""
    return "".join(_WORD.findall(folded(text)))


def name_words(surnames: Iterable[str]) -> tuple[str, ...]:
    """Return surnames as they are compared, ü and ue being the same; empty ones are left out."""
    folded_names = (" ".join(_WORD.findall(folded(name))) for name in surnames)
    return tuple(_UMLAUT.sub("", name) for name in folded_names if name)


def _same_name(name: str, other: str) -> bool:
    """Tell whether two surnames are one: also "van Noord" and "Noord", "Och" and "O ch"."""
    if name.rpartition(" ")[2] == other.rpartition(" ")[2]:
        return True
    one, two = name.replace(" ", ""), other.replace(" ", "")
    return one == two or (
        min(len(one), len(two)) >= _TELLING_NAME
        and (one in two or two in one or fuzz.ratio(one, two) >= _NAME_SCORE)
    )


def _same_word(word: str, other: str) -> bool:
    return word[0] == other[0] and fuzz.ratio(word, other) >= _WORD_SCORE


def _parts(gap: str) -> bool:
    """Tell whether what stands between two letters is more than a space or a hyphen."""
    return "\n" in gap or (gap.strip() not in _WITHIN_WORD) or (" " in gap and gap.strip() != "")


def _around(letter: int) -> tuple[int, ...]:
    return letter, letter - 1, letter + 1, letter - 2, letter + 2


def _number(year: str) -> int:
    return int(year) if year.isascii() and year.isdigit() else 0
