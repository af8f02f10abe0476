"""RIS → entries: what databases and publishers offer as “Export citation”.

Follows the specification of Research Information Systems (2001) and the tags that EndNote, Zotero
and publishers write: a line for each tag, two capitals or a capital and a digit, two spaces, a
hyphen, a space and the value. EndNote's own format has other tags, ``%T Title``, and so has
PubMed's (``.nbib``), ``TI  - Title``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from ...model.papers import BibEntry
from ...text.characters import abbreviates
from ...text.tags import without_tags
from .csl import MASTER, PUBLISHED_BY
from .items import joined, name, one_word, plain

_LINE: Final = re.compile(r"^[ \t\ufeff]*([A-Z][A-Z0-9]) {1,2}-[ \t]?(.*)$")
_BEGINS: Final = re.compile(r"^[ \t\ufeff]*(?:TY {1,2}- ?|%0 )\w", re.MULTILINE)
_OF_ENDNOTE: Final = re.compile(r"^[ \t\ufeff]*%(\S) (.*)$", re.MULTILINE)
#: The tags of RIS for those of EndNote.
_TAGS: Final = dict(zip(
    "0ATJBEDVNPIC@RUXK7F9",
    "TY AU TI JO T2 ED PY VL IS SP PB CY SN DO UR AB KW ET ID M3".split(),
    strict=True,
))  # fmt: skip
_OF_PUBMED: Final = re.compile(r"^[ \t\ufeff]*([A-Z]{2,4}) *-[ \t](.*)$", re.MULTILINE)
#: The tags of RIS for those of PubMed, but for PMIDs and DOIs.
_TAGS_OF_PUBMED: Final = dict(
    zip(
        "TI FAU AU CN FED JT TA DP VI IP PG AB OT".split(),
        "TI AU A9 A1 ED JF JA PY VL IS SP AB KW".split(),
        strict=True,
    )
)
#: Before initials: old records of PubMed have no other names.
_INITIALS: Final = re.compile(r" (?=[A-Z]{1,3}(?: \w{2,3})?\Z)")
#: As IEEE writes names. “U.S. Army” is none.
_GIVEN_FIRST: Final = re.compile(r"\A((?:[^\W\d_]\.[ -])*[^\W\d_]\.) ([^,]+)\Z")
_TYPES: Final = {
    "article": "JOUR JFULL EJOUR MGZN NEWS INPR ABST JOURNALARTICLE ELECTRONICARTICLE",
    "book": "BOOK EBOOK EDBOOK CLSWK EDITEDBOOK",
    "incollection": "CHAP ECHAP ENCYC DICT BOOKSECTION",
    "inproceedings": "CONF CPAPER CONFERENCEPROCEEDINGS CONFERENCEPAPER",
    "phdthesis": "THES THESIS",
    "techreport": "RPRT GOVDOC REPORT",
    "unpublished": "UNPB MANSCPT MANUSCRIPT",
}
_TYPE_OF: Final = {ris: ours for ours, names in _TYPES.items() for ris in names.split()}
#: Tags by field, the first that has a value counts.
_FIELDS: Final = {
    "title": ("TI", "T1", "CT"),
    "volume": ("VL",),
    "number": ("IS", "CP"),
    "publisher": ("PB",),
    "address": ("CY", "PP"),
    "edition": ("ET",),
    "doi": ("DO",),
    "url": ("UR",),
}
_CONTAINER: Final = ("JF", "JO", "T2", "BT", "JA")
_CONTAINERS: Final = {
    "article": "journal",
    "incollection": "booktitle",
    "inproceedings": "booktitle",
}
_KEYWORDS: Final = "KW"
_YEAR: Final = re.compile(r"\d{4}")


def begins_as_ris(text: str) -> bool:
    """Return whether a text has an item in RIS."""
    return _BEGINS.search(text) is not None


def read_ris(text: str, path: Path) -> Iterator[BibEntry]:
    """Yield the items of a text that have a title; keys are those in ``ID``, or empty."""
    text = _OF_ENDNOTE.sub(lambda line: f"{_TAGS.get(line[1], 'XX')}  - {line[2]}", text)
    tags: dict[str, list[list[str]]] = {}
    last = ""
    for line in [*text.splitlines(), "ER  - "]:
        if (found := _LINE.match(line)) is None:
            # A value goes on in the next line; EndNote has one for each keyword.
            if last and line.strip():
                tags[last][-1].append(line.strip())
            continue
        last, value = found[1], found[2].strip()
        if last in ("TY", "ER"):
            written = {tag: [_joined(tag, each) for each in values] for tag, values in tags.items()}
            if tags and (entry := _entry(written, path)).title:
                yield entry
            tags = {}
        if last != "ER":
            tags.setdefault(last, []).append([value])
        else:
            last = ""


def from_pubmed(text: str) -> str:
    """Return works in PubMed's format as RIS."""

    def line(found: re.Match[str]) -> str:
        tag, value = found[1], found[2].strip()
        if tag == "PMID":
            return "TY  - JOUR"
        if value.endswith("[doi]"):
            return f"DO  - {value.removesuffix('[doi]')}"
        value = value.rstrip(".") if tag == "TI" else value
        value = _INITIALS.sub(", ", value) if tag == "AU" else value
        return f"{_TAGS_OF_PUBMED.get(tag, 'XX')}  - {value}"

    return _OF_PUBMED.sub(line, re.sub(r"\r?\n {6}", " ", text))


