"""What the names of a draft in Typst mean: ``@name`` cites what is no label.

A label may be made by code that is not run: by functions, for the terms of a glossary, from data. A
name that may be one is a citation only if a bibliography has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields
from functools import lru_cache
from itertools import product
from typing import Final

from . import tokens
from .functions import Definition, Import

#: Functions that are given labels which they do not define.
REFERRING: Final = frozenset("cite ref link query locate counter selector".split())

MAX_NAME: Final = 200
_MAX_SUM: Final = 500
#: How many forms of a term a reference may ask for, as ``:both:pl`` does.
_MAX_FORMS: Final = 8
_WORD: Final = r"[^\W_][\w.:/-]*"
_WORDS: Final = re.compile(_WORD)
_KEYS: Final = re.compile(
    rf"""@\w+\s*[{{(]\s*([^\s,{{}}()="]+)\s*,|^["']?([^\s"':#][^"':\r\n]*)["']?:(?=\s)
    |["']?\bid["']?\s*:\s*["']?({_WORD})""",
    re.MULTILINE | re.VERBOSE,
)
#: Fits every label.
ANY: Final = ".+"
#: Stands for a label that joins two strings of the code; no other pattern is empty.
_TWO_STRINGS: Final = ""
#: A call in an expression that makes other words.
_OTHER_CALL: Final = re.compile(r"(?<![\w-])(?!(?:str|label|at|first|last|pos)\()[\w-]+\(")


@dataclass(slots=True)
class Names:
    """The names in a text, and what they may mean.

    `labels` are defined in it, `references` are what ``@`` stands before, and `handed` are keys of
    a project's own functions. `possible` may be labels: strings and keys in code, and labels that
    are given to functions. `patterns` fit labels that are computed, or in a file that is not known.
    `data` are files that are read, and `called` functions.
    """

    labels: set[str] = field(default_factory=set)
    references: set[str] = field(default_factory=set)
    handed: set[str] = field(default_factory=set)
    possible: set[str] = field(default_factory=set)
    patterns: set[str] = field(default_factory=set)
    data: set[str] = field(default_factory=set)
    called: set[str] = field(default_factory=set)
    definitions: list[Definition] = field(default_factory=list)
    imports: list[Import] = field(default_factory=list)

    def add_computed(self, expression: str) -> None:
        """Add what ``label(…)`` makes of an expression; a name alone is a string elsewhere."""
        is_long = len(expression) > _MAX_SUM
        # What it adds up: strings, and None for what has to be computed.
        added = [""] if is_long else tokens.divided(expression, 0, "+")[0]
        strings = [tokens.STRING.fullmatch(part.strip()) for part in added]
        parts = [each and each[1] for each in strings]
        has_call = _OTHER_CALL.search(expression) is not None
        if None not in parts:
            self.labels.add("".join(filter(None, parts)))
        elif parts == [None, None] and not has_call:
            self.patterns.add(_TWO_STRINGS)
        elif len(parts) > 1:
            first, last = (re.escape(part or "") for part in (parts[0], parts[-1]))
            within = "" if first or last else next(filter(None, parts), "")
            self.patterns.add(f"{first}.+{re.escape(within)}{'.+' * bool(within)}{last}")
        elif is_long or has_call:
            self.patterns.add(ANY)


def merged(parts: Iterable[Names]) -> Names:
    """Return the names of several texts."""
    whole = Names()
    for part, each in product(parts, fields(whole)):
        ours, theirs = getattr(whole, each.name), getattr(part, each.name)
        ours.update(theirs) if isinstance(ours, set) else ours.extend(theirs)
    return whole


def possible_labels(names: Names, references: Iterable[str]) -> frozenset[str]:
    """Return the references that may be labels of code in files with these names."""
    fits = re.compile("|".join(names.patterns - {_TWO_STRINGS}) or "(?!)").fullmatch
    joined, strings = _TWO_STRINGS in names.patterns, names.possible

    def is_possible(name: str) -> bool:
        if not strings.isdisjoint(_terms(name)) or fits(name):
            return True
        ends = (name[at:] for at in range(1, len(name)) if joined and name[:at] in strings)
        return any(end in strings or end.isdigit() for end in ends)

    return frozenset(name for name in references if len(name) <= MAX_NAME and is_possible(name))


def _terms(name: str) -> Iterator[str]:
    """Yield the terms of a glossary that a name may show: ``@a:term:pl`` and ``@Term`` do."""
    parts = name.split(":")
    for start in range(1 + (parts[0].lower() in ("a", "an"))):
        for end in range(len(parts), max(start, len(parts) - _MAX_FORMS), -1):
            term = ":".join(parts[start:end])
            yield term
            yield term[:1].lower() + term[1:]


@lru_cache(maxsize=16)
def names_in_data(text: str) -> frozenset[str]:
    """Return what may be names in a file of data of any format."""
    words = {found.group().rstrip(".:/") for found in _WORDS.finditer(text)}
    # A table in TOML may be [terms.name].
    return frozenset(words | {word.rpartition(".")[2] for word in words})


@lru_cache(maxsize=8)
def keys_in(text: str) -> frozenset[str]:
    """Return what may be keys in a bibliography of any format; too many rather than too few."""
    return frozenset(key for found in _KEYS.finditer(text) for key in found.groups() if key)
