"""JATS and the older NLM journal XML, as in PubMed Central → `ReferencePaper`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from lxml import etree

from ...model.papers import Reference, ReferencePaper
from .paragraphs import plain
from .references import arxiv_in, described_work, doi_in, surname_of, year_in
from .xml_tree import TextReader, raw_text, text_of

#: Displayed formulas may be in the middle of a sentence, but are not words of it.
_GAPS = ("break", "disp-formula", "disp-formula-group", "chem-struct-wrap")
_UNREAD = (
    *("table", "table-wrap-foot", "graphic", "inline-graphic", "media", "alt-text", "long-desc"),
    *("tex-math", "annotation", "annotation-xml", "code", "preformat", "ref-list"),
    *("sec-meta", "kwd-group", "object-id", "permissions", "attrib", "supplementary-material"),
)
#: References to these are marks that readers skip.
_MARKS = frozenset({"fn", "table-fn", "aff", "corresp", "author-notes"})
_CITATIONS = ("element-citation", "mixed-citation", "nlm-citation", "citation", "note")
_TITLES = ("article-title", "chapter-title", "data-title", "part-title", "source")
#: Dates in order of preference: bibliographies give the year of the issue.
_DATES = ("ppub", "collection", "epub-ppub", "epub", "pub")
_ASIDE_ABSTRACTS = frozenset({"graphical", "toc", "teaser", "editor", "key-points", "web-summary"})


def find_article(root: etree._Element) -> etree._Element | None:
    """Return the (first) JATS article in a file; DocBook has articles as well."""
    articles = [root] if root.tag == "article" else root.findall("article")
    if root.tag == "OAI-PMH":
        articles = root.findall(".//metadata/article")
    has_part = (
        article.find(part) is not None for article in articles for part in ("front", "body")
    )
    return articles[0] if any(has_part) else None


def jats_paper(root: etree._Element, source: Path | None) -> ReferencePaper:
    """Return the paper in a JATS article; raise `NoTextError` if it has no text."""
    for mark in root.iter("xref"):
        if mark.get("ref-type") in _MARKS:
            _empty(mark)
    # Decision letters and replies are separate articles within this one.
    etree.strip_elements(root, "sub-article", "response", with_tail=False)
    references: list[Reference] = []
    numbers: dict[str, tuple[int, ...]] = {}
    for entry in root.iter("ref"):
        label = text_of(entry.find("label")).strip("[]().")
        first = len(references)
        for child in entry:
            # Of two forms of one work, the first has values and the second is as printed.
            works = [child] if child.tag in _CITATIONS else []
            if child.tag == "citation-alternatives":
                works = [each for name in _CITATIONS for each in child.iterfind(name)][:1]
            for work in works:
                numbers.setdefault(work.get("id", ""), (len(references),))
                references.append(_reference(work, label))
        numbers[entry.get("id", "")] = tuple(range(first, len(references)))

    etree.strip_elements(root, *_UNREAD, with_tail=False)
    for gap in root.iter(*_GAPS):
        _empty(gap)
        gap.text = " "
    meta = root.find("front/article-meta")
    abstracts = [] if meta is None else meta.findall("abstract")
    abstracts = [each for each in abstracts if each.get("abstract-type") not in _ASIDE_ABSTRACTS]
    # If there are several, the plain one is that without a type.
    abstracts.sort(key=lambda abstract: abstract.get("abstract-type", "") != "")
    reader = _Reader(numbers)
    reader.read_abstract(abstracts[0] if abstracts else None)
    for path in ("body", "back/app-group", "back/app", "floats-group"):
        for part in root.iterfind(path):
            reader.read(part)
    return reader.builder.complete(_about(meta), references, source)


def _empty(element: etree._Element) -> None:
    """Remove the content of an element, but not the text after it."""
    element.text = None
    del element[:]


def _about(meta: etree._Element | None) -> Reference:
    if meta is None:
        return Reference()
    titles = (text_of(meta.find(f"title-group/{name}")) for name in ("article-title", "subtitle"))
    title, subtitle = titles
    dates = {
        date.get("pub-type", date.get("date-type", "")): text_of(date.find("year"))
        for date in meta.iterfind("pub-date")
    }
    years = [dates[kind] for kind in _DATES if kind in dates] or list(dates.values())
    identifiers = _identifiers(meta.iterfind("article-id"))
    authors = [
        contributor
        for contributor in meta.iterfind("contrib-group/contrib")
        if contributor.get("contrib-type", "author") == "author"
    ]
    return Reference(
        title=f"{title}: {subtitle}" if title and subtitle else title,
        surnames=_surnames(name for author in authors for name in _names(author)[:1]),
        year=next(filter(None, map(year_in, years)), ""),
        doi=doi_in(identifiers.get("doi", "")),
        arxiv=arxiv_in(identifiers.get("arxiv", ""), is_named=True),
    )


def _reference(citation: etree._Element, label: str) -> Reference:
    found = {element.tag: text_of(element) for element in citation.iter(*_TITLES, "year")}
    identifiers = _identifiers(citation.iter("pub-id", "article-id"))
    # Mixed citations are text as printed; the others are values without punctuation.
    around = (citation.text, *(each.tail for each in citation))
    is_printed = any(text and text.strip() for text in around)
    links = " ".join(
        str(value) for link in citation.iter("ext-link", "uri") for value in link.values()
    )
    return described_work(
        title=next((found[name] for name in _TITLES if found.get(name)), "").rstrip("."),
        surnames=_surnames(_names(citation)),
        year=found.get("year", ""),
        doi=identifiers.get("doi") or links,
        arxiv=identifiers.get("arxiv") or arxiv_in(links),
        label=label,
        text=plain(raw_text(citation, "" if is_printed else " ")),
        is_printed=is_printed,
    )


def _identifiers(elements: Iterable[etree._Element]) -> dict[str, str]:
    return {element.get("pub-id-type", ""): text_of(element) for element in elements}


def _names(part: etree._Element) -> list[etree._Element]:
    names = [
        name
        for name in part.iter("name", "string-name", "collab")
        if next(name.iterancestors("string-name", "collab"), None) is None
    ]
    authors = [
        name
        for name in names
        if all(
            group.get("person-group-type", "author") in ("author", "allauthors")
            for group in name.iterancestors("person-group")
        )
    ]
    return authors or names


def _surnames(names: Iterable[etree._Element]) -> tuple[str, ...]:
    surnames = (
        text_of(name.find("surname"))
        or (text_of(name) if name.tag == "collab" else surname_of(text_of(name)))
        for name in names
    )
    return tuple(filter(None, surnames))


class _Reader(TextReader):
    # Elements that divide text; their headings are separate sentences.
    paragraphs = frozenset(
        "p title caption list-item def-item def disp-quote verse-line speech".split()
    )
    floats = frozenset({"fig", "fig-group", "table-wrap", "table-wrap-group", "boxed-text", "fn"})

    def start(self, element: etree._Element) -> bool:
        tag = element.tag
        if tag == "xref" and element.get("ref-type") == "bibr":
            self.add_marker(raw_text(element), element.get("rid", "").split())
            return False
        if tag in ("sec", "app") and not self.builder.in_abstract:
            title, label = text_of(element.find("title")), text_of(element.find("label"))
            self.start_section(element, f"{label} {title}" if title else self.builder.section)
        parent = element.getparent()
        is_heading = parent is not None and parent.tag in ("sec", "app", "abstract")
        return tag != "label" and not (tag == "title" and is_heading)
