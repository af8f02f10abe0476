"""Bibliographies, drafts and papers of realistic size, written once, with fixed seeds.

Works and papers are those of the shared data as far as there are, then synthetic ones with the
same lengths and words; without shared data, all are synthetic.
"""

import gzip
import json
import random
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, product
from pathlib import Path

from ..shared import papers

#: Increase this when any material is made differently.
_RECIPE = 3
PAPERS, LINES, SHORT = 2_000, 20_000, 400
#: 95 % of the longest files of the 111 shared drafts are shorter, the longest has 6,678 lines.
LONG = 3_200
#: Half-overlapping passages of 350 words fill a paper of so many sentences.
_SENTENCES, _SENTENCES_A_PARAGRAPH = 230, 6
_ENTRY = re.compile(r"^@\w+\{([^,\s]+),\n(.*?)\n\}$", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r'^  (\w+) = "(.*?)",?$', re.MULTILINE | re.DOTALL)
_PAPER_ID = re.compile(r"/([A-Z]\d\d-\d{4})$")
_WORD = re.compile(r"[^\W\d_]{2,}")
_EQUATION = "\\begin{equation}\n  x_{i} = \\sum_j a_{ij} y_j % a note\n\\end{equation}"


@dataclass(frozen=True, slots=True)
class Work:
    key: str
    title: str
    author: str
    year: str
    abstract: str
    bibtex: str
    paper_id: str = ""

    @property
    def surname(self) -> str:
        return self.author.split(",")[0]


