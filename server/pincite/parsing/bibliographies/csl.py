r"""CSL items → BibTeX's types and fields.

Follows the schema of CSL data (``csl-data.json`` of the citation-style-language project, 1.0.2) and
what Pandoc reads and writes: names of variables in any case (its YAML has ``doi`` and ``url``), and
dates also as strings in EDTF. Text is HTML in CSL JSON (``<i>``, ``<span class="nocase">``), and
Markdown in CSL YAML (``*x*``, ``[X]{.nocase}``, ``\*``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from ...model.papers import BibEntry
from ...text.tags import without_tags
from .items import Value, date_fields, joined, listed, lowered, name, one_word, plain

#: BibTeX's types with CSL's: the first is written. Of several with the same, the first is read.
_TYPES: Final = {
    "article": "article-journal article article-magazine article-newspaper",
    "audio": "broadcast musical_score",
    "book": "book classic",
    "booklet": "pamphlet",
    "collection": "collection",
    "dataset": "dataset",
    "image": "figure graphic",
    "incollection": "chapter",
    "inproceedings": "paper-conference",
    "inreference": "entry-encyclopedia entry entry-dictionary",
    "jurisdiction": "legal_case",
    "legal": "regulation treaty",
    "legislation": "bill legislation",
    "letter": "personal_communication",
    "misc": "document",
    "movie": "motion_picture",
    "music": "song",
    "online": "webpage post post-weblog",
    "patent": "patent",
    "performance": "performance",
    "periodical": "periodical",
    "phdthesis": "thesis",
    "review": "review review-book",
    "software": "software",
    "standard": "standard",
    "techreport": "report",
    "unpublished": "manuscript speech",
    **dict.fromkeys(("electronic", "www"), "webpage"),
    **dict.fromkeys(("manual", "proceedings"), "book"),
    **dict.fromkeys(("mastersthesis", "thesis"), "thesis"),
    "conference": "paper-conference",
    "inbook": "chapter",
    "report": "report",
}
TYPES: Final[Mapping[str, str]] = {
    kind: entry_type for entry_type, kinds in reversed(_TYPES.items()) for kind in kinds.split()
}
WRITTEN_TYPES: Final[Mapping[str, str]] = {key: kinds.split()[0] for key, kinds in _TYPES.items()}

#: Fields in the order in which they are written, with their variable if it has another name.
_FIELDS: Final = """
    abstract address:publisher-place annotation:annote annote booktitle:container-title
    chapter:chapter-number doi:DOI edition eventtitle:event-title institution:publisher isbn:ISBN
    issn:ISSN issue journal:container-title journaltitle:container-title keywords:keyword language
    langid:language location:publisher-place note origtitle:original-title pages:page
    pagetotal:number-of-pages pmcid:PMCID pmid:PMID pubstate:status publisher school:publisher
    series:collection-title shortjournal:container-title-short shorttitle:title-short type:genre
    url:URL venue:event-place version volume volumes:number-of-volumes
