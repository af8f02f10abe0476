"""Train the learned ranker: drafts, articles and collections of papers → `LearnedModel`.

Drafts and articles are those of `evaluate drafts`, collections those of `evaluate resolution`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from pincite import __version__
from pincite.model.encoders import TextVectors
from pincite.model.problems import InputError, Problem
from pincite.parsing.encoding import read_text
from pincite.ranking.learned import LearnedModel

from .collection import read_collection
from .drafts.projects import lists_of, project_sources, read_project
from .drafts.rankers import encoder
from .processes import tracked
from .ranker_training import ROUNDS, Lists, require_trainer, train
from .resolution.protocol import CollectionEvidence, lists_of_papers, papers_to_learn_from


def train_ranker(
    paths: Sequence[Path],
    *,
    with_meaning: bool = False,
    rounds: int = ROUNDS,
    seed: int = 0,
) -> tuple[LearnedModel, Counter[str], list[Problem]]:
    """Train a ranker with calibrated probabilities on the data that the paths name.

    Return the model, the numbers of projects, papers and lists it was trained on, and problems.
    `with_meaning`, it uses the installed encoder.
    """
    require_trainer()
    vectors = encoder() if with_meaning else None
    are_collections = {path: _is_collection(path) for path in dict.fromkeys(paths)}
    problems: list[Problem] = []
    lists: list[Lists] = []
    facts: dict[str, dict[str, int]] = {}
    counts: Counter[str] = Counter()
    for path, name in _names(tuple(are_collections)).items():
        read = _lists_of_collection if are_collections[path] else _lists_of_drafts
        everything = list(read(path, name, seed, vectors, problems))
        found = [own for own in everything if any(each.teaches for each in own.lists)]
        kind = "papers" if are_collections[path] else "projects"
        facts[name] = {kind: len(found), "lists": sum(len(own.lists) for own in found)}
        counts.update(facts[name])
        lists += found
    if not lists:
        reason = f" ({problems[0]})" if problems else ""
        raise InputError(f"nothing to train on: no place cites one of several entries{reason}")
    if len(lists) < 2:
        raise InputError("training needs 2 drafts or papers that cite, to calibrate on one of them")
    model = train(lists, with_meaning=with_meaning, rounds=rounds, seed=seed, calibrate=True)
    meta = {**model.trees.meta, "trained_on": facts, "pincite": __version__}
    return replace(model, trees=replace(model.trees, meta=meta)), counts, problems


def _is_collection(path: Path) -> bool:
    """Return whether a path is a collection of papers: a folder, or papers in S2ORC's JSON."""
    if not path.exists():
        raise InputError(f"{path}: no such file or folder")
    if path.is_dir() or path.suffix.lower() in (".jsonl", ".gz"):
        return True
    if path.suffix.lower() != ".json":
        return False
    try:
        named = json.loads(read_text(path))
    except (ValueError, RecursionError):
        return True  # JSON lines, one paper each
    return not (isinstance(named, dict) and all(isinstance(main, str) for main in named.values()))


def _names(paths: Sequence[Path]) -> dict[Path, str]:
    """Return the shortest distinct suffixes of paths, in parts."""
    parts = [path.absolute().parts for path in paths]
    lengths = range(1, max(map(len, parts)))
    distinct = (n for n in lengths if len({own[-n:] for own in parts}) == len(parts))
    length = next(distinct, 1)
    return {path: "/".join(own[-length:]) for path, own in zip(paths, parts, strict=True)}


def _lists_of_drafts(
    path: Path,
    group: str,
    seed: int,
    vectors: TextVectors | None,
    problems: list[Problem],
) -> Iterator[Lists]:
    sources, missing = project_sources([path])
    problems += missing
    for source in tracked(sources, f"Reading {group}", len(sources)):
        try:
            project = read_project(source)
        except InputError as error:
            problems.append(Problem(source.main, None, str(error), broken=True))
            continue
        if project.places:
            yield lists_of(project, seed, vectors)


def _lists_of_collection(
    path: Path,
    group: str,
    seed: int,
    vectors: TextVectors | None,
    problems: list[Problem],
) -> Iterator[Lists]:
    collection = read_collection(path)
    problems += collection.problems
    names = papers_to_learn_from(collection)
    evidence = CollectionEvidence(collection, vectors=vectors)
    lists = lists_of_papers(evidence, names, seed=seed)
    yield from tracked(lists, f"Reading training data from {group}", len(names))
