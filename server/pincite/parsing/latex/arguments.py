r"""Parse arguments of LaTeX commands: braces, brackets, and the keys of citation commands.

All functions take text whose comments and listings are blanked out, accept half-typed source, and
have bounded look-ahead, so that one unclosed brace does not affect the whole file. All pairs of
delimiters in a text are found once, in one pass: one that is never closed must not be scanned again
from every command.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from ...model.drafts import CitationKey
from ...model.spans import TextSpan

#: "m" is mandatory, "s" a star; the others are optional: in brackets, parentheses, angle brackets.
Argument = Literal["m", "o", "s", "(", "<"]
Layout = Literal[
    "single",
    "multiple",
    "volume",
    "volumes",
    "quotation",
    "foreign quotation",
    "own",
    "options",
]

#: Longer ones are not read as arguments.
MAX_ARGUMENT = 50_000
MAX_OPTION = 3_000
_MAX_KEY_LIST = 4_000
_MAX_GROUPS = 60

_DELIMITERS: Mapping[str, re.Pattern[str]] = {
    "{}": re.compile(r"\\.|[{}]", re.DOTALL),
    "[]": re.compile(r"\\.|[{}\[\]]", re.DOTALL),
    "()": re.compile(r"\\.|[{}()]", re.DOTALL),
}
_SPACE = re.compile(r"[ \t]*(?:(?:\r\n|\n|\r(?!\n))[ \t]*)?")
_OPTION = re.compile(r"(?<![^\s,{])([A-Za-z][\w/-]*)[ \t]*=\s*")
_UNBRACED = re.compile(r"[^,{}]*")
_ANGLES = re.compile(r"<[^<>{}\r\n]{0,120}>")
_BLANK_LINE = re.compile(r"(?:\r\n|\n|\r(?!\n))[ \t]*(?:\r\n|\n|\r(?!\n))")
_CLEAN_KEYS = re.compile(r"[^{}\\]*")
_HALF_TYPED = re.compile(r"(?:[ \t]*[^\s,]+[ \t]*,)*[ \t]*[^\s,]*")
#: TeX ends a key at a comma outside braces.
_KEY = re.compile(r"(?:\\.|[^,{}\\]|\{(?:[^{}]|\{[^{}]*\})*\}?|[\\}])+", re.DOTALL)
_NO_KEY = re.compile(r"[#\\{}%~]|(?:\r\n|\n|\r(?!\n))[ \t]*(?:\r\n|\n|\r(?!\n))")
_CITING = re.compile(r"\\[A-Za-z]*cite", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class CitationShape:
    r"""How the arguments of a citation command are laid out.

    `layout` "single" is ``\cite<pre>[pre][post]{keys}``, "multiple" is
    ``\cites(pre)(post)[pre][post]{keys}[pre][post]{keys}...``, "volume" is
    ``\volcite[pre]{volume}[page]{keys}``, "volumes" several such groups, "quotation"
    ``\textcquote[pre][post]{keys}...``, "foreign quotation" the same after a language. "own" is a
    draft's own command: `parameters` are its arguments in order, `key_parameters` the 1-based
    numbers of those that hold keys. "options" is a command that takes keys in `options` such as
    ``cite = {keys}``, which are in the braced argument of that number.
    """

    layout: Layout
    parameters: tuple[Argument, ...] = ()
    key_parameters: frozenset[int] = frozenset()
    listed_only: bool = False
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KeyArguments:
    """The places of a command's keys: spans inside the braces, and the end of the arguments.

    `closed` is False when the last list still lacks its closing brace.
    """

    spans: tuple[tuple[int, int], ...]
    end: int
    closed: bool = True


def skip_space(text: str, position: int) -> int:
    """Skip blanks and at most one line end: a blank line ends the search for an argument."""
    match = _SPACE.match(text, position)
    return match.end() if match else position


def brace_end(text: str, start: int, longest: int = MAX_ARGUMENT) -> int | None:
    """Return the offset after the ``}`` that closes a ``{`` at `start`, if both are there."""
    return _delimiter_end(text, start, "{}", longest)


def bracket_end(text: str, start: int) -> int | None:
    """Return the offset after the ``]`` that closes a ``[`` at `start`; braces protect."""
    return _delimiter_end(text, start, "[]", MAX_OPTION)


def argument_span(text: str, position: int, longest: int = MAX_ARGUMENT) -> tuple[int, int] | None:
    """Return the span inside the braces at `position`, which may follow space."""
    start = skip_space(text, position)
    end = brace_end(text, start, longest)
    return None if end is None else (start + 1, end - 1)


def option_span(text: str, position: int) -> tuple[int, int] | None:
    """Return the span inside the brackets at `position`, which may follow space."""
    start = skip_space(text, position)
    end = bracket_end(text, start)
    return None if end is None else (start + 1, end - 1)


def _delimiter_end(text: str, start: int, pair: str, longest: int) -> int | None:
    if text[start : start + 1] != pair[0]:
        return None
    end = _paired(text, pair).closings.get(start)
    return end if end is not None and end - start <= longest else None


class _Paired(NamedTuple):
    """The delimiters of a text: the offset after the closing one by that of its opening one.

    `unclosed` are the offsets of the other opening ones, `unopened` has by the opening delimiter
    the offset of the first closing one without it.
    """

    closings: Mapping[int, int]
    unclosed: Sequence[int]
    unopened: Mapping[str, int]


#: Cached, as each command of a text looks for its arguments.
@lru_cache(maxsize=64)
def _paired(text: str, pair: str) -> _Paired:
    """Pair all delimiters of a text.

    A closing brace ends all delimiters still open inside it; brackets pair only within a brace.
    """
    opening, closing = pair[0], pair[1]
    begin = {"{", opening}
    closings: dict[int, int] = {}
    opened: list[int] = []
    unopened: dict[str, int] = {}
    for match in _DELIMITERS[pair].finditer(text):
        mark = match.group()
        if mark in begin:
            opened.append(match.start())
        elif mark == "}":
            while opened and text[opened[-1]] != "{":
                opened.pop()
            if opened:
                closings[opened.pop()] = match.end()
            else:
                unopened.setdefault("{", match.start())
        elif mark == closing:
            if opened and text[opened[-1]] == opening:
                closings[opened.pop()] = match.end()
            elif not opened:
                unopened.setdefault(opening, match.start())
    return _Paired(closings, opened, unopened)


def loose_delimiters(text: str) -> tuple[dict[str, int], dict[str, int]]:
    """Return the offsets of the last unclosed and the first unopened brace and bracket.

    Both by the opening delimiter. They are paired as by `brace_end` and `bracket_end`.
    """
    _, unclosed, unopened = _paired(text, "[]")
    openings: dict[str, int] = {}
    for start in unclosed:
        if text[start] == "{" or start == unclosed[-1]:
            openings[text[start]] = start
    return openings, dict(unopened)


def key_arguments(text: str, position: int, shape: CitationShape) -> KeyArguments:
    """Find the key lists of a command whose name (and star) ends at `position`."""
    if shape.layout in ("multiple", "volumes"):
        return _multiple(text, position, volumes=shape.layout == "volumes")
    if shape.layout == "own":
        return _own(text, position, shape)
    if shape.layout == "options":
        return _in_options(text, position, shape)
    if shape.layout in ("volume", "foreign quotation"):
        first = argument_span(text, options_end(text, position, most=1), 500)
        if first is None:
            return KeyArguments((), position)
        position = first[1] + 1
    found = _key_list(text, skip_space(text, options_end(text, position)))
    return found or KeyArguments((), position)


def keys_between(text: str, start: int, end: int, shape: CitationShape) -> Iterator[CitationKey]:
    """Yield the keys of a list between two offsets; an asterisk may list all works."""
    for match in _KEY.finditer(text, start, end):
        key = match.group().strip()
        if not key or _NO_KEY.search(key) or (key == "*" and shape.listed_only):
            continue
        # REVTeX joins the reference behind a star with the one before it.
        key = key.removeprefix("*").lstrip() or key
        first = match.start() + match.group().index(key)
        yield CitationKey(" ".join(key.split()), TextSpan(first, first + len(key)))


def _in_options(text: str, position: int, shape: CitationShape) -> KeyArguments:
    start, end = position, position - 1
    for _ in range(max(shape.key_parameters)):
        argument = argument_span(text, options_end(text, end + 1))
        if argument is None:
            return KeyArguments((), position)
        start, end = argument
    spans: list[tuple[int, int]] = []
    for match in _OPTION.finditer(text, start, end):
        if match[1] in shape.options:
            first, stop = match.end(), brace_end(text, match.end())
            if stop is None:
                value = _UNBRACED.match(text, first, end)
                spans.append((first, value.end() if value else first))
                continue
            # Notes are in brackets before the keys, which may have their own braces.
            inside = skip_space(text, options_end(text, first + 1, most=2))
            found = _key_list(text, inside)
            spans += found.spans if found else ((inside, stop - 1),)
    return KeyArguments(tuple(spans), end + 1)


def own_arguments(
    text: str,
    position: int,
    parameters: Sequence[Argument],
    defaults: Iterable[tuple[int, str]] = (),
    longest: int = MAX_ARGUMENT,
) -> tuple[list[str], int]:
    """Read the existing arguments of a draft's own command.

    Return them, with `defaults` or empty strings for missing optional ones, and the offset after
    them.
    """
    values: list[str] = []
    missing = dict(defaults)
    for number, kind in enumerate(parameters, 1):
        start = skip_space(text, position)
        found: int | None = None
        if kind == "m":
            found = brace_end(text, start, longest)
        elif kind == "o":
            found = bracket_end(text, start)
        elif kind == "s" and text[position - 1 : position] != "*" and text.startswith("*", start):
            found = start + 1
        if found is None:
            if kind == "m":
                break
            values.append(missing.get(number, ""))
            continue
        values.append(text[start + 1 : found - 1])
        position = found
    return values, position


def filled_in(body: str, values: Sequence[str]) -> str:
    """Return the body of a draft's own command with these arguments filled in."""
    return re.sub(r"#(\d)", lambda m: dict(enumerate(values, 1)).get(int(m[1]), ""), body)


def options_end(text: str, position: int, most: int = 4) -> int:
    """Return the offset after the optional arguments of a citation command at `position`.

    They are in brackets, the first ones of apacite in angle brackets.
    """
    for taken in range(most):
        start = skip_space(text, position)
        end = _option_end(text, start, "[<" if taken < 2 else "[")
        if end is None:
            return position
        position = end
    return position


def _option_end(text: str, start: int, openings: str) -> int | None:
    """Return where the optional argument at `start` ends, if one of `openings` opens it there."""
    mark = text[start : start + 1]
    end: int | None = None
    if not mark or mark not in openings:
        return None
    if mark == "[":
        end = bracket_end(text, start)
    elif mark == "(":
        end = _delimiter_end(text, start, "()", MAX_OPTION)
    elif match := _ANGLES.match(text, start):
        end = match.end()
    # A blank line: the bracket belongs to something else, and this one is only half typed.
    return None if end is None or _BLANK_LINE.search(text, start, end) else end


def _key_list(text: str, start: int) -> KeyArguments | None:
    """Read ``{key, key}`` at `start`; a list that is never closed ends with its line."""
    if text[start : start + 1] != "{":
        return None
    clean = _CLEAN_KEYS.match(text, start + 1, start + 1 + _MAX_KEY_LIST)
    assert clean is not None  # matches the empty string
    stop = clean.end()
    blank = _BLANK_LINE.search(text, start + 1, stop)
    if text[stop : stop + 1] == "}" and blank is None:
        return KeyArguments(((start + 1, stop),), stop + 1)
    if blank is None:
        # A key built by a macro: still one argument, unless the next citation is in it.
        end = brace_end(text, start, 500)
        if (
            end is not None
            and not _CITING.search(text, start, end)
            and not _BLANK_LINE.search(text, start, end)
        ):
            return KeyArguments(((start + 1, end - 1),), end)
    # An unclosed list ends before the first word that no comma separates from a key.
    typed = _HALF_TYPED.match(text, start + 1, stop)
    stop = typed.end() if typed else start + 1
    return KeyArguments(((start + 1, stop),), stop, closed=False)


def _multiple(text: str, position: int, *, volumes: bool) -> KeyArguments:
    # The ending of \gentextcites comes before the notes of all groups.
    ending = skip_space(text, options_end(text, position, most=1))
    if text[ending : ending + 1] == "(":
        position = ending
    for _ in range(2):
        end = _option_end(text, skip_space(text, position), "(")
        if end is None:
            break
        position = end
    spans: list[tuple[int, int]] = []
    while len(spans) < _MAX_GROUPS:
        start = position
        if volumes:
            volume = argument_span(text, options_end(text, start, most=1), 500)
            if volume is None:
                break
            start = volume[1] + 1
        found = _key_list(text, skip_space(text, options_end(text, start, most=2)))
        if found is None:
            break
        spans.extend(found.spans)
        position = found.end
        if not found.closed:
            return KeyArguments(tuple(spans), position, closed=False)
    return KeyArguments(tuple(spans), position)


def _own(text: str, position: int, shape: CitationShape) -> KeyArguments:
    spans: list[tuple[int, int]] = []
    for number, kind in enumerate(shape.parameters, 1):
        start = skip_space(text, position)
        if kind == "s":
            position = start + 1 if text.startswith("*", start) else position
            continue
        if kind != "m":
            end = _option_end(text, start, "[" if kind == "o" else kind)
            if end is not None:
                if number in shape.key_parameters:
                    spans.append((start + 1, end - 1))
                position = end
            continue
        if number in shape.key_parameters:
            found = _key_list(text, start)
            if found is None:
                break
            spans.extend(found.spans)
            position = found.end
            if not found.closed:
                return KeyArguments(tuple(spans), position, closed=False)
            continue
        end = brace_end(text, start)
        if end is None:
            break
        position = end
    return KeyArguments(tuple(spans), position)
