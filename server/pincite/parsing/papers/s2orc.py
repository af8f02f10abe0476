"""S2ORC's JSON and its relatives → `ReferencePaper`.

The formats are those of S2ORC's release of 2020, of s2orc-doc2json, of CORD-19, of unarXive, and of
the later bulk release, which is first converted to that of 2020. Values of other types are ignored.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from ...model.papers import Reference, ReferencePaper
from ...model.problems import InputError, NotAPaperError
from .paragraphs import PaperBuilder, plain
from .references import arxiv_in, described_work, doi_in, surname_of, year_in

_Object: TypeAlias = Mapping[str, Any]

_PARSES = ("pdf_parse", "latex_parse", "grobid_parse")
_DATES = ("year", "publish_time", "publicationdate")
#: unarXive's formulas, figures and tables, which stand elsewhere in the file.
_ELSEWHERE = re.compile(r"\{\{(?!cite:)[a-z]+:[^{}]*\}\}")
#: How far around its place a marker is searched if a file counts characters differently.
_REACH = 60


def read_s2orc(path: Path) -> ReferencePaper:
    """Read a JSON file with one paper; raise `InputError` if it is not one or has no text."""
    try:
        data = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        raise InputError("the JSON is damaged and cannot be read") from None
    return s2orc_paper(data, path)


def s2orc_paper(data: Mapping[str, Any], source: Path | None = None) -> ReferencePaper:
    """Return the paper in a decoded object; `references` are in the order of its entries.

    Raises `NotAPaperError` if the object is something else, `NoTextError` if the paper has no text.
    """
    data = _object(data)
    annotated = any("annotations" in _object(data.get(name)) for name in ("content", "body"))
    has_id = "paper_id" in data or "corpusid" in data
    has_body = any(name in data for name in ("body_text", *_PARSES))
    if not (annotated or has_body or (has_id and "abstract" in data)):
        raise NotAPaperError("this is JSON, but not a paper in one of S2ORC's forms")
    parse = _parse(data)
    entries = _entries(parse)
    numbers = {name: number for number, (name, _) in enumerate(entries)}
    builder = PaperBuilder()
    builder.start_abstract()
    for part in (parse, data):
        if not builder.sentences:
            _add_paragraphs(builder, part.get("abstract"), numbers)
    builder.start_section(None)
    _add_paragraphs(builder, parse.get("body_text"), numbers)

    parts = (data, _object(data.get("metadata")), parse)
    identifiers = [
        _identifiers(each)
        for part in parts
        for each in (part, part.get("identifiers"), part.get("externalids"))
    ]
    about = Reference(
        title=_first(_text(part.get("title")) for part in parts),
        surnames=next(filter(None, map(_surnames, parts)), ()),
        year=_first(year_in(_text(part.get(name))) for part in parts for name in _DATES),
        doi=_first(doi_in(each.get("doi", "")) for each in identifiers),
        arxiv=_first(map(_arxiv, identifiers)),
    )
    return builder.complete(about, [_reference(entry) for _, entry in entries], source)


def linked_papers(data: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the collection's id of each reference, in the order of `references`, or empty."""
    return tuple(
        _text(entry.get("link")) or _text(entry.get("matched_paper_id"))
        for _, entry in _entries(_parse(data))
    )


def _string(value: object) -> str:
    """Return a string that can be encoded as UTF-8, with unchanged offsets."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def _text(value: object) -> str:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return str(value) if is_number else plain(_string(value))


def _first(values: Iterable[str]) -> str:
    return next(filter(None, values), "")


def _object(value: object) -> _Object:
    return value if isinstance(value, Mapping) else {}


def _objects(value: object) -> list[_Object]:
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []


def _offset(value: object) -> int:
    """Return an offset, which some files have as a string; -1 if it is none."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 12:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else -1


def _identifiers(value: object) -> dict[str, str]:
    """Return values by lower-case names: strings, or the first of a list of strings."""
    return {
        str(name).lower(): _text(each[0] if isinstance(each, list) and each else each)
        for name, each in _object(value).items()
    }


def _arxiv(identifiers: Mapping[str, str]) -> str:
    named = (identifiers.get(name, "") for name in ("arxiv", "arxiv_id", "arxivid"))
    return _first(arxiv_in(written, is_named=True) for written in named)


def _surnames(work: _Object) -> tuple[str, ...]:
    surnames = (
        plain(_string(author.get("last"))) or surname_of(plain(_string(author.get("name"))))
        for author in _objects(work.get("authors"))
    )
    return tuple(filter(None, surnames))


def _parse(data: _Object) -> _Object:
    """Return the object with the text of a paper, which may be the paper itself."""
    for name in ("content", "body"):
        if "annotations" in (content := _object(data.get(name))):
            return _from_annotations(content, _object(data.get("bibliography")) or content)
    parses = [parse for name in _PARSES if (parse := _object(data.get(name)))]
    with_body = [parse for parse in (*parses, data) if parse.get("body_text")]
    return (with_body or parses or [data])[0]


def _entries(parse: _Object) -> list[tuple[str, _Object]]:
    entries = parse.get("bib_entries")
    if isinstance(entries, Mapping):
        return [(str(name), entry) for name, entry in entries.items() if isinstance(entry, Mapping)]
    return [(_text(entry.get("ref_id")), entry) for entry in _objects(entries)]


def _reference(entry: _Object) -> Reference:
    identifiers = _identifiers(entry.get("other_ids")) or _identifiers(entry.get("ids"))
    return described_work(
        title=_text(entry.get("title")),
        surnames=_surnames(entry),
        year=_text(entry.get("year")),
        doi=identifiers.get("doi") or _identifiers(entry).get("doi", ""),
        arxiv=_arxiv(identifiers),
        text=_text(entry.get("raw_text")) or _text(entry.get("bib_entry_raw")),
    )


