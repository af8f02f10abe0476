r"""Arguments in LaTeX source: braces, brackets, and the keys of citation commands.

All functions take text whose comments and listings are blanked out, accept half-typed source, and
have bounded look-ahead, so that one unclosed brace does not affect the whole file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final, NamedTuple

from ...model.drafts import Citation, CitationKey, KeyList
from ...model.spans import TextSpan

#: Longer ones are not read as arguments.
MAX_ARGUMENT: Final = 50_000
MAX_OPTION: Final = 3_000
_MAX_KEY_LIST = 4_000
_MAX_GROUPS = 60

#: The optional arguments before the keys of most commands; apacite's are in angle brackets.
OPTIONS: Final = "aaoo"
#: By the sign of a parameter, the marks that may open its argument.
_OPENINGS: Mapping[str, str] = {"o": "[", "a": "[<", "<": "<", "(": "(", "e": "[<"}
_DELIMITERS = {"[": re.compile(r"\\.|[{}[\]]", re.S), "(": re.compile(r"\\.|[{}()]", re.S)}
_SPACE = re.compile(r"[ \t]*(?:(?:\r\n|\n|\r(?!\n))[ \t]*)?")
_OPTION = re.compile(r"(?<![^\s,{])([A-Za-z][\w/-]*)[ \t]*=\s*")
_UNBRACED = re.compile(r"[^,{}]*")
_ANGLES = re.compile(r"<(?:[^<>{}]|\{[^{}]*\}){0,120}>")
_BLANK_LINE = re.compile(r"(?:\r\n|\n|\r(?!\n))[ \t]*(?:\r\n|\n|\r(?!\n))")
#: REVTeX prints text around a reference, and joins one behind a star with the one before it.
_STAR = r"(?:\*|(?=\[))\s*(?:\[(?:[^\[\]{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\]\s*){0,2}"
_STARRED = re.compile(_STAR)
_CLEAN_KEYS = re.compile(rf"(?:[^{{}}\\*\[]+|{_STAR}\[?)*")
#: Keys alone, which may have blank lines between them; a paragraph has words.
_APART_KEYS = re.compile(r"\s*(?:[^\s,]+\s*)?(?:,\s*(?:[^\s,]+\s*)?)*")
_HALF_TYPED = re.compile(r"(?:[ \t]*[^\s,]+[ \t]*,)*[ \t]*[^\s,]*")
#: TeX ends a key at a comma outside braces.
_KEY = re.compile(
    rf"(?:\s*{_STAR})?(?:\\.|[^,{{}}\\]|\{{(?:[^{{}}]|\{{[^{{}}]*\}})*\}}?|[\\}}])+", re.DOTALL
)
_NO_KEY = re.compile(rf"[#\\{{}}%~]|{_BLANK_LINE.pattern}")
#: What no key built by a macro has: other commands, and words with a space between them.
_NO_BUILT_KEY = re.compile(
    r"\\(?:[A-Za-z]*cite|begin|end|item|label)|[\s,{}](?!\\)[^\s,{}]+\s+[^\s,{}]", re.IGNORECASE
)


class CitationShape(NamedTuple):
    r"""How the arguments of a citation command are laid out.

    `parameters` has a sign for each: "m" a mandatory one, "s" a star, the others optional: "o" in
    brackets, "(" in parentheses, "<" in angle brackets, "a" in brackets or angle brackets, "e" the
    same if parentheses follow. Those at the (0-based) numbers `keys` hold keys. `repeated` are the
    parameters of each of several groups, the last of which holds keys. A command with `options`
    takes keys in options such as ``cite = {keys}`` of its second argument. So many `notes` it
    prints, which are optional arguments before the keys.
    """

    parameters: str
    keys: frozenset[int] = frozenset()
    repeated: str = ""
    listed_only: bool = False
    options: tuple[str, ...] = ()
    notes: int = 0


class Arguments(NamedTuple):
    """The spans inside some arguments, None for an absent optional one, and the end of all."""

    spans: Sequence[tuple[int, int] | None]
    end: int
    closed: bool = True


def skip_space(text: str, position: int) -> int:
    """Skip blanks and at most one line end: a blank line ends the search for an argument."""
    match = _SPACE.match(text, position)
    return match.end() if match else position


def brace_end(text: str, start: int, longest: int = MAX_ARGUMENT) -> int | None:
    """Return the offset after the ``}`` that closes a ``{`` at `start`, if both are there."""
    return _delimiter_end(text, start, "{", longest)


def bracket_end(text: str, start: int) -> int | None:
    """Return the offset after the ``]`` that closes a ``[`` at `start`; braces protect."""
    return _delimiter_end(text, start, "[", MAX_OPTION)


def argument_span(text: str, position: int, longest: int = MAX_ARGUMENT) -> tuple[int, int] | None:
    """Return the span inside the braces at `position`, which may follow space."""
    start = skip_space(text, position)
    return (start + 1, end - 1) if (end := brace_end(text, start, longest)) else None


def option_span(text: str, position: int) -> tuple[int, int] | None:
    """Return the span inside the brackets at `position`, which may follow space."""
    start = skip_space(text, position)
    return (start + 1, end - 1) if (end := bracket_end(text, start)) else None


def _delimiter_end(text: str, start: int, opening: str, longest: int) -> int | None:
    is_there = text.startswith(opening, start)
    end = _paired(text, "(" if opening == "(" else "[")[0].get(start) if is_there else None
    return end if end and end - start <= longest else None


@lru_cache(maxsize=64)  # one that is never closed is not scanned again from every command
def _paired(text: str, opening: str) -> tuple[Mapping[int, int], Sequence[int], Mapping[str, int]]:
    """Return where delimiters end, the unclosed ones, and the first unopened by its opening one."""
    closings: dict[int, int] = {}
    opened: list[int] = []
    unopened: dict[str, int] = {}
    for match in _DELIMITERS[opening].finditer(text):
        mark = match.group()
        if mark in ("{", opening):
            opened.append(match.start())
        elif len(mark) == 1:
            own = "{" if mark == "}" else opening
            while mark == "}" and opened and text[opened[-1]] != "{":
                opened.pop()
            if opened and text[opened[-1]] == own:
                closings[opened.pop()] = match.end()
            elif not opened:
                unopened.setdefault(own, match.start())
    return closings, opened, unopened


def loose_delimiters(text: str) -> tuple[dict[str, int], dict[str, int]]:
    """Return the offsets of the last unclosed and the first unopened brace and bracket."""
    _, unclosed, unopened = _paired(text, "[")
    openings = {text[at]: at for at in unclosed if text[at] == "{" or at == unclosed[-1]}
    return openings, dict(unopened)


def read_arguments(
    text: str,
    position: int,
    parameters: str,
    longest: int = MAX_ARGUMENT,
    keys: frozenset[int] = frozenset(),
) -> Arguments:
    """Read the arguments behind a command; for `parameters` and `keys` see `CitationShape`."""
    spans: list[tuple[int, int] | None] = []
    for number, kind in enumerate(parameters):
        start = skip_space(text, position)
        if number in keys:
            if (listed := _key_list(text, start)) is None:
                break
            span, position = listed
            spans.append(span)
            if position == span[1]:
                return Arguments(spans, position, closed=False)
            continue
        if kind == "m":
            if (end := brace_end(text, start, longest)) is None:
                break
        elif kind == "s":
            is_star = text[position - 1 : position] != "*" and text.startswith("*", start)
            end = start + 1 if is_star else None
        else:
            end = option_end(text, start, _OPENINGS[kind])
            if kind == "e" and not text.startswith("(", skip_space(text, end or start)):
                end = None
        spans.append((start + 1, end - 1) if end else None)
        position = end or position
    return Arguments(spans, position)


def read_citation(text: str, command: re.Match[str], shape: CitationShape) -> Citation | None:
    """Return the citation of a command, whose name and star are groups; None if it has no keys."""
    spans, end, closed = key_arguments(text, command.end(), shape)
    if not spans:
        return None
    lists = [KeyList(TextSpan(*each), tuple(_keys_between(text, *each, shape))) for each in spans]
    lists[-1] = replace(lists[-1], closed=closed)
    span = TextSpan(command.start(), end)
    return Citation(command[1] + command[2], span, tuple(lists), shape.listed_only)


def key_arguments(
    text: str, position: int, shape: CitationShape
) -> tuple[list[tuple[int, int]], int, bool]:
    """Return the spans inside the key lists of a command whose name (and star) ends at `position`.

    With them are the end of its arguments, and whether all are closed.
    """
    if shape.options:
        return _in_options(text, position, shape.options)
    found = read_arguments(text, position, shape.parameters, keys=shape.keys)
    spans = [span for number, span in enumerate(found.spans) if span and number in shape.keys]
    last = len(shape.repeated) - 1
    while shape.repeated and found.closed and len(spans) < _MAX_GROUPS:
        group = read_arguments(text, found.end, shape.repeated, keys=frozenset({last}))
        if not (keys := group.spans[last:]) or keys[0] is None:
            break
        spans.append(keys[0])
        found = group
    return spans, found.end, found.closed


def _keys_between(text: str, start: int, end: int, shape: CitationShape) -> Iterator[CitationKey]:
    """Yield the keys of a list between two offsets; an asterisk may list all works."""
    for match in _KEY.finditer(text, start, end):
        key = match.group().strip()
        if (starred := _STARRED.match(key)) and starred.end() < len(key):
            key = key[starred.end() :]
        if not key or _NO_KEY.search(key) or (key == "*" and shape.listed_only):
            continue
        first = match.start() + match.group().rindex(key)
        yield CitationKey(" ".join(key.split()), TextSpan(first, first + len(key)))


def _in_options(
    text: str, position: int, options: Sequence[str]
) -> tuple[list[tuple[int, int]], int, bool]:
    given = read_arguments(text, position, f"{OPTIONS}m{OPTIONS}m")
    if len(given.spans) < 2 * len(f"{OPTIONS}m") or (argument := given.spans[-1]) is None:
        return [], position, True
    spans: list[tuple[int, int]] = []
    for match in _OPTION.finditer(text, *argument):
        if match[1] not in options:
            continue
        first, stop = match.end(), brace_end(text, match.end())
        if stop is None:
            value = _UNBRACED.match(text, first, argument[1])
            spans.append((first, value.end() if value else first))
            continue
        # Notes are in brackets before the keys, which may have their own braces.
        inside = skip_space(text, options_end(text, first + 1, most=2))
        found = _key_list(text, inside)
        spans.append(found[0] if found else (inside, stop - 1))
    return spans, given.end, True


def filled_in(
    text: str, body: str, spans: Sequence[tuple[int, int] | None], defaults: Mapping[int, str]
) -> str:
    """Return the body of a draft's own command with its arguments filled in, or their defaults."""
    values = {n: text[slice(*span)] for n, span in enumerate(spans, 1) if span}
    return re.sub(r"#(\d)", lambda m: values.get(int(m[1]), defaults.get(int(m[1]), "")), body)


def options_end(text: str, position: int, most: int = len(OPTIONS)) -> int:
    """Return the offset after the optional arguments of a citation command at `position`."""
    return read_arguments(text, position, OPTIONS[:most]).end


def option_end(text: str, start: int, openings: str) -> int | None:
    """Return where the optional argument at `start` ends, if one of `openings` opens it there."""
    if not text.startswith(tuple(openings), start):
        return None
    angles = _ANGLES.match(text, start)
    end = angles.end() if angles else _delimiter_end(text, start, text[start], MAX_OPTION)
    # A blank line: the bracket belongs to something else, and this one is only half typed.
    return None if end is None or _BLANK_LINE.search(text, start, end) else end


def _key_list(text: str, start: int) -> tuple[tuple[int, int], int] | None:
    """Return the span inside ``{key, key}`` at `start`, and the end of it with its brace.

    A list that is never closed ends with its line; its ends are the same. A blank line is part of a
    list of nothing but keys: TeX rejects it, but the next key is about to be typed there.
    """
    if not text.startswith("{", start):
        return None
    clean = _CLEAN_KEYS.match(text, start + 1, start + 1 + _MAX_KEY_LIST)
    assert clean is not None  # matches the empty string
    stop = clean.end()
    is_apart = _BLANK_LINE.search(text, start + 1, stop) is not None
    is_closed = text.startswith("}", stop)
    if is_closed and (not is_apart or _APART_KEYS.fullmatch(text, start + 1, stop)):
        return (start + 1, stop), stop + 1
    if not is_apart:
        # A key built by a macro: still one argument, unless what follows the list is in it.
        end = brace_end(text, start, 500)
        apart = (_NO_BUILT_KEY, _BLANK_LINE)
        if end is not None and not any(sign.search(text, start, end) for sign in apart):
            return (start + 1, end - 1), end
    # An unclosed list ends before the first word that no comma separates from a key.
    typed = _HALF_TYPED.match(text, start + 1, stop)
    stop = typed.end() if typed else start + 1
    return (start + 1, stop), stop
