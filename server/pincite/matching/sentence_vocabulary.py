"""The words of a paper's sentences, as a matcher with a `Reading` reads them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from sys import intern
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from ..model.papers import ReferencePaper
from ..model.problems import InputError
from ..model.results import SupportingSentence
from ..model.spans import TextSpan
from ..text.markers import Markers, without_markers
from ..text.tokens import composed, stop_words, word_spans

Indices = npt.NDArray[np.intp]
Marks = npt.NDArray[np.bool_]
Form = TypeVar("Form")

#: Words of references in running text ("Salton et al."), which carry no content.
_OF_REFERENCES = frozenset({"et", "al"})


@dataclass(frozen=True, slots=True)
class Reading:
    """Which words of a sentence count (Ricci et al. 2022, section 3.1 and Table 1).

    Citation markers are removed, or read as words; only the first `truncation` words are read, all
    with None; `cased` keeps their case. Raises `InputError` for a truncation below 1.
    """

    markers: Markers = "remove"
    truncation: int | None = 100
    cased: bool = True

    def __post_init__(self) -> None:
        if self.truncation is not None and self.truncation < 1:
            raise InputError(f"truncation={self.truncation}: expected 1 word or more, or none")

    def words(self, sentence: str) -> tuple[str, ...]:
        """Return the words of a sentence or citance."""
        return tuple(word for word, _, _ in self.placed(sentence))

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
    ``starts[i]``; `owners` (N) are the sentences i of the words.
    """

    paper: ReferencePaper
    vocabulary: tuple[str, ...]
    columns: Indices
    starts: Indices
    owners: Indices
    spans: npt.NDArray[np.int32]
    positions: tuple[int, ...]

    @classmethod
    def of(cls, paper: ReferencePaper, reading: Reading) -> SentenceWords:
        """Tokenise `paper`."""
        vocabulary: dict[str, int] = {}
        columns: list[int] = []
        spans: list[tuple[int, int]] = []
        starts: list[int] = []
        positions: list[int] = []
        for position, sentence in enumerate(paper.sentences):
            before = len(columns)
            for word, start, end in reading.placed(sentence.text):
                columns.append(vocabulary.setdefault(word, len(vocabulary)))
                spans.append((start, end))
            if len(columns) > before:
                positions.append(position)
                starts.append(before)
        return cls(
            paper=paper,
            # Papers share most of their words.
            vocabulary=tuple(map(intern, vocabulary)),
            columns=np.asarray(columns, np.intp),
            starts=np.asarray(starts, np.intp),
            owners=np.repeat(np.arange(len(starts)), np.diff([*starts, len(columns)])),
            spans=np.asarray(spans, np.int32).reshape(-1, 2),
            positions=tuple(positions),
        )

    def places(self, index: int) -> slice:
        """Return the slice of the N words that belongs to sentence `index`."""
        return slice(*np.searchsorted(self.owners, [index, index + 1]).tolist())

    def telling(self, words: Iterable[str]) -> Marks:
        """Return which of the N words are content words among `words`."""
        shared = {word for word in words if is_telling(word)}
        return np.array([word in shared for word in self.vocabulary], np.bool_)[self.columns]

    def texts(self) -> list[str]:
        """Return the text of each of the S sentences."""
        return [self.paper.sentences[position].text for position in self.positions]

    def listed(self, by_word: Sequence[Form]) -> list[list[Form]]:
        """Return the words of each sentence, given a form for each word of the vocabulary."""
        read = [by_word[column] for column in self.columns.tolist()]
        ends = [*self.starts.tolist(), len(read)]
        return [read[start:end] for start, end in pairwise(ends)]

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


def supporting(
    paper: ReferencePaper, position: int, score: float, spans: Iterable[tuple[int, int]]
) -> SupportingSentence:
    """Return sentence `position` with its location; `spans` are marked, overlapping ones merged."""
    sentence = paper.sentences[position]
    marked: list[TextSpan] = []
    for start, end in sorted(spans):
        if marked and start < marked[-1].end:
            marked[-1] = TextSpan(marked[-1].start, max(end, marked[-1].end))
        else:
            marked.append(TextSpan(start, end))
    return SupportingSentence(
        text=sentence.text,
        score=score,
        matched=tuple(marked),
        page=sentence.page,
        page_label=sentence.page_label,
        section=sentence.section,
        position=position,
    )
