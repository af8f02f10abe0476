"""The words of a paper's sentences, tokenised once for all matchers with the same `Reading`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from sys import intern

import numpy as np
import numpy.typing as npt

from ..model.papers import ReferencePaper
from ..model.problems import InputError
from ..model.results import SupportingSentence
from ..text.markers import Markers, without_markers
from ..text.tokens import composed, stop_words, word_spans
from .top_sentences import supporting

Indices = npt.NDArray[np.intp]
Marks = npt.NDArray[np.bool_]

#: More papers than the editor keeps ready, or an evaluation handles at once.
_PAPERS_KEPT = 16
_CITANCES_KEPT = 1024
#: Words of references in running text ("Salton et al."), which carry no content.
_OF_REFERENCES = frozenset({"et", "al"})


@dataclass(frozen=True, slots=True)
class Reading:
    """Which words of a sentence count (Ricci et al. 2022, section 3.1 and Table 1).

    Citation markers are removed, or kept as words; only the first `truncation` words are read, all
    with None; `cased` keeps their case. Raises `InputError` for a truncation below 1.
    """

    markers: Markers = "remove"
    truncation: int | None = 100
    cased: bool = True

    def __post_init__(self) -> None:
        if self.truncation is not None and self.truncation < 1:
            raise InputError(f"truncation={self.truncation}: expected 1 word or more, or none")

    def words(self, sentence: str) -> tuple[str, ...]:
        """Return the words of a citance; recent citances are cached."""
        return _words(self, sentence)

    def placed(self, sentence: str) -> Iterator[tuple[str, int, int]]:
        """Yield each word with its half-open span, in offsets of the original sentence."""
        text = without_markers(sentence) if self.markers == "remove" else sentence
        for start, end in islice(word_spans(text), self.truncation):
            word = composed(text[start:end])
            yield word if self.cased else word.lower(), start, end


@dataclass(frozen=True, slots=True, eq=False)
class SentenceWords:
    """The words of a paper, sentence after sentence; sentences without any are left out.

    Of N words, `columns` (N) are the indices in `vocabulary` and `spans` (N×2) their spans in the
    text of their sentence. The words of sentence ``paper.sentences[positions[i]]`` begin at
    ``starts[i]``. `distinct` and `distinct_starts` are the same with each word of a sentence once,
    in any order, which is enough for computing maxima.
    """

    paper: ReferencePaper
    vocabulary: tuple[str, ...]
    columns: Indices
    starts: Indices
    distinct: Indices
    distinct_starts: Indices
    spans: npt.NDArray[np.int32]
    positions: tuple[int, ...]

    @staticmethod
    def of(paper: ReferencePaper, reading: Reading) -> SentenceWords:
        """Tokenise `paper`; the last few papers are cached."""
        return _sentence_words(_Identity(paper), reading)

    def places(self, index: int) -> slice:
        """Return the slice of the N words that belongs to sentence `index`."""
        last = index + 1 == len(self.starts)
        return slice(
            int(self.starts[index]), len(self.columns) if last else int(self.starts[index + 1])
        )

    def telling(self, words: Iterable[str]) -> Marks:
        """Return which of the N words are content words among `words`."""
        shared = {word for word in words if is_telling(word)}
        listed = (word in shared for word in self.vocabulary)
        return np.fromiter(listed, np.bool_, len(self.vocabulary))[self.columns]

    def in_sentence(self, index: int) -> list[str]:
        """Return the words of sentence `index`."""
        return [self.vocabulary[column] for column in self.columns[self.places(index)]]

    def supporting(
        self, chosen: Iterable[tuple[int, float]], marks: Marks
    ) -> list[SupportingSentence]:
        """Return sentences, given by index and score, with the words in `marks` (N) marked."""
        found = []
        for index, score in chosen:
            place = self.places(index)
            spans = self.spans[place][marks[place]].tolist()
            found.append(supporting(self.paper, self.positions[index], score, spans))
        return found


def is_telling(word: str) -> bool:
    """Return whether a word is a content word, so that marking it helps a reader."""
    lowered = word.lower()
    return (
        lowered not in stop_words()
        and lowered not in _OF_REFERENCES
        and (len(word) > 1 or not word.isascii())
    )


class _Identity:
    """A cache key for a paper that compares by identity, since comparing papers is slow."""

    __slots__ = ("paper",)

    def __init__(self, paper: ReferencePaper) -> None:
        self.paper = paper

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Identity) and self.paper is other.paper

    def __hash__(self) -> int:
        return id(self.paper)


@lru_cache(maxsize=_CITANCES_KEPT)
def _words(reading: Reading, sentence: str) -> tuple[str, ...]:
    return tuple(word for word, _, _ in reading.placed(sentence))


@lru_cache(maxsize=_PAPERS_KEPT)
def _sentence_words(identity: _Identity, reading: Reading) -> SentenceWords:
    vocabulary: dict[str, int] = {}
    columns: list[int] = []
    spans: list[tuple[int, int]] = []
    starts: list[int] = []
    positions: list[int] = []
    for position, sentence in enumerate(identity.paper.sentences):
        before = len(columns)
        for word, start, end in reading.placed(sentence.text):
            columns.append(vocabulary.setdefault(word, len(vocabulary)))
            spans.append((start, end))
        if len(columns) > before:
            positions.append(position)
            starts.append(before)
    every, first = np.asarray(columns, np.intp), np.asarray(starts, np.intp)
    # Encode sentence and word as one number, so that sorting groups duplicates.
    owners = np.repeat(np.arange(len(first)), np.diff(first, append=len(every)))
    pairs = np.unique(owners * len(vocabulary) + every)
    return SentenceWords(
        paper=identity.paper,
        # Papers share most of their words.
        vocabulary=tuple(map(intern, vocabulary)),
        columns=every,
        starts=first,
        distinct=pairs % max(1, len(vocabulary)),
        distinct_starts=np.searchsorted(pairs, np.arange(len(first)) * len(vocabulary)),
        spans=np.asarray(spans, np.int32).reshape(-1, 2),
        positions=tuple(positions),
    )
