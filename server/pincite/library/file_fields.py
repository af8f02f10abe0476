r"""Find the files that an entry names, in the fields and formats of reference managers.

==============  ====================================================================================
JabRef          ``description:path:type`` joined by ``;``, with ``\:``, ``\;`` and ``\\`` for the
                characters themselves, optionally with the source URL as a fourth part; the path
                alone may be in any of the three parts; ``&#44;`` is one character
Zotero, Citavi  the same with a MIME type: ``Full Text PDF:files/12/x.pdf:application/pdf``
Mendeley        the same without description, and the path without its first slash; characters are
                escaped for LaTeX: ``:C$\backslash$:/Users/ann/a{\_}b.pdf:pdf``
Better BibTeX   paths joined by ``;``, which a name may also have
Papers          ``local-url = {file://localhost/Users/ann/x.pdf}``
BibDesk         ``bdsk-file-1``, a property list in base 64 with a path relative to the `.bib` file
==============  ====================================================================================

Only ``~`` is expanded in a path. A path from another machine, such as one with a drive letter, is
searched by its last parts below the base folders and the folder of the `.bib` file; a relative one
below the base folders, by two parts at least: many folders have a ``main.pdf``.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final
from urllib.parse import quote, unquote

from ..model.papers import BibEntry
from ..parsing.latex.symbols import plain_text
from ..parsing.paths import expanded, status

_FIELDS: Final = ("file", "pdf", "localfile", "local-url", "attachments", "attachment")
_BIBDESK: Final = "bdsk-file-"
# BibDesk's property lists hold a path and a bookmark, a few hundred bytes.
_MAX_PROPERTY_LIST: Final = 20_000
#: Each may have as many values as all have bytes.
_MAX_OBJECTS: Final = 500
_MAX_FIELD: Final = 50_000
# Last parts of a path from another machine that may exist here: "storage/AB12CD34/x.pdf".
_MAX_PARTS: Final = 4

# Parts between semicolons that may be one name, in values of not too many parts.
_MAX_JOINED: Final = 4
_MAX_PARTS_JOINED: Final = 20

_FILE: Final = re.compile(r"(?:&#\w{1,6};|[^\\;]|\\.?)+", re.DOTALL)
_PART: Final = re.compile(r"(?:[^\\:]|\\.?)*", re.DOTALL)
_ESCAPED: Final = re.compile(r"\{\\([_&%#$~^])\}|\\([:;\\{}_&%#$~^ ])")
_DRIVE: Final = re.compile(r"[A-Za-z]:[\\/]")
_FILE_ADDRESS: Final = re.compile(r"file:(?://(?:localhost)?(?=/))?", re.IGNORECASE)
_ADDRESS: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+\\?://")
_WEB: Final = re.compile(rf"{_ADDRESS.pattern}|www\.[\w-]+\.[\w.-]+/")
_IS_ONE: Final = re.compile(rf"{_DRIVE.pattern}|{_ADDRESS.pattern}")
_TYPE: Final = re.compile(r"[A-Za-z][\w+-]{0,20}(?:/[\w.+-]{1,80})?\Z")
_SNAPSHOTS: Final = (".html", ".htm", ".xhtml", ".mht", ".mhtml")
_NOT_IN_FILE_NAMES: Final = re.compile(r'[/\\:*?"<>|\s]')
_BESIDE_THE_ARTICLE: Final = re.compile(
    r"(?<![a-z])(?:supp(?:l|lement|lements|lemental|lementary)?|appendix|appendices|poster|slides"
    r"|talk)(?![a-z])"
)


def entry_files(
    entry: BibEntry, bases: Sequence[Path] = (), suffixes: Collection[str] = ()
) -> list[Path]:
    """Return the existing files that an entry names, the most likely article first.

    Relative paths are tried in the folder of the bibliography, then in each of `bases`. With
    `suffixes` (lower case, with their dot) only such files are returned, and folders of LaTeX
    sources if ``.tex`` is one of them. Saved web pages are left out.
    """
    if not may_name_files(entry):
        return []
    folder, endings = entry.path.parent, tuple(suffixes)

    def is_wanted(path: Path) -> bool:
        name = path.name.lower()
        if path.is_dir() and not name.endswith(_SNAPSHOTS):
            return (not endings or ".tex" in endings) and _has_sources(path, folder)
        return not name.endswith(_SNAPSHOTS) and (not endings or name.endswith(endings))

    return sorted(dict.fromkeys(filter(is_wanted, _existing(entry, bases))), key=article_first)


def article_first(path: Path) -> tuple[bool, bool]:
    """Return a sort key for the files of a work: PDFs first, for their pages, supplements last."""
    is_beside = _BESIDE_THE_ARTICLE.search(path.name.lower()) is not None
    return is_beside, path.suffix.lower() != ".pdf"


def missing_file(entry: BibEntry, bases: Sequence[Path] = ()) -> str | None:
    """Return the file that an entry names, if no such file exists; `bases` as in `entry_files`."""
    if next(_existing(entry, bases), None) is not None:
        return None
    return next((readings[0] for readings in _named_by(entry)), None)


def file_names(key: str) -> list[str]:
    """Return a key as file names have it, likeliest first: "a:b" may be "a_b", "a-b" or "ab"."""
    return [key, *(_NOT_IN_FILE_NAMES.sub(other, key) for other in ("_", "-", ""))]


def named_articles(entry: BibEntry) -> list[str]:
    """Return the files that an entry names, here or elsewhere, without saved web pages."""
    if not may_name_files(entry):
        return []
    names = (readings[0] for readings in _named_by(entry))
    return [name for name in names if not name.lower().endswith(_SNAPSHOTS)]


def may_name_files(entry: BibEntry) -> bool:
    """Return whether an entry has a field that may name a file."""
    fields = entry.fields
    return (
        not fields.keys().isdisjoint(_FIELDS)
        or "file:" in fields.get("url", "").lower()
        or any(name.startswith(_BIBDESK) for name in fields)
    )


def _named_by(entry: BibEntry) -> Iterator[list[str]]:
    """Yield the possible paths of each file that an entry names, most likely first."""
    for value in _values(entry):
        yield from named_in(value)


def named_in(value: str) -> Iterator[list[str]]:
    """Yield the possible paths of each file in the value of a field, most likely first."""
    yield from filter(None, map(_paths, _FILE.findall(_with_backslashes(value))))


def _values(entry: BibEntry) -> Iterator[str]:
    """Yield the values of the fields that name files, those of BibDesk as addresses."""
    written = entry.written
    yield from filter(None, map(written.get, _FIELDS))
    if (address := written.get("url", "").strip()).lower().startswith("file:"):
        yield address
    attached = (name for name in written if name.startswith(_BIBDESK))
    for name in sorted(attached, key=lambda name: (len(name), name)):
        if path := _bibdesk_path(written[name]):
            yield f"file:{quote(path)}"


def _existing(entry: BibEntry, bases: Sequence[Path]) -> Iterator[Path]:
    """Yield the existing files that an entry names, also those with an unescaped semicolon."""
    folder = entry.path.parent
    for value in map(_with_backslashes, _values(entry)):
        parts = [part.span() for part in _FILE.finditer(value)]
        most = _MAX_JOINED if len(parts) <= _MAX_PARTS_JOINED else 1
        at = 0
        while at < len(parts):
            for end in range(at + 1, min(at + most, len(parts)) + 1):
                named = value[parts[at][0] : parts[end - 1][1]]
                if (path := _first_existing(_paths(named), folder, bases)) is not None:
                    yield path
                    at = end
                    break
            else:
                at += 1


def _with_backslashes(value: str) -> str:
    return value[:_MAX_FIELD].replace(r"$\backslash$", "\\")


def _paths(part: str) -> list[str]:
    """Return the possible paths in the part that names one file, most likely first."""
    part = part.strip()
    if part.startswith("{") and part.endswith("}"):
        part = part.strip("{}").strip()
    return [path for path in dict.fromkeys(_readings(part)) if _is_path(path)]


def _readings(part: str) -> Iterator[str]:
    if address := _FILE_ADDRESS.match(part):
        path = unquote(part[address.end() :])
        # "file:///C:/Users/ann/x.pdf"
        yield path[1:] if _DRIVE.match(path[1:]) else path
        return
    pieces = _pieces(part)
    if len(pieces) >= 3 and (_WEB.match(pieces[1]) or not pieces[1]):
        # A URL, or a description and a type without a path.
        if not pieces[1] and not (pieces[0] and pieces[2]):
            yield _unescaped(pieces[0] or pieces[2])
        return
    if len(pieces) >= 4 and _WEB.match(pieces[3]):
        middles = [pieces[1]]
    elif len(pieces) >= 3:
        middles = [pieces[1], ":".join(pieces[1:-1]), pieces[-2]]
    elif len(pieces) == 2 and pieces[0] and _TYPE.match(pieces[1]):
        middles = [pieces[0]]
    elif len(pieces) == 2 and not part.startswith(("/", "~", ".")):
        middles = [pieces[1], pieces[0]]
    else:
        middles = []
    if pieces[0]:
        # A name may contain unescaped colons.
        middles.append(part)
    for middle in middles:
        path = _unescaped(middle)
        yield path
        if not pieces[0]:
            # Mendeley drops the slash that begins an absolute path.
            yield f"/{path}"
    for middle in middles:
        if "\\" in middle and not _ADDRESS.match(middle):
            yield middle
            yield plain_text(middle)


def _pieces(part: str) -> list[str]:
    """Split at unescaped colons that do not follow a drive letter or scheme."""
    pieces: list[str] = []
    position = 0
    while position <= len(part):
        found = _PART.match(part, position)
        piece = found.group() if found else ""
        position += len(piece) + 1
        if pieces and ":" not in pieces[-1] and _IS_ONE.match(f"{pieces[-1]}:{piece}"):
            pieces[-1] += f":{piece}"
        else:
            pieces.append(piece.strip())
    return pieces


def _unescaped(path: str) -> str:
    return _ESCAPED.sub(lambda sign: sign[1] or sign[2], path).strip()


def _is_path(path: str) -> bool:
    return path.strip("/\\. ") != "" and path.isprintable() and not _ADDRESS.match(path.lstrip("/"))


def _bibdesk_path(value: str) -> str:
    """Return the relative path in a property list of BibDesk, or an empty string."""
    if len(value) > _MAX_PROPERTY_LIST:
        return ""
    import plistlib  # hardly anybody has such fields

    try:
        # It may have line breaks anywhere, and lack its last characters.
        written = "".join(value.split()).rstrip("=")
        data = b64decode(written + "=" * (-len(written) % 4))
        if int.from_bytes(data[-24:-16], "big") > _MAX_OBJECTS:  # as its last bytes declare
            return ""
        listed = plistlib.loads(data, fmt=plistlib.FMT_BINARY)
        path = listed.get("relativePath") or next(_archived(listed.get("$objects", ())), "")
    except Exception:  # damaged data may raise anything
        return ""
    return path if isinstance(path, str) and _is_path(path) else ""


def _archived(objects: Sequence[object]) -> Iterator[object]:
    """Yield the paths in an archive, whose dictionaries have object numbers as keys and values."""
    for listed in objects:
        if isinstance(listed, dict) and "NS.keys" in listed:
            for key, value in zip(listed["NS.keys"], listed["NS.objects"], strict=False):
                if objects[key.data] == "relativePath":
                    yield objects[value.data]


def _first_existing(readings: Iterable[str], folder: Path, bases: Sequence[Path]) -> Path | None:
    """Return the first existing file among these paths: as written, else by their last parts."""
    paths: dict[Path, None] = {}
    for reading in readings:
        # Outside Windows, a name may have backslashes, and they may separate the parts of a path.
        paths[Path(reading)] = None
        paths[Path(expanded(str(Path(reading.replace("\\", "/")))))] = None
    folders = (folder, *bases)
    for path in paths:
        for base in folders:
            if _is_there(base / path):
                return base / path
    for path in paths:
        foreign = path.is_absolute() or _DRIVE.match(str(path))
        parts = [part for part in path.parts if part not in ("/", "..")]
        fewest = 1 if foreign else 2
        for count in range(min(_MAX_PARTS, len(parts) - 1), fewest - 1, -1):
            for base in folders if foreign else bases:
                if _is_there(tail := base.joinpath(*parts[-count:])):
                    return tail
    return None


def _is_there(path: Path) -> bool:
    found = status(path)
    return found is not None and (found.is_file or found.is_folder)


def _has_sources(path: Path, folder: Path) -> bool:
    """Return whether a folder has LaTeX sources other than those of the draft itself."""
    try:
        place = path.resolve()
        own = folder.resolve()
        return place != own and place not in own.parents and any(path.glob("*.tex"))
    except (OSError, RuntimeError):
        return False
