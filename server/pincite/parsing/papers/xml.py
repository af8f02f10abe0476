"""XML of papers → `ReferencePaper`: TEI of GROBID, and JATS with the older NLM journal format.

Namespaces, comments, processing instructions and entities are removed first. No other file is read,
and entities that a file defines are not expanded. A damaged file is read as far as it goes.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from html.entities import html5
from io import BytesIO
from pathlib import Path
from typing import ClassVar

from lxml import etree

from ...model.papers import Reference, ReferencePaper
from ...model.problems import NotAPaperError
from .paragraphs import PaperBuilder, plain
from .references import arxiv_in, described_work, doi_in, surname_of, year_in

_ENTITY = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos);)([A-Za-z][A-Za-z0-9]{1,31};)")
#: Indices of references by the names that markers use.
_Numbers = dict[str, tuple[int, ...]]


def read_xml(path: Path) -> ReferencePaper:
    """Read a paper in TEI or JATS, the first of several; raise `InputError` without a text."""
    root = _parsed(path)
    if (tei := root.find(".//TEI") if root.tag == "teiCorpus" else root) is not None and (
        tei.tag in ("TEI", "TEI.2")
    ):
        return _read_tei(tei, path)
    inner = ".//metadata/article" if root.tag == "OAI-PMH" else "article"
    articles = [root] if root.tag == "article" else root.findall(inner)
    # DocBook has articles as well.
    if any(each.find(part) is not None for each in articles for part in ("front", "body")):
        return _read_jats(articles[0], path)
    raise NotAPaperError("this is XML, but neither TEI nor JATS")


def _parsed(path: Path) -> etree._Element:
    parser = etree.XMLParser(
        recover=True,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
        collect_ids=False,
    )
    # The names of HTML's characters are declared in DTDs, which are not read.
    data = _ENTITY.sub(_character, path.read_bytes())
    root = None
    with suppress(etree.LxmlError):
        root = etree.parse(BytesIO(data), parser).getroot()
    if root is None:
        raise NotAPaperError("this is not an XML file, although its name says so")
    etree.strip_elements(root, etree.Entity, with_tail=False)
    for element in root.iter("{*}*"):
        with suppress(ValueError):  # an invalid name, in a damaged file
            element.tag = str(element.tag).rpartition("}")[2]
    return root


def _character(entity: re.Match[bytes]) -> bytes:
    characters = html5.get(entity[1].decode(), "")
    return "".join(f"&#{ord(character)};" for character in characters).encode() or entity[0]


def _raw(element: etree._Element, separator: str = "") -> str:
    return separator.join(map(str, element.itertext()))


def _text(element: etree._Element | None) -> str:
    return "" if element is None else plain(_raw(element))


class _Reader(ABC):
    """Passes the running text of elements to its `builder`, in reading order."""

    #: Elements that divide text.
    paragraphs: ClassVar[frozenset[str]]
    #: Elements that are read after the paragraph around them, so as not to split its sentence.
    floats: ClassVar[frozenset[str]]
    #: Elements at whose end the section around them goes on.
    sections: ClassVar[frozenset[str]]

    def __init__(self, numbers: _Numbers) -> None:
        self.builder = PaperBuilder()
        self.open_paragraphs = 0
        self._numbers = numbers
        self._floating: list[etree._Element] = []

    @abstractmethod
    def start(self, element: etree._Element) -> bool:
        """Handle the start of an element; return whether to read its content."""

    def add_marker(self, element: etree._Element, names: Iterable[str]) -> None:
        """Add an element as a citation marker, with the names of its references."""
        cited = (index for name in names for index in self._numbers.get(name, ()))
        text, around = _raw(element), element.getparent()
        is_raised = element.find("sup") is not None or (around is not None and around.tag == "sup")
        # A raised number is no part of the word that it stands at.
        shown = text.translate(_RAISED) if is_raised else ""
        self.builder.add_marker(text, tuple(dict.fromkeys(cited)), shown)

    def read_abstract(self, abstract: etree._Element | None) -> None:
        """Read the abstract, which comes first."""
        self.builder.start_abstract()
        if abstract is not None:
            self.read(abstract)
        self.builder.start_section(None)

    def read(self, element: etree._Element) -> None:
        """Read an element with all that is in it; the parser limits how deep that is."""
        builder, tag = self.builder, element.tag
        if self.open_paragraphs and tag in self.floats:
            self._floating.append(element)
            return
        around, is_section = builder.section, tag in self.sections and not builder.in_abstract
        if not self.start(element):
            return
        is_paragraph = tag in self.paragraphs
        if is_paragraph:
            builder.end_paragraph()
            self.open_paragraphs += 1
        builder.add_text(element.text or "")
        for child in element:
            self.read(child)
            builder.add_text(child.tail or "")
        if is_section:
            builder.start_section(around)
        elif is_paragraph:
            builder.end_paragraph(is_sentence=tag == "s")
            self.open_paragraphs -= 1
            if not self.open_paragraphs:
                floating, self._floating = self._floating, []
                for each in floating:
                    self.read(each)
                    builder.end_paragraph()


# TEI

_ID = "{http://www.w3.org/XML/1998/namespace}id"


def _read_tei(root: etree._Element, source: Path) -> ReferencePaper:
    references: list[Reference] = []
    numbers: _Numbers = {}
    for entry in root.iterfind(".//listBibl/*"):
        if entry.tag in ("biblStruct", "bibl", "biblFull"):
            numbers.setdefault(entry.get(_ID, ""), (len(references),))
            references.append(_tei_reference(entry))
    pages = len(root.findall("facsimile/surface"))
    about = Reference()
    if (header := root.find("teiHeader")) is not None:
        if (described := header.find("fileDesc/sourceDesc")) is not None:
            about = _tei_reference(described)
        titles = header.findall("fileDesc/titleStmt/title")
        titles.sort(key=lambda title: title.get("type") != "main")
        about = replace(
            about,
            title=next(filter(None, map(_text, titles)), about.title),
            surnames=about.surnames or _tei_surnames(header.find("fileDesc/titleStmt")),
            year=about.year or _tei_year(header.find("fileDesc/publicationStmt/date")),
        )

    printed = _printed(root, "table", "formula")
    etree.strip_elements(root, "graphic", "label", "listBibl", "table", with_tail=False)
    reader = _TeiReader(numbers)
    abstract = root.find("teiHeader/profileDesc/abstract")
    if abstract is None:
        abstract = root.find("text/front//div[@type='abstract']")
    reader.read_abstract(abstract)
    for part in (*root.iterfind("text/body"), *root.iterfind("text/back/div")):
        if part.tag == "body" or part.get("type", "") in ("annex", "appendix", "app"):
            reader.builder.start_section(None)
            reader.read(part)
    return reader.builder.complete(
        about, references, source, page_count=pages or None, printed=printed
    )


def _tei_reference(entry: etree._Element) -> Reference:
    titles = {each.get("level", ""): _text(each) for each in reversed([*entry.iter("title")])}
    dates = sorted(entry.iter("date"), key=lambda date: date.get("type") != "published")
    identifiers = {each.get("type", "").lower(): _text(each) for each in entry.iter("idno")}
    raw = next((note for note in entry.iter("note") if note.get("type") == "raw_reference"), None)
    named = map(_tei_surnames, (entry.find(".//analytic"), entry.find(".//monogr"), entry))
    return described_work(
        title=next((titles[level] for level in ("a", "m", "u", "") if level in titles), ""),
        surnames=next(filter(None, named), ()),
        year=next(filter(None, map(_tei_year, dates)), ""),
        doi=identifiers.get("doi", ""),
        arxiv=identifiers.get("arxiv", ""),
        text=plain(_raw(entry, " ")) if raw is None else _text(raw),
        is_printed=raw is not None or entry.tag == "bibl",
    )


def _tei_surnames(part: etree._Element | None) -> tuple[str, ...]:
    surnames: list[str] = []
    for author in () if part is None else part.iterfind("author"):
        name = author.find(".//persName")
        if name is not None:
            names = name.findall("surname") or name.findall("forename")[-1:]
            surnames.append(" ".join(map(_text, names)) or surname_of(_text(name)))
        elif len(author):  # GROBID lists affiliations without a person as authors
            surnames.append(_text(author.find("surname")))
        else:
            surnames.append(surname_of(_text(author)))
    return tuple(filter(None, surnames))


def _tei_year(date: etree._Element | None) -> str:
    return "" if date is None else year_in(date.get("when", "")) or year_in(_text(date))


class _TeiReader(_Reader):
    paragraphs = frozenset({"p", "s", "figDesc", "item", "note", "quote", "l", "ab"})
    floats = frozenset({"figure", "note"})
    # GROBID collects figures at the end of the text, outside their sections.
    sections = frozenset({"figure"})

    def start(self, element: etree._Element) -> bool:
        tag, kind = element.tag, element.get("type", "")
        # The page of the element's first box: ``coords="page,x,y,width,height;…"``.
        page = element.get("coords", "").partition(",")[0].strip()
        if page.isascii() and page.isdigit() and len(page) < 7 and int(page):
            self.builder.page = int(page)
        if tag == "ref":
            if kind not in ("bibr", "bibl", "biblio"):
                return not kind.startswith("foot")
            before = element.getprevious()
            is_next = before is not None and before.tag == "ref" and not before.tail
            if is_next and _raw(element)[:1].isalnum():
                # GROBID drops the space between consecutive markers.
                self.builder.add_text(" ")
            self.add_marker(element, (n.lstrip("#") for n in element.get("target", "").split()))
            return False
        if tag == "head":
            parent = element.getparent()
            if parent is not None and parent.tag == "div":
                self.builder.start_section(f"{element.get('n', '')} {_text(element)}")
            return False
        if tag == "formula":
            # Between paragraphs it is displayed, and its characters are not in a readable order.
            return self.open_paragraphs > 0
        if tag == "figure":
            self.builder.start_section(None)
        elif tag in ("lb", "pb", "cb", "div"):
            self.builder.add_text(" ")
        return True


# JATS

#: Displayed formulas may be in the middle of a sentence, but are not words of it.
_GAPS = ("break", "disp-formula", "disp-formula-group", "chem-struct-wrap")
_UNREAD = (
    *("table", "table-wrap-foot", "graphic", "inline-graphic", "media", "alt-text", "long-desc"),
    *("tex-math", "annotation", "annotation-xml", "code", "preformat", "ref-list"),
    *("sec-meta", "kwd-group", "object-id", "permissions", "attrib", "supplementary-material"),
)
#: A power or a charge: the raised 5 of 10⁵ is no digit of 105.
_POWER = re.compile(r"[-+−–]?\d+[-+−–]?\s*")
_RAISED = str.maketrans("0123456789+-−–", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻")
#: References to these are marks that readers skip.
_MARKS = ("fn", "table-fn", "aff", "corresp", "author-notes")
_CITATIONS = ("element-citation", "mixed-citation", "nlm-citation", "citation", "note")
_TITLES = ("article-title", "chapter-title", "data-title", "part-title", "source")
#: Dates in order of preference: bibliographies give the year of the issue.
_DATES = ("ppub", "collection", "epub-ppub", "epub", "pub")
_OTHER_ABSTRACTS = ("graphical", "toc", "teaser", "editor", "key-points", "web-summary")


def _read_jats(root: etree._Element, source: Path) -> ReferencePaper:
    for mark in root.iter("xref"):
        if mark.get("ref-type") in _MARKS:
            _empty(mark)
    # Decision letters and replies are separate articles within this one.
    etree.strip_elements(root, "sub-article", "response", with_tail=False)
    references: list[Reference] = []
    numbers: _Numbers = {}
    for entry in root.iter("ref"):
        label = _text(entry.find("label")).strip("[]().")
        first = len(references)
        for child in entry:
            # Of two forms of one work, the first has values and the second is as printed.
            works = [child] if child.tag in _CITATIONS else []
            if child.tag == "citation-alternatives":
                works = [each for name in _CITATIONS for each in child.iterfind(name)][:1]
            for work in works:
                numbers.setdefault(work.get("id", ""), (len(references),))
                references.append(_jats_reference(work, label))
        numbers[entry.get("id", "")] = tuple(range(first, len(references)))

    # Of a table that is a picture, the numbers are not known.
    is_whole = all(next(each.iter("table"), None) is not None for each in root.iter("table-wrap"))
    printed = _printed(root, "table", "table-wrap-foot", *_GAPS) if is_whole else None
    etree.strip_elements(root, *_UNREAD, with_tail=False)
    for raised in root.iter("sup"):
        is_cited = (around := raised.getparent()) is not None and around.tag == "xref"
        if not (len(raised) or is_cited) and _POWER.fullmatch(raised.text or ""):
            raised.text = (raised.text or "").translate(_RAISED)
    for gap in root.iter(*_GAPS):
        _empty(gap, " ")
    meta = root.find("front/article-meta")
    abstracts = [] if meta is None else meta.findall("abstract")
    abstracts = [each for each in abstracts if each.get("abstract-type") not in _OTHER_ABSTRACTS]
    reader = _JatsReader(numbers)
    # If there are several, the plain one is that without a type.
    reader.read_abstract(
        min(abstracts, key=lambda each: each.get("abstract-type", "") != "", default=None)
    )
    for path in ("body", "back/app-group", "back/app", "floats-group"):
        for part in root.iterfind(path):
            reader.read(part)
            reader.builder.end_paragraph()
    about = Reference() if meta is None else _jats_about(meta)
    return reader.builder.complete(about, references, source, printed=printed)


def _printed(root: etree._Element, *tags: str) -> list[tuple[int | None, str]]:
    """Return the text of elements that are not read as sentences."""
    return [(None, _raw(each, " ")) for each in root.iter(*tags)]


def _empty(element: etree._Element, text: str | None = None) -> None:
    """Replace the content of an element, but not the text after it."""
    element.text = text
    del element[:]


def _jats_about(meta: etree._Element) -> Reference:
    title, subtitle = (
        _text(meta.find(f"title-group/{name}")) for name in ("article-title", "subtitle")
    )
    dates = {
        date.get("pub-type", date.get("date-type", "")): _text(date.find("year"))
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
        surnames=_jats_surnames(name for author in authors for name in _names(author)[:1]),
        year=next(filter(None, map(year_in, years)), ""),
        doi=doi_in(identifiers.get("doi", "")),
        arxiv=arxiv_in(identifiers.get("arxiv", ""), is_named=True),
    )


def _jats_reference(citation: etree._Element, label: str) -> Reference:
    found = {element.tag: _text(element) for element in citation.iter(*_TITLES, "year")}
    identifiers = _identifiers(citation.iter("pub-id", "article-id"))
    for surname in citation.iter("surname"):
        if surname.getnext() is not None:
            surname.tail = surname.tail or " "
    # Mixed citations are text as printed; the others are values without punctuation.
    around = (citation.text, *(each.tail for each in citation))
    is_printed = any(text and text.strip() for text in around)
    links = " ".join(
        str(value) for link in citation.iter("ext-link", "uri") for value in link.values()
    )
    return described_work(
        title=next((found[name] for name in _TITLES if found.get(name)), "").rstrip("."),
        surnames=_jats_surnames(_names(citation)),
        year=found.get("year", ""),
        doi=identifiers.get("doi") or links,
        arxiv=identifiers.get("arxiv") or arxiv_in(links),
        label=label,
        text=plain(_raw(citation, "" if is_printed else " ")),
        is_printed=is_printed,
    )


def _identifiers(elements: Iterable[etree._Element]) -> dict[str, str]:
    return {element.get("pub-id-type", ""): _text(element) for element in elements}


def _names(part: etree._Element) -> list[etree._Element]:
    """Return the outermost names in an element: those of authors, if any are."""
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


def _jats_surnames(names: Iterable[etree._Element]) -> tuple[str, ...]:
    surnames = (
        _text(name.find("surname"))
        or (_text(name) if name.tag == "collab" else surname_of(_text(name)))
        for name in names
    )
    return tuple(filter(None, surnames))


class _JatsReader(_Reader):
    # Their headings are separate sentences.
    paragraphs = frozenset(
        "p title caption list-item def-item def disp-quote verse-line speech".split()
    )
    floats = frozenset({"fig", "fig-group", "table-wrap", "table-wrap-group", "boxed-text", "fn"})
    sections = frozenset({"sec", "app"})

    def start(self, element: etree._Element) -> bool:
        tag = element.tag
        if tag == "xref" and element.get("ref-type") == "bibr":
            self.add_marker(element, element.get("rid", "").split())
            return False
        if tag in self.sections and not self.builder.in_abstract:
            title, label = _text(element.find("title")), _text(element.find("label"))
            self.builder.start_section(f"{label} {title}" if title else self.builder.section)
        parent = element.getparent()
        is_heading = parent is not None and parent.tag in ("sec", "app", "abstract")
        return tag != "label" and not (tag == "title" and is_heading)
