"""An entry as BibTeX writes it, for one from another format, and the value of a field."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import regex

from ..model.papers import NO_BREAK_SPACE, BibEntry

_SPECIAL: Final = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "^": r"\^{}",
        "~": r"\~{}",
        "{": r"\textbraceleft{}",
        "}": r"\textbraceright{}",
        **{sign: f"\\{sign}" for sign in "%&#$_"},
    }
)
#: A word with a capital behind its first letter.
_WITH_CAPITALS: Final = regex.compile(r"(?<![\w\\])\w+?\p{Lu}\w*")
VERBATIM: Final = frozenset(("doi", "url", "eprint", "file"))
#: What databases write before a DOI, and styles add again.
_RESOLVER: Final = re.compile(r"(?:(?:https?://)?(?:(?:www|dx)\.)?doi\.org/|doi:\s*)", re.I)
#: Of pages, with any dash.
_RANGE: Final = re.compile(r"([^\W_]+)\s*[-–—]\s*([^\W_]+)")
_NAMES: Final = frozenset(("author", "editor", "translator", "bookauthor"))
#: What comes first, as most bibliographies have it.
_ORDER: Final = ("author", "editor", "title", "shorttitle", "journal", "booktitle", "year", "month")


def written_bibliography(remark: str, entries: Iterable[BibEntry]) -> Iterator[bytes]:
    """Yield the content of a file of Pincite's own: a remark and entries."""
    yield f"% {remark}\n".encode("utf-8", "replace")
    for entry in entries:
        yield f"\n{bibtex_entry(entry)}\n".encode("utf-8", "replace")


def bibtex_entry(entry: BibEntry, *, protects_capitals: bool = False) -> str:
    """Return an entry in BibTeX; its text is Unicode.

    Many styles write titles in lower case: `protects_capitals` puts names such as BERT in braces.
    """
    fields = written_fields(entry.fields, protects_capitals=protects_capitals)
    names = sorted(fields, key=lambda name: _ORDER.index(name) if name in _ORDER else len(_ORDER))
    lines = [f"  {name} = {{{fields[name]}}},\n" for name in names]
    return f"@{entry.entry_type}{{{entry.key},\n{''.join(lines)}}}"


def written_fields(fields: Mapping[str, str], *, protects_capitals: bool) -> dict[str, str]:
    """Return the fields of an entry as BibTeX writes them in braces; see `bibtex_entry`."""
    written = dict(values_of(fields))
    if protects_capitals and any(map(str.islower, title := written.get("title", ""))):
        written["title"] = _WITH_CAPITALS.sub(r"{\g<0>}", title)
    return written


def values_of(fields: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield fields that a reader would see with their values as BibTeX writes them in braces."""
    for name, value in fields.items():
        field = re.sub(r"[^\w-]", "", name)
        if not (field and value.strip()) or (name == "date" and "year" in fields):
            continue
        if name in VERBATIM:
            if name == "doi" and (found := _RESOLVER.match(value)):
                value = value[found.end() :]
            yield field, value.replace("{", "%7B").replace("}", "%7D")
        elif name in _NAMES:
            yield field, " and ".join(map(_name, value.split(" and ")))
        else:
            found = _RANGE.fullmatch(value) if name == "pages" else None
            yield field, "--".join(found.groups()) if found else value.translate(_SPECIAL)


def _name(name: str) -> str:
    """Return a name, with braces around parts that no-break spaces make one word."""
    parts = re.split(rf",(?!{NO_BREAK_SPACE})\s*", name)
    written = ((part, part.replace(NO_BREAK_SPACE, " ").translate(_SPECIAL)) for part in parts)
    return ", ".join(f"{{{text}}}" if NO_BREAK_SPACE in part else text for part, text in written)
