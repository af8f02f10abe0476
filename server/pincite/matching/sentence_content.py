"""What a sentence shares with a citance beyond the same words, and in which kind of text.

Words count by how rare they are in the paper: the coverage of the citance's rarest stems, with the
neighbouring sentences or without, and the cosines of mean vectors. Sentences that report and
compare (“reduced”, “no more than”) have a direction. `familiar` is how frequent the paper's words
are in the text of the packaged vectors, which are papers of computational linguistics: people
mark sentences by other conventions elsewhere, and the model has to know where it is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ..text.markers import without_markers
from .asymmetric import FittedPaper
from .coverage import scaled, unit
from .sentence_terms import Postings, SentenceTerms
from .sentence_vocabulary import is_telling
from .vectors import WordVectors

Floats = npt.NDArray[np.float64]

NUMBER: Final = re.compile(r"\d+")
_REPORTS = re.compile(
    r"\b(?:found\b|(?:show|find|demonstrat|reveal|indicat|conclu|report|observ|confirm|result)\w*)",
    re.IGNORECASE,
)
_COMPARES = re.compile(
    r"\b(?:(?:signific|increas|decreas|reduc|improv|associat|differ|effect)\w*"
    r"|higher|lower|greater|more|less|compared|than)\b",
    re.IGNORECASE,
)
#: Up, down, and not.
_DIRECTIONS = (
    re.compile(
        r"\b(?:(?:increas|improv|enhanc|rais|elevat|induc|activat|promot|up-?regulat)\w*"
        r"|higher|greater|more)\b",
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?:(?:decreas|lower|reduc|impair|inhibit|suppress|attenuat|declin|down-?regulat)\w*"
        r"|less|fewer)\b",
        re.IGNORECASE,
    ),
    re.compile(r"\b(?:no|not|nor|never|without|neither|(?:lack|absen|fail)\w*)\b", re.IGNORECASE),
)
#: The numbers of rarest stems of a citance whose coverage is a feature.
_RAREST = (3, 6)
#: What a word that the vectors lack counts as, and a word that is rare in their text.
_UNSEEN, _RARE = 1e-7, 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class FittedContent:
    """A paper's S sentences, prepared: features of each by name, without a citance (`form`).

    `means` (S×D) are the mean vectors of their words by idf, of length 1; `directions` (S×3) are
    which of them go up, down, or deny.
    """

    means: npt.NDArray[np.float32]
    directions: Floats
    form: dict[str, Floats]

    @classmethod
    def of(
        cls, paper: FittedPaper, terms: SentenceTerms, vectors: WordVectors, own: Floats
    ) -> FittedContent:
        """Read a paper; `own` (S) is which sentences describe the authors' work."""
        words, texts = paper.words, paper.words.texts()
        number = len(texts)
        weights = np.append(terms.stems.idf, 0.0)[terms.stem_of].astype(np.float32)
        of_words = paper.vectors * weights[:, None]
        means = unit(np.add.reduceat(of_words[words.columns], words.starts))
        lengths = np.diff([*words.starts, len(words.columns)])
        form = {
            "reports": _counts(_REPORTS, texts),
            "compares": _counts(_COMPARES, texts),
            "own_numbers": np.log1p(_counts(NUMBER, texts)),
            "words": np.log1p(lengths),
            "words_relative": lengths / max(1e-9, float(lengths.mean()) if number else 0.0),
            "central": (means @ unit(means.sum(axis=0)[None])[0]).astype(np.float64),
        }
        for name, value in _kind_of_text(paper, vectors).items():
            form[name] = np.full(number, value)
        form["paper_own"] = np.full(number, own.mean() if number else 0.0)
        directions = np.array([_directions(text) for text in texts], np.float64).reshape(-1, 3)
        return cls(means, directions, form)


def _kind_of_text(paper: FittedPaper, vectors: WordVectors) -> dict[str, float]:
    """Return how familiar the content words of a paper are to the vectors."""
    telling = np.array([is_telling(word) for word in paper.vocabulary], np.bool_)
    if not telling.any():
        return {"paper_unknown": 0.0, "paper_rare": 0.0, "familiar": float(np.log10(_UNSEEN))}
    found = vectors.probability(paper.vocabulary)
    occurrences = np.bincount(paper.words.columns, minlength=len(telling)) * telling
    seen = np.log10(found + _UNSEEN)
    return {
        "paper_unknown": float((vectors.rows(paper.vocabulary) < 0)[telling].mean()),
        "paper_rare": float((found < _RARE)[telling].mean()),
        "familiar": float(occurrences @ seen / occurrences.sum()),
    }


