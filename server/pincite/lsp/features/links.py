"""Document links, from an entry to its PDF, its DOI and other addresses; and inlay hints.

Links are on the values in a bibliography. A key in the text has none by default: it would be
underlined, and a click would follow the link instead of going to the entry. There the hover has the
links. Authors who want links on keys too set ``documentLinks`` to "on".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from urllib.parse import quote

from lsprotocol import types

from ...cancellation import checked
from ...library.file_fields import entry_files
from ...model.bibliographies import FieldPlace
from ...model.papers import BibEntry
from ...model.programs import BIBTEX
from ...model.spans import TextSpan
from ...parsing.bibliographies import parse_bibliography
from ...parsing.bibtex.statements import decoded
from ...project.project import is_bibliography
from ..session import Document, ReadDraft
from .keys import embedded

# Clients request all links of a document at once, after every edit.
_MAX_LINKS = 5_000
#: The URL of an `eprint`, by its `eprinttype`.
_ARCHIVES: Mapping[str, str] = {
    "pubmed": "https://pubmed.ncbi.nlm.nih.gov/{}/",
    "jstor": "https://www.jstor.org/stable/{}",
    "hdl": "https://hdl.handle.net/{}",
}
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://\S+\Z")
_ONE_FILE = re.compile(r"(?:[^\\;]|\\.)+", re.DOTALL)
_WEB = frozenset(("doi", "url", "eprint", "arxiv", "arxivid"))
_FILES = frozenset(("file", "pdf", "localfile", "local-url", "attachments", "attachment"))
#: The target of a link, and its tooltip.
_Target = tuple[str, str]


def document_links(here: Document) -> list[types.DocumentLink] | None:
    """Return the links of a document; only existing files are linked."""
    if not here.does("document_links"):
        return None
    if is_bibliography(here.path):
        found = _in_bibliography(here, here.text)
    elif (read := here.read()) is not None:
        found = _in_draft(here, read)
    else:
        return None
    return [
        types.DocumentLink(here.lines.range(span), target, tooltip)
        for span, (target, tooltip) in islice(found, _MAX_LINKS)
    ]


def _in_draft(here: Document, read: ReadDraft) -> Iterator[tuple[TextSpan, _Target]]:
    for text in embedded(read):
        if text.path == here.path:
            yield from _in_bibliography(here, text.text, text.start)
    settings = here.project.settings
    if settings.editor.document_links != "on":
        return
    # From keys to the paper's file, else to its DOI or arXiv page.
    targets: dict[str, _Target | None] = {}
    for key in (key for citation in read.file.citations for key in citation.keys):
        if (entry := read.bibliography.find(key.key)) is None:
            continue
        if entry.key not in targets:
            files = entry_files(entry, settings.library.base_folders)
            web = _to_web("doi", entry) or _to_web("arxiv", entry)
            targets[entry.key] = _to_file(files[0]) if files else web
        if (target := targets[entry.key]) is not None:
            yield key.span, target


def _in_bibliography(
    here: Document, text: str, moved: int = 0
) -> Iterator[tuple[TextSpan, _Target]]:
    """Yield links from the values of fields; `moved` is the offset of the text in the file."""

    def is_linked(field: FieldPlace) -> bool:
        return field.name in _WEB or field.name in _FILES or field.name.startswith("bdsk-file-")

    bases = here.project.settings.library.base_folders
    file = parse_bibliography(text, here.path, program=BIBTEX)
    for place in checked(file.entry_places(), every=100):
        entry = BibEntry(place.key, place.entry_type, decoded(place.written), here.path)
        for field in filter(is_linked, place.fields):
            if field.content is None:
                continue
            start, written = field.content.start + moved, field.content.of(text)
            if (target := _to_web(field.name, entry)) is not None:
                first = start + len(written) - len(written.lstrip())
                yield TextSpan(first, first + len(written.strip())), target
                continue
            for part in _ONE_FILE.finditer(written):
                named = replace(entry, source={field.name: part.group()})
                if files := entry_files(named, bases):
                    yield TextSpan(*part.span()).moved(start), _to_file(files[0])


def _to_file(file: Path) -> _Target:
    return file.absolute().as_uri(), f"Open {file.name}"


def _to_web(field: str, entry: BibEntry) -> _Target | None:
    """Return what a field of an entry leads to in the web."""
    if field == "doi" and entry.doi:
        return f"https://doi.org/{quote(entry.doi, safe='/:;()')}", "Open the page of the DOI"
    if field == "url":
        address = entry.fields.get("url", "").strip()
        if _ADDRESS.match(address) and not address.lower().startswith("file:"):
            return quote(address, safe="%/:?#[]@!$&'()*+,;=-._~"), "Open the address"
    if field == "eprint":
        archive = _ARCHIVES.get(entry.fields.get("eprinttype", "").strip().lower())
        if archive is not None:
            number = quote(entry.fields.get("eprint", "").strip(), safe="/:;()")
            return archive.format(number), "Open in the archive"
    if field in ("eprint", "arxiv", "arxivid") and entry.arxiv:
        return f"https://arxiv.org/abs/{entry.arxiv}", "Open at arXiv"
    return None


def inlay_hints(here: Document, asked: types.Range) -> list[types.InlayHint] | None:
    """Return hints with authors and year after the citation keys in a range of a document."""
    read = here.read() if here.does("inlay_hints") else None
    if read is None:
        return None
    span, hints = here.lines.span(asked), []
    for citation in read.file.citations:
        if citation.span.end < span.start or citation.span.start > span.end:
            continue
        for key in citation.keys:
            entry = read.bibliography.find(key.key) if span.covers(key.span.end) else None
            if entry is not None and entry.author_year:
                place, title = here.lines.position(key.span.end), entry.title or None
                hint = types.InlayHint(place, entry.author_year, tooltip=title, padding_left=True)
                hints.append(hint)
    return hints