def _add_paragraphs(builder: PaperBuilder, value: object, numbers: Mapping[str, int]) -> None:
    """Add paragraphs with their markers; a string is one, or several with lines between them."""
    paragraphs = value.split("\n") if isinstance(value, str) else value
    for each in paragraphs if isinstance(paragraphs, list) else ():
        paragraph = {"text": each} if isinstance(each, str) else _object(each)
        # Offsets stay.
        text = _ELSEWHERE.sub(lambda own: " " * len(own[0]), _string(paragraph.get("text")))
        if not builder.in_abstract:
            # The innermost heading: of "A::B", or of numbers and names, outermost first.
            section = paragraph.get("section")
            while isinstance(section, list):
                section = section[-1] if section else ""
            heading = _text(section).rpartition("::")[2]
            builder.start_section(f"{_text(paragraph.get('sec_num'))} {heading}".strip())
        position = 0
        for start, end, cited in _markers(paragraph, text, numbers):
            builder.add_text(text[position:start])
            builder.add_marker(text[start:end], cited)
            position = end
        builder.add_text(text[position:])
        builder.end_paragraph()


def _markers(
    paragraph: _Object, text: str, numbers: Mapping[str, int]
) -> list[tuple[int, int, tuple[int, ...]]]:
    """Return the markers of a paragraph with their references, in order, without overlaps."""
    placed: list[tuple[int, int, int]] = []
    for span in _objects(paragraph.get("cite_spans")):
        start, end = _offset(span.get("start")), _offset(span.get("end"))
        printed = _string(span.get("text"))
        if min(start, end) >= 0 and printed and text[start:end] != printed:
            # The offsets are wrong: its text is near them.
            start = text.find(printed, max(0, start - _REACH), start + len(printed) + _REACH)
            end = start + len(printed)
        if 0 <= start < end <= len(text):
            placed.append((start, end, numbers.get(_text(span.get("ref_id")), -1)))
    apart: list[tuple[int, int, tuple[int, ...]]] = []
    for start, end, number in sorted(placed):
        cited = (number,) if number >= 0 else ()
        first, last, others = apart[-1] if apart else (0, 0, ())
        if end <= last:
            # Several references share one marker.
            apart[-1] = first, last, tuple(dict.fromkeys(others + cited))
        else:
            apart.append((max(start, last), end, cited))
    return apart


class _Span(NamedTuple):
    start: int
    end: int
    attributes: _Object


class _Annotated:
    """A text with spans in it, by kind and in order; they are JSON within JSON."""

    def __init__(self, content: _Object) -> None:
        self._text = _string(content.get("text"))
        self._spans: dict[str, list[_Span]] = {}
        for kind, value in _object(content.get("annotations")).items():
            # The second bulk release separates the words of a kind.
            spans = self._spans.setdefault(str(kind).replace("_", ""), [])
            if isinstance(value, str):
                try:
                    value = json.loads(value)
                except (ValueError, RecursionError):
                    continue
            for each in _objects(value):
                start, end = _offset(each.get("start")), _offset(each.get("end"))
                if 0 <= start < end <= len(self._text):
                    spans.append(_Span(start, end, _object(each.get("attributes"))))
            spans.sort(key=itemgetter(0, 1))

    def spans(self, kind: str, outer: _Span | None = None) -> list[_Span]:
        """Return the spans of a kind, those within another one if it is given."""
        spans = self._spans.get(kind, [])
        if outer is None:
            return spans
        first, last = (bisect_left(spans, at, key=itemgetter(0)) for at in outer[:2])
        return [span for span in spans[first:last] if span.end <= outer.end]

    def text(self, span: _Span) -> str:
        return self._text[span.start : span.end]

    def work(self, title: str, surname: str, outer: _Span | None = None) -> dict[str, Any]:
        """Return a work whose title and surnames have these kinds."""
        return {
            "title": _first(map(self.text, self.spans(title, outer))),
            "authors": [{"last": self.text(each)} for each in self.spans(surname, outer)],
        }

    def paragraph(self, span: _Span) -> dict[str, Any]:
        headings = self.spans("sectionheader")
        before = bisect_left(headings, span.start, key=itemgetter(0))
        heading = headings[before - 1] if before else _Span(0, 0, {})
        return {
            "text": self.text(span),
            "section": self.text(heading),
            "sec_num": heading.attributes.get("n"),
            "cite_spans": [
                {
                    "start": marker.start - span.start,
                    "end": marker.end - span.start,
                    "ref_id": marker.attributes.get("ref_id") or marker.attributes.get("id"),
                }
                for marker in self.spans("bibref", span)
            ],
        }


def _from_annotations(content: _Object, bibliography: _Object) -> dict[str, Any]:
    """Return a paper of the bulk release in the format of 2020."""
    body, listed = _Annotated(content), _Annotated(bibliography)
    abstracts = body.spans("abstract")
    inner = {id(each): each for outer in abstracts for each in body.spans("paragraph", outer)}
    others = (each for each in body.spans("paragraph") if id(each) not in inner)
    return {
        **body.work("title", "authorlastname"),
        "abstract": [*map(body.paragraph, inner.values() or abstracts)],
        "body_text": [*map(body.paragraph, others)],
        "bib_entries": {
            _text(span.attributes.get("id")) or f"#{number}": {
                **listed.work("bibtitle", "bibauthorlastname", span),
                "raw_text": listed.text(span),
                "doi": span.attributes.get("doi"),
                "matched_paper_id": span.attributes.get("matched_paper_id"),
            }
            for number, span in enumerate(listed.spans("bibentry"))
        },
    }
