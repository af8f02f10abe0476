"""Straightforward implementations of what Pincite does; each function runs in its own process."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from .own_process import Clock
from .words import entries_of

_PASSAGE_WORDS = 350
_WINDOW_WORDS = 20
_CITED = re.compile(r"\s*~?\\cite\{[^}]*\}")
_D, _ALPHA = 4, 1e-4
#: Words of a query at once; with many more, maxsim-cpu's library ends the process.
_PIECE = 8


def _contexts(thesis: str, number: int) -> list[str]:
    """Return the words around some citations, all over a thesis."""
    found = []
    for chapter in sorted(Path(thesis, "chapters").glob("*.tex")):
        text = chapter.read_text("utf-8")
        for match in list(_CITED.finditer(text))[:3]:
            before = _CITED.sub("", text[: match.start()]).split()[-_WINDOW_WORDS:]
            after = _CITED.sub("", text[match.end() :]).split()[:_WINDOW_WORDS]
            found.append(" ".join((*before, *after)))
    return found[:number]


def _text(path: Path) -> str:
    parse = json.loads(path.read_text("utf-8"))["pdf_parse"]
    return " ".join(part["text"] for part in (*parse["abstract"], *parse["body_text"]))


def _bags(bibliography: str, library: str | None) -> tuple[list[str], list[int]]:
    """Return the texts that are ranked, and with which of them each entry begins."""
    papers = {path.stem: path for path in Path(library).glob("*.json")} if library else {}
    bags: list[str] = []
    starts = []
    for entry in entries_of(Path(bibliography).read_text("utf-8")):
        starts.append(len(bags))
        if entry.key not in papers:
            bags.append(f"{entry.title} {entry.abstract}")
            continue
        words = _text(papers[entry.key]).split()
        half = _PASSAGE_WORDS // 2
        last = max(1, len(words) - half)
        bags += (" ".join(words[n : n + _PASSAGE_WORDS]) for n in range(0, last, half))
    return bags, starts


def ranking(
    bibliography: str, library: str | None, thesis: str, number: int
) -> Iterator[dict[str, Any]]:
    """Rank all entries for some contexts: scikit-learn with a dense argsort, then bm25s."""
    bags, starts = _bags(bibliography, library)
    contexts = _contexts(thesis, number)
    yield {"name": "scikit-learn", **_by_scikit_learn(bags, starts, contexts)}
    with suppress(ImportError):
        yield {"name": "bm25s, first 30", **_by_bm25s(bags, contexts)}


def _by_scikit_learn(bags: list[str], starts: list[int], contexts: list[str]) -> dict[str, Any]:
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(stop_words="english")
    matrix = vectorizer.fit_transform(bags)

    def ranked(context: str) -> None:
        cosines = (matrix @ vectorizer.transform([context]).T).toarray()[:, 0]
        np.argsort(-np.maximum.reduceat(cosines, starts), kind="stable")

    return _taken(ranked, contexts)


def _by_bm25s(bags: list[str], contexts: list[str]) -> dict[str, Any]:
    import bm25s

    searched = bm25s.BM25()
    searched.index(bm25s.tokenize(bags, stopwords="en", show_progress=False), show_progress=False)
    most = min(30, len(bags))

    def ranked(context: str) -> None:
        query = bm25s.tokenize([context], stopwords="en", show_progress=False)
        searched.retrieve(query, k=most, show_progress=False)

    return _taken(ranked, contexts)


def matching(library: str, thesis: str, number: int) -> Iterator[dict[str, Any]]:
    """Match some citances with papers, a sentence at a time; then maxsim-cpu's own scores."""
    from pincite.matching.vectors import WordVectors
    from pincite.parsing.papers import read_paper

    vectors = WordVectors.packaged()
    word = re.compile(r"[^\W\d_]+")

    def matrix(text: str) -> tuple[list[str], np.ndarray[Any, np.dtype[np.float32]]]:
        words = word.findall(text)[:100]
        return words, vectors.unit(vectors.rows(words)).astype(np.float32)

    papers = [read_paper(path).sentences for path in sorted(Path(library).glob("*.json"))[:number]]
    pairs = list(zip(_contexts(thesis, number), papers, strict=False))

    def sentence_by_sentence(pair: tuple[str, Any]) -> None:
        citance, sentences = pair
        words, query = matrix(citance)
        weights = _ALPHA / (_ALPHA + vectors.probability(words))
        scores = []
        for sentence in sentences:
            _, rows = matrix(sentence.text)
            if len(rows):
                best = np.maximum((query @ rows.T).max(axis=1), 0.0) ** _D
                scores.append(float(weights @ best / weights.sum()))
        sorted(scores, reverse=True)

    yield {"name": "per-sentence loop", **_taken(sentence_by_sentence, pairs)}
    try:
        import maxsim_cpu
    except ImportError:
        return

    def prepared(pair: tuple[str, Any]) -> tuple[list[Any], list[Any]]:
        citance, sentences = pair
        rows = [matrix(sentence.text)[1] for sentence in sentences]
        query = matrix(citance)[1]
        pieces = [query[start : start + _PIECE] for start in range(0, len(query), _PIECE)]
        return pieces, [each for each in rows if len(each)]

    def by_maxsim(pair: tuple[list[Any], list[Any]]) -> None:
        pieces, sentences = pair
        sum(np.asarray(maxsim_cpu.maxsim_scores_variable(piece, sentences)) for piece in pieces)

    looked_up = [prepared(pair) for pair in pairs]
    yield {"name": "maxsim-cpu, words looked up", **_taken(by_maxsim, looked_up)}


def _taken(work: Callable[[Any], None], many: list[Any]) -> dict[str, list[float]]:
    """Return what each takes; the first is done twice, and counted once."""
    seconds, cpu = [], []
    for each in [*many[:1], *many]:
        clock = Clock()
        work(each)
        taken = clock.read()
        seconds.append(taken["seconds"])
        cpu.append(taken["cpu"])
    return {"seconds": seconds[1:], "cpu": cpu[1:]}
