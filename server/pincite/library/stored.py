"""What the index stores: a paper, its links to entries, and the version of what read it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple, overload

from ..model.papers import CitingPaper, ReferencePaper, Sentence
from ..parsing.papers import BY_SUFFIX
from .paper_codec import dump_cited, dump_contexts, dump_head, dump_sentences

logger = logging.getLogger(__name__)

#: Digest of a paper's files, and its kind (`pincite.parsing.papers.kind`).
Name = tuple[str, str]
#: Increase this when a step that all readers share changes: sentences, citation markers, contexts,
#: the format in which they are stored.
_SHARED_VERSION: Final = 3
#: The kinds of citing drafts, and of bibliographies that have texts for others.
DRAFT: Final = "draft"
TEXT_SOURCE: Final = "bib"
#: The versions of the readers of these two; those of papers are in `FORMATS`.
_VERSIONS: Final = {DRAFT: 4, TEXT_SOURCE: 3}


def reader_version(suffix: str) -> str:
    """Return the version of the reader of files of a kind."""
    paper = BY_SUFFIX.get(suffix)
    version = _VERSIONS.get(suffix, 1) if paper is None else paper.version
    return f"{_SHARED_VERSION}.{version}"


class PackedPaper(NamedTuple):
    """A paper as stored in the index; `contexts` are those of each of its references."""

    sentence_count: int
    context_count: int
    head: bytes
    cited: bytes
    sentences: bytes
    contexts: Mapping[int, bytes]


def pack(paper: ReferencePaper, citing: CitingPaper) -> PackedPaper:
    """Return a paper and its contexts in the format of the index."""
    return PackedPaper(
        len(paper.sentences),
        len(citing.contexts),
        dump_head(paper),
        dump_cited(citing),
        dump_sentences(paper.sentences),
        dump_contexts(citing),
    )


class LinkedPaper(NamedTuple):
    """Which entry of a bibliography a paper is, and which entries it cites.

    `name` is the paper's name in the index, `own_key` the key of its own entry. `cited` are the
    indices of those of its references that are entries, with their keys; `context_count` is how
    often it cites these.
    """

    name: Name
    own_key: str | None
    cited: tuple[tuple[int, str], ...]
    context_count: int


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """What the index has. `path` is None if it is in memory only, `size` is in bytes."""

    path: Path | None
    size: int
    papers: int
    sentences: int
    contexts: int
    unreadable: int
    citing_drafts: int


class LazySentences(Sequence[Sentence]):
    """The sentences of a paper, loaded on each access; `length` is known where loading may fail."""

    __slots__ = ("_length", "_load")

    def __init__(
        self, load: Callable[[], tuple[Sentence, ...] | None], length: int | None = None
    ) -> None:
        self._load = load
        self._length = length

    def __len__(self) -> int:
        return len(self._all()) if self._length is None else self._length

    @overload
    def __getitem__(self, index: int) -> Sentence: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Sentence]: ...
    def __getitem__(self, index: int | slice) -> Sentence | Sequence[Sentence]:
        return self._all()[index]

    def __iter__(self) -> Iterator[Sentence]:
        return iter(self._all())

    def _all(self) -> tuple[Sentence, ...]:
        sentences, length = self._load() or (), self._length
        if length is not None and len(sentences) != length:
            logger.warning("the sentences of a paper are no longer in the index")
            # Positions computed earlier must stay valid.
            return (Sentence(""),) * length
        return sentences
