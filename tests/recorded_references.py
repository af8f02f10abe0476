"""What services would answer about the entries of a bibliography, and entries with planted faults.

Answers are made from the entries themselves, in the forms that the services document, with what
real records have: subtitles that are missing, initials, names without accents or transliterated,
titles in capitals or with tags, the year online, works that a service lacks. `FAULTS` are what
careless or invented references have.
"""

import random
import re
import unicodedata
from contextlib import suppress
from hashlib import blake2b
from urllib.parse import unquote

from metadata_services import Work
from pincite.enrichment.enrich import Outcome, Run
from pincite.enrichment.known_works import identifier_of, look_up
from pincite.enrichment.service import Answers, Service
from pincite.enrichment.sources import SOURCES
from pincite.model.papers import BibEntry
from pincite.model.problems import InputError
from pincite.parsing.bibtex import parse_bibliography
from pincite.parsing.encoding import read_text

_TRANSLITERATED = {"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa", "ß": "ss", "æ": "ae"}


def entries_of(drafts, number, seed=1):
    """Return a sample of the entries with title and people of many drafts' bibliographies.

    Each draft contributes the same number, and a work that several drafts cite counts once.
    """
    chance, pools = random.Random(seed), []
    for draft in sorted(each for each in drafts if each.is_dir()):
        found = {}
        for path in sorted(draft.rglob("*.bib")):
            with suppress(InputError):
                for entry in parse_bibliography(read_text(path), path).entries.values():
                    if entry.title and entry.surnames:
                        found.setdefault(entry.title.casefold(), entry)
        pool = sorted(found.values(), key=lambda entry: entry.title)
        chance.shuffle(pool)
        pools.append(pool)
    titles, sampled = set(), []
    while len(sampled) < number and any(pools):
        for pool in filter(None, pools):
            entry = pool.pop()
            if entry.title.casefold() not in titles and len(sampled) < number:
                titles.add(entry.title.casefold())
                sampled.append(entry)
    return sampled


class Works:
    """The works of entries, as services know them."""

    def __init__(self, entries, seed=1, lacking=0.04):
        self._chance, self._lacking = random.Random(seed), lacking
        self._records, self._titles = {}, []
        for entry in entries:
            doi = doi_of(entry)
            for name in SOURCES:
                if self._chance.random() >= lacking:
                    record = self._record(entry, doi, name)
                    for known_as in (doi, identifier_of(entry)):
                        self._records.setdefault((name, known_as), record)
                    self._titles.append((name, words_of(entry.title), record))

    def of_doi(self, name, doi):
        return self._records.get((name, doi))

    def of_title(self, name, title):
        """Return the five works with most words in common."""
        asked = words_of(title)
        alike = [
            (len(asked & words), -number, record)
            for number, (own, words, record) in enumerate(self._titles)
            if own == name and asked & words
        ]
        alike.sort(key=lambda each: each[:2], reverse=True)
        return [record for *_, record in alike[:5]]

    def _record(self, entry, doi, name):
        is_rare = self._chance.random
        title = entry.title
        main, colon, subtitle = title.partition(": ")
        if colon and is_rare() < 0.1:
            title = main
        elif colon and is_rare() < 0.1:
            title = f"{main} - {subtitle}"
        if is_rare() < 0.03:
            title = title.upper()
        if is_rare() < 0.05:
            title = title.replace(title.split(" ")[-1], f"<i>{title.split(' ')[-1]}</i>")
        if is_rare() < 0.05:
            title = title.replace("-", " ").replace("’", "'") + "."
        people = list(map(self._name, names_of(entry)))
        if is_rare() < 0.02:
            people = []
        elif is_rare() < 0.03 and len(people) > 8:
            people = people[:1]
        year = int(entry.year or 2000)
        earlier = year - (self._chance.random() < 0.25)
        pages = entry.fields.get("pages", "")
        first, _, last = re.sub(r"\s*[-–—]+\s*", "-", pages).partition("-")
        volume = entry.fields.get("volume", "")
        crossref = {
            "issued": {"date-parts": [[earlier, 3]]},
            "published-online": {"date-parts": [[earlier, 3, 1]]},
        }
        if is_rare() < 0.7:
            crossref["published-print"] = {"date-parts": [[year]]}
        if is_rare() < 0.8:
            crossref |= {"volume": volume, "page": pages}
        if name == "crossref" and colon and title == entry.title and is_rare() < 0.3:
            title, crossref["subtitle"] = main, [subtitle]
        biblio = {"volume": volume or None, "first_page": first or None, "last_page": last or None}
        openalex = {"biblio": biblio, "is_retracted": False, "type": "article", "locations": []}
        at = earlier if name == "openalex" else year
        book = entry.fields.get("booktitle", "")
        if self._lacking and "in" in entry.entry_type and book and is_rare() < 0.05:
            # The DOI may be that of the proceedings.
            title, people = book, [("Herausgeber", "Gerda")]
        work = Work(doi, title, people, at, crossref=crossref, openalex=openalex)
        return getattr(work, f"for_{name.replace('-', '_')}")()

    def _name(self, name):
        family, given = name
        kind = self._chance.random()
        if kind < 0.3:
            given = " ".join(f"{word[0]}." for word in given.split() if word)
        if 0.25 < kind < 0.45:
            family = without_accents(family)
        elif 0.45 < kind < 0.5:
            family = "".join(_TRANSLITERATED.get(letter, letter) for letter in family)
        elif 0.5 < kind < 0.52 and given:
            family, given = given, family
        elif 0.52 < kind < 0.55:
            family = family.upper()
        return family, given