def _entry(tags: dict[str, list[str]], path: Path) -> BibEntry:
    def value(*names: str) -> str:
        return next((_text(each) for tag in names for each in tags.get(tag, ()) if each), "")

    kind = _TYPE_OF.get(value("TY").upper().replace(" ", ""), "misc")
    if kind == "phdthesis" and MASTER.search(value("M3")):
        kind = "mastersthesis"
    fields = {field: value(*names) for field, names in _FIELDS.items()}
    authors = (tags.get("AU") or tags.get("A9", [])) + tags.get("A1", [])
    fields["author"] = joined(map(_name, authors))
    editors = ("ED", "A2") if kind != "article" else ("ED",)
    fields["editor"] = joined(_name(each) for tag in editors for each in tags.get(tag, ()))
    if kind == "book" and not fields["title"]:
        fields["title"] = value("BT")
    elif kind in _CONTAINERS:
        # JO may be abbreviated, and T2 may be the title of a special issue.
        first, second = value(*_CONTAINER), value("T2")
        fields[_CONTAINERS[kind]] = second if abbreviates(first, second) else first
    if kind in PUBLISHED_BY:
        fields[PUBLISHED_BY[kind]] = fields.pop("publisher")
    year = _YEAR.search(value("PY", "Y1", "DA"))
    fields["year"] = year[0] if year else ""
    first, end = value("SP"), value("EP")
    fields["pages"] = f"{first}--{end}" if first and end and end != first else first
    if kind == "techreport":
        fields["number"] = fields["number"] or value("SN")
    elif kind != "article":
        fields["isbn"] = value("SN")
    fields["abstract"] = value("AB", "N2")
    fields["keywords"] = ", ".join(map(_text, tags.get(_KEYWORDS, ())))
    if fields["doi"]:
        del fields["url"]
    return BibEntry(value("ID"), kind, {n: v for n, v in fields.items() if v}, path)


def _joined(tag: str, lines: list[str]) -> str:
    return (", " if tag == _KEYWORDS else " ").join(filter(None, lines))


def _text(written: str) -> str:
    return without_tags(plain(written))


def _name(text: str) -> str:
    text = _GIVEN_FIRST.sub(r"\2, \1", _text(text))
    family, _, rest = (part.strip() for part in text.partition(","))
    given, _, suffix = (part.strip() for part in rest.partition(","))
    return name(family, given, suffix) if given else one_word(family)
