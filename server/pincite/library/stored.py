"""What the index stores: papers, the links between them and entries, and the version of readers.

Parts of papers are compressed JSON. msgspec validates while it decodes: damaged data, or data of
another version, raises `ValueError` and nothing else. Lone surrogates, which UTF-8 cannot encode,
become U+FFFD.
"""

from __future__ import annotations

import json
import re
import zlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

import msgspec
from msgspec.json import Decoder

from ..model.papers import CitingPaper, InlinkContext, Reference, ReferencePaper, Sentence
from ..parsing.papers import BY_SUFFIX

#: Digest of a paper's files, and its kind (`pincite.parsing.papers.kind`).
Name = tuple[str, str]
#: Contexts with their places among all contexts of a paper or draft.
Placed = list[tuple[int, InlinkContext]]
#: Increase this when a step that all readers share changes: sentences, citation markers, contexts,
#: the format in which they are stored.
_SHARED_VERSION: Final = 4
#: The kinds of citing drafts, and of bibliographies that have texts for others.
DRAFT: Final = "draft"
TEXT_SOURCE: Final = "bib"
#: The versions of the readers of these two; those of papers are in `FORMATS`.
_VERSIONS: Final = {DRAFT: 6, TEXT_SOURCE: 4}
#: Real papers are far shorter; longer data is an attempt to exhaust the memory.
_MAX_BYTES: Final = 64 * 1024 * 1024
_COMPRESSION: Final = 6
_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_T = TypeVar("_T")


def reader_version(suffix: str) -> str:
    """Return the version of the reader of files of a kind."""
    paper = BY_SUFFIX.get(suffix)
    version = _VERSIONS.get(suffix, 1) if paper is None else paper.version
    return f"{_SHARED_VERSION}.{version}"


class CitedWorks(NamedTuple):
    """The reference list of a paper, and how often it cites each cited item, in order."""

    references: tuple[Reference, ...]
    counts: dict[int, int]


class LinkedPaper(NamedTuple):
    """Which entry a paper is (`own_key`), and which of its references are entries, with keys."""

    name: Name
    own_key: str | None
    cited: tuple[tuple[int, str], ...]
    context_count: int


class IndexStatus(NamedTuple):
    """What the index has. `path` is None if it is in memory only, `size` is in bytes."""

    path: Path | None
    size: int
    papers: int
    sentences: int
    contexts: int
    unreadable: int
    citing_drafts: int


class PackedPaper(NamedTuple):
    """A paper as stored in the index; `contexts` are those of each of its references."""

    sentence_count: int
    context_count: int
    head: bytes
    cited: bytes
    sentences: bytes
    contexts: Mapping[int, bytes]


#: The parts of a `PackedPaper` (a head has no sentences, references and markers), and of drafts.
HEAD: Final = Decoder(ReferencePaper)
CITED: Final = Decoder(CitedWorks)
SENTENCES: Final = Decoder(tuple[Sentence, ...])
CONTEXTS: Final = Decoder(Placed)
CITING: Final = Decoder(CitingPaper)


def pack(paper: ReferencePaper, citing: CitingPaper) -> PackedPaper:
    """Return a paper and its contexts in the format of the index."""
    counts = Counter(reference for reference, _ in citing.contexts)
    return PackedPaper(
        len(paper.sentences),
        len(citing.contexts),
        packed(replace(paper, sentences=(), references=(), markers=(), source=None)),
        packed(CitedWorks(citing.references, counts)),
        packed(tuple(paper.sentences)),
        packed_contexts(citing),
    )


def packed_contexts(citing: CitingPaper) -> dict[int, bytes]:
    """Encode the contexts of each reference, with their places among all contexts."""
    by_reference: dict[int, Placed] = {}
    for place, (reference, context) in enumerate(citing.contexts):
        by_reference.setdefault(reference, []).append((place, context))
    return {reference: packed(placed) for reference, placed in by_reference.items()}


def packed(value: object) -> bytes:
    """Encode what a decoder of this module decodes."""
    try:
        text = msgspec.json.encode(value)
    except UnicodeEncodeError:
        plain = msgspec.to_builtins(value, str_keys=True)
        readable = json.dumps(plain, ensure_ascii=False, separators=(",", ":"))
        text = _LONE_SURROGATE.sub("\ufffd", readable).encode()
    return zlib.compress(text, _COMPRESSION)


def unpacked(decoder: Decoder[_T], data: bytes) -> _T:
    """Decode the result of `packed`; raise `ValueError` for data of any other kind."""
    inflating = zlib.decompressobj()
    try:
        text = inflating.decompress(data, _MAX_BYTES)
    # What comes from a damaged file may have another type.
    except (zlib.error, TypeError) as error:
        raise ValueError(str(error)) from None
    if not inflating.eof:
        raise ValueError("cut off or too long")
    return decoder.decode(text)
