"""Kinds of sentences: those that are never shown, and features of form and position."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..model.papers import ReferencePaper, Sentence
from ..text.markers import without_markers
from ..text.tokens import words

Floats = npt.NDArray[np.float64]

#: Kinds of sections, by words of their headings.
SECTIONS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("abstract", re.compile(r"abstract", re.IGNORECASE)),
    ("introduction", re.compile(r"introduc|motivation", re.IGNORECASE)),
    ("related", re.compile(r"related|previous|background", re.IGNORECASE)),
    ("results", re.compile(r"experiment|result|evaluat|discussion", re.IGNORECASE)),
    ("conclusion", re.compile(r"conclu|summary|future", re.IGNORECASE)),
    (
        "methods",
        re.compile(r"method|material|procedure|participants|design|statistic", re.IGNORECASE),
    ),
    ("findings", re.compile(r"result|finding", re.IGNORECASE)),
    ("discussion", re.compile(r"discuss", re.IGNORECASE)),
)
#: Phrases with which authors describe their own work.
_OWN = re.compile(
    r"\b(?:we|our|in this|this (?:paper|article|work|study)|propose[ds]?|presents?|introduces?"
    r"|describes?)\b",
    re.IGNORECASE,
)
#: Sections that never contain what a work is cited for.
_LEFT_OUT = re.compile(
    r"(?:\d[\d.]*\s+)?(?:references|bibliography|literature cited|acknowledge?ments?|funding"
    r"|(?:author|authors['’]) contributions?|competing interests?|conflicts? of interest"
    r"|abbreviations|supplementary|supporting information)\b",
    re.IGNORECASE,
)
_CAPTION = re.compile(
    r"(?:fig(?:ure|\.)?|table|tab\.|algorithm|listing)\s*\d+\s*[.:|]", re.IGNORECASE
)
#: An item of a reference list: a year and pages, or a volume with its number.
_REFERENCE = re.compile(
    r"\bpp?\.?\s*\d+\s*[-–]\s*\d+|\b\d+\s*\(\d+\)\s*[:,]\s*(?:pp\.?\s*)?\d+"
    r"|\bIn Proceedings of\b"
)
_YEAR = re.compile(r"\b(?:19|20)\d\d[a-z]?\b")
_INITIALS = re.compile(r"\b[A-Z]\.(?:\s*[A-Z]\.)?")
_MIN_WORDS = 4


def can_support(sentence: Sentence) -> bool:
    """Return whether it is prose: no heading, caption, reference or acknowledgement."""
    text = sentence.text
    if sentence.section and _LEFT_OUT.match(sentence.section):
        return False
    if _CAPTION.match(text) or len(words(text)) < _MIN_WORDS:
        return False
    return not (_REFERENCE.search(text) and _YEAR.search(text) and _INITIALS.search(text))


def can_supports(paper: ReferencePaper, positions: Sequence[int]) -> npt.NDArray[np.bool_]:
    """Return which of the sentences at these positions (S) can support anything.

    If none qualifies, return all: the text was badly extracted, and its form is meaningless.
    """
    found = np.array([can_support(paper.sentences[each]) for each in positions], np.bool_)
    return found if found.any() else np.ones(len(positions), np.bool_)


def form(paper: ReferencePaper, positions: Sequence[int]) -> dict[str, Floats]:
    """Return the features of form and position of S sentences by name (each S)."""
    sentences = [paper.sentences[position] for position in positions]
    number = len(sentences)
    texts = [sentence.text for sentence in sentences]
    headings = [sentence.section or "" for sentence in sentences]
    found = {
        "position": np.arange(number) / max(1, number - 1),
        "among_first": np.minimum(np.arange(number), 60.0) / 60.0,
        "characters": np.log1p([len(text) for text in texts]),
        "own": np.array([float(bool(_OWN.search(text))) for text in texts]),
        "cites": np.array([float(without_markers(text) != text) for text in texts]),
    }
    for name, pattern in SECTIONS:
        found[f"in_{name}"] = np.array([float(bool(pattern.search(each))) for each in headings])
    return found
