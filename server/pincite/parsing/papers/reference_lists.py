"""Find reference lists among lines, and where each reference of a list begins.

Every repetition in an expression below has an upper bound, so the time is linear in the text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from operator import itemgetter
from typing import NamedTuple

import regex

from .reference_authors import UNDATED, YEAR

#: The most lines of a reference; further lines are dropped.
_MAX_LINES = 150
#: A line is indented from this many ems on, and separate from this share of the usual distance on.
_INDENT = 0.45
_GAP = 1.22
_MIN_LABELS = 3
#: A labelled list has a label in this many lines, on average.
_MAX_LINES_PER_LABEL = 15
#: The weight of layout relative to words in deciding where a reference begins.
_TRUST = 1.25

#: A list without a heading has at least this many references; this share of them has a year, and
#: begins with names.
_MIN_BY_FORM = 5
_DATED, _NAMED = 0.6, 0.5
#: Lines of the usual reference of such a list, and of any in a list without labels, at most.
_USUAL_LINES, _FAR_APART = 8, 20

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
PLAIN_YEAR = regex.compile(rf"(?<!\p{{N}}){YEAR}")
_NO_YEAR = regex.compile(UNDATED)
_LABEL = regex.compile(
    rf"\s{{0,8}}(?:\[\^?(?P<square>\d{{1,4}}[a-z]?|[^\[\]\s]{{1,24}}|[^\[\]]{{2,70}}?\d\d[a-z]?)\]:?"
    rf"|\((?P<round>\d{{1,3}}|\p{{Lu}}[^()\[\]]{{1,60}}?(?:{YEAR}))\)(?=\s)"
    r"|(?P<stop>\d{1,3})[.)](?=\s)|(?P<raised>[⁰¹²³⁴-⁹]{1,3})\.?)\s{0,8}"
)
_BARE_LABEL = regex.compile(
    r"\s{0,8}(?P<bare>\d{1,3})(?:\s{1,8}(?=[\p{Lu}\p{Lo}'’“\"—–])|(?=\p{Lu}\.))"
)

#: How a reference may begin: names in one of the usual orders, or dashes for the same names.
_NAME_START = regex.compile(
    r"""
    (?:(?:van|von|de|der|den|del|della|di|da|du|la|le|el|al|ter|ten|zu)[ -]){0,3}
    (?:
      (?:\p{Lu}\p{Ll}?\.[ ]?[-‐–]?){1,5}\s?(?:\p{Ll}{1,5}[ ]){0,3}[\p{Lu}d]    # A. B. Surname
      | [\p{Lu}\p{Lo}][\p{L}\p{M}'’‐-]{1,40}(?:\s[\p{Lu}\p{Lo}][\p{L}\p{M}'’‐-]{1,40}){0,3}
        ,\s?\p{Lu}                                                      # Surname, Given
      | [\p{Lu}\p{Lo}][\p{L}\p{M}'’.‐-]{0,40}
        (?:\s(?:\p{Lu}\.?|\p{Ll}{1,4}|[\p{Lu}\p{Lo}][\p{L}\p{M}'’‐-]{1,40})){1,5}
        (?:,|\.|:|\sand\s|\s&|\s\(|\set\s)                               # Given Surname
      | [\p{Lu}\p{Lo}][\p{L}\p{N}/-]{1,20}[.,]?\s\(?\d{4}                # ACE03. 2003
    )
    | (?:[—–―_]{1,6}|-{2,6})[.,\s]
    """,
    regex.VERBOSE,
)
#: The end of a reference.
ENDED = regex.compile(r"(?:[.)\]”\"?!/]|\d[a-z]?)\s{0,2}\Z")


class ListLine(NamedTuple):
    """A line with its indentation in ems and its gap in usual distances; None if unknown."""

    text: str
    indent: float | None = 0.0
    gap: float | None = 1.0


def split_references(lines: Sequence[ListLine]) -> list[list[str]]:
    """Return the lines of each reference of a list, in order.

    Labels that count up or are keys decide; else whatever of indentation, gaps, and how references
    begin gives the most complete references.
    """
    texts = [line.text for line in lines]
    if labelled := _labelled(texts):
        return _cut(texts, labelled)
    begins = {at for at in range(len(texts)) if _begins(texts, at)}
    scored: list[tuple[float, list[list[str]]]] = []
    for trust, measures, is_start in (
        (_TRUST, [line.indent for line in lines], lambda indent: indent < _INDENT),
        (_TRUST, [line.indent for line in lines], lambda indent: indent >= _INDENT),
        (_TRUST, [line.gap for line in lines], lambda gap: gap > _GAP),
        (1.0, [None] * len(lines), bool),
    ):
        # The words decide where the layout is unknown.
        starts = {
            at
            for at, measure in enumerate(measures)
            if (at in begins if measure is None else is_start(measure))
        }
        items = _cut(texts, starts)
        complete = sum(map(_is_complete, items))
        scored.append((trust * (complete - 0.5 * (len(items) - complete)), items))
    return max(scored, key=itemgetter(0))[1]


def split_label(text: str, *, bare: bool = False) -> tuple[str, str]:
    """Return the label at the beginning of a reference, if any, and the rest."""
    found = _LABEL.match(text) or (_BARE_LABEL.match(text) if bare else None)
    if found is None:
        return "", text
    return found[found.lastgroup or 0].translate(_SUPERSCRIPTS), text[found.end() :]


def list_by_form(lines: Sequence[str]) -> list[int]:
    """Return where each reference of the last list begins, and the end; empty if there is no list.

    No heading is needed: its labels count up from 1, or its references begin with names at short
    intervals. The last reference is assumed to have as many lines as the longest.
    """
    for starts in (*_label_chains(lines), *_runs_of_names(lines)):
        if len(starts) < _MIN_BY_FORM:
            continue
        longest = max(following - start for start, following in pairwise(starts))
        end = min(len(lines), starts[-1] + longest)
        items = [lines[start:after] for start, after in pairwise([*starts, end])]
        usual = sorted(map(len, items))[len(items) // 2]
        dated = sum(any(map(PLAIN_YEAR.search, item)) for item in items)
        named = sum(bool(_NAME_START.match(split_label(item[0], bare=True)[1])) for item in items)
        if usual <= _USUAL_LINES and dated >= _DATED * len(items) and named >= _NAMED * len(items):
            return [*starts, end]
    return []


def _label_chains(lines: Sequence[str]) -> Iterator[list[int]]:
    """Yield the lines of the longest chain of labels that counts up from 1, for each format."""
    for group in ("square", "stop", "raised"):
        by_last: dict[int, list[int]] = {}
        for index, label in _labels(lines, group):
            if not label.isdigit():
                continue
            number = int(label.translate(_SUPERSCRIPTS))
            # One label may be missing.
            chain = by_last.pop(number - 1, None) or by_last.pop(number - 2, None)
            if number == 1:
                by_last[1] = [index]
            elif chain and index - chain[-1] <= _MAX_LINES:
                by_last[number] = chain
                chain.append(index)
        yield max(by_last.values(), key=len, default=[])


def _runs_of_names(lines: Sequence[str]) -> Iterator[list[int]]:
    """Yield the runs of lines that begin with names, close to each other, the last run first."""
    run: list[int] = []
    for index in reversed(range(1, len(lines))):
        if _begins(lines, index):
            if run and run[-1] - index > _FAR_APART:
                yield run[::-1]
                run = []
            run.append(index)
    yield run[::-1]


def _labels(lines: Sequence[str], group: str) -> list[tuple[int, str]]:
    pattern = _BARE_LABEL if group == "bare" else _LABEL
    found = ((index, pattern.match(line)) for index, line in enumerate(lines))
    return [(index, label[group]) for index, label in found if label and label[group]]


def _labelled(lines: Sequence[str]) -> set[int]:
    """Return the lines that begin with a label, none if the list is not labelled."""
    for group in ("square", "round", "stop", "raised", "bare"):
        labels = _labels(lines, group)
        if not labels or labels[0][0] > 2:
            continue
        in_brackets = group in ("square", "round")
        numbers = [(index, label) for index, label in labels if label[0].isdigit()]
        starts = {index for index, _ in labels} if in_brackets else set()
        if 2 * len(numbers) > len(labels):
            # They count up by one; in brackets, up to three may be missing.
            starts = set()
            last: int | None = None
            for index, label in numbers:
                number = int("".join(filter(str.isdigit, label.translate(_SUPERSCRIPTS))))
                if last is None or 0 < number - last <= (4 if in_brackets else 1):
                    starts.add(index)
                    last = number
        least = 1 if labels[0][0] == 0 and group != "bare" else _MIN_LABELS
        if len(starts) >= max(least, len(lines) / _MAX_LINES_PER_LABEL):
            return starts
    return set()


def _cut(lines: Sequence[str], starts: set[int]) -> list[list[str]]:
    items: list[list[str]] = []
    for index, line in enumerate(lines):
        if index in starts or not items:
            items.append([])
        if len(items[-1]) < _MAX_LINES:
            items[-1].append(line)
    return items


def _begins(lines: Sequence[str], index: int) -> bool:
    """Return, by the words alone, whether a reference begins at a line."""
    if index == 0:
        return True
    if not ENDED.search(lines[index - 1]) or not _NAME_START.match(lines[index]):
        return False
    # Names and year are close together: else it is the middle of a reference.
    ahead = " ".join(lines[index : index + 3])
    return bool(PLAIN_YEAR.search(ahead)) or lines[index][:1] in "—–_-"


def _is_complete(item: Sequence[str]) -> bool:
    """Return whether lines look like one whole reference: names, a year, a few lines at most."""
    return (
        sum(map(len, item)) <= 900
        and bool(_NAME_START.match(item[0]) or _NAME_START.match(" ".join(item[:2])))
        and bool(any(map(PLAIN_YEAR.search, item)) or _NO_YEAR.search(" ".join(item)))
    )
