"""Readers' judgements of pairs of a citance and a sentence (docs/judging-evidence.md).

The file names citances and sentences by ids; their text is read from the data folder. A grade is 2
(relevant), 1 (partly) or 0 (irrelevant), one for each reader.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from statistics import fmean

from pincite.model.problems import InputError

from .corpus import CitedPassage, text_id

#: The grades of the sentences of citances, by their ids.
Judgements = Mapping[str, Mapping[str, tuple[int, ...]]]
_GRADES = (0, 1, 2)


def read_judgements(path: Path) -> Judgements:
    """Read a file of judgements; raises `InputError` if it is not one."""
    try:
        read = json.loads(path.read_text("utf-8"))["citances"]
        found = {
            str(citance): {str(sentence): tuple(given) for sentence, given in grades.items()}
            for citance, grades in read.items()
        }
        for grades in found.values():
            for given in grades.values():
                if not given or not set(given) <= set(_GRADES):
                    raise ValueError(f"{given} are not grades")
        return found
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise InputError(f"{path}: not a file of judgements ({error})") from error


def judged(
    passages: Iterable[CitedPassage], judgements: Judgements
) -> tuple[list[CitedPassage], int]:
    """Return the citances with mean grades, and the number of pairs that are not in the data."""
    found: list[CitedPassage] = []
    missing = dict(judgements)
    pairs = 0
    for passage in passages:
        grades = missing.pop(passage.id, None)
        if grades is None:
            continue
        positions = {
            text_id(sentence.text): position
            for position, sentence in enumerate(passage.paper.sentences)
        }
        known = {
            positions[sentence]: fmean(given)
            for sentence, given in grades.items()
            if sentence in positions
        }
        pairs += len(grades) - len(known)
        found.append(replace(passage, grades=known))
    return found, pairs + sum(map(len, missing.values()))


def agreement(judgements: Judgements) -> float | None:
    """Return Cohen's κ of the first two readers, weighted linearly; None with one reader."""
    pairs = [
        (given[0], given[1])
        for grades in judgements.values()
        for given in grades.values()
        if len(given) > 1
    ]
    if not pairs:
        return None
    from sklearn.metrics import cohen_kappa_score

    first, second = zip(*pairs, strict=True)
    if len({*first, *second}) == 1:
        return 1.0
    return float(cohen_kappa_score(first, second, weights="linear", labels=list(_GRADES)))
