"""What a LaTeX paper states about itself: its title, authors and year."""

from __future__ import annotations

import re
from pathlib import Path

from ....model.drafts import Draft
from ....model.papers import BibEntry
from ...latex.draft import LatexDraftReader
from ...latex.prose import read_prose
from ..paragraphs import plain
from .structure import argument, braced

_TITLE = re.compile(r"\\(?:icml)?title(?![A-Za-z@])")
_AUTHOR = re.compile(r"\\(?:icml)?author(?![A-Za-z@])")
_DATE = re.compile(r"\\date(?![A-Za-z@])")
#: Commands in a title or among authors that are not part of them: notes and affiliations.
_ASIDE = re.compile(
    r"\\(?:thanks|footnote|footnotemark|footnotetext|inst|textsuperscript|orcidID|orcidlink|email"
    r"|IEEEauthorblockA|IEEEmembership|thanksref|affil|fnref|corref|vspace|hspace)(?![A-Za-z@])\*?"
)
_MATHEMATICS = re.compile(r"\$[^$]{0,60}\$")
_NEXT_AUTHORS = re.compile(r"\\(?:and|And|AND)(?![A-Za-z@])")
_LINE = re.compile(r"\\\\|\\newline(?![A-Za-z@])")
_BETWEEN_AUTHORS = re.compile(r"[,;&]|\band\b|\\(?:q?quad|hfill?)(?![A-Za-z@])")
_NO_NAME = re.compile(
    r"[\d@:/]|universi|institut|department|school|laborator|college|research|centre|center"
    r"|program|project|collaboration|group|team|inc\b",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_MAX_FRONT = 2_000
_MAX_NAME_WORDS = 6


class FrontMatter:
    """What a draft states about itself as a paper; unknown values are empty."""

    def __init__(self, reader: LatexDraftReader, draft: Draft) -> None:
        self._reader = reader
        self._draft = draft
        self._table = reader.commands(draft)
        self.title = next(filter(None, map(self.readable, self._arguments(_TITLE))), "")
        authors = self._arguments(_AUTHOR)
        self.surnames = self._surnames(authors)
        years = {*_YEAR.findall(" ".join(map(self.readable, self._arguments(_DATE))))}
        #: Empty where several years are named.
        self.year = years.pop() if len(years) == 1 else ""
        self.text = "\n".join(filter(None, (self.title, *map(self.readable, authors))))[:_MAX_FRONT]

    def readable(self, source: str) -> str:
        """Return the text of a piece of LaTeX, without its footnotes."""
        return plain(read_prose(_without_asides(source), self._table, {}, {}).text)

    def _arguments(self, command: re.Pattern[str]) -> list[str]:
        """Return the arguments of a command in the first file that has it."""
        for file in self._draft.files:
            visible = self._reader.visible(file.path)
            found = [visible[start:end] for start, end in braced(visible, command)]
            # Without parameters, which occur in the bodies of definitions.
            if stated := [each for each in found if each.strip() and "#" not in each]:
                return stated
        return []

    def _surnames(self, authors: list[str]) -> tuple[str, ...]:
        names: list[str] = []
        for block in (block for author in authors for block in _NEXT_AUTHORS.split(author)):
            block = _MATHEMATICS.sub(" ", _without_asides(block))
            for line in _LINE.split(block):
                parts = [*map(self.readable, _BETWEEN_AUTHORS.split(line))]
                if any(parts):  # the first line; affiliations follow
                    names += filter(_is_name, parts)
                    break
        return BibEntry("", "", {"author": " and ".join(names)}, Path()).surnames


def _without_asides(source: str) -> str:
    """Return the source of a title or of authors without footnotes and marks of affiliations."""
    parts: list[str] = []
    position = 0
    for match in _ASIDE.finditer(source):
        if match.start() < position:
            continue
        parts.append(source[position : match.start()])
        found = argument(source, match.end())
        position = match.end() if found is None else found[1] + 1
    return "".join(parts) + source[position:]


def _is_name(text: str) -> bool:
    return 2 <= len(text.split()) <= _MAX_NAME_WORDS and not _NO_NAME.search(text)
