"""Papers as bytes and back: compressed JSON of plain lists, for what is kept on disk.

What cannot be read back (damaged, or written by another version) raises `ValueError`, nothing
else. A paper's `source` is not kept: the same content may lie elsewhere next time.
"""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar, get_args

from ..model.basis import TextBasis
from ..model.papers import (
    CitingPaper,
    InlinkContext,
    Marker,
    Reference,
    ReferencePaper,
    Sentence,
)

#: What damaged or foreign data makes the standard library raise.
_UNREADABLE = (TypeError, LookupError, AttributeError, zlib.error, RecursionError, EOFError)
#: The longest paper is far below this; what is longer was made to fill the memory.
_MOST_BYTES = 64 * 1024 * 1024
_COMPRESSION = 6
_BASES: tuple[TextBasis, ...] = get_args(TextBasis)

_T = TypeVar("_T")


class CitedWorks(NamedTuple):
    """The reference list of a paper, and how often it cites which of its items, in their order."""

    references: tuple[Reference, ...]
    counts: Mapping[int, int]


def dump_paper(paper: ReferencePaper) -> bytes:
    """Return a paper with all it holds but its `source`."""
    return _packed(
        [
            paper.title,
            paper.basis,
            _sentence_rows(paper.sentences),
            paper.abstract,
            paper.page_count,
            paper.surnames,
            paper.year,
            paper.doi,
            paper.arxiv,
            paper.front,
            _reference_rows(paper.references),
            [[m.sentence, m.start, m.end, m.references] for m in paper.markers],
        ]
    )


def load_paper(data: bytes) -> ReferencePaper:
    """Return the paper that `dump_paper` made `data` of; raise `ValueError` if it did not."""
    try:
        row = _unpacked(data, 12)
        return ReferencePaper(
            title=_as(str, row[0]),
            basis=_BASES[_BASES.index(row[1])],
            sentences=_sentences(row[2]),
            abstract=_as(str, row[3]),
            page_count=_number(row[4]),
            surnames=_strings(row[5]),
            year=_as(str, row[6]),
            doi=_as(str, row[7]),
            arxiv=_as(str, row[8]),
            front=_as(str, row[9]),
            references=_references(row[10]),
            markers=tuple(
                Marker(_as(int, sentence), _as(int, start), _as(int, end), _numbers(references))
                for sentence, start, end, references in row[11]
            ),
        )
    except _UNREADABLE as error:
        raise ValueError(str(error)) from None


def dump_sentences(sentences: Sequence[Sentence]) -> bytes:
    """Return sentences with their places."""
    return _packed(_sentence_rows(sentences))


def load_sentences(data: bytes) -> tuple[Sentence, ...]:
    """Return what `dump_sentences` made `data` of; raise `ValueError` if it did not."""
    try:
        return _sentences(_unpacked(data))
    except _UNREADABLE as error:
        raise ValueError(str(error)) from None


def dump_cited(citing: CitingPaper) -> bytes:
    """Return the references of a paper, and how often it cites which of them."""
    counts = Counter(reference for reference, _ in citing.contexts)
    return _packed([_reference_rows(citing.references), list(counts.items())])


def load_cited(data: bytes) -> CitedWorks:
    """Return what `dump_cited` made `data` of; raise `ValueError` if it did not."""
    try:
        references, counts = _unpacked(data, 2)
        return CitedWorks(
            _references(references),
            {_as(int, reference): _as(int, count) for reference, count in counts},
        )
    except _UNREADABLE as error:
        raise ValueError(str(error)) from None


def dump_contexts(citing: CitingPaper) -> dict[int, bytes]:
    """Return what a paper says of each reference, each with its places among all contexts.

    The name of the citing paper is no part of it.
    """
    rows: dict[int, list[list[object]]] = {}
    for place, (reference, c) in enumerate(citing.contexts):
        rows.setdefault(reference, []).append([place, c.left, c.right, c.citance, c.page])
    return {reference: _packed(said) for reference, said in rows.items()}


