"""TEI as produced by GROBID → `ReferencePaper`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from lxml import etree

from ...model.papers import Reference, ReferencePaper
from .paragraphs import plain
from .references import described_work, surname_of, year_in
from .xml_tree import TextReader, raw_text, text_of

_ID = "{http://www.w3.org/XML/1998/namespace}id"
_UNREAD = ("graphic", "label", "listBibl", "table")
_APPENDICES = frozenset({"annex", "appendix", "app"})


def find_tei(root: etree._Element) -> etree._Element | None:
    """Return the (first) TEI document in a file."""
    if root.tag == "teiCorpus":
        return root.find(".//TEI")
    return root if root.tag in ("TEI", "TEI.2") else None


def tei_paper(root: etree._Element, source: Path | None) -> ReferencePaper:
    """Return the paper in a TEI document; raise `NoTextError` if it has no text."""
    references: list[Reference] = []
    numbers: dict[str, tuple[int, ...]] = {}
    for entry in root.iterfind(".//listBibl/*"):
        if entry.tag in ("biblStruct", "bibl", "biblFull"):
            numbers.setdefault(entry.get(_ID, ""), (len(references),))
            references.append(_reference(entry))
    pages = len(root.findall("facsimile/surface"))
    about = _about(root)

    etree.strip_elements(root, *_UNREAD, with_tail=False)
    reader = _Reader(numbers)
    reader.read_abstract(root.find("teiHeader/profileDesc/abstract"))
    for body in root.iterfind("text/body"):
        reader.read(body)
    for appendix in root.iterfind("text/back/div"):
        if appendix.get("type", "") in _APPENDICES:
            reader.builder.start_section(None)
            reader.read(appendix)
    return reader.builder.complete(about, references, source, page_count=pages or None)


def _about(root: etree._Element) -> Reference:
    header = root.find("teiHeader")
    if header is None:
        return Reference()
    source = header.find("fileDesc/sourceDesc")
    about = Reference() if source is None else _reference(source)
    titles = header.findall("fileDesc/titleStmt/title")
    titles.sort(key=lambda title: title.get("type") != "main")
    return replace(
        about,
        title=next(filter(None, map(text_of, titles)), about.title),
        surnames=about.surnames or _surnames(header.find("fileDesc/titleStmt")),
        year=about.year or _year(header.find("fileDesc/publicationStmt/date")),
    )


def _reference(entry: etree._Element) -> Reference:
    titles = {title.get("level", ""): title for title in reversed(list(entry.iter("title")))}
    dates = sorted(entry.iter("date"), key=lambda date: date.get("type") != "published")
    identifiers = {each.get("type", "").lower(): text_of(each) for each in entry.iter("idno")}
    raw = next((note for note in entry.iter("note") if note.get("type") == "raw_reference"), None)
    named = map(_surnames, (entry.find(".//analytic"), entry.find(".//monogr"), entry))
    return described_work(
        title=text_of(
            next((titles[level] for level in ("a", "m", "u", "") if level in titles), None)
        ),
        surnames=next(filter(None, named), ()),
        year=next(filter(None, map(_year, dates)), ""),
        doi=identifiers.get("doi", ""),
        arxiv=identifiers.get("arxiv", ""),
        text=text_of(raw) if raw is not None else plain(raw_text(entry, " ")),
        is_printed=raw is not None or entry.tag == "bibl",
    )


def _surnames(part: etree._Element | None) -> tuple[str, ...]:
    surnames: list[str] = []
    for author in () if part is None else part.iterfind("author"):
        name = author.find(".//persName")
        if name is not None:
            names = name.findall("surname") or name.findall("forename")[-1:]
            surnames.append(" ".join(map(text_of, names)) or surname_of(text_of(name)))
        elif len(author):  # GROBID lists affiliations without a person as authors
            surnames.append(text_of(author.find("surname")))
        else:
            surnames.append(surname_of(text_of(author)))
    return tuple(filter(None, surnames))


def _year(date: etree._Element | None) -> str:
    return "" if date is None else year_in(date.get("when", "")) or year_in(text_of(date))


class _Reader(TextReader):
    paragraphs = frozenset({"p", "s", "figDesc", "item", "note", "quote", "l", "ab"})
    floats = frozenset({"figure", "note"})

    def start(self, element: etree._Element) -> bool:
        tag = element.tag
        # The page of the element's first box: ``coords="page,x,y,width,height;…"``.
        page = element.get("coords", "").partition(",")[0].strip()
        if page.isascii() and page.isdigit() and len(page) < 7 and int(page):
            self.builder.page = int(page)
        if tag == "ref":
            return self._start_reference(element)
        if tag == "head":
            parent = element.getparent()
            if parent is not None and parent.tag == "div":
                self.builder.start_section(f"{element.get('n', '')} {text_of(element)}")
            return False
        if tag == "formula":
            # Between paragraphs it is displayed, and its characters are not in a readable order.
            return self.open_paragraphs > 0
        if tag == "figure":
            # GROBID collects figures at the end of the text, outside their sections.
            self.start_section(element, None)
        elif tag in ("lb", "pb", "cb", "div"):
            self.builder.add_text(" ")
        return True

    def _start_reference(self, element: etree._Element) -> bool:
        """Add a citation marker; of other references, only those to notes are not text."""
        kind = element.get("type", "")
        if kind not in ("bibr", "bibl", "biblio"):
            return not kind.startswith("foot")
        text = raw_text(element)
        before = element.getprevious()
        if before is not None and before.tag == "ref" and not before.tail and text[:1].isalnum():
            # GROBID drops the space between consecutive markers.
            self.builder.add_text(" ")
        self.add_marker(text, (name.lstrip("#") for name in element.get("target", "").split()))
        return False
