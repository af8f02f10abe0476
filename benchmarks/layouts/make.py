"""Typeset the papers of this benchmark, and record what a reader should find in them.

    python -m benchmarks.layouts.make

writes a PDF for each layout of `layouts.yaml` and `truth.json` into `papers/`, beside this file; a
second run gives the same bytes. The text is drawn with a seed, so that it is known exactly: it
means nothing, but has the lengths, numbers and abbreviations of scientific prose. It needs pdflatex
and BibTeX with Debian's texlive-publishers, texlive-science, texlive-latex-extra,
texlive-bibtex-extra and texlive-fonts-recommended.
"""

import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import yaml

from ..shared import Given, measurement

HERE = Path(__file__).parent
PAPERS = HERE / "papers"
WORDS = yaml.safe_load((HERE / "layouts.yaml").read_text("utf-8"))
LATEX = WORDS["latex"]
SECTIONS = ("Introduction", "Materials and methods", "Results", "Discussion")
SENTENCES_A_PARAGRAPH = 6


LAYOUTS = tuple(
    SimpleNamespace(name=name, **{**WORDS["defaults"], **layout})
    for name, layout in WORDS["layouts"].items()
)


class Work(NamedTuple):
    """A work in the reference list."""

    key: str
    surnames: list[str]
    initials: list[str]
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


class Sentence(NamedTuple):
    """A sentence without its full stop, and the keys cited at its end."""

    text: str
    keys: tuple[str, ...] = ()


