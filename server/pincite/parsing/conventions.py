"""How a draft cites, in any markup: what is written most often, and where; pages in notes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from sys import maxsize
from typing import Final, NamedTuple

from ..model.drafts import Citation, CitationPlaceholder, Draft, DraftFile
from ..model.edits import TextEdit
from ..model.spans import TextSpan

_NAMED_AFTER: Final = re.compile(
    r"\b(?:by|in|from|of|following|see|with|and|von|nach|bei|par|selon|dans|por|según|da|di)\s+\Z",
    re.IGNORECASE,
)
#: How much text before a citation to read.
_LOOK_BACK: Final = 40


@dataclass(frozen=True, slots=True)
class Usage:
    """How a draft cites; see `Conventions`. `command` is that of a citation in parentheses."""

    command: str
    before: str = " "
    behind_stop: bool = False

    def filled(self, file: DraftFile, gap: CitationPlaceholder, key: str) -> TextEdit | None:
        """Return None: all placeholders without a citation are in words."""
        return None


def usage_in(
    drafts: Iterable[Draft],
    command_of: Callable[[str, Citation], str | None],
    default: str,
    tie: str,
) -> tuple[str, str, bool]:
    """Return the most frequent command, the text before it, and whether that follows a full stop.

    `command_of` returns None for a citation that is not in parentheses; no line ends at a `tie`.
    """
    files = {file.path: file for draft in drafts for file in (*draft.files, *draft.others)}
    used, signs = Counter[str](), Counter[str]()
    for file in files.values():
        for citation in file.citations:
            command = command_of(file.text, citation)
            if command is not None and not citation.listed_only:
                used[command] += 1
                if start := citation.span.start:
                    signs[file.text[start - 1 : start]] += 1
    command = next((name for name, _ in used.most_common(1)), default)
    return command, *usual_place(signs, tie, " ")


def usual_place(signs: Counter[str], tie: str, draw: str) -> tuple[str, bool]:
    """Return the text before most citations, and whether they follow a full stop."""
    spaces, ties = signs[" "] + signs["\n"] + signs["\r"], signs[tie]
    bare = signs.total() - spaces - ties
    if bare > max(spaces, ties):
        return "", 2 * sum(signs[stop] for stop in ".!?") > bare
    if ties == spaces:
        return draw, False
    return (tie if ties > spaces else " "), False


def is_named_after(before: str) -> bool:
    """Return whether the text before a citation asks for the name of the work: “as shown by”."""
    return _NAMED_AFTER.search(f"{before[-_LOOK_BACK:].rstrip()} ") is not None


def inserted(file: DraftFile, offset: int, text: str) -> tuple[TextEdit, ...]:
    """Return the edit that inserts a text at an offset of a file."""
    return (TextEdit(file.path, TextSpan(offset, offset), text),)


def page_added(
    file: DraftFile, note: TextSpan, page: str, around: str | None = None
) -> tuple[TextEdit, ...]:
    """Return the edit that adds a page to a note; none if it has the page."""
    old = note.of(file.text).strip(around)
    new = with_plain_page(old, page)
    if old == new:
        return ()
    start = note.start + note.of(file.text).index(old)
    return (TextEdit(file.path, TextSpan(start, start + len(old)), new),)


def with_plain_page(note: str, page: str) -> str:
    """Return a note with a page added, without the commands of LaTeX."""
    return with_page(note, page, space=" ", dash="-")


# Pages in notes: ``chap. 2`` becomes ``chap. 2, p. 361``. Pages at its end get the new one, and
# adjacent ones become a range: ``pp. 361-362``.

_NUMBER = (
    r"(?<![A-Za-z\d])(?:(?:[A-Za-z]{1,2}-?)?\d+(?:[.:]\d+)*|[ivxlcdm]+|[IVXLCDM]+)(?![A-Za-z\d])"
)
_DASH = r"\s*(?:-{1,3}|–|\\bibrangedash\s?)\s*"
_FOLLOWING = r"(?:~|\\,|[ ])?ff?(?![A-Za-z])\.?"
_RANGE = rf"(?:{_NUMBER}(?:{_DASH}{_NUMBER})?|[A-Za-z]?\d+{_FOLLOWING})"
_BETWEEN = r"(?:\s*,\s*~?|(?:\s|~)+(?:and|und|et|y|e|\\&)(?:\s|~)+)"
_LIST = rf"{_RANGE}(?:{_BETWEEN}{_RANGE})*"
_SIGN = (
    r"(?<![A-Za-z\\])(?:\\pp?no|[Pp]p?\.|[Pp]ages?|S\.|Seiten?)(?![A-Za-z])(?:~|\s|\\[ ,;]|\{\})*"
)
_PAGES = re.compile(rf"(?P<sign>{_SIGN})(?P<list>{_LIST})")
#: Numbers with dots and without an abbreviation are section numbers.
_BARE_PAGES = re.compile(rf"(?!.*\d\.\d)(?P<sign>)(?P<list>{_LIST})", re.DOTALL)
_PAGE = re.compile(_RANGE)
_PARTS = re.compile(
    r"(?P<first>(?:[A-Za-z]{1,2}-?\d+|[^\W_]+)(?:[.:]\d+)*)"
    rf"(?:(?P<dash>{_DASH})(?P<last>[^\W_]+)|(?P<following>\W*f{{1,2}}\.?))?"
)
_NUMERAL = re.compile(r"\d+|[ivxlcdm]+|[IVXLCDM]+")
_PLURALS: Mapping[str, str] = {
    "p.": "pp.", "P.": "Pp.", "page": "pages", "Page": "Pages", "Seite": "Seiten",
    "\\pno": "\\ppno",
}  # fmt: skip


def is_page(text: str) -> bool:
    """Return whether a text is a page or a range of pages."""
    return _PAGE.fullmatch(text) is not None


def with_page(
    note: str, page: str, *, biblatex: bool = False, space: str = "~", dash: str = "--"
) -> str:
    """Return a note with a page added; the same note if it already has the page.

    `space` is written after an abbreviation, and `dash` between the pages of a range.
    """
    new = _range(page)
    # biblatex adds the abbreviation only if the note consists of pages in numerals.
    alone = biblatex and all(map(_NUMERAL.fullmatch, re.split(r"[\s–-]+", page)))
    # Its own abbreviation is in the draft's language.
    sign = "\\pno" if biblatex else "p."
    signed = f"{sign if new.dash is None else _PLURALS[sign]}{space}{page}"
    if not note:
        return page if alone else signed
    found = [whole] if (whole := _BARE_PAGES.fullmatch(note)) else list(_PAGES.finditer(note))
    lists = [[*_PAGE.finditer(note, *each.span("list"))] for each in found]
    if any(_covers(_range(match.group()), new) for each in lists for match in each):
        return note
    if not found or found[-1].end() < len(note):
        return f"{note.rstrip(', ')}, {signed}"
    sign = found[-1]["sign"] or (f"\\ppno{space}" if biblatex and not alone else "")
    word = re.match(r"\\?[A-Za-z]+\.?", sign)
    if word is not None:
        sign = _PLURALS.get(word[0], word[0]) + sign[word.end() :]
    return note[: found[-1].start()] + sign + _list_with(note, lists[-1], new, dash)


class _Range(NamedTuple):
    """Pages in a note, and their numbers if they are such."""

    text: str
    numbers: tuple[int, int] | None = None
    dash: str | None = None


def _range(text: str) -> _Range:
    parts = _PARTS.fullmatch(text)
    if parts is None:
        return _Range(text)
    first, last = parts["first"], parts["last"] or parts["first"]
    if not (first.isdecimal() and last.isdecimal()):
        return _Range(text, None, parts["dash"])
    if len(last) < len(first):  # 361--2
        last = first[: -len(last)] + last
    following = parts["following"] is not None
    return _Range(text, (int(first), int(last) + following), parts["dash"])


def _covers(one: _Range, other: _Range) -> bool:
    if one.numbers is None or other.numbers is None:
        return one.text == other.text
    return one.numbers[0] <= other.numbers[0] and other.numbers[1] <= one.numbers[1]


def _touches(one: _Range, other: _Range) -> bool:
    if one.numbers is None or other.numbers is None or not one.text[-1].isdecimal():
        return False  # "361f." stays
    return one.numbers[0] - 1 <= other.numbers[1] and other.numbers[0] <= one.numbers[1] + 1


def _list_with(note: str, listed: list[re.Match[str]], new: _Range, dash: str) -> str:
    """Return a list of pages with another one inserted in order; separators stay."""
    ranges = [_range(match.group()) for match in listed]
    betweens = [note[one.end() : other.start()] for one, other in pairwise(listed)]
    texts = [each.text for each in ranges]
    joined = [at for at, each in enumerate(ranges) if _touches(each, new)]
    if joined and joined == list(range(joined[0], joined[-1] + 1)):
        merged = (*(ranges[at] for at in joined), new)
        ends = [end for each in merged for end in each.numbers or ()]
        dash = next((each.dash for each in (*ranges, new) if each.dash), dash)
        texts[joined[0] : joined[-1] + 1] = [f"{min(ends)}{dash}{max(ends)}"]
        del betweens[joined[0] : joined[-1]]
    else:
        # Before the first that is later.
        numbers = new.numbers or (maxsize, 0)
        later = (at for at, each in enumerate(ranges) if each.numbers and each.numbers > numbers)
        at = next(later, len(texts))
        texts.insert(at, new.text)
        betweens.insert(min(at, len(betweens)), ", ")
    return "".join(part for pair in zip(texts, [*betweens, ""], strict=True) for part in pair)
