"""A work in Zotero as an entry of BibTeX.

Types and fields are those of Zotero's schema (https://api.zotero.org/schema); what BibTeX has no
field for is left out.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Final

from ..model.packed import packed
from ..model.papers import NO_BREAK_SPACE, BibEntry
from ..model.zotero import DATE_ADDED, HIGHLIGHTS, ITEMS
from ..text.tags import without_tags
from .database import Attachment, Creator, Work
from .profiles import DataFolder

_TYPES: Final = {
    "bookSection": "incollection",
    "book": "book",
    "conferencePaper": "inproceedings",
    "dictionaryEntry": "incollection",
    "encyclopediaArticle": "incollection",
    "journalArticle": "article",
    "magazineArticle": "article",
    "manuscript": "unpublished",
    "newspaperArticle": "article",
    "report": "techreport",
    "thesis": "phdthesis",
}
#: Zotero's fields by our names; the first one with a value counts.
_FIELDS: Final = {
    "title": ("title", "caseName", "nameOfAct", "subject"),
    "shorttitle": ("shortTitle",),
    "publisher": ("publisher", "company", "label", "studio", "distributor", "repository"),
    "address": ("place",),
    "series": ("series", "seriesTitle"),
    "volume": ("volume",),
    "number": ("issue", "number", "reportNumber", "patentNumber", "seriesNumber"),
    "edition": ("edition",),
    "pages": ("pages",),
    "isbn": ("ISBN",),
    "issn": ("ISSN",),
    "doi": ("DOI",),
    "url": ("url",),
    "abstract": ("abstractNote",),
}
_CONTAINERS: Final = (
    "publicationTitle",
    "proceedingsTitle",
    "bookTitle",
    "encyclopediaTitle",
    "dictionaryTitle",
)
_ROLES: Final = {"editor": "editor", "translator": "translator", "bookAuthor": "bookauthor"}
#: Roles of people who did not write the work.
_HELPERS: Final = ("contributor", "seriesEditor", "reviewedAuthor", "recipient", "counsel")

_EXTRA: Final = re.compile(r"^\s*(citation key|doi|arxiv|pmid)\s*:\s*(\S.*?)\s*$", re.I | re.M)
_ARXIV: Final = re.compile(r"^arxiv:\s*(\S+)", re.IGNORECASE)
_END_OF_BLOCK: Final = re.compile(r"<br\b[^<>]*>|</(?:p|div|li|h\d|blockquote|tr)>", re.IGNORECASE)
_ANY_TAG: Final = re.compile(r"<[^<>]*>")
_YEAR: Final = re.compile(r"(?<!\d)\d{4}(?!\d)")
_KEY: Final = re.compile(r"""[^\s"#%'(),={}\\~@]+\Z""")
_ITEM_KEY: Final = re.compile(r"[A-Z0-9]{8}\Z")
_IN_FILE: Final = re.compile(r"[\\:;]")
_MAX_NOTES: Final = 20_000
#: Words that do not distinguish titles.
_EMPTY_WORDS: Final = frozenset("a an and das der die ein eine la le les of on the und".split())


def entry_of(work: Work, folder: DataFolder, path: Path) -> BibEntry:
    """Return a work as an entry; its key need not be unique, and its files need not exist."""
    entry_type = _TYPES.get(work.item_type, "misc")
    kind = (work.fields.get("thesisType") or work.fields.get("type") or "").lower()
    if entry_type == "phdthesis" and kind.startswith(("master", "diplom")):
        entry_type = "mastersthesis"
    fields = dict(_fields(work, entry_type))
    fields.update(_names(work.creators))
    if files := [name for each in work.attachments if (name := _file(each, folder))]:
        fields["file"] = ";".join(files)
        library = f"groups/{work.group}" if work.group else "library"
        fields[ITEMS] = f"zotero://open-pdf/{library}/items"
    if notes := " ".join(filter(None, map(_text, work.notes)))[:_MAX_NOTES]:
        fields["annote"] = notes
    if work.highlights:
        fields[HIGHLIGHTS] = packed(work.highlights)
    if work.added:
        fields[DATE_ADDED] = work.added
    given = (work.fields.get("citationKey", ""), _extra(work).get("citation key", ""))
    keys = (key for key in (*given, work.better_bibtex_key) if _KEY.match(key))
    key = next(keys, "") or _key(BibEntry("", entry_type, fields, path)) or work.key
    return BibEntry(key, entry_type, fields, path)


