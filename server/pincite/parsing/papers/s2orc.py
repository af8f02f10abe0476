"""S2ORC's JSON and its relatives → `ReferencePaper`.

One paper is an object in the format of S2ORC's release of 2020, of s2orc-doc2json, of CORD-19, or
of the later bulk release, whose annotations are first converted to the format of 2020. Values of
other types than in these formats are ignored.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from ...model.papers import Reference, ReferencePaper
from ...model.problems import InputError, NotAPaperError
from .paragraphs import PaperBuilder, plain
from .references import arxiv_in, described_work, doi_in, surname_of, year_in

#: Larger files are collections, not papers.
_MAX_BYTES = 64 << 20
_PARSES = ("pdf_parse", "latex_parse", "grobid_parse")
#: How far around its place a marker is searched if a file counts characters differently.
_REACH = 60


def read_s2orc(path: Path) -> ReferencePaper:
    """Read a JSON file with one paper; raise `InputError` if it is not one or has no text."""
    if path.stat().st_size > _MAX_BYTES:
        raise InputError(f"the file is too large for a paper (more than {_MAX_BYTES >> 20} MB)")
    try:
        data = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        raise InputError("the JSON is damaged and cannot be read") from None
    return s2orc_paper(data, path)


def s2orc_paper(data: Mapping[str, Any], source: Path | None = None) -> ReferencePaper:
    """Return the paper in a decoded object; `references` are in the order of its entries.

    Raises `NotAPaperError` if the object is something else, `NoTextError` if the paper has neither
    body nor abstract.
    """
    if not isinstance(data, Mapping) or not _is_paper(data):
        raise NotAPaperError("this is JSON, but not a paper in one of S2ORC's forms")
    record, parse = _parts(data)
    entries = _entries(parse)
    builder = PaperBuilder()
    numbers = {name: number for number, (name, _) in enumerate(entries)}
    builder.start_abstract()
    _add_paragraphs(builder, parse.get("abstract"), numbers)
    if not builder.sentences:
        _add_paragraphs(builder, record.get("abstract"), numbers)
    builder.start_section(None)
    _add_paragraphs(builder, parse.get("body_text"), numbers)

    metadata = [part for part in (record, _mapping(record.get("metadata")), parse) if part]
    identifiers = [
        {str(name).lower(): _first_string(value) for name, value in part.items()}
        for whole in metadata
        for part in (whole, *(_mapping(whole.get(name)) for name in ("identifiers", "externalids")))
    ]
    years = (
        part.get(name) for part in metadata for name in ("year", "publish_time", "publicationdate")
    )
    about = Reference(
        title=next(filter(None, (_text(part.get("title")) for part in metadata)), ""),
        surnames=next(filter(None, map(_surnames, metadata)), ()),
        year=next(filter(None, (year_in(_text(value)) for value in years)), ""),
        doi=next(filter(None, (doi_in(each.get("doi", "")) for each in identifiers)), ""),
        arxiv=next(filter(None, map(_arxiv, identifiers)), ""),
    )
    return builder.complete(about, [_reference(entry) for _, entry in entries], source)


def linked_papers(data: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the collection's id of each reference, in the order of `references`, or empty."""
    return tuple(
        _text(entry.get("link")) or _text(entry.get("matched_paper_id"))
        for _, entry in _entries(_parts(data)[1])
    )


# Values of any type ------------------------------------------------------------------------------


def _string(value: object) -> str:
    """Return a string that can be encoded as UTF-8, with unchanged offsets."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def _text(value: object) -> str:
    """Return a string or number as readable text."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return str(value) if is_number else plain(_string(value))


def _first_string(value: object) -> str:
    """Return a string or the first of a list of strings, as identifiers are given."""
    return _text(value[0]) if isinstance(value, list) and value else _text(value)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _mappings(value: object) -> list[Mapping[str, Any]]:
    """Return the objects in a list."""
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []


