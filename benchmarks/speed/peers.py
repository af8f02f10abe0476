"""What others take for the same: libraries with a few lines round them, each in its own process.

Each function returns the seconds of its runs by the name of the peer. A peer that is not installed
is left out; latex-utensils, the BibTeX parser of LaTeX Workshop, is fetched from npm once.
"""

import logging
import multiprocessing
import re
import shutil
import subprocess
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from .editor import seconds

Seconds = dict[str, list[float]]

_LATEX_UTENSILS = "latex-utensils@7.0.0"
_PARSE = """
const text = require('fs').readFileSync(process.argv[1], 'utf8'), began = performance.now()
require('latex-utensils').bibtexParser.parse(text)
console.log((performance.now() - began) / 1e3)
"""


def alone(measure: Callable[..., Seconds], *arguments: object) -> Seconds:
    """Run a function in a process of its own."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as process:
        return process.submit(measure, *arguments).result()


def _each(work: Callable[[Any], object], many: list[Any]) -> list[float]:
    """Return what each takes; the first is done once before."""
    work(many[0])
    return [seconds(lambda each=each: work(each)) for each in many]


def reading(bibliography: Path, fetched: Path | None) -> Seconds:
    """Read a .bib file."""
    found: Seconds = {}
    with suppress(ImportError):
        import bibtexparser

        logging.disable()
        text = bibliography.read_text("utf-8")
        found["bibtexparser reads the .bib"] = [seconds(lambda: bibtexparser.parse_string(text))]
    if fetched is not None and shutil.which("npm"):
        fetched.mkdir(parents=True, exist_ok=True)
        if not (fetched / "node_modules").is_dir():
            (fetched / "package.json").write_text("{}")
            command = ["npm", "install", "--silent", "--no-audit", "--no-fund", _LATEX_UTENSILS]
            subprocess.run(command, cwd=fetched, check=False, timeout=120)
        command = ["node", "--max-old-space-size=4096", "-e", _PARSE, str(bibliography.absolute())]
        done = subprocess.run(command, cwd=fetched, capture_output=True, check=False, timeout=120)
        if done.returncode == 0:
            found["latex-utensils reads the .bib"] = [float(done.stdout)]
    return found


def fitting(texts: list[str]) -> Seconds:
    """Fit vectors to the texts of all entries."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(stop_words="english")
    return {"scikit-learn's vectors fitted": [seconds(lambda: vectorizer.fit_transform(texts))]}


def ranking(texts: list[str], contexts: list[str]) -> Seconds:
    """Rank all texts for each context: a product of vectors and a sort, then BM25's first 30."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(stop_words="english")
    matrix = vectorizer.fit_transform(texts)

    def by_vectors(context: str) -> None:
        cosines = (matrix @ vectorizer.transform([context]).T).toarray()[:, 0]
        np.argsort(-cosines, kind="stable")

    found = {"scikit-learn": _each(by_vectors, contexts)}
    with suppress(ImportError):
        import bm25s

        index = bm25s.BM25()
        index.index(bm25s.tokenize(texts, stopwords="en", show_progress=False), show_progress=False)

        def by_bm25(context: str) -> None:
            query = bm25s.tokenize([context], stopwords="en", show_progress=False)
            index.retrieve(query, k=30, show_progress=False)

        found["bm25s, first 30"] = _each(by_bm25, contexts)
    return found


def matching(papers: list[Path], citances: list[str]) -> Seconds:
    """Match citances with papers, a sentence at a time."""
    from pincite.matching.vectors import WordVectors
    from pincite.parsing.papers import read_paper

    vectors, word = WordVectors.packaged(), re.compile(r"[^\W\d_]+")

    def matrix(text: str) -> tuple[list[str], np.ndarray[Any, Any]]:
        words = word.findall(text)[:100]
        return words, vectors.unit(vectors.rows(words)).astype(np.float32)

    def looped(pair: tuple[str, list[str]]) -> None:
        words, query = matrix(pair[0])
        weights = 1e-4 / (1e-4 + vectors.probability(words))
        scores = []
        for sentence in pair[1]:
            _, rows = matrix(sentence)
            if len(rows):
                best = np.maximum((query @ rows.T).max(axis=1), 0.0) ** 4
                scores.append(float(weights @ best / weights.sum()))
        scores.sort()

    texts = ([sentence.text for sentence in read_paper(path).sentences] for path in papers)
    pairs = list(zip(citances, texts, strict=False))
    return {"a loop over sentences": _each(looped, pairs)}