class Prose:
    """The text of a paper that cites each of its works once, in order, and some again."""

    def __init__(self, topic: str, seed: int, works: int, paragraphs: int = 4) -> None:
        self._draw, self._nouns = random.Random(seed), WORDS["topics"][topic].split()
        self._adjectives, self._written = WORDS["adjectives"].split(), set()
        draw = self._draw
        one, two, three = draw.sample(self._nouns, 3)
        shape = draw.choice(("{} and {} of the {}", "How the {} {} depends on the {}"))
        adjective = draw.choice(self._adjectives)
        self.title = shape.format(f"{adjective} {one}", two, three).capitalize()
        self.works = self._works(works)
        order = [work.key for work in self.works]
        draw.shuffle(order)
        self.sections = [[[] for _ in range(paragraphs)] for _ in SECTIONS]
        all_paragraphs = [paragraph for section in self.sections for paragraph in section]
        places = len(all_paragraphs) * SENTENCES_A_PARAGRAPH
        waiting, due = order, 0.0
        for place in range(places):
            keys: tuple[str, ...] = ()
            if waiting and place + 1 >= due:
                number = draw.choice((1, 1, 1, 2, 2, 3))
                keys, waiting = tuple(waiting[:number]), waiting[number:]
                due += max(1.0, places / (works / 1.5))
            elif not draw.randrange(12):
                keys = (draw.choice(order),)
            all_paragraphs[place // SENTENCES_A_PARAGRAPH].append(Sentence(self._sentence(), keys))
        for start in range(0, len(waiting), 3):
            keys = tuple(waiting[start : start + 3])
            all_paragraphs[-1].append(Sentence(self._sentence(), keys))
        self.abstract = [self._sentence() for _ in range(4)]

    def _sentence(self) -> str:
        """Return a sentence that was not written before."""
        draw, verbs = self._draw, WORDS["verbs"].split()
        while True:
            one, two, three = draw.sample(self._nouns, 3)
            adjectives = draw.sample(self._adjectives, 3)
            opening = draw.choice(WORDS["openings"])
            text = opening.format(one, adjectives[0], adjectives[1], draw.choice(verbs), two)
            ending = draw.choice(WORDS["endings"])
            text = f"{text} {ending.format(three, adjectives[2], draw.randint(11, 89))}"
            if text not in self._written:
                self._written.add(text)
                return text

    def _works(self, number: int) -> list[Work]:
        """Return works that differ in first author or year: both together identify a work."""
        draw, letters = self._draw, "ABCDEFGHJKLMPRST"
        surnames = [*WORDS["surnames"].split(), *WORDS["particles"]]
        found: list[Work] = []
        used: set[object] = set()
        while len(found) < number:
            people = draw.sample(surnames, draw.choice((1, 2, 2, 3, 4)))
            year = draw.randint(1961, 2021)
            one, two = draw.sample(self._nouns, 2)
            first, second = draw.choice(self._adjectives), draw.choice(self._adjectives)
            whose = draw.choice(("towns", "coasts", "valleys", "samples", "models", "archives"))
            title = f"{first} {one} and the {second} {two} of {whose}".capitalize()
            if (people[0], year) in used or title in used:
                continue
            used |= {(people[0], year), title}
            initials = [f"{draw.choice(letters)}. {draw.choice(letters)}." for _ in people]
            journal, key = draw.choice(WORDS["journals"]), f"w{len(found):02d}"
            numbers = draw.randint(2, 88), draw.randint(11, 900)
            found.append(Work(key, people, initials, year, title, journal, *numbers))
        return found


def source(layout: SimpleNamespace, text: Prose) -> str:
    """Return the LaTeX source of a paper."""

    def written(one: Sentence) -> str:
        if not one.keys:
            return f"{one.text}."
        cited = f"{layout.cite}{{{','.join(one.keys)}}}"
        return f"{one.text}.{cited}" if layout.after else f"{one.text} {cited}."

    about = {"title": text.title, "abstract": " ".join(f"{each}." for each in text.abstract)}
    before, front = layout.before_document % about, layout.front % about
    parts = [LATEX["head"], layout.document, LATEX["encoding"], before, r"\begin{document}", front]
    for number, (name, section) in enumerate(zip(SECTIONS, text.sections, strict=True)):
        if layout.sections:
            parts.append(rf"\section{{{name}}}")
        for place, paragraph in enumerate(section):
            parts.append(" ".join(map(written, paragraph)) + "\n")
            if (number, place) == (1, 0):
                parts.append(LATEX["equation"] + "\n" + LATEX["output"] * layout.program)
            if (number, place) == (2, 0):
                parts.append(LATEX["figure"] + LATEX["table"])
    parts.append(layout.back)
    if layout.appendix:
        parts.append(f"{layout.appendix} More was counted here than we have said.")
    return "\n".join([*parts, r"\end{document}", ""])


def typeset(layout: SimpleNamespace, text: Prose, folder: Path) -> list[str]:
    """Run pdflatex and BibTeX; return the keys in the order of the reference list."""
    (folder / "paper.tex").write_text(source(layout, text), "utf-8")
    works = "\n".join(work.bibtex() for work in text.works)
    (folder / "works.bib").write_text(works, "utf-8")
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1000000000", "FORCE_SOURCE_DATE": "1"}
    latex = ["pdflatex", "-interaction=nonstopmode", "paper.tex"]
    for command in (latex, ["bibtex", "paper"], latex, latex, latex):
        subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
    log = (folder / "paper.log").read_text("utf-8", "replace")
    errors = re.findall(r"^! .*", log, re.MULTILINE)
    if errors or not (folder / "paper.pdf").exists():
        sys.exit(f"{layout.name} could not be set: {' '.join(errors[:3])}")
    printed = (folder / "paper.bbl").read_text("utf-8", "replace")
    items = printed.replace("%\n", "").split(r"\bibitem")[1:]
    return [found[1] for item in items if (found := re.search(r"\{(w\d\d)\}", item))]


@measurement()
def main(_: Given) -> None:
    for program in ("pdflatex", "bibtex"):
        if shutil.which(program) is None:
            sys.exit(f"{program} is missing: apt-get install texlive-publishers texlive-science")
    PAPERS.mkdir(exist_ok=True)
    truth = {}
    for seed, layout in enumerate(LAYOUTS):
        text = Prose(layout.topic, seed, layout.works, layout.paragraphs)
        with tempfile.TemporaryDirectory() as folder:
            order = typeset(layout, text, Path(folder))
            shutil.copy(Path(folder) / "paper.pdf", PAPERS / f"{layout.name}.pdf")
        works = {work.key: work for work in text.works}
        paragraphs = (paragraph for section in text.sections for paragraph in section)
        truth[layout.name] = {
            "title": text.title,
            "first_page": layout.first,
            "sentences": [one._asdict() for paragraph in paragraphs for one in paragraph],
            "references": [
                {"key": key, "surnames": works[key].surnames, "year": str(works[key].year)}
                for key in order
            ],
        }
        print(layout.name, len(order), "references")
    found = json.dumps(truth, indent=1, ensure_ascii=False) + "\n"
    (PAPERS / "truth.json").write_text(found, "utf-8")