def _fields(work: Work, entry_type: str) -> Iterator[tuple[str, str]]:
    fields, extra = work.fields, _extra(work)
    for name, sources in _FIELDS.items():
        if value := next((fields[source] for source in sources if fields.get(source)), ""):
            yield name, _plain(value)
    if container := next((fields[name] for name in _CONTAINERS if fields.get(name)), ""):
        is_article = entry_type in ("article", "misc", "unpublished")
        yield ("journal" if is_article else "booktitle"), _plain(container)
    if organization := fields.get("university") or fields.get("institution"):
        yield ("school" if entry_type.endswith("thesis") else "institution"), _plain(organization)
    if year := _year(fields.get("date", "")):
        yield "year", year
    if not fields.get("DOI") and "doi" in extra:
        yield "doi", extra["doi"]
    if "pmid" in extra:  # PubMed's, as Zotero saves it
        yield "pmid", extra["pmid"]
    written = _ARXIV.match(fields.get("archiveID", ""))
    if arxiv := written[1] if written else extra.get("arxiv", "").split(" ")[0]:
        yield "eprint", arxiv
        yield "archiveprefix", "arXiv"


def _extra(work: Work) -> dict[str, str]:
    """Return the fields that are written in the field "Extra", by their names in lower case."""
    return {name.lower(): value for name, value in _EXTRA.findall(work.fields.get("extra", ""))}


def _year(date: str) -> str:
    """Return the year of a date as Zotero stores it: ``2007-03-00 March 2007``."""
    return next((year for year in _YEAR.findall(date) if year != "0000"), "")


def _names(creators: tuple[Creator, ...]) -> Iterator[tuple[str, str]]:
    by_field: dict[str, list[str]] = {}
    is_written = any(creator.role == "author" for creator in creators)
    for creator in creators:
        field = _ROLES.get(creator.role)
        if field is None and (creator.role == "author" or not is_written):
            # The directors of a film and the inventors of a patent are its authors.
            field = "author" if creator.role not in _HELPERS else None
        if field is not None and (name := _name(creator)):
            by_field.setdefault(field, []).append(name)
    for field, names in by_field.items():
        yield field, " and ".join(names)


def _name(creator: Creator) -> str:
    last, first = (" ".join(part.split()) for part in (creator.last, creator.first))
    if creator.whole or not first:
        # One word in braces: an institution has no surname, and may have an "and" in its name.
        return last.replace(" ", NO_BREAK_SPACE) if creator.whole else last
    return f"{last}, {first}".replace(" and ", f"{NO_BREAK_SPACE}and{NO_BREAK_SPACE}")


def _file(attachment: Attachment, folder: DataFolder) -> str:
    """Return the file of an attachment as `file` names it; empty if it leads elsewhere."""
    kind, _, name = attachment.path.partition(":")
    if kind == "storage":
        if not _ITEM_KEY.match(attachment.key) or "/" in name or "\\" in name or name in ("", ".."):
            return ""
        path = folder.path / "storage" / attachment.key / name
    elif kind == "attachments":
        parts = name.replace("\\", "/").split("/")
        if folder.attachments is None or not name or ".." in parts or not parts[0]:
            return ""
        path = folder.attachments.joinpath(*parts)
    else:
        path = Path(attachment.path)
        if not path.is_absolute():
            return ""
    if not str(path).isprintable():
        return ""
    return f":{_IN_FILE.sub(lambda sign: chr(92) + sign[0], str(path))}:"


def _plain(text: str) -> str:
    return " ".join(without_tags(text).split())


def _text(note: str) -> str:
    """Return the text of a note in HTML."""
    return " ".join(unescape(_ANY_TAG.sub("", _END_OF_BLOCK.sub(" ", note))).split())


def _key(entry: BibEntry) -> str:
    """Return a key such as ``rybczynski2007dams``."""
    words = (word for word in entry.title.split() if word.lower() not in _EMPTY_WORDS)
    parts = (*entry.surnames[:1], entry.year, next(words, ""))
    plain = unicodedata.normalize("NFKD", "".join(parts))
    return "".join(sign for sign in plain if sign.isascii() and sign.isalnum()).lower()