"""
VARIABLES: Final[dict[str, str]] = {
    field: variable or field
    for field, _, variable in (each.partition(":") for each in _FIELDS.split())
}
#: Variables with another name in BibTeX, by their names in lower case; the container is either.
FIELDS: Final[Mapping[str, str]] = {
    **{
        variable: field
        for field, variable in reversed(VARIABLES.items())
        if variable not in VARIABLES and variable != "container-title"
    },
    "archive_location": "archivelocation",
    "collection-number": "number",
    "event": "eventtitle",
    "issue": "number",
    "journalabbreviation": "shortjournal",
}
#: Lists of names by the names of their fields.
NAMES: Final[Mapping[str, str]] = {
    **{role: role for role in ("author", "editor", "translator", "director", "interviewer")},
    "recipient": "recipient",
    "container-author": "bookauthor",
    "collection-editor": "editora",
    "reviewed-author": "reviewedauthor",
}
_DATES: Final = {"accessed": "urldate", "event-date": "eventdate", "original-date": "origdate"}
_RENAMED: Final = {**FIELDS, **NAMES, **_DATES}
_NO_FIELDS: Final = frozenset(
    ("id", "type", "citation-key", "citation-label", "issued", "container-title", "custom")
)
#: Addresses and numbers, which have no markup.
_VERBATIM: Final = frozenset(("doi", "url", "isbn", "issn", "pmid", "pmcid", "file", "eprint"))
#: Types whose container is a book or proceedings, not a periodical.
_IN_BOOKS: Final = frozenset(("inproceedings", "incollection", "inreference"))
#: What the publisher is called in BibTeX.
PUBLISHED_BY: Final = {
    "phdthesis": "school", "mastersthesis": "school", "techreport": "institution"
}  # fmt: skip

_HTML: Final = re.compile(
    r"""</?(?:i|b|u|sub|sup|sc|em|strong)>|<span(?:\s[^<>]*)?>|</span>""", re.IGNORECASE
)
_CLASSED: Final = re.compile(r"(?<!\\)\[((?:[^\[\]\\]|\\.)*)\]\{[.#][^{}]*\}", re.DOTALL)
_EMPHASIS: Final = re.compile(
    r"(?<![\\\w*])(\*{1,3})(?=[^\s*])([^*]*[^\s*\\])\1(?!\*)"
    r"|(?<![\\\w_])(_{1,3})(?=[^\s_])([^_]*[^\s_\\])\3(?!\w)"
)
_RAISED: Final = re.compile(r"(?<!\\)([\^~])([^\s^~\\]+)\1")
_ESCAPED: Final = re.compile(r"\\([!-/:-@\[-`{-~])")
_ARXIV: Final = re.compile(r"\s*arxiv:\s*(\S+)", re.IGNORECASE)
MASTER: Final = re.compile(r"master|diplom|m\.\s*sc", re.IGNORECASE)
_ISO: Final = re.compile(r"\d{4}(?:-\d\d){0,2}")
_YEAR: Final = re.compile(r"-?\d{1,6}")


def from_html(text: str) -> str:
    """Return the text of a variable in CSL JSON."""
    # Publishers' abstracts come in JATS.
    return without_tags(_HTML.sub("", text)) if "<" in text or "&" in text else text


def from_markdown(text: str) -> str:
    """Return the text of a variable in CSL YAML."""
    if "[" in text:
        text = _CLASSED.sub(r"\1", text)
    if "*" in text or "_" in text:
        text = _EMPHASIS.sub(lambda found: found[2] or found[4], text)
    if "^" in text or "~" in text:
        text = _RAISED.sub(r"\2", text)
    return from_html(_ESCAPED.sub(r"\1", text) if "\\" in text else text)


def key_of(value: Value) -> str:
    """Return the key of an item: its ``id``, else its ``citation-key``."""
    # Numbers are allowed, and the decoder leaves them as they are written.
    return next(iter(_keys(value)), "")


def _keys(value: Value) -> list[str]:
    names = [value.get(each) for each in ("id", "citation-key")] if isinstance(value, dict) else []
    return [key for each in names if isinstance(each, str) and (key := plain(each))]


def described(value: Value, readable: Callable[[str], str], path: Path) -> BibEntry:
    """Return the entry of a CSL item; `readable` removes the markup of a text."""
    if not isinstance(value, dict):
        return BibEntry("", "", {}, path)
    item = lowered(value)
    kind = plain(item.get("type")).lower()
    entry_type = TYPES.get(kind, kind or "misc")
    if entry_type == "phdthesis" and MASTER.search(plain(item.get("genre"))):
        entry_type = "mastersthesis"
    fields: dict[str, str] = {}
    for variable, each in item.items():
        if variable in NAMES:
            text = joined(map(_name, listed(each)))
        elif variable in _DATES:
            text = _date(each)[0]
        else:
            text = plain(each) if variable in _VERBATIM else readable(plain(each))
        if text and variable not in _NO_FIELDS:
            fields.setdefault(_RENAMED.get(variable, variable), text)
    if container := readable(plain(item.get("container-title"))):
        fields["booktitle" if entry_type in _IN_BOOKS else "journal"] = container
    if entry_type in PUBLISHED_BY and "publisher" in fields:
        fields[PUBLISHED_BY[entry_type]] = fields.pop("publisher")
    fields.update(date_fields(*_date(item.get("issued"))))
    if found := _ARXIV.match(plain(item.get("number"))):
        fields.update(eprint=found[1], eprinttype="arxiv")
    key, *others = _keys(value) or [""]
    aliases = tuple(other for other in others if other != key)
    return BibEntry(key, entry_type, fields, path, aliases)


def _name(value: Value) -> str:
    if not isinstance(value, dict):
        return plain(value) if isinstance(value, str) else ""
    get = {key: plain(each) for key, each in value.items()}.get
    if literal := get("literal"):
        return one_word(literal)
    parts = map(get, ("dropping-particle", "non-dropping-particle", "family"))
    family = " ".join(filter(None, parts))
    given = get("given") or ""
    return name(family, given, get("suffix") or "") if family else one_word(given)


def _date(value: Value | None) -> tuple[str, str]:
    """Return a date in ISO form, and its year alone where that form is not known."""
    if isinstance(value, list):
        dates = [_date(each) for each in value[:2]]
        return "/".join(date for date, _ in dates if date), next((y for _, y in dates if y), "")
    if isinstance(value, str):
        return plain(value), ""
    get = lowered(value).get
    if parts := listed(get("date-parts")):
        return "/".join(filter(None, (_iso(listed(each)) for each in parts[:2]))), ""
    if year := get("year"):
        return _iso([year, get("month") or "", get("day") or ""]), ""
    for form in ("edtf", "raw", "literal"):
        if text := plain(get(form)):
            found = re.search(r"\d{4}", text)
            is_iso = form == "edtf" or _ISO.fullmatch(text)
            return (text, "") if is_iso else ("", found[0] if found else text)
    return "", ""


def _iso(parts: list[Value]) -> str:
    found: list[str] = []
    for number, part in enumerate(map(plain, parts)):
        if not _YEAR.fullmatch(part) or (number and not 1 <= int(part) <= 31):
            break
        found.append(part.zfill(2) if number else part.zfill(4 + part.startswith("-")))
    return "-".join(found)