def by_rarity(stems: Sequence[str], terms: Postings) -> dict[str, Floats]:
    """Return how well sentences cover the stems of a citance, the rarest of them, and together."""
    counts, _ = terms.query(Counter(stems))
    asked, distinct = counts > 0, len(set(stems))
    known = np.flatnonzero(asked)
    idf = terms.idf[known]
    of_posting = asked[terms.columns]
    total = max(float(idf.sum()), 1e-9)
    found = {
        "stems_share": terms.total(of_posting) / max(1, distinct),
        "stems_known": np.full(terms.sentences, len(known) / max(1, distinct)),
        "idf_covered": terms.total(of_posting * terms.idf[terms.columns]) / total,
    }
    rarest = known[np.argsort(-idf, kind="stable")]
    for number in _RAREST:
        among = np.zeros(len(asked), np.bool_)
        among[rarest[:number]] = True
        found[f"rarest_{number}"] = terms.total(among[terms.columns]) / max(
            1, min(number, len(known))
        )
    # Which of the known stems (K) each sentence has, with one more of none at both ends.
    has = np.zeros((terms.sentences + 2, len(known)), np.bool_)
    has[terms.rows[of_posting] + 1, np.searchsorted(known, terms.columns[of_posting])] = True
    before, own, after = has[:-2], has[1:-1], has[2:]
    found["window_before"] = (own | before) @ idf / total
    found["window_after"] = (own | after) @ idf / total
    found["window"] = (own | before | after) @ idf / total
    return found


def by_meaning(
    counts: Counter[str],
    stems: Sequence[str],
    best: npt.NDArray[np.float32],
    terms: Postings,
    content: FittedContent,
    vectors: WordVectors,
    d: float,
) -> dict[str, Floats]:
    """Return how well a citance's n words are covered if they count by idf.

    `stems` (n) are their stems, `best` (n×S) the highest cosine of each with a word of a sentence.
    """
    query, number = list(counts), len(content.means)
    idf = np.array(
        [
            (terms.idf[terms.numbers[stem]] if stem in terms.numbers else terms.idf_of_others)
            if is_telling(word)
            else 0.0
            for word, stem in zip(query, stems, strict=True)
        ]
    )
    weights = idf * np.fromiter(counts.values(), np.float64, len(counts))
    rows = vectors.rows(query)
    mean = unit((weights.astype(np.float32) @ vectors.unit(rows))[None])[0]
    weights /= max(float(weights.sum()), 1e-9)
    unknown = (rows < 0) & (idf > 0)
    return {
        "mean_idf": (content.means @ mean).astype(np.float64),
        "flat_idf": weights @ best,
        "covered_idf": weights @ scaled(best, d),
        "unknown_words": np.full(number, unknown.sum() / max(1, int((idf > 0).sum()))),
        "unknown_covered": (best[unknown] >= 0.999).sum(axis=0) / max(1, int(unknown.sum())),
    }


def by_citance(
    citance: str, read: Sequence[str], names: int, content: FittedContent
) -> dict[str, Floats]:
    """Return how a citance is built, and which sentences go in its direction or against it.

    `read` are its words, `names` of which are names of methods and the like.
    """
    own = np.array(_directions(citance), np.float64)
    up, down, denies = content.directions.T
    numbers = set(NUMBER.findall(without_markers(citance)))
    telling = sum(map(is_telling, read))
    asked = {
        "asked_directions": own[0] + own[1],
        "asked_not": own[2],
        "asked_numbers": np.log1p(len(numbers)),
        "asked_names": np.log1p(names),
        "asked_reports": len(_REPORTS.findall(citance)),
        "asked_compares": len(_COMPARES.findall(citance)),
        "asked_stop_words": 1.0 - telling / max(1, len(read)),
    }
    return {
        "same_up": up * own[0],
        "same_down": down * own[1],
        "same_not": denies * own[2],
        "against": up * own[1] * (1 - own[0]) + down * own[0] * (1 - own[1]),
        "not_differs": np.abs(denies - own[2]),
        **{name: np.full(len(up), float(value)) for name, value in asked.items()},
    }


def _counts(pattern: re.Pattern[str], texts: Sequence[str]) -> Floats:
    return np.array([len(pattern.findall(text)) for text in texts], np.float64)


def _directions(text: str) -> list[bool]:
    return [pattern.search(text) is not None for pattern in _DIRECTIONS]
