"""Bibliography entries and the papers behind them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

#: Joins the words that an author's braces made one: ``{World Health Organization}``.
NO_BREAK_SPACE: Final = "\u00a0"
# A comma inside braces is followed by a no-break space and separates nothing.
_COMMA: Final = re.compile(rf",(?!{NO_BREAK_SPACE})")
_FAMILY: Final = re.compile(r"(?:^|,)\s*family\s*=\s*([^,]*)")

#: What is known of an entry's text, best first.
TextBasis = Literal["full text", "abstract", "title"]


@dataclass(frozen=True, slots=True)
class BibEntry:
    """One entry of a bibliography, its values readable and its inheritance resolved.

    `fields` maps lower-cased field names to values as a reader would see them: LaTeX accents
    and macros decoded to Unicode (NFC), braces removed, `@string`s and `#` resolved,
    `crossref`/`xdata` inherited. The verbatim fields (`file`, `url`, `doi`, `eprint`) are kept
    as written. Names are separated by `` and ``; a space that stood in braces within a name is
    a no-break space there.
    """

    key: str
    entry_type: str
    fields: Mapping[str, str]
    path: Path
    line: int
    aliases: tuple[str, ...] = ()
    members: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """Title with its subtitle."""
        title, subtitle = self.fields.get("title", ""), self.fields.get("subtitle", "")
        return f"{title}: {subtitle}" if title and subtitle else title or subtitle

    @property
    def abstract(self) -> str:
        """Abstract, or what the author noted about the work."""
        for name in ("abstract", "annote", "annotation", "keywords"):
            if value := self.fields.get(name):
                return value
        return ""

    @property
    def year(self) -> str:
        """Year of publication as four digits, or an empty string."""
        for name in ("year", "date", "eventdate", "origdate"):
            digits = self.fields.get(name, "").strip()
            for start in range(len(digits) - 3):
                if digits[start : start + 4].isdigit():
                    return digits[start : start + 4]
        return ""

    @property
    def doi(self) -> str:
        """DOI in lower case without a resolver's address, or an empty string."""
        value = self.fields.get("doi", "").strip().lower()
        return value[value.find("10.") :] if "10." in value else ""

    @property
    def surnames(self) -> tuple[str, ...]:
        """Surnames of the authors, or of the editors where there is no author."""
        names = self.fields.get("author") or self.fields.get("editor") or ""
        return tuple(
            surname for name in names.split(" and ") if (surname := _surname(name.strip()))
        )

    @property
    def author_year(self) -> str:
        """Short label such as ``Duma and Klein 2014``."""
        surnames = self.surnames
        if not surnames:
            who = ""
        elif len(surnames) == 1:
            who = surnames[0]
        elif len(surnames) == 2:
            who = f"{surnames[0]} and {surnames[1]}"
        else:
            who = f"{surnames[0]} et al."
        return f"{who} {self.year}".strip()


def _surname(name: str) -> str:
    """Return the surname of one name in any of BibTeX's and biber's orders."""
    if not name or name == "others":
        return ""
    if named := _FAMILY.search(name):
        surname = named[1]
    elif comma := _COMMA.search(name):
        surname = name[: comma.start()]
    else:
        # Split at plain spaces only: what the author put in braces is one word.
        words = [word for word in name.split(" ") if word]
        start = len(words) - 1
        # "Ludwig van Beethoven": the surname starts at the first lower-case particle.
        for position, word in enumerate(words[1:-1], start=1):
            if word[:1].islower():
                start = position
                break
        surname = " ".join(words[start:])
    return surname.replace(NO_BREAK_SPACE, " ").strip()


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a paper with its place: 1-based PDF page, printed page label, section."""

    text: str
    page: int | None = None
    page_label: str | None = None
    section: str | None = None


@dataclass(frozen=True, slots=True)
class ReferencePaper:
    """The text of a cited work; `basis` says what that text is.

    `sentences` holds the body (with the abstract, where the source has it) in reading order;
    it is empty when only the title is known.
    """

    title: str
    basis: TextBasis
    sentences: tuple[Sentence, ...] = ()
    abstract: str = ""
    source: Path | None = None
    page_count: int | None = None


@dataclass(frozen=True, slots=True)
class InlinkContext:
    """The words around a citation of a reference paper in another paper or draft.

    `citing_paper` identifies where it stands, so that an evaluation can leave one paper out.
    """

    citing_paper: str
    left: tuple[str, ...]
    right: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entry that may be cited, with all that is known about it."""

    key: str
    paper: ReferencePaper
    entry: BibEntry | None = None
    names: tuple[str, ...] = ()
    inlink_contexts: tuple[InlinkContext, ...] = field(default=())
