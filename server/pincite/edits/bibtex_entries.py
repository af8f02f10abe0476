"""An entry as BibTeX writes it, for one from another format, and the value of a field.

Letters that the encoding of a file lacks are written as LaTeX where that has them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

import regex

from ..model.bibliographies import NAMING_FIELDS
from ..model.edits import TextEdit, applied
from ..model.papers import NO_BREAK_SPACE, BibEntry
from ..model.problems import InputError
from ..parsing.bibtex import parse_bibliography
from ..parsing.bibtex.entry import MONTHS
from ..parsing.latex.symbols import ACCENTS, LETTERS

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
#: Mathematics in TeX, as publishers and arXiv have it in titles: ``$$ \sqrt{s} $$``, ``$x_1$``.
MATHEMATICS: Final = re.compile(
    r"(?<![\w\\$])\$(?:\$\s*|(?=\S))(?=[^$]*[\\^_]|\w[^$\s]*\$)"
    r"((?:[^${}%&#]|\{(?:[^${}%&#]|\{[^${}%&#]*\})*\})+)(?:(?<!\s)\$|\$\$)(?![\d$])"
)
VERBATIM: Final = frozenset(("doi", "url", "eprint", "file"))
#: What databases write before a DOI, and styles add again.
_RESOLVER: Final = re.compile(r"(?:(?:https?://)?(?:(?:www|dx)\.)?doi\.org/|doi:\s*)", re.I)
#: Of pages, with any dash.
_RANGE: Final = re.compile(r"([^\W_]+)\s*[-–—]\s*([^\W_]+)")
_NAMES: Final = frozenset(("author", "editor", "translator", "bookauthor"))
#: What comes first, as most bibliographies have it.
_ORDER: Final = ("author", "editor", "title", "shorttitle", "journal", "booktitle", "year", "month")

#: Of several macros for the same, the first.
_MACROS: Final = {mark: name for name, mark in reversed(ACCENTS.items())}
_SIGNS: Final = {
    **{letter: f"{{\\{name}}}" for name, letter in reversed(LETTERS.items())},
    **dict(zip("–—“”‘’\xa0", ("--", "---", "``", "''", "`", "'", "~"), strict=True)),
    "…": "{\\ldots}",
}
#: Of biblatex's bibliographies and of LaTeX's texts; "auto" is that of the texts.
_ENCODINGS: Final = (
    re.compile(r"^[^%\n]*\bbibencoding\s*=\s*\{?(?!auto\b)([\w-]+)", re.MULTILINE),
    re.compile(r"^[^%\n]*\\(?:usepackage|RequirePackage)\[([\w-]+)\]\{inputenc\}", re.MULTILINE),
)
_NO_LETTER: Final = (
    "its encoding ({}) has no “{}”: save it as UTF-8 and remove any declaration of another encoding"
)
_LETTER: Final = re.compile(r"[^\x00-\x7f]|[A-Za-z][\u0300-\u036f]+")


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
    lines = [f"  {name} = {_field(name, fields[name])},\n" for name in names]
    return f"@{entry.entry_type}{{{entry.key},\n{''.join(lines)}}}"


def _field(name: str, value: str) -> str:
    """Return a value in braces, or the macro of a month, which styles write in their language."""
    is_month = name == "month" and value.title() in {*MONTHS, *(month[:3] for month in MONTHS)}
    return value[:3].lower() if is_month else f"{{{value}}}"


def written_fields(fields: Mapping[str, str], *, protects_capitals: bool) -> dict[str, str]:
    """Return the fields of an entry as BibTeX writes them in braces; see `bibtex_entry`."""
    written = dict(values_of(fields))
    if protects_capitals and any(map(str.islower, title := fields.get("title", ""))):
        # Every second part is mathematics.
        parts = enumerate(MATHEMATICS.split(title))
        written["title"] = "".join(
            f"{{${part.strip()}$}}"
            if at % 2
            else _WITH_CAPITALS.sub(r"{\g<0>}", part.translate(_SPECIAL))
            for at, part in parts
        )
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


def are_in_unicode(texts: Iterable[str]) -> bool:
    """Return whether bibliographies of the draft with these texts are in UTF-8, by its commands."""
    texts = tuple(texts)
    found = (declared.search(text) for declared in _ENCODINGS for text in texts)
    declared = next(filter(None, found), None)
    return declared is None or declared[1].lower().startswith("utf")


def lacking(text: str, encoding: str) -> str:
    """Return the first letter of a text that an encoding lacks; empty if it has all."""
    if text.isascii() or encoding.startswith("utf"):
        return ""
    try:
        text.encode(encoding)
    except UnicodeEncodeError as error:
        return text[error.start]
    return ""


def in_letters_of(encoding: str, text: str) -> str:
    """Return LaTeX with the letters of an encoding; raise `InputError` if that cannot be."""

    def written(found: re.Match[str]) -> str:
        letter = unicodedata.normalize("NFC", found[0])
        return _macro(letter, encoding) if lacking(letter, encoding) else letter

    return _LETTER.sub(written, text) if lacking(text, encoding) else text


def entries_in_letters_of(encoding: str, text: str) -> str:
    """Do the same for entries in BibTeX; LaTeX compares keys and follows addresses as they are."""
    if not lacking(text, encoding):
        return text
    found = applied(
        text,
        (
            TextEdit(Path(), field.value, in_letters_of(encoding, field.value.of(text)))
            for entry in parse_bibliography(text, Path()).entry_places()
            for field in entry.fields
            if field.name not in VERBATIM | NAMING_FIELDS
        ),
    )
    require_letters(found, encoding)
    return found


def require_letters(text: str, encoding: str) -> None:
    """Raise `InputError` if an encoding lacks a letter of a text."""
    if letter := lacking(text, encoding):
        raise InputError(_NO_LETTER.format(encoding, letter))


def _macro(letter: str, encoding: str) -> str:
    if letter in _SIGNS:
        return _SIGNS[letter]
    written, *marks = list(unicodedata.normalize("NFD", letter))
    if not (marks and written.isascii() and all(mark in _MACROS for mark in marks)):
        raise InputError(_NO_LETTER.format(encoding, letter))
    for mark in marks:
        written = f"\\{_MACROS[mark]}{{{written}}}"
    return f"{{{written}}}"
