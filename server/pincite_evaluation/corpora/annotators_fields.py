"""Parse the fields of annotators' rows: papers, ids of sentences, copied text."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

import regex

from .annotations import Row

#: The key of a row: reference and citing paper, or citing paper and citation text.
Key = tuple[str, str]
#: What annotators write if they found no sentence.
NOT_JUDGED: Final = "NA"
#: At either end of an id.
_QUOTE: Final = re.compile(r"^['\"]|['\"]\Z")
#: A tag may contain any character but ``>``; matching the last ``<S`` before it keeps this linear.
_WITH_TEXT: Final = regex.compile(r"<S\b(?:[^<>]++|<(?!S\b))*+>[^<]")
_ID: Final = re.compile(r"\d+")
_NO_LETTER: Final = re.compile(r"[^a-z0-9]+")
#: This much of a citation text identifies it; annotators' copies may differ towards the end.
_JOINED_LETTERS: Final = 60


def paper_id(written: str) -> str:
    """Return the id of a paper as the organisers' script reads it."""
    return written.replace(".xml", "")


def citance_key(citing: str, citation_text: str) -> Key:
    """Return the key that citances are joined on: citing paper and the first letters of the text.

    Accents, case, spaces and punctuation are ignored.
    """
    text = unicodedata.normalize("NFKD", citation_text).lower()
    return paper_id(citing), _NO_LETTER.sub("", text)[:_JOINED_LETTERS]


def is_usable(row: Row) -> bool:
    """Return whether the organisers' script finds a sentence in a row; in ``NA`` it does not."""
    return _WITH_TEXT.search(row.reference_text) is not None


def listed_ids(field: str) -> tuple[str, ...]:
    """Return the ids in a list as annotators write it: ``'9','10'``, ``['9', '10']``, ``9``.

    As in the organisers' script, anything counts as an id, even ``???`` or an empty string.
    """
    items = field.removeprefix("[").removesuffix("]").split(",")
    return tuple(_QUOTE.sub("", item.strip()) for item in items)


def numbers(field: str) -> frozenset[str]:
    """Return the numbers in a list, ignoring everything around them."""
    return frozenset(_ID.findall(field))
