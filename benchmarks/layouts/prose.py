"""Synthetic papers: sentences, works to cite, and the places of their citations.

Everything is sampled with a seed from the word lists below, so that the expected result is known
exactly. The sentences are meaningless, but have the lengths, numbers and abbreviations of
scientific prose.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

TOPICS = {
    "lattices": "lattice phonon barrier layer substrate field phase carrier dopant interface",
    "galaxies": "galaxy halo disc cluster spectrum survey redshift filament outflow dwarf",
    "meadows": "meadow pollinator plot seedling hedge flower drought transect grazer soil",
    "languages": "speaker vowel corpus phrase verb dialect clause listener syllable pronoun",
    "polymers": "polymer membrane solvent chain film electrode catalyst ligand gel fibre",
    "software": "estimator matrix sampler kernel likelihood package bootstrap residual prior",
}
_ADJECTIVES = "slow narrow dense warm shallow uneven early local stable rough sparse mixed".split()
_VERBS = (
    "changes limits precedes resembles shapes weakens follows outlasts explains disturbs".split()
)
_ENDINGS = (
    "in every {0} that was measured twice",
    "once the {0} has settled",
    "although the {0} itself remains {1}",
    "for about {2} per cent of the {0} data",
    "within {2}.5 hours of the first {0} count",
    "as soon as the {1} {0} is removed",
    "and no {0} was seen to recover",
    "whenever two kinds of {0} meet",
    "before the {1} season of the {0} begins",
    "at the cost of a {1} {0}",
)
_OPENINGS = (
    "The {1} {0} {3} the {2} {4}",
    "In our records, a {1} {0} {3} each {2} {4}",
    "Earlier work held that the {0} {3} the {4}",
    "It is less clear whether a {1} {0} {3} the {2} {4}",
    "By contrast, this {0} {3} the {2} {4}",
    "We find that the {1} {0} {3} its {4}",
    "Both the {0} and the {2} {4} were kept apart, i.e. the first {3} the second",
)
_SURNAMES = (
    "Abelard Baird Costa Dürr Engelmann Fonseca Grüber Halvorsen Ibarra Jansen Kowalczyk "
    "Lindqvist Marsh Novák Ortega Prell Quinn Rossi Satō Turner Ueda Vogelsang Watts Young Zeller "
    "Ahlgren Bello Crane Dietrich Ekström Farrow Gallo Hoang Iversen Juárez Kemp Lund Moreau"
).split()
_PARTICLES = ("van der Berg", "de la Cruz", "von Hagen", "O'Neill", "Pérez-Soto", "van Dijk")
_JOURNALS = (
    "Journal of Slow Processes",
    "Annals of Field Methods",
    "Letters on Measurement",
    "Archive of Small Effects",
    "Review of Applied Counting",
)


@dataclass(frozen=True, slots=True)
class Work:
    """A work in the reference list."""

    key: str
    surnames: tuple[str, ...]
    initials: tuple[str, ...]
    year: int
    title: str
    journal: str
    volume: int
    page: int

    def bibtex(self) -> str:
        names = zip(self.surnames, self.initials, strict=True)
        authors = " and ".join(f"{surname}, {initial}" for surname, initial in names)
        return (
            f"@article{{{self.key},\n  author = {{{authors}}},\n  title = {{{self.title}}},\n"
            f"  journal = {{{self.journal}}},\n  volume = {{{self.volume}}},\n"
            f"  pages = {{{self.page}--{self.page + 9}}},\n  year = {{{self.year}}}\n}}\n"
        )


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence without its full stop, and the keys cited at its end."""

    text: str
    keys: tuple[str, ...] = ()


@dataclass(slots=True)
class Prose:
    """The whole of a paper: sections of paragraphs of sentences."""

    title: str
    abstract: list[Said]
    sections: list[tuple[str, list[list[Said]]]]
    works: list[Work] = field(default_factory=list)


def prose(topic: str, seed: int, works: int, paragraphs: int = 4) -> Prose:
    """Return a paper that cites each of its works once, in order, and some again."""
    draw = random.Random(seed)
    nouns = TOPICS[topic].split()
    written: set[str] = set()

    def sentence() -> str:
        while True:
            one, two, three = draw.sample(nouns, 3)
            adjectives = draw.sample(_ADJECTIVES, 3)
            opening = draw.choice(_OPENINGS)
            text = opening.format(one, adjectives[0], adjectives[1], draw.choice(_VERBS), two)
            ending = draw.choice(_ENDINGS).format(three, adjectives[2], draw.randint(11, 89))
            text = f"{text} {ending}"
            if text not in written:
                written.add(text)
                return text

    one, two, three = draw.sample(nouns, 3)
    shape = draw.choice(("{} and {} of the {}", "How the {} {} depends on the {}"))
    title = shape.format(f"{draw.choice(_ADJECTIVES)} {one}", two, three).capitalize()
    cited = _works(draw, nouns, works)
    order = [work.key for work in cited]
    draw.shuffle(order)
    again = list(order)
    sections = []
    waiting = list(order)
    names = ("Introduction", "Materials and methods", "Results", "Discussion")
    sentences = 6
    places = len(names) * paragraphs * sentences
    every = max(1.0, places / (works / 1.5))
    place, due = 0, 0.0
    for name in names:
        section = []
        for _ in range(paragraphs):
            paragraph = []
            for _ in range(sentences):
                keys: tuple[str, ...] = ()
                place += 1
                if waiting and place >= due:
                    number = draw.choice((1, 1, 1, 2, 2, 3))
                    keys, waiting = tuple(waiting[:number]), waiting[number:]
                    due += every
                elif not draw.randrange(12):
                    keys = (draw.choice(again),)
                paragraph.append(Said(sentence(), keys))
            section.append(paragraph)
        sections.append((name, section))
    last = sections[-1][1][-1]
    while waiting:
        last.append(Said(sentence(), tuple(waiting[:3])))
        waiting = waiting[3:]
    abstract = [Said(sentence()) for _ in range(4)]
    return Prose(title, abstract, sections, cited)


def _works(draw: random.Random, nouns: list[str], count: int) -> list[Work]:
    """Return works that differ in first author or year, so that both together identify a work."""
    found: list[Work] = []
    used: set[tuple[str, int]] = set()
    titles: set[str] = set()
    while len(found) < count:
        people = draw.sample([*_SURNAMES, *_PARTICLES], draw.choice((1, 2, 2, 3, 4)))
        year = draw.randint(1961, 2021)
        one, two = draw.sample(nouns, 2)
        title = (
            f"{draw.choice(_ADJECTIVES)} {one} and the {draw.choice(_ADJECTIVES)} {two} "
            f"of {draw.choice(('towns', 'coasts', 'valleys', 'samples', 'models', 'archives'))}"
        ).capitalize()
        if (people[0], year) in used or title in titles:
            continue
        used.add((people[0], year))
        titles.add(title)
        initials = tuple(
            f"{draw.choice('ABCDEFGHJKLMPRST')}. {draw.choice('ABCDEFGHJKLMPRST')}." for _ in people
        )
        found.append(
            Work(
                f"w{len(found):02d}",
                tuple(people),
                initials,
                year,
                title,
                draw.choice(_JOURNALS),
                draw.randint(2, 88),
                draw.randint(11, 900),
            )
        )
    return found