class Words:
    """Draws words as often as works have them; what is drawn depends on the seed alone."""

    def __init__(self, works: list[Work], seed: str) -> None:
        self.works, self.random = works, random.Random(seed)
        self._drawn = {
            "title": _weighed(word for w in works for word in _WORD.findall(w.title.lower())),
            "prose": _weighed(word for w in works for word in _WORD.findall(w.abstract.lower())),
            "names": _weighed(w.surname for w in works if w.surname),
        }

    def draw(self, kind: str, number: int) -> list[str]:
        words, ends = self._drawn[kind]
        return self.random.choices(words, cum_weights=ends, k=number)

    def sentence(self, work: Work, length: int) -> str:
        """Return words about a work: a third its own, the rest from all works."""
        own = _WORD.findall(f"{work.title} {work.abstract}".lower()) or ["work"]
        words = self.random.choices(own, k=length // 3) + self.draw("prose", length - length // 3)
        self.random.shuffle(words)
        return " ".join(words).capitalize()

    def new_works(self, number: int) -> Iterator[Work]:
        """Yield works with the lengths of those that there are."""
        for index, like in enumerate(self.random.choices(self.works, k=number)):
            title = " ".join(self.draw("title", max(1, len(like.title.split())))).capitalize()
            names = self.draw("names", like.author.count(" and ") + 1)
            abstract = " ".join(self.draw("prose", len(like.abstract.split())))
            key = re.sub(r"[^a-z]", "", names[0].lower()) + f"-{like.year}-{index}"
            author = " and ".join(f"{name}, {name[0]}." for name in names)
            yield _work(key, title, author, like.year, abstract)


def _weighed(words: Iterable[str]) -> tuple[list[str], list[int]]:
    counts = Counter(words)
    return list(counts), list(accumulate(counts.values()))


def _work(key: str, title: str, author: str, year: str, abstract: str) -> Work:
    fields = {"title": f"{{{title}}}", "author": author, "year": year, "abstract": abstract}
    lines = (f'  {name} = "{value}"' for name, value in fields.items() if value)
    return Work(key, title, author, year, abstract, f"@misc{{{key},\n" + ",\n".join(lines) + "\n}")


def _invented_works(number: int) -> list[Work]:
    """Return works of pronounceable words, by Zipf's law."""
    chance = random.Random("invented")
    syllables = [a + b for a, b in product("bdfgklmnprstv", ("a", "e", "i", "o", "u", "an", "er"))]
    words = ["".join(chance.choices(syllables, k=chance.randint(1, 4))) for _ in range(20_000)]
    ends = list(accumulate(1.0 / rank for rank in range(2, len(words) + 2)))
    found = []
    for index in range(number):
        *names, title, abstract = (
            " ".join(chance.choices(words, cum_weights=ends, k=length)).capitalize()
            for length in (1, 1, 9, 110 if index % 6 == 0 else 0)
        )
        author = " and ".join(f"{name}, {name[0]}." for name in names)
        year = str(1980 + index % 45)
        found.append(_work(f"{names[0].lower()}-{year}-{index}", title, author, year, abstract))
    return found


class Material:
    """The material below a folder; each part is made on first use."""

    def __init__(self, folder: Path, data: Path | None, *, quick: bool = False) -> None:
        self.data = data if data is not None and data.is_dir() else None
        #: In a run that only shows that everything works, all is a fortieth as large.
        self._part = 40 if quick else 1
        kind = "real" if self.data else "invented"
        self.folder = folder / f"{kind}-{_RECIPE}-{self._part}"

    def _made(self, name: str, make: Callable[[Path], None]) -> Path:
        """Return a folder of the material; what an interrupted run left is made again."""
        path, under_way = self.folder / name, self.folder / f"{name}.part"
        if not path.exists():
            shutil.rmtree(under_way, ignore_errors=True)
            under_way.mkdir(parents=True)
            make(under_way)
            under_way.rename(path)
        return path

    @cached_property
    def _real_works(self) -> list[Work]:
        """The works of the ACL Anthology, without those at which strict parsers fail."""
        if self.data is None:
            return _invented_works(2_000)
        packed = (self.data / "anthology" / "anthology.bib.gz").read_bytes()
        text = gzip.decompress(packed).decode("utf-8")
        found = []
        for match in _ENTRY.finditer(text):
            fields = dict(_FIELD.findall(match[2]))
            # Some have quotes or single braces in their values.
            if all('"' not in v and v.count("{") == v.count("}") for v in fields.values()):
                paper_id = _PAPER_ID.search(fields.get("url", ""))
                author, year, abstract = (
                    fields.get(name, "") for name in ("author", "year", "abstract")
                )
                title = fields.get("title", "").strip("{}")
                own = paper_id[1] if paper_id else ""
                found.append(Work(match[1], title, author, year, abstract, match[0], own))
        return found

    def works(self, number: int) -> list[Work]:
        """Return so many works: a part has the years and abstracts of the whole."""
        number //= self._part
        real, words = self._real_works, Words(self._real_works, f"works {number}")
        if number <= len(real):
            return words.random.sample(real, number)
        return [*real, *words.new_works(number - len(real))]

    def project(self, entries: int, lines: int) -> Path:
        """Return the draft of a project: `main.tex`, with all works in `refs.bib`."""

        def make(folder: Path) -> None:
            works = self.works(entries)
            (folder / "refs.bib").write_text("\n\n".join(w.bibtex for w in works) + "\n", "utf-8")
            text = "\n".join(self._draft(works, max(lines // self._part, 100)))
            (folder / "main.tex").write_text(text, "utf-8")

        return self._made(f"projects/{entries}-{lines}", make) / "main.tex"

    def _draft(self, works: list[Work], lines: int) -> Iterator[str]:
        """Yield lines of which each seventh cites a work, in half of them one with a paper."""
        words = Words(works, f"draft {lines}")
        read = [work for work in works if work.key in self.papers] or works
        yield from ("\\documentclass{book}", "\\usepackage{natbib}", "\\begin{document}")
        for line in range(lines):
            work = words.random.choice(words.random.choice((read, works)))
            text = words.sentence(work, words.random.randint(8, 17))
            if line % 40 == 0:
                yield f"\n\\section{{{' '.join(words.draw('title', 5))}}}"
            elif line % 40 == 20:
                yield _EQUATION
            yield f"{text}~\\cite{{{work.key}}}." if line % 7 == 3 else f"{text}."
        yield from ("\\bibliography{refs}", "\\end{document}", "")

    @cached_property
    def papers(self) -> frozenset[str]:
        """The keys of the works with a paper in the library."""
        return frozenset(path.stem for path in self.library.glob("*.json"))

    @property
    def library(self) -> Path:
        """A folder with papers in S2ORC's JSON for some of 50,000 works, named by their keys."""

        def make(folder: Path) -> None:
            works = sorted(self.works(50_000), key=lambda work: (not work.abstract, work.key))
            real, number = self._real_papers(), PAPERS // self._part
            words = Words(works, "papers")
            having = [work for work in works if work.paper_id in real][:number]
            for work in having:
                (folder / f"{work.key}.json").write_text(real[work.paper_id], "utf-8")
            others = [work for work in works if work.paper_id not in real]
            for work in others[: number - len(having)]:
                (folder / f"{work.key}.json").write_text(json.dumps(_paper(work, words)), "utf-8")

        return self._made("library", make)

    def _real_papers(self) -> dict[str, str]:
        if self.data is None:
            return {}
        found = papers(self.data / "acl-resolution" / "papers.jsonl.gz")
        return {paper["paper_id"]: json.dumps(paper) for paper in found}


def _paper(work: Work, words: Words) -> dict[str, object]:
    """Return the synthetic paper of a work, which cites another work in each paragraph."""
    cited = words.random.choices(words.works, k=12)
    paragraphs = []
    for number in range(_SENTENCES // _SENTENCES_A_PARAGRAPH):
        lengths = (words.random.randint(14, 31) for _ in range(_SENTENCES_A_PARAGRAPH))
        text = " ".join(f"{words.sentence(work, length)}." for length in lengths)
        at = number % len(cited)
        marker = f" ({cited[at].surname}, {cited[at].year})"
        span = {"start": len(text) + 1, "end": len(text) + len(marker), "ref_id": f"B{at}"}
        paragraphs.append({"text": f"{text}{marker}.", "cite_spans": [span], "section": "Text"})
    references = {
        f"B{at}": {"title": w.title, "authors": [{"first": "", "last": w.surname}], "year": w.year}
        for at, w in enumerate(cited)
    }
    abstract = [{"text": work.abstract}] if work.abstract else []
    parse = {"abstract": abstract, "body_text": paragraphs, "bib_entries": references}
    return {"paper_id": work.key, "title": work.title, "year": work.year, "pdf_parse": parse}