def load_contexts(data: bytes) -> list[tuple[int, InlinkContext]]:
    """Return what `dump_contexts` made `data` of; raise `ValueError` if it did not."""
    try:
        return [
            (
                _as(int, place),
                InlinkContext(
                    "", _strings(left), _strings(right), _as(str, citance), _number(page)
                ),
            )
            for place, left, right, citance, page in _unpacked(data)
        ]
    except _UNREADABLE as error:
        raise ValueError(str(error)) from None


def dump_citing(citing: CitingPaper) -> bytes:
    """Return what a paper says of others; a context that several references share is kept once."""
    shared = dict.fromkeys(context for _, context in citing.contexts)
    numbers = {context: number for number, context in enumerate(shared)}
    return _packed(
        [
            _reference_rows(citing.references),
            [[c.citing_paper, c.left, c.right, c.citance, c.page] for c in shared],
            [[reference, numbers[context]] for reference, context in citing.contexts],
        ]
    )


def load_citing(data: bytes) -> CitingPaper:
    """Return what `dump_citing` made `data` of; raise `ValueError` if it did not."""
    try:
        references, contexts, cited = _unpacked(data, 3)
        shared = [
            InlinkContext(
                _as(str, name), _strings(left), _strings(right), _as(str, citance), _number(page)
            )
            for name, left, right, citance, page in contexts
        ]
        return CitingPaper(
            _references(references),
            tuple((_as(int, reference), shared[number]) for reference, number in cited),
        )
    except _UNREADABLE as error:
        raise ValueError(str(error)) from None


def _packed(rows: object) -> bytes:
    text = json.dumps(rows, ensure_ascii=False, separators=(",", ":"))
    # The text of a PDF may hold lone surrogates.
    return zlib.compress(text.encode("utf-8", "surrogatepass"), _COMPRESSION)


def _unpacked(data: bytes, length: int | None = None) -> Any:  # noqa: ANN401
    inflating = zlib.decompressobj()
    text = inflating.decompress(data, _MOST_BYTES)
    if not inflating.eof:
        raise ValueError("cut off or too long")
    rows = _as(list, json.loads(text.decode("utf-8", "surrogatepass")))
    if length is not None and len(rows) != length:
        raise ValueError("of another version")
    return rows


def _sentence_rows(sentences: Iterable[Sentence]) -> list[list[object]]:
    return [[s.text, s.page, s.page_label, s.section] for s in sentences]


def _sentences(rows: Any) -> tuple[Sentence, ...]:  # noqa: ANN401
    return tuple(
        Sentence(_as(str, text), _number(page), _string(label), _string(section))
        for text, page, label, section in rows
    )


def _reference_rows(references: Iterable[Reference]) -> list[list[object]]:
    return [[r.title, r.surnames, r.year, r.doi, r.arxiv, r.label, r.text] for r in references]


def _references(rows: Any) -> tuple[Reference, ...]:  # noqa: ANN401
    return tuple(
        Reference(_as(str, title), _strings(surnames), *map(_as_string, rest))
        for title, surnames, *rest in rows
    )


def _as(kind: type[_T], value: object) -> _T:
    if not isinstance(value, kind):
        raise ValueError(f"{type(value).__name__} in place of {kind.__name__}")
    return value


def _as_string(value: object) -> str:
    return _as(str, value)


def _string(value: object) -> str | None:
    return None if value is None else _as(str, value)


def _number(value: object) -> int | None:
    return None if value is None else _as(int, value)


def _strings(values: object) -> tuple[str, ...]:
    # Mostly words, of which there are millions.
    if not set(map(type, strings := tuple(_as(list, values)))) <= {str}:
        raise ValueError("something else among strings")
    return strings


def _numbers(values: object) -> tuple[int, ...]:
    return tuple(_as(int, value) for value in _as(list, values))