def _offset(value: object) -> int | None:
    """Return an offset, which some files have as a string."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 12:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


# The forms ---------------------------------------------------------------------------------------


def _is_paper(data: Mapping[str, Any]) -> bool:
    """Return whether an object has keys that only papers in these formats have."""
    is_annotated = any("annotations" in _mapping(data.get(name)) for name in ("content", "body"))
    has_body = any(name in data for name in ("body_text", *_PARSES))
    has_id = any(name in data for name in ("paper_id", "corpusid"))
    return is_annotated or has_body or (has_id and "abstract" in data)


def _parts(data: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Return the object that describes a paper and the one with its text, which may be the same."""
    for name in ("content", "body"):
        if "annotations" in (content := _mapping(data.get(name))):
            bibliography = _mapping(data.get("bibliography")) or content
            return data, _from_annotations(_Annotated(content), _Annotated(bibliography))
    parses = [parse for name in _PARSES if (parse := _mapping(data.get(name)))]
    with_body = [parse for parse in (*parses, data) if parse.get("body_text")]
    return data, (with_body or parses or [data])[0]


def _entries(parse: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the reference list with the names that citations use."""
    entries = parse.get("bib_entries")
    if isinstance(entries, Mapping):
        return [(str(name), entry) for name, entry in entries.items() if isinstance(entry, Mapping)]
    return [(_text(entry.get("ref_id")), entry) for entry in _mappings(entries)]


def _reference(entry: Mapping[str, Any]) -> Reference:
    others = _mapping(entry.get("other_ids")) or _mapping(entry.get("ids"))
    identifiers = {str(name).lower(): _first_string(value) for name, value in others.items()}
    return described_work(
        title=_text(entry.get("title")),
        surnames=_surnames(entry),
        year=_text(entry.get("year")),
        doi=identifiers.get("doi") or _first_string(entry.get("doi")),
        arxiv=_arxiv(identifiers),
        text=_text(entry.get("raw_text")) or _text(entry.get("bib_entry_raw")),
    )


def _arxiv(identifiers: Mapping[str, str]) -> str:
    named = (identifiers.get(name, "") for name in ("arxiv", "arxiv_id", "arxivid"))
    return next(filter(None, (arxiv_in(written, is_named=True) for written in named)), "")


def _surnames(work: Mapping[str, Any]) -> tuple[str, ...]:
    surnames = (
        plain(_string(author.get("last"))) or surname_of(plain(_string(author.get("name"))))
        for author in _mappings(work.get("authors"))
    )
    return tuple(filter(None, surnames))


def _paragraphs(value: object) -> Iterator[Mapping[str, Any]]:
    """Yield paragraphs; a string is one, or several with lines between them."""
    if isinstance(value, str):
        yield from ({"text": line} for line in value.split("\n"))
    elif isinstance(value, list):
        yield from ({"text": each} if isinstance(each, str) else _mapping(each) for each in value)


def _section(paragraph: Mapping[str, Any]) -> str:
    """Return the innermost heading: "A::B", or a list of numbers and names, outermost first."""
    section = paragraph.get("section")
    while isinstance(section, list):
        section = section[-1] if section else ""
    return f"{_text(paragraph.get('sec_num'))} {_text(section).rpartition('::')[2]}".strip()


def _add_paragraphs(builder: PaperBuilder, value: object, numbers: Mapping[str, int]) -> None:
    """Add paragraphs with their markers; those of the abstract have no sections."""
    for paragraph in _paragraphs(value):
        text = _string(paragraph.get("text"))
        if not builder.in_abstract:
            builder.start_section(_section(paragraph))
        position = 0
        for start, end, cited in _cite_spans(paragraph, text, numbers):
            builder.add_text(text[position:start])
            builder.add_marker(text[start:end], cited)
            position = end
        builder.add_text(text[position:])
        builder.end_paragraph()


def _cite_spans(
    paragraph: Mapping[str, Any], text: str, numbers: Mapping[str, int]
) -> list[tuple[int, int, tuple[int, ...]]]:
    """Return the markers of a paragraph with their references, in order, without overlaps."""
    apart: list[tuple[int, int, tuple[int, ...]]] = []
    spans = _mappings(paragraph.get("cite_spans"))
    placed = ((place, span) for span in spans if (place := _place(text, span)))
    cites = ((place, numbers.get(_text(span.get("ref_id")), -1)) for place, span in placed)
    for (start, end), number in sorted(cites):
        cited = (number,) if number >= 0 else ()
        if apart and end <= apart[-1][1]:
            # Several references share one marker.
            first, last, others = apart[-1]
            apart[-1] = first, last, tuple(dict.fromkeys(others + cited))
        else:
            apart.append((max(start, apart[-1][1] if apart else 0), end, cited))
    return apart


def _place(text: str, span: Mapping[str, Any]) -> tuple[int, int] | None:
    """Return where a marker is: at its offsets, or where its text is near them."""
    start, end = _offset(span.get("start")), _offset(span.get("end"))
    if start is None or end is None:
        return None
    printed = _string(span.get("text"))
    if not printed or text[start:end] == printed:
        return (start, end) if start < end <= len(text) else None
    at = text.find(printed, max(0, start - _REACH), start + len(printed) + _REACH)
    return (at, at + len(printed)) if at >= 0 else None


# The bulk release --------------------------------------------------------------------------------


class _Span(NamedTuple):
    start: int
    end: int
    attributes: Mapping[str, Any]


class _Annotated:
    """A text with spans in it, by kind and in order; they are JSON within JSON."""

    def __init__(self, content: Mapping[str, Any]) -> None:
        self.text = _string(content.get("text"))
        annotations = _mapping(content.get("annotations"))
        # The second bulk release separates the words of a kind.
        self.spans = {
            str(kind).replace("_", ""): sorted(self._decoded(value), key=itemgetter(0, 1))
            for kind, value in annotations.items()
        }

    def _decoded(self, value: object) -> Iterator[_Span]:
        if isinstance(value, str):
            try:
                value = json.loads(value)
            except (ValueError, RecursionError):
                return
        for each in _mappings(value):
            start, end = _offset(each.get("start")), _offset(each.get("end"))
            if start is not None and end is not None and start < end <= len(self.text):
                yield _Span(start, end, _mapping(each.get("attributes")))

    def within(self, kind: str, outer: _Span) -> list[_Span]:
        """Return the spans of a kind within another span."""
        spans = self.spans.get(kind, [])
        first = bisect_left(spans, outer.start, key=itemgetter(0))
        last = bisect_left(spans, outer.end, key=itemgetter(0))
        return [span for span in spans[first:last] if span.end <= outer.end]

    def texts(self, kind: str, outer: _Span | None = None) -> list[str]:
        """Return the texts of the spans of a kind."""
        spans = self.spans.get(kind, []) if outer is None else self.within(kind, outer)
        return [plain(self.text[span.start : span.end]) for span in spans]


def _from_annotations(body: _Annotated, bibliography: _Annotated) -> dict[str, Any]:
    """Return a paper of the bulk release in the format of 2020."""
    abstracts = body.spans.get("abstract", [])
    paragraphs = {id(each): each for outer in abstracts for each in body.within("paragraph", outer)}
    return {
        "title": "".join(body.texts("title")[:1]),
        "authors": [{"last": name} for name in body.texts("authorlastname")],
        "abstract": [_from_span(body, span) for span in paragraphs.values() or abstracts],
        "body_text": [
            _from_span(body, span)
            for span in body.spans.get("paragraph", [])
            if id(span) not in paragraphs
        ],
        "bib_entries": {
            _text(span.attributes.get("id")) or f"#{number}": _entry(bibliography, span)
            for number, span in enumerate(bibliography.spans.get("bibentry", []))
        },
    }


def _from_span(body: _Annotated, span: _Span) -> dict[str, Any]:
    """Return one paragraph with its heading and markers."""
    headings = body.spans.get("sectionheader", [])
    heading = _Span(0, 0, {})
    if before := bisect_left(headings, span.start, key=itemgetter(0)):
        heading = headings[before - 1]
    return {
        "text": body.text[span.start : span.end],
        "section": body.text[heading.start : heading.end],
        "sec_num": heading.attributes.get("n"),
        "cite_spans": [
            {
                "start": marker.start - span.start,
                "end": marker.end - span.start,
                "ref_id": marker.attributes.get("ref_id") or marker.attributes.get("id"),
            }
            for marker in body.within("bibref", span)
        ],
    }


def _entry(bibliography: _Annotated, span: _Span) -> dict[str, Any]:
    return {
        "raw_text": bibliography.text[span.start : span.end],
        "title": "".join(bibliography.texts("bibtitle", span)[:1]),
        "authors": [{"last": name} for name in bibliography.texts("bibauthorlastname", span)],
        "doi": span.attributes.get("doi"),
        "matched_paper_id": span.attributes.get("matched_paper_id"),
    }
