"""Constructs of each format that a file may repeat or nest arbitrarily often."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import yaml

from torture.hostile import pdf
from torture.hostile.pdf import SENTENCE
from torture.hostile.readers import BY_NAME, Reader


class Pair(NamedTuple):
    """The opening and closing of a construct, with `inside` between them."""

    opening: str
    closing: str = ""
    inside: str = "x"


class Construct(NamedTuple):
    """A construct of a reader's format; `make` returns a file with n of them."""

    reader: Reader
    name: str
    make: Callable[[int], bytes]


PAIRS = {
    kind: [Pair(*pair) for pair in pairs]
    for kind, pairs in yaml.safe_load(
        Path(__file__).with_name("constructs.yaml").read_text("utf-8")
    ).items()
}
#: How n of a pair are put together.
PATTERNS: dict[str, Callable[[Pair, int], str]] = {
    "repeated": lambda pair, n: (pair.opening + pair.inside + pair.closing + " ") * n,
    "nested": lambda pair, n: pair.opening * n + pair.inside + pair.closing * n,
    "unclosed": lambda pair, n: (pair.opening + pair.inside + " ") * n,
    "only closed": lambda pair, n: (pair.inside + pair.closing + " ") * n,
    "closed first": lambda pair, n: (pair.closing + pair.inside + pair.opening + "\n") * n,
}
_SOME = ("repeated", "nested", "unclosed")
_LATEX = "\\documentclass{article}\n\\begin{document}\n%s\n^\n%s\n\\end{document}\n"
#: Readers, kinds of pairs, the file with ^ where they stand, and their patterns.
_FILES = (
    ("LaTeX draft", "LaTeX", _LATEX, PATTERNS),
    ("LaTeX paper", "LaTeX", _LATEX, _SOME),
    ("BibTeX", "BibTeX", "^", PATTERNS),
    ("BibTeX", "BibTeX fields", "@article{k, ^}", PATTERNS),
    ("CSL JSON", "CSL JSON", "[^]", PATTERNS),
    ("CSL JSON", "CSL JSON", '[{"id": "a", "x": ^}]', PATTERNS),
    ("CSL YAML", "YAML", "references:\n- id: a\n  x: ^\n", PATTERNS),
    ("Hayagriva", "YAML", "a:\n  title: x\n  x: ^\n", PATTERNS),
    ("Markdown", "Markdown", "# Seals\n\n%s\n\n^\n\n%s\n", PATTERNS),
    ("Markdown draft", "Markdown", "# Seals\n\n%s\n\n^\n\n%s\n", PATTERNS),
    ("Typst draft", "Typst", "= Seals\n\n%s\n\n^\n\n%s\n", PATTERNS),
    (
        "plain text",
        "plain text",
        "Seals\n\n%s\n\n^\n\n%s\n",
        ("repeated", "nested", "closed first"),
    ),
    ("GROBID TEI", "XML", "<TEI><text><body><div><p>%s</p>^</div></body></text></TEI>", _SOME),
    ("JATS", "XML", "<article><body><sec><p>%s</p>^</sec></body></article>", _SOME),
)
_PARAGRAPH = {"text": SENTENCE, "cite_spans": [], "section": "A"}
_SPAN = {"start": 4, "end": 11, "text": "harbour", "ref_id": "BIBREF0"}
_REFERENCE = {"title": "Seals", "authors": [{"last": "Tern"}], "year": 2001}


def _numbered(form: str) -> Callable[[int], bytes]:
    """Return what makes n entries that refer to each other."""
    return lambda n: "".join(form % (at + 1, at) for at in range(n)).encode()


def _json(make: Callable[[int], object]) -> Callable[[int], bytes]:
    return lambda n: json.dumps(make(n)).encode()


def _body(make: Callable[[int], list[object]]) -> Callable[[int], bytes]:
    return _json(lambda n: {"body_text": make(n)})


def _idle_objects(n: int) -> bytes:
    file = pdf.Pdf.of(pdf.shown())
    file.objects.update(dict.fromkeys(range(100, 100 + n), b"<< /A 1 >>"))
    return file.written()


def _drawn(pair: Pair, pattern: str, n: int) -> bytes:
    drawn = f"BT /F1 9 Tf 60 700 Td {PATTERNS[pattern](pair, n)} ET"
    return pdf.Pdf.of(pdf.shown() + drawn.encode()).written()


