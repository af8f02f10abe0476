"""Encode parts of papers as bytes and decode them: compressed JSON rows, for index and memory.

A row has the values of a dataclass in a fixed order, without their names. msgspec validates the
JSON against the types below while decoding: damaged data, or data of another version, raises
`ValueError` and nothing else. Lone surrogates, which UTF-8 cannot encode, become U+FFFD.
"""

from __future__ import annotations

import json
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar

import msgspec
from msgspec.json import Decoder

from ..model.basis import TextBasis
from ..model.papers import CitingPaper, InlinkContext, Reference, ReferencePaper, Sentence

#: Real papers are far shorter; longer data is meant to exhaust the memory.
_MOST_BYTES = 64 * 1024 * 1024
_COMPRESSION = 6
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")

_Texts = tuple[str, ...]
_Nothing = tuple[()]
_SentenceRow = tuple[str, int | None, str | None, str | None]
_ReferenceRow = tuple[str, _Texts, str, str, str, str, str]
_Pairs = tuple[tuple[int, int], ...]
_T = TypeVar("_T")

_HEAD_FIELDS = (
    *("title", "basis", "sentences", "abstract", "page_count", "surnames", "year", "doi", "arxiv"),
    *("front", "references", "markers"),
)
_head_row = attrgetter(*_HEAD_FIELDS)
_sentence_row = attrgetter("text", "page", "page_label", "section")
_reference_row = attrgetter("title", "surnames", "year", "doi", "arxiv", "label", "text")
_context_row = attrgetter("left", "right", "citance", "page")

_encode = msgspec.json.Encoder().encode
# The fields for sentences, references and markers are empty: they are packed apart or dropped.
_Head = tuple[
    str, TextBasis, _Nothing, str, int | None, _Texts, str, str, str, str, _Nothing, _Nothing
]
_HEAD = Decoder(_Head)
_SENTENCES = Decoder(tuple[_SentenceRow, ...])
_CITED = Decoder(tuple[tuple[_ReferenceRow, ...], _Pairs])
_CONTEXTS = Decoder(tuple[tuple[int, _Texts, _Texts, str, int | None], ...])
_CitingContexts = tuple[tuple[str, _Texts, _Texts, str, int | None], ...]
_CITING = Decoder(tuple[tuple[_ReferenceRow, ...], _CitingContexts, _Pairs])


class CitedWorks(NamedTuple):
    """The reference list of a paper, and how often it cites each cited item, in order."""

    references: tuple[Reference, ...]
    counts: Mapping[int, int]


def dump_head(paper: ReferencePaper) -> bytes:
    """Encode a paper without its sentences, references, markers and `source`."""
    head = replace(paper, sentences=(), references=(), markers=())
    return _packed(_head_row(head))


def load_head(data: bytes) -> ReferencePaper:
    """Decode the result of `dump_head`; raise `ValueError` for any other data."""
    values: dict[str, Any] = dict(zip(_HEAD_FIELDS, _unpacked(_HEAD, data), strict=True))
    return ReferencePaper(**values)


def dump_sentences(sentences: Iterable[Sentence]) -> bytes:
    """Encode sentences with their places."""
    return _packed([*map(_sentence_row, sentences)])


def load_sentences(data: bytes) -> tuple[Sentence, ...]:
    """Decode the result of `dump_sentences`; raise `ValueError` for any other data."""
    return tuple([Sentence(*row) for row in _unpacked(_SENTENCES, data)])


def dump_cited(citing: CitingPaper) -> bytes:
    """Encode the references of a paper, and how often it cites each of them."""
    counts = Counter(reference for reference, _ in citing.contexts)
    return _packed((_reference_rows(citing), [*counts.items()]))


def load_cited(data: bytes) -> CitedWorks:
    """Decode the result of `dump_cited`; raise `ValueError` for any other data."""
    references, counts = _unpacked(_CITED, data)
    return CitedWorks(_references(references), dict(counts))


def dump_contexts(citing: CitingPaper) -> dict[int, bytes]:
    """Encode what a paper says about each reference, with the positions among all contexts.

    The name of the citing paper is not included.
    """
    rows: dict[int, list[object]] = {}
    for place, (reference, context) in enumerate(citing.contexts):
        rows.setdefault(reference, []).append((place, *_context_row(context)))
    return {reference: _packed(said) for reference, said in rows.items()}


def load_contexts(data: bytes) -> list[tuple[int, InlinkContext]]:
    """Decode a value of the result of `dump_contexts`; raise `ValueError` for any other data."""
    return [
        (place, InlinkContext("", left, right, citance, page))
        for place, left, right, citance, page in _unpacked(_CONTEXTS, data)
    ]


def dump_citing(citing: CitingPaper) -> bytes:
    """Encode what a paper says about others; a context of several references is stored once."""
    shared = dict.fromkeys(context for _, context in citing.contexts)
    numbers = {context: number for number, context in enumerate(shared)}
    contexts = [(context.citing_paper, *_context_row(context)) for context in shared]
    cited = [(reference, numbers[context]) for reference, context in citing.contexts]
    return _packed((_reference_rows(citing), contexts, cited))


def load_citing(data: bytes) -> CitingPaper:
    """Decode the result of `dump_citing`; raise `ValueError` for any other data."""
    references, contexts, cited = _unpacked(_CITING, data)
    shared = [InlinkContext(*row) for row in contexts]
    if not all(0 <= number < len(shared) for _, number in cited):
        raise ValueError("a context is missing")
    placed = tuple((reference, shared[number]) for reference, number in cited)
    return CitingPaper(_references(references), placed)


def _packed(rows: object) -> bytes:
    try:
        text = _encode(rows)
    except UnicodeEncodeError:
        readable = json.dumps(rows, ensure_ascii=False, separators=(",", ":"))
        text = _LONE_SURROGATE.sub("\ufffd", readable).encode()
    return zlib.compress(text, _COMPRESSION)


def _unpacked(decoder: Decoder[_T], data: bytes) -> _T:
    inflating = zlib.decompressobj()
    try:
        text = inflating.decompress(data, _MOST_BYTES)
    # What comes from a damaged file may have another type.
    except (zlib.error, TypeError) as error:
        raise ValueError(str(error)) from None
    if not inflating.eof:
        raise ValueError("cut off or too long")
    return decoder.decode(text)


def _reference_rows(citing: CitingPaper) -> list[object]:
    return [*map(_reference_row, citing.references)]


def _references(rows: Iterable[_ReferenceRow]) -> tuple[Reference, ...]:
    return tuple([Reference(*row) for row in rows])
