"""Encode parts of papers as compressed JSON, and decode them: for the index and for memory.

msgspec validates while it decodes: damaged data, or data of another version, raises `ValueError`
and nothing else. Lone surrogates, which UTF-8 cannot encode, become U+FFFD.
"""

from __future__ import annotations

import json
import re
import zlib
from collections import Counter
from collections.abc import Iterable
from operator import attrgetter
from typing import NamedTuple, TypeVar

import msgspec
from msgspec.json import Decoder

from ..model.papers import (
    CitingPaper,
    InlinkContext,
    Reference,
    ReferencePaper,
    Sentence,
    TextBasis,
)

#: Real papers are far shorter; longer data is an attempt to exhaust the memory.
_MAX_BYTES = 64 * 1024 * 1024
_COMPRESSION = 6
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_T = TypeVar("_T")


class _Head(msgspec.Struct):
    """A paper without its sentences, references and markers, which are packed apart or dropped."""

    title: str
    basis: TextBasis
    abstract: str
    page_count: int | None
    surnames: tuple[str, ...]
    year: str
    doi: str
    arxiv: str
    front: str


class CitedWorks(NamedTuple):
    """The reference list of a paper, and how often it cites each cited item, in order."""

    references: tuple[Reference, ...]
    counts: dict[int, int]


_head_values = attrgetter(*_Head.__struct_fields__)
_HEAD = Decoder(_Head)
_SENTENCES = Decoder(tuple[Sentence, ...])
_CITED = Decoder(CitedWorks)
_CONTEXTS = Decoder(list[tuple[int, InlinkContext]])
_CITING = Decoder(
    tuple[tuple[Reference, ...], tuple[InlinkContext, ...], tuple[tuple[int, int], ...]]
)


def dump_head(paper: ReferencePaper) -> bytes:
    """Encode a paper without its sentences, references, markers and `source`."""
    return _packed(_Head(*_head_values(paper)))


def load_head(data: bytes) -> ReferencePaper:
    """Decode the result of `dump_head`; raise `ValueError` for any other data."""
    return ReferencePaper(**msgspec.structs.asdict(_unpacked(_HEAD, data)))


def dump_sentences(sentences: Iterable[Sentence]) -> bytes:
    """Encode sentences with their places."""
    return _packed(tuple(sentences))


def load_sentences(data: bytes) -> tuple[Sentence, ...]:
    """Decode the result of `dump_sentences`; raise `ValueError` for any other data."""
    return _unpacked(_SENTENCES, data)


def dump_cited(citing: CitingPaper) -> bytes:
    """Encode the references of a paper, and how often it cites each of them."""
    counts = Counter(reference for reference, _ in citing.contexts)
    return _packed(CitedWorks(citing.references, counts))


def load_cited(data: bytes) -> CitedWorks:
    """Decode the result of `dump_cited`; raise `ValueError` for any other data."""
    return _unpacked(_CITED, data)


def dump_contexts(citing: CitingPaper) -> dict[int, bytes]:
    """Encode the contexts of each reference, with the positions among all contexts."""
    by_reference: dict[int, list[tuple[int, InlinkContext]]] = {}
    for place, (reference, context) in enumerate(citing.contexts):
        by_reference.setdefault(reference, []).append((place, context))
    return {reference: _packed(placed) for reference, placed in by_reference.items()}


def load_contexts(data: bytes) -> list[tuple[int, InlinkContext]]:
    """Decode a value of the result of `dump_contexts`; raise `ValueError` for any other data."""
    return _unpacked(_CONTEXTS, data)


def dump_citing(citing: CitingPaper) -> bytes:
    """Encode the contexts of a paper; a context of several references is stored once."""
    numbers: dict[InlinkContext, int] = {}
    cited = [(n, numbers.setdefault(context, len(numbers))) for n, context in citing.contexts]
    return _packed((citing.references, list(numbers), cited))


def load_citing(data: bytes) -> CitingPaper:
    """Decode the result of `dump_citing`; raise `ValueError` for any other data."""
    references, contexts, cited = _unpacked(_CITING, data)
    if not all(0 <= number < len(contexts) for _, number in cited):
        raise ValueError("a context is missing")
    return CitingPaper(references, tuple((n, contexts[number]) for n, number in cited))


def _packed(value: object) -> bytes:
    try:
        text = msgspec.json.encode(value)
    except UnicodeEncodeError:
        plain = msgspec.to_builtins(value, str_keys=True)
        readable = json.dumps(plain, ensure_ascii=False, separators=(",", ":"))
        text = _LONE_SURROGATE.sub("\ufffd", readable).encode()
    return zlib.compress(text, _COMPRESSION)


def _unpacked(decoder: Decoder[_T], data: bytes) -> _T:
    inflating = zlib.decompressobj()
    try:
        text = inflating.decompress(data, _MAX_BYTES)
    # What comes from a damaged file may have another type.
    except (zlib.error, TypeError) as error:
        raise ValueError(str(error)) from None
    if not inflating.eof:
        raise ValueError("cut off or too long")
    return decoder.decode(text)
