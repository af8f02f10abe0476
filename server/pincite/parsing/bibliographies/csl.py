r"""CSL items → BibTeX's types and fields.

Follows the schema of CSL data (``csl-data.json`` of the citation-style-language project, 1.0.2) and
what Pandoc reads and writes: names of variables in any case (its YAML has ``doi`` and ``url``), and
dates also as strings in EDTF. Text is HTML in CSL JSON (``<i>``, ``<span class="nocase">``), and
Markdown in CSL YAML (``*x*``, ``[X]{.nocase}``, ``\*``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from .description import EntryDescription, date_fields, joined, listed, name, one_word, plain
from .items import Value

TYPES: Final[Mapping[str, str]] = {
    "article": "article",
    "article-journal": "article",
    "article-magazine": "article",
    "article-newspaper": "article",
    "bill": "legislation",
    "book": "book",
    "broadcast": "audio",
    "chapter": "incollection",
    "classic": "book",
    "collection": "collection",
    "dataset": "dataset",
    "document": "misc",
    "entry": "inreference",
    "entry-dictionary": "inreference",
    "entry-encyclopedia": "inreference",
    "figure": "image",
    "graphic": "image",
    "legal_case": "jurisdiction",
    "legislation": "legislation",
    "manuscript": "unpublished",
    "motion_picture": "movie",
    "musical_score": "audio",
    "pamphlet": "booklet",
    "paper-conference": "inproceedings",
    "patent": "patent",
    "performance": "performance",
    "periodical": "periodical",
    "personal_communication": "letter",
    "post": "online",
    "post-weblog": "online",
    "regulation": "legal",
    "report": "techreport",
    "review": "review",
    "review-book": "review",
    "software": "software",
    "song": "music",
    "speech": "unpublished",
    "standard": "standard",
    "thesis": "phdthesis",
    "treaty": "legal",
    "webpage": "online",
}
#: Types whose container is a book or proceedings, not a periodical.
IN_BOOKS: Final = frozenset(("inproceedings", "incollection", "inreference"))

#: What the publisher is called in BibTeX.
_PUBLISHED_BY: Final = {
    "phdthesis": "school",
    "mastersthesis": "school",
    "techreport": "institution",
}

#: Variables with another name in BibTeX, by their names in lower case.
FIELDS: Final[Mapping[str, str]] = {
    "archive_location": "archivelocation",
    "chapter-number": "chapter",
    "collection-number": "number",
    "collection-title": "series",
    "event-place": "venue",
    "event": "eventtitle",
    "event-title": "eventtitle",
    "genre": "type",
    "issue": "number",
    "journalabbreviation": "shortjournal",
    "container-title-short": "shortjournal",
    "keyword": "keywords",
    "number-of-pages": "pagetotal",
    "number-of-volumes": "volumes",
    "original-title": "origtitle",
    "page": "pages",
    "publisher-place": "address",
    "title-short": "shorttitle",
    "status": "pubstate",
}
#: Lists of names by the names of their fields.
NAMES: Final[Mapping[str, str]] = {
    "author": "author",
    "editor": "editor",
    "translator": "translator",
    "container-author": "bookauthor",
    "collection-editor": "editora",
    "director": "director",
    "interviewer": "interviewer",
    "recipient": "recipient",
    "reviewed-author": "reviewedauthor",
}
DATES: Final[Mapping[str, str]] = {
    "accessed": "urldate",
    "event-date": "eventdate",
    "original-date": "origdate",
}
_RENAMED: Final = {**FIELDS, **NAMES, **DATES}
_NO_FIELDS: Final = frozenset(
    ("id", "type", "citation-key", "citation-label", "issued", "container-title", "custom")
)
#: Addresses and numbers, which have no markup.
_VERBATIM: Final = frozenset(("doi", "url", "isbn", "issn", "pmid", "pmcid", "file", "eprint"))

_HTML: Final = re.compile(
    r"""</?(?:i|b|u|sub|sup|sc|em|strong)>|<span(?:\s[^<>]*)?>|</span>""", re.IGNORECASE
)
_CLASSED: Final = re.compile(r"\[([^\[\]]*)\]\{[.#][^{}]*\}")
_EMPHASIS: Final = re.compile(
    r"(?<![\\\w*])(\*{1,3})(?=[^\s*])([^*]*[^\s*\\])\1(?!\*)"
    r"|(?<![\\\w_])(_{1,3})(?=[^\s_])([^_]*[^\s_\\])\3(?!\w)"
)
_RAISED: Final = re.compile(r"(?<!\\)([\^~])([^\s^~\\]+)\1")
_ESCAPED: Final = re.compile(r"\\([!-/:-@\[-`{-~])")
_ARXIV: Final = re.compile(r"\s*arxiv:\s*(\S+)", re.IGNORECASE)
_MASTER: Final = re.compile(r"master|diplom|m\.\s*sc", re.IGNORECASE)
_ISO: Final = re.compile(r"\d{4}(?:-\d\d){0,2}")
_YEAR: Final = re.compile(r"-?\d{1,6}")


def from_html(text: str) -> str:
    """Return the text of a variable in CSL JSON."""
    return _HTML.sub("", text) if "<" in text else text


def from_markdown(text: str) -> str:
    """Return the text of a variable in CSL YAML."""
    if "[" in text:
        text = _CLASSED.sub(r"\1", text)
    if "*" in text or "_" in text:
        text = _EMPHASIS.sub(lambda found: found[2] or found[4], text)
    if "^" in text or "~" in text:
        text = _RAISED.sub(r"\2", text)
    text = _ESCAPED.sub(r"\1", text) if "\\" in text else text
    return _HTML.sub("", text) if "<" in text else text


def key_of(value: Value) -> str:
    """Return the key of an item: its ``id``, else its ``citation-key``."""
    if not isinstance(value, dict):
        return ""
    return _key(value.get("id")) or _key(value.get("citation-key"))


def _key(value: object) -> str:
    # Numbers are allowed, and the decoder leaves them as they are written.
    return plain(value) if isinstance(value, str) else ""


def described(value: Value, readable: Callable[[str], str]) -> EntryDescription:
    """Return what a CSL item says; `readable` removes the markup of a text."""
    if not isinstance(value, dict):
        return EntryDescription("", "", {})
    item = {key.lower(): each for key, each in value.items()}
    kind = plain(item.get("type")).lower()
    entry_type = TYPES.get(kind, kind or "misc")
    if entry_type == "phdthesis" and _MASTER.search(plain(item.get("genre"))):
        entry_type = "mastersthesis"
    fields: dict[str, str] = {}
    for variable, each in item.items():
        if variable in _NO_FIELDS:
            continue
        if variable in NAMES:
            text = joined(map(_name, listed(each)))
        elif variable in DATES:
            text = _date(each)[0]
        else:
            text = plain(each)
            text = text if variable in _VERBATIM else readable(text)
        if text:
            fields.setdefault(_RENAMED.get(variable, variable), text)
    container = readable(plain(item.get("container-title")))
    if container:
        fields["booktitle" if entry_type in IN_BOOKS else "journal"] = container
    if entry_type in _PUBLISHED_BY and "publisher" in fields:
        fields[_PUBLISHED_BY[entry_type]] = fields.pop("publisher")
    fields.update(date_fields(*_date(item.get("issued"))))
    if (found := _ARXIV.match(plain(item.get("number")))) is not None:
        fields.update(eprint=found[1], eprinttype="arxiv")
    key, other = key_of(value), _key(value.get("citation-key"))
    return EntryDescription(key, entry_type, fields, (other,) if other and other != key else ())


def _name(value: Value) -> str:
    """Return one name: in parts, literal, or a string as BibTeX has it."""
    if isinstance(value, str):
        return plain(value)
    if not isinstance(value, dict):
        return ""
    get = {key: plain(each) for key, each in value.items()}.get
    if literal := get("literal"):
        return one_word(literal)
    particles = (get("dropping-particle"), get("non-dropping-particle"), get("family"))
    family = " ".join(filter(None, particles))
    given = get("given") or ""
    return name(family, given, get("suffix") or "") if family else one_word(given)


def _date(value: Value | None) -> tuple[str, str]:
    """Return a date in ISO form, and its year alone where that form is not known."""
    if isinstance(value, list):
        dates = [_date(each) for each in value[:2]]
        return "/".join(date for date, _ in dates if date), next((y for _, y in dates if y), "")
    if isinstance(value, str):
        return plain(value), ""
    if not isinstance(value, dict):
        return "", ""
    get = {key.lower(): each for key, each in value.items()}.get
    if parts := listed(get("date-parts")):
        dated = [_iso(listed(each)) for each in parts[:2]]
        return "/".join(filter(None, dated)), ""
    if get("year"):
        return _iso([get("year") or "", get("month") or "", get("day") or ""]), ""
    for form in ("edtf", "raw", "literal"):
        if text := plain(get(form)):
            found = re.search(r"\d{4}", text)
            is_iso = form == "edtf" or _ISO.fullmatch(text)
            return (text, "") if is_iso else ("", found[0] if found else text)
    return "", ""


def _iso(parts: list[Value]) -> str:
    """Return year, month and day in ISO form, as far as they are numbers."""
    found: list[str] = []
    for number, part in enumerate(map(plain, parts)):
        if not _YEAR.fullmatch(part) or (number and not 1 <= int(part) <= 31):
            break
        found.append(part.zfill(2) if number else part.zfill(4 + part.startswith("-")))
    return "-".join(found)
