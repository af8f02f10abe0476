"""Papers with citances and the sentences that annotators chose for them (CL-SciSumm, Task 1A).

Markup, ``<S sid="4" ssid="2">...</S>``, is often malformed (``<S sid =  ssid = >``, unclosed tags,
bare ``<`` in a text), escaped twice and in mixed encodings, so only known tags are recognised.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final, Literal, NamedTuple

import regex

from pincite.model.papers import ReferencePaper
from pincite.model.problems import Problem

_TAG: Final = regex.compile(
    r"<(?P<closes>/?)(?P<name>S|ABSTRACT|SECTION|SUBSECTION|PAPER)\b(?P<rest>[^<>]{0,2000}+)>"
)
_SID: Final = regex.compile(r"""\bsid\s{0,9}+=\s{0,9}+["']?+([^\s"'=<>/]*+)(?!\s*+=)""")
_TITLE: Final = regex.compile(r'\btitle\s{0,9}+=\s{0,9}+"([^"]*+)')
#: A line break inside a word.
SOFT_HYPHEN: Final = regex.compile("\u00ad\\s*+")


def _letter(byte: int) -> str:
    written = bytes([byte])
    return written.decode("cp1252", "ignore") or written.decode("latin-1")


#: Bytes that ``surrogateescape`` let through, nearly always Windows-1252.
_STRAY_BYTES: Final = {0xDC00 + byte: _letter(byte) for byte in range(0x80, 0x100)}


class MarkedSentence(NamedTuple):
    """A sentence with its id (empty if none is given), its section, and the offset of its tag."""

    sid: str
    text: str
    written: str
    section: str | None
    start: int


def marked_sentences(markup: str) -> Iterator[MarkedSentence]:
    """Yield the ``<S>`` elements of a paper or field, their text as `plain` gives it."""
    section = None
    tags = list(_TAG.finditer(markup))
    for tag, following in zip_longest(tags, tags[1:]):
        opens = not tag["closes"] and not tag["rest"].endswith("/")
        if tag["name"] == "S" and opens:
            end = following.start() if following else len(markup)
            sid = _SID.search(tag["rest"])
            written = markup[tag.end() : end]
            yield MarkedSentence(
                sid[1] if sid else "",
                plain(written),
                " ".join(written.translate(_STRAY_BYTES).split()),
                section,
                tag.start(),
            )
        elif tag["name"] == "ABSTRACT":
            section = "Abstract" if opens else None
        elif tag["name"] == "SECTION":
            title = _TITLE.search(tag["rest"]) if opens else None
            section = (plain(title[1]) or None) if title else None


def without_tags(markup: str) -> str:
    return plain(_TAG.sub(" ", markup))


def plain(written: str) -> str:
    """Return a text for readers: entities and stray bytes decoded, one space between words."""
    # Some fields are escaped twice: "&amp;quot;".
    text = html.unescape(html.unescape(written.translate(_STRAY_BYTES)))
    return " ".join(SOFT_HYPHEN.sub("", text).split())


Split = Literal["train", "scisummnet", "test"]


@dataclass(frozen=True, slots=True)
class Row:
    """One row of an annotator, its fields as written in the file."""

    number: str
    reference: str
    citing: str
    citation_text: str
    reference_offset: str
    reference_text: str
    facet: str | None = None


@dataclass(frozen=True, slots=True)
class GoldFile:
    """The rows of one annotator for one reference paper, in file order."""

    name: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Citance:
    """One citance of the task."""

    number: str
    citing: str
    written: str
    text: str


@dataclass(frozen=True, slots=True)
class AnnotatedPaper:
    """A reference paper with its citances and gold."""

    id: str
    paper: ReferencePaper
    sids: tuple[str, ...]
    citances: tuple[Citance, ...]
    gold: tuple[GoldFile, ...]
    written: tuple[str, ...] = ()

    def citances_of_others(self, citance: Citance) -> list[str]:
        """Return the citances of all citing papers except the given citance's own."""
        return [each.text for each in self.citances if each.citing != citance.citing]


@dataclass(frozen=True, slots=True)
class AnnotatedCorpus:
    """The papers of one split, in the order of their ids."""

    split: Split
    papers: tuple[AnnotatedPaper, ...]
    problems: tuple[Problem, ...] = ()

    @property
    def citances(self) -> int:
        return sum(len(paper.citances) for paper in self.papers)


#: For each citance of a paper, in its order, the ids of the sentences that a system chose.
Answers = Sequence[Sequence[str]]


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
    """Return the key of a citance: citing paper, and the first letters of the text."""
    text = unicodedata.normalize("NFKD", citation_text).lower()
    return paper_id(citing), _NO_LETTER.sub("", text)[:_JOINED_LETTERS]


def is_usable(row: Row) -> bool:
    """Return whether the organisers' script finds a sentence in a row; in ``NA`` it does not."""
    return _WITH_TEXT.search(row.reference_text) is not None


def listed_ids(field: str) -> tuple[str, ...]:
    """Return the ids in a list as annotators write it: ``'9','10'``, ``['9', '10']``, ``9``."""
    items = field.removeprefix("[").removesuffix("]").split(",")
    return tuple(_QUOTE.sub("", item.strip()) for item in items)


def numbers(field: str) -> frozenset[str]:
    """Return the numbers in a list, ignoring everything around them."""
    return frozenset(_ID.findall(field))