class Recorded(Service):
    """A service that answers with the records of works."""

    def __init__(self, name, works, asked):
        super().__init__(SOURCES[name], Answers(None), offline=True)
        self._name, self._works, self._known = name, works, asked

    def ask(self, path, parameters, *, send=True, is_answer=None):
        assert send
        self.answered_at = 1_790_000_000.0
        self._known.append((self._name, path, parameters))
        title = next(
            (parameters[n] for n in ("search", "query.bibliographic", "query") if n in parameters),
            "",
        )
        if title:
            found = self._works.of_title(self._name, title)
            return {
                "openalex": {"results": found},
                "crossref": {"message": {"items": found}},
                "semantic-scholar": {"data": found[:1]},
            }[self._name]
        doi = unquote(re.sub(r".*/(?:works|paper)/(?:doi:|DOI:)?", "", path))
        if "filter" in parameters:
            found = self._works.of_doi(self._name, parameters["filter"])
            return {"message": {"items": [found] if found else []}}
        found = self._works.of_doi(self._name, doi.replace("PMID:", "pmid:"))
        return found and ({"message": found} if self._name == "crossref" else found)


def known_of(entries, works, asked=None):
    """Yield what the services know of entries, all of which they are asked for."""
    asked = [] if asked is None else asked
    run = Run([Recorded(name, works, asked) for name in SOURCES], Outcome())
    return (look_up(entry, run) for entry in entries)


def names_of(entry):
    """Yield family and given names of the people of an entry."""
    people = entry.fields.get("author") or entry.fields.get("editor") or ""
    for name in people.split(" and "):
        if name.strip() in ("", "others"):
            continue
        surname = BibEntry("", "", {"author": name}, entry.path).surnames
        family = (surname or (name,))[0]
        given = name.partition(",")[2] if "," in name else name.replace(family, "")
        yield family, given.strip()


def doi_of(entry):
    own = identifier_of(entry)
    name = blake2b(entry.title.encode(), digest_size=6).hexdigest()
    return own if own.startswith("10.") else f"10.5555/{name}"


def words_of(title):
    return {word for word in re.findall(r"\w+", title.casefold()) if len(word) > 2}


def without_accents(text):
    return "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))


# Planted faults


def changed(entry, **fields):
    return BibEntry(entry.key, entry.entry_type, {**entry.fields, **fields}, entry.path)


def invented_title(entry, others, chance):
    """A title that begins as one of others and ends as another."""
    begin, end = (other.title.split() for other in chance.sample(others, 2))
    words = [*begin[: len(begin) // 2 + 1], *end[len(end) // 2 :]]
    return changed(entry, title=" ".join(words), subtitle="")


def invented_people(entry, others, chance):
    names = [name for other in others for name in names_of(other)]
    own = " ".join(" ".join(name) for name in names_of(entry)).casefold()
    names = [
        n
        for n in names
        if n[0].casefold() not in own and n[1] and n[1].split()[0].casefold() not in own
    ]
    made = chance.sample(names, max(2, len(entry.surnames)))
    return changed(entry, author=" and ".join(f"{family}, {given}" for family, given in made))


def digit_off(entry, others, chance):
    doi = entry.doi
    at = chance.choice([i for i, c in enumerate(doi) if c.isdigit() and i > doi.index("/")])
    return changed(
        entry, doi=f"{doi[:at]}{(int(doi[at]) + chance.randrange(1, 10)) % 10}{doi[at + 1 :]}"
    )


def chimera(entry, others, chance):
    """The title and people of another work under the entry's DOI, or its people alone."""
    other = chance.choice(others)
    return changed(entry, author=other.fields.get("author", ""), title=other.title, subtitle="")


def mixed_people(entry, others, chance):
    """The title of a work and the people of another."""
    own = {name.casefold() for name in entry.surnames}
    other = chance.choice([e for e in others if own.isdisjoint(map(str.casefold, e.surnames))])
    return changed(entry, author=other.fields["author"], editor="")


def two_words(entry, others, chance):
    words = [word for word in entry.title.split() if word]
    places = [at for at, word in enumerate(words) if len(word.strip(".,:;")) > 4]
    if len(places) < 2:
        places = range(len(words))
    spare = [w for other in others for w in other.title.split() if len(w) > 5 and w.isalpha()
             and w.casefold() not in entry.title.casefold()]  # fmt: skip
    for at, word in zip(chance.sample(places, 2), chance.sample(spare, 2), strict=True):
        words[at] = word
    return changed(entry, title=" ".join(words), subtitle="")


def wrong_year(entry, others, chance):
    return changed(entry, year=str(int(entry.year) - chance.randrange(3, 9)), date="")


#: Faults by name: which entries they are planted in (with a DOI or without), and what is found.
FAULTS = {
    "an invented title under a real DOI": (invented_title, True, {"wrong-identifier"}),
    "invented people, with a DOI": (invented_people, True, {"entry-differs", "wrong-identifier"}),
    "invented people, without a DOI": (invented_people, False, {"not-found"}),
    "a DOI that is off by a digit": (digit_off, True, {"wrong-identifier"}),
    "a chimera: title and people of another work": (chimera, True, {"wrong-identifier"}),
    "a chimera: people of another work, with a DOI": (
        mixed_people,
        True,
        {"entry-differs", "wrong-identifier"},
    ),
    "a chimera: people of another work, without a DOI": (mixed_people, False, {"not-found"}),
    "two words of the title changed, with a DOI": (
        two_words,
        True,
        {"entry-differs", "wrong-identifier"},
    ),
    "two words of the title changed, without a DOI": (
        two_words,
        False,
        {"not-found", "wrong-identifier"},
    ),
    "a wrong year alone": (wrong_year, True, {"entry-differs"}),
    "an invented work": (invented_title, False, {"not-found", "wrong-identifier"}),
}
