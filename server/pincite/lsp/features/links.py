"""Document links, from an entry to its PDF, its DOI and other addresses; and inlay hints.

Links are on the values in a bibliography. A key in the text has none by default: it would be
underlined, and a click would follow the link instead of going to the entry. There the hover has the
links. Authors who want links on keys too set ``documentLinks`` to "on".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from urllib.parse import quote

from lsprotocol import types

from ...cancellation import checked
from ...library.file_fields import entry_files
from ...model.papers import BibEntry
from ...parsing.bibliographies.item_file import entry_places
from ...parsing.bibtex.fields import decoded
from ...project.project import is_bibliography
from ..documents import Lines
from ..session import Project, ReadDraft
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
_FILES = frozenset(("file", "pdf", "localfile", "local-url", "attachments", "attachment"))
#: The target of a link, and its tooltip.
_Target = tuple[str, str]
#: Start and end of a link, and its target.
_Link = tuple[int, int, str, str]


def document_links(project: Project, path: Path, lines: Lines) -> list[types.DocumentLink] | None:
    """Return the links of a document; only existing files are linked."""
    if not project.does("document_links", path):
        return None
    if is_bibliography(path):
        found = _in_bibliography(project, path, lines.text)
    elif (read := project.read_draft(path)) is not None:
        found = _in_draft(project, read)
    else:
        return None
    return [
        types.DocumentLink(lines.range(start, end), target, tooltip)
        for start, end, target, tooltip in islice(found, _MAX_LINKS)
    ]


def _in_draft(project: Project, read: ReadDraft) -> Iterator[_Link]:
    path = read.file.path
    for text in embedded(read):
        if text.path == path:
            yield from _in_bibliography(project, path, text.text, text.start)
    if project.settings.editor.document_links != "on":
        return
    # From keys to the paper's file, else to its DOI or arXiv page.
    bases, targets = project.settings.library.base_folders, dict[str, _Target | None]()
    for citation in read.file.citations:
        for key in citation.keys:
            if (entry := read.bibliography.find(key.key)) is None:
                continue
            if entry.key not in targets:
                files = entry_files(entry, bases)
                targets[entry.key] = (
                    _to_file(files[0]) if files else _to_doi(entry) or _to_arxiv(entry)
                )
            if (target := targets[entry.key]) is not None:
                yield key.span.start, key.span.end, *target


def _in_bibliography(project: Project, path: Path, text: str, moved: int = 0) -> Iterator[_Link]:
    """Yield links from the values of fields; `moved` is the offset of the text in the file."""
    bases = project.settings.library.base_folders
    for place in checked(entry_places(path, text, _is_linked), every=100):
        entry = BibEntry(place.key, place.entry_type, decoded(place.written), path)
        for field in place.fields:
            if field.content is None:
                continue
            start, written = field.content.start + moved, field.content.of(text)
            if (to_web := _WEB.get(field.name)) and (target := to_web(entry)) is not None:
                first = start + len(written) - len(written.lstrip())
                yield first, first + len(written.strip()), *target
                continue
            for part in _ONE_FILE.finditer(written):
                named = replace(entry, source={field.name: part.group()})
                if files := entry_files(named, bases):
                    yield start + part.start(), start + part.end(), *_to_file(files[0])


def _is_linked(field: str) -> bool:
    return field in _WEB or field in _FILES or field.startswith("bdsk-file-")


def _to_file(file: Path) -> _Target:
    return file.absolute().as_uri(), f"Open {file.name}"


def _to_doi(entry: BibEntry) -> _Target | None:
    if not entry.doi:
        return None
    return f"https://doi.org/{quote(entry.doi, safe='/:;()')}", "Open the page of the DOI"


def _to_arxiv(entry: BibEntry) -> _Target | None:
    return (f"https://arxiv.org/abs/{entry.arxiv}", "Open at arXiv") if entry.arxiv else None


def _to_eprint(entry: BibEntry) -> _Target | None:
    archive = _ARCHIVES.get(entry.fields.get("eprinttype", "").strip().lower())
    if archive is None:
        return _to_arxiv(entry)
    number = quote(entry.fields.get("eprint", "").strip(), safe="/:;()")
    return archive.format(number), "Open in the archive"


def _to_address(entry: BibEntry) -> _Target | None:
    address = entry.fields.get("url", "").strip()
    if _ADDRESS.match(address) is None or address.lower().startswith("file:"):
        return None
    return quote(address, safe="%/:?#[]@!$&'()*+,;=-._~"), "Open the address"


_WEB: Mapping[str, Callable[[BibEntry], _Target | None]] = {
    "doi": _to_doi,
    "url": _to_address,
    "eprint": _to_eprint,
    "arxiv": _to_arxiv,
    "arxivid": _to_arxiv,
}


def inlay_hints(
    project: Project, path: Path, lines: Lines, asked: types.Range
) -> list[types.InlayHint] | None:
    """Return hints with authors and year after the citation keys in a range of a document."""
    read = project.read_draft(path) if project.does("inlay_hints", path) else None
    if read is None:
        return None
    start, end = lines.offset(asked.start), lines.offset(asked.end)
    hints = []
    for citation in read.file.citations:
        if citation.span.end < start or citation.span.start > end:
            continue
        for key in citation.keys:
            entry = read.bibliography.find(key.key) if start <= key.span.end <= end else None
            if entry is not None and entry.author_year:
                place, title = lines.position(key.span.end), entry.title or None
                hint = types.InlayHint(place, entry.author_year, tooltip=title, padding_left=True)
                hints.append(hint)
    return hints