#: What is no pair, by reader.
_OTHERS: dict[str, dict[str, Callable[[int], bytes]]] = {
    "BibTeX": {
        "entries of different keys": _numbered("@book{k%d, title = {Seals %d}}\n"),
        "entries that inherit from the one before": _numbered("@book{k%d, crossref = {k%d}}\n"),
        "data that inherits from the one before": _numbered("@xdata{k%d, xdata = {k%d}}\n"),
        "macros of the one before": _numbered("@string{s%d = s%d # {x}}\n"),
        "aliases": _numbered("@book{k%d, ids = {a%d}}\n"),
    },
    "S2ORC JSON": {
        "paragraphs": _body(lambda n: [_PARAGRAPH] * n),
        "sections": _body(lambda n: [{**_PARAGRAPH, "section": f"A::{at}"} for at in range(n)]),
        "spans at one place": _body(lambda n: [{**_PARAGRAPH, "cite_spans": [_SPAN] * n}]),
        "spans that lie elsewhere": _body(
            lambda n: [{**_PARAGRAPH, "cite_spans": [{**_SPAN, "start": 9, "end": 16}] * n}]
        ),
        "references": _json(
            lambda n: {
                "body_text": [_PARAGRAPH],
                "bib_entries": {f"b{at}": _REFERENCE for at in range(n)},
            }
        ),
        "authors": _json(lambda n: {"body_text": [_PARAGRAPH], "authors": [{"last": "Tern"}] * n}),
        "long text": _body(lambda n: [{"text": f"{SENTENCE} " * n}]),
        "letters": _body(lambda n: [{"text": "x" * n}]),
        "annotations": _json(
            lambda n: {
                "content": {
                    "text": f"{SENTENCE} " * n,
                    "annotations": {
                        name: [{"start": 78 * at, "end": 78 * at + end} for at in range(n)]
                        for name, end in (("paragraph", 77), ("bibref", 3))
                    },
                }
            }
        ),
    },
    "settings": {
        "paths": _json(lambda n: {"library.folders": [f"~/papers{at}" for at in range(n)]}),
        "unknown settings": _json(lambda n: {f"unknown{at}": at for at in range(n)}),
        "a long name": _json(lambda n: {"x" * n: 1}),
    },
    "PDF": {
        "pages": lambda n: pdf.Pdf.of(*[pdf.shown()] * n).written(),
        "empty pages": lambda n: pdf.Pdf.of(pdf.shown(pdf.LINES * 9), *[b""] * n).written(),
        "objects without use": _idle_objects,
        "lines": lambda n: pdf.Pdf.of(pdf.shown(pdf.LINES * n, 1)).written(),
        "one long line": lambda n: pdf.Pdf.of(pdf.shown([" ".join(pdf.LINES * n)])).written(),
        "references": lambda n: pdf.Pdf.of(
            pdf.shown(pdf.LINES), *[pdf.shown(pdf.LINES[-1:] * 40)] * n
        ).written(),
    },
}  # fmt: skip


def constructs() -> Iterator[Construct]:
    """Yield all constructs."""
    for reader, kind, file, patterns in _FILES:
        head, foot = file.replace("%s", SENTENCE).split("^")
        pairs = PAIRS[kind]
        for pair in pairs:
            for pattern in patterns:
                if pair.closing or pattern == "repeated":
                    make = partial(_in_file, head, foot, pair, pattern)
                    name = f"{pair.opening!r} {pair.closing!r} {pattern}"
                    yield Construct(BY_NAME[reader], name, make)
        for pair, other in zip(pairs, [*pairs[1:], pairs[0]], strict=True):
            both = Pair(f"{pair.opening}x{other.opening}", "", "y")
            name = f"{pair.opening!r} {other.opening!r} alternated"
            yield Construct(BY_NAME[reader], name, partial(_in_file, head, foot, both, "repeated"))
    for pattern in _SOME:
        for pair in PAIRS["JSON"]:
            make = partial(_in_file, '{"body_text": [', "]}", pair, pattern)
            for reader in ("S2ORC JSON", "settings"):
                yield Construct(BY_NAME[reader], f"{pair.opening!r} {pattern}", make)
        for pair in PAIRS["PDF"]:
            if pair.closing or pattern == "repeated":
                make = partial(_drawn, pair, pattern)
                yield Construct(BY_NAME["PDF"], f"{pair.opening!r} {pattern}", make)
    for reader, makers in _OTHERS.items():
        for name, make_other in makers.items():
            yield Construct(BY_NAME[reader], name, make_other)


def _in_file(head: str, foot: str, pair: Pair, pattern: str, n: int) -> bytes:
    return (head + PATTERNS[pattern](pair, n) + foot).encode()
