"""The names in a draft in Typst: which functions cite, and which names are labels.

``#let textcite(key) = cite(key, form: "prose")`` and ``#let c = cite.with(form: "year")`` are
functions that cite, as are those that call them. Bodies are only searched for words, not run.

``@name`` is a citation unless the name is a label. Code, which is not run, may also make labels: in
functions, for the terms of a glossary, from data. A name that may be such a label is a citation
only if a bibliography has it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import lru_cache
from itertools import islice, product
from pathlib import Path
from typing import Final, NamedTuple

from . import tokens

CITE: Final = "cite"
#: ``@`` is short for this function.
REFER: Final = "ref"
#: Its attribution is a key, or content.
QUOTE: Final = "quote"

_MAX_LENGTH: Final = 5_000
_MAX_ROUNDS: Final = 10
_MAX_CALLS: Final = 20

_NAME: Final = r"[^\W\d][\w-]*"
_DOTTED: Final = rf"{_NAME}(?:\.{_NAME})*"
_CHAIN: Final = rf"(?<![\w.-])(?P<value>{_NAME})(?:\.{_NAME}(?:\([^()]*\))?)*"
_NAMES: Final = rf"\(?\s*((?:\.\.)?{_NAME}(?:\s*,\s*(?:\.\.)?{_NAME})*)\s*,?\s*\)?"
_HIDDEN: Final = re.compile(
    rf"{tokens.STRING.pattern}|(?<!:)//[^\r\n]*|/\*.{{0,1000}}?\*/", re.DOTALL
)
_WORD: Final = re.compile(_DOTTED)
_LET: Final = re.compile(rf"let\s+({_NAME})\s*(\(|=(?!=))")
_CLOSURE: Final = re.compile(rf"\s*(?:({_NAME})|\()")
_ARROW: Final = re.compile(r"\s*=>")
_IMPORT: Final = re.compile(
    rf'import\s+(?:"([^"]*)"|({_DOTTED}))\s*(?:as\s+({_NAME}))?\s*(?::(.*))?', re.DOTALL
)
_ITEM: Final = re.compile(rf"(\*|{_DOTTED})(?:\s+as\s+({_NAME}))?")
_COPY: Final = re.compile(rf"\s*({_DOTTED}?)\s*(?:\.with\s*(\()|\Z)")
_CALL: Final = re.compile(rf"(?<![\w.-])({_DOTTED})\(")
_ARGUMENT: Final = re.compile(rf"\s*(?:({_NAME})\s*:(?!:))?\s*(.*)", re.DOTALL)
_PARAMETER: Final = re.compile(rf"\s*(\.\.)?\s*({_NAME})?\s*(:)?")
#: Names that get their values from parameters: in loops, definitions and anonymous functions.
_DERIVED: Final = (
    re.compile(rf"\bfor\s+(?P<names>{_NAMES})\s+in\s+(?P<value>[^\r\n{{\[]*)"),
    re.compile(rf"\blet\s+(?P<names>{_NAMES})\s*=(?!=)(?P<value>[^\r\n;]*)"),
    re.compile(rf"{_CHAIN}\.{_NAME}\(\s*(?P<names>{_NAMES})\s*=>"),
)
_MAPPED: Final = re.compile(rf"{_CHAIN}\.map\(\s*(?P<mapped>{_DOTTED}?)(?:\.with\(|\s*\))")
_VALUE: Final = re.compile(rf"(?<![\w.-])(\.\.)?({_NAME})(?:\.({_NAME}))?")
#: Methods that return values in their object.
_HOLDING: Final = frozenset("pos at first last map filter sorted dedup flatten rev slice".split())

#: Functions that take labels but define none.
REFERRING: Final = frozenset("cite ref link query locate counter selector".split())

MAX_NAME: Final = 200
_MAX_SUM: Final = 500
#: How many forms of a term a reference may ask for, as ``:both:pl`` does.
_MAX_FORMS: Final = 8
_TERM: Final = r"[^\W_][\w.:/-]*"
_TERMS: Final = re.compile(_TERM)
_KEYS: Final = re.compile(
    rf"""@\w+\s*[{{(]\s*([^\s,{{}}()="]+)\s*,|^["']?([^\s"':#][^"':\r\n]*)["']?:(?=\s)
    |["']?\bid["']?\s*:\s*["']?({_TERM})""",
    re.MULTILINE | re.VERBOSE,
)
#: Fits every label.
ANY: Final = ".+"
#: Stands for a label that joins two strings of the code; no other pattern is empty.
_TWO_STRINGS: Final = ""
#: A call in an expression that makes other words.
_OTHER_CALL: Final = re.compile(r"(?<![\w-])(?!(?:str|label|at|first|last|pos)\()[\w-]+\(")


class Shape(NamedTuple):
    """Which arguments of a call are keys: some places and names, and all from the place `rest` on.

    `strings` indicates whether keys may be strings, `refers` whether they may be labels of the
    draft.
    """

    keys: frozenset[int | str] = frozenset()
    rest: int | None = None
    strings: bool = False
    refers: bool = False

    def takes(self, place: int, name: str) -> bool:
        """Return whether an argument is a key; `name` is empty for one that has only a place."""
        is_rest = not name and self.rest is not None and place >= self.rest
        return (name or place) in self.keys or is_rest

    def places_from(self, first: int) -> frozenset[int]:
        """Return the places from one on, counted from there."""
        return frozenset(key - first for key in self.keys if isinstance(key, int) and key >= first)


#: What Typst itself has.
BUILT_IN: Final[Mapping[str, Shape]] = {
    CITE: Shape(frozenset({0})),
    REFER: Shape(frozenset({0}), refers=True),
    QUOTE: Shape(frozenset({"attribution"})),
}
#: Packages with functions that cite, all by strings.
_OF_PACKAGES: Final[Mapping[str, Mapping[str, Shape]]] = {
    "pergamon": dict.fromkeys(
        "cite citet citep citen citeg citename citeyear".split(), Shape(rest=0, strings=True)
    )
}
_PACKAGE: Final = re.compile(r"@\w+/([\w-]+):[\d.]+")
#: The names of a file's labels, which cite nothing, the functions that cite, and the prefixes that
#: keys have.
Dialect = tuple[frozenset[str], frozenset[tuple[str, Shape]], tuple[str, ...]]
ALONE: Final[Dialect] = (frozenset(), frozenset(BUILT_IN.items()), ())


class Definition(NamedTuple):
    """What ``let`` defines: a function, or without parameters perhaps another name of one.

    Parameters have a kind: "name", "sink" for one that takes all further arguments, else "place".
    `words` are the names in the body.
    """

    name: str
    parameters: tuple[tuple[str, str], ...] | None
    body: str
    words: frozenset[str]


class Import(NamedTuple):
    """Names that a file takes from another one, or from a namespace; ``*`` are all."""

    source: str
    is_file: bool
    namespace: str
    items: tuple[tuple[str, str], ...]


def definition_in(statement: str) -> Definition | None:
    """Return what a statement defines, if it is a ``let`` that may define a function."""
    text = _HIDDEN.sub(_blanked, statement[:_MAX_LENGTH])
    found = _LET.match(text)
    if found is None:
        return None
    parts, body = None, text[found.end() :]
    if found[2] == "(":
        parts, end = _arguments(text, found.end())
        if not (body := text[end:].lstrip()).startswith("="):
            return None
        body = body[1:]
    elif (closure := _CLOSURE.match(body)) is not None:
        named = [closure[1]], closure.end()
        listed, end = named if closure[1] else _arguments(body, closure.end())
        if (arrow := _ARROW.match(body, end)) is not None:
            parts, body = listed, body[arrow.end() :]
    words = (word.removeprefix("std.").removesuffix(".with") for word in _WORD.findall(body))
    parameters = None
    if parts is not None:
        matches = [_PARAMETER.match(part) for part in parts]
        parameters = tuple(
            (each[2] or "", "sink" if each[1] else "name" if each[3] else "place")
            for each in matches
            if each is not None
        )
    return Definition(found[1], parameters, body, frozenset(words) - {REFER})


def local_definition(text: str, start: int) -> Definition | None:
    """Return what a ``let`` at an offset defines within code, where it ends with its line."""
    return definition_in(tokens.divided(text[start : start + _MAX_LENGTH], 0, "\r\n;")[0][0])


def import_in(statement: str) -> Import | None:
    """Return what a statement imports."""
    found = _IMPORT.match(statement[:_MAX_LENGTH])
    if found is None:
        return None
    file, source, namespace, items = found.groups()
    if (package := _PACKAGE.fullmatch(file or "")) is not None:
        file = package[1]
    if file is not None and file not in _OF_PACKAGES and not file.endswith(".typ"):
        return None
    if not (namespace or items):
        namespace = Path(file).stem if file else source.rpartition(".")[2]
    found_items = _ITEM.finditer(items or "")
    named = tuple((each[2] or each[1].rpartition(".")[2], each[1]) for each in found_items)
    return Import(file or source, file is not None, namespace or "", named)


def visible(
    files: Mapping[Path, tuple[list[Definition], list[Import]]],
    find: Callable[[str, Path], Path | None],
) -> dict[Path, dict[str, Shape]]:
    """Return the functions that cite in each file, by their names there; `find` finds imports."""
    tables: dict[Path, dict[str, Shape]] = {path: dict(BUILT_IN) for path in files}
    defined = (each for definitions, _ in files.values() for each in definitions)
    named = {each.source for _, imports in files.values() for each in imports}
    if named.isdisjoint(_OF_PACKAGES) and all(
        each.words.isdisjoint((CITE, QUOTE)) for each in defined
    ):
        return tables
    sources = {
        path: [(each, find(each.source, path) if each.is_file else path) for each in imports]
        for path, (_, imports) in files.items()
    }
    made: dict[Path, set[str]] = {path: set() for path in files}
    for _ in range(_MAX_ROUNDS):
        known = sum(map(len, tables.values()))
        for path, table in reversed(tables.items()):
            for each, source in sources[path]:
                there = _OF_PACKAGES.get(each.source) or (tables.get(source) if source else None)
                for name, shape in _imported(each, there or {}):
                    # The last import counts; what a file defines itself comes after it.
                    if name not in made[path] and shape != BUILT_IN.get(name):
                        table[name] = shape
            for definition in files[path][0]:
                name = definition.name
                may_cite = name not in made[path] and not definition.words.isdisjoint(table)
                if may_cite and (own := _shape(definition, table)) is not None:
                    made[path].add(name)
                    table[name] = own
        if sum(map(len, tables.values())) == known:
            break
    return tables


def _imported(each: Import, table: Mapping[str, Shape]) -> Iterator[tuple[str, Shape]]:
    start = "" if each.is_file else f"{each.source}."
    there = {name.removeprefix(start): table[name] for name in table if name.startswith(start)}
    if each.namespace:
        yield from ((f"{each.namespace}.{name}", shape) for name, shape in there.items())
    for local, name in each.items:
        if name == "*":
            yield from there.items()
        elif name in there:
            yield local, there[name]


def _shape(definition: Definition, functions: Mapping[str, Shape]) -> Shape | None:
    """Return which arguments of a function are keys, if any is."""
    body = definition.body
    if definition.parameters is None:
        return _copied(body, functions)
    handed = set(_handed(body, definition.parameters, functions))
    if not handed:
        return None
    keys, rest, place = set[int | str](), list[int](), 0
    for name, kind in definition.parameters:
        offsets = {offset for each, offset in handed if each == name}
        if kind == "sink":
            keys |= {place + offset for offset in offsets if offset is not None}
            rest += [place] if None in offsets else []
        elif offsets:
            keys.add(name if kind == "name" else place)
        place += kind != "name"
    called = {each[1] for each in _CALL.finditer(body)}
    called |= {each["mapped"] for each in _MAPPED.finditer(body)}
    shapes = [functions[name] for name in called & functions.keys()]
    strings = "label(" in body or "(label)" in body or any(each.strings for each in shapes)
    refers = any(each.refers for each in shapes)
    return Shape(frozenset(keys), min(rest, default=None), strings, refers)


def _handed(
    body: str, parameters: tuple[tuple[str, str], ...], functions: Mapping[str, Shape]
) -> Iterator[tuple[str, int | None]]:
    """Yield the parameters that become keys; of a sink that is passed on, which of its values."""
    origins = {name: {name} for name, _ in parameters}

    def origins_of(value: str) -> set[str]:
        # What is put together has another value.
        held = () if "+" in value else _VALUE.finditer(value)
        names = (each[2] for each in held if not each[3] or each[3] in _HOLDING)
        return {origin for name in names for origin in origins.get(name, ())}

    derived = (found for pattern in _DERIVED for found in pattern.finditer(body))
    for found in sorted(derived, key=re.Match.start):
        given = origins_of(found["value"])
        for name in re.findall(_NAME, found["names"]):
            origins[name] = origins.get(name, set()) | given
    functions = {name: shape for name, shape in functions.items() if name not in (REFER, QUOTE)}
    sinks = {name for name, kind in parameters if kind == "sink"}
    calls = (call for call in _CALL.finditer(body) if call[1].removeprefix("std.") in functions)
    for call in islice(calls, _MAX_CALLS):
        shape, place = functions[call[1].removeprefix("std.")], 0
        for part in _arguments(body, call.end())[0]:
            argument = _ARGUMENT.match(part)
            name, value = (argument[1] or "", argument[2]) if argument else ("", part)
            if ".named()" in value:
                continue
            sink = value[2:].split(".")[0].strip() if value.startswith("..") else ""
            if sink in sinks:
                yield from ((sink, each) for each in shape.places_from(place))
                if shape.rest is not None:
                    yield sink, None
            elif shape.takes(place, name):
                yield from ((origin, None) for origin in origins_of(value))
            place += not name
    for found in _MAPPED.finditer(body):
        if found["mapped"] in functions and functions[found["mapped"]].takes(0, ""):
            yield from ((origin, None) for origin in origins.get(found["value"], ()))


def _copied(body: str, functions: Mapping[str, Shape]) -> Shape | None:
    """Return the shape of a function under another name, of which arguments may be set."""
    found = _COPY.match(body)
    shape = functions.get(found[1].removeprefix("std.")) if found else None
    if found is None or shape is None or found[1] == REFER:
        return None
    arguments = _arguments(body, found.end())[0] if found[2] else ()
    given = sum((each := _ARGUMENT.match(part)) is not None and not each[1] for part in arguments)
    names = {key for key in shape.keys if isinstance(key, str)}
    rest = None if shape.rest is None else max(0, shape.rest - given)
    return shape._replace(keys=shape.places_from(given) | names, rest=rest)


def _arguments(text: str, start: int) -> tuple[list[str], int]:
    """Return the texts between commas up to the closing parenthesis, and the offset after it."""
    parts, end = tokens.divided(text, start, ",")
    return [part for part in parts if part.strip()], end


def _blanked(found: re.Match[str]) -> str:
    return f'"{" " * (len(found[0]) - 2)}"' if found[0][0] == '"' else " " * len(found[0])


@dataclass(slots=True)
class Names:
    """The names in a text by what they may be.

    `labels` are defined in it, `references` are what ``@`` stands before, and `handed` are keys of
    a project's own functions. `possible` may be labels: strings and keys in code, and labels that
    are given to functions. `patterns` fit labels that are computed, or in a file that is not known.
    `data` are files that are read, `called` functions, and `prefixes` those of alexandria's keys.
    """

    labels: set[str] = field(default_factory=set)
    references: set[str] = field(default_factory=set)
    handed: set[str] = field(default_factory=set)
    possible: set[str] = field(default_factory=set)
    patterns: set[str] = field(default_factory=set)
    data: set[str] = field(default_factory=set)
    called: set[str] = field(default_factory=set)
    prefixes: set[str] = field(default_factory=set)
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
    """Yield the terms of a glossary that a name may refer to, as ``@a:term:pl`` and ``@Term``."""
    parts = name.split(":")
    for start in range(1 + (parts[0].lower() in ("a", "an"))):
        for end in range(len(parts), max(start, len(parts) - _MAX_FORMS), -1):
            term = ":".join(parts[start:end])
            yield term
            yield term[:1].lower() + term[1:]


@lru_cache(maxsize=16)
def names_in_data(text: str) -> frozenset[str]:
    """Return what may be names in a file of data of any format."""
    words = {found.group().rstrip(".:/") for found in _TERMS.finditer(text)}
    # A table in TOML may be [terms.name].
    return frozenset(words | {word.rpartition(".")[2] for word in words})


@lru_cache(maxsize=8)
def keys_in(text: str) -> frozenset[str]:
    """Return what may be keys in a bibliography of any format; too many rather than too few."""
    return frozenset(key for found in _KEYS.finditer(text) for key in found.groups() if key)
