"""Letters that the encoding of a file lacks, as LaTeX where that has them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from ..model.bibliographies import NAMING_FIELDS
from ..model.edits import TextEdit, applied
from ..model.problems import InputError
from ..parsing.bibtex import parse_bibliography
from ..parsing.latex.symbols import ACCENTS, LETTERS
from .bibtex_entries import VERBATIM

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
