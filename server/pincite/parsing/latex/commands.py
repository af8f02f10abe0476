r"""Which LaTeX commands cite, and how their arguments are laid out.

The commands of LaTeX, natbib, biblatex (with its style packages), apacite, jurabib, harvard,
abntex2cite, multibib, csquotes and REVTeX are known, some of them where their package is loaded. A
draft's own commands and environments are learnt from its definitions, if they pass an argument on
to a known command: ``\newcommand``, ``\def``, ``\let``, ``\NewDocumentCommand``,
``\DeclareCiteCommand``, ``\newcites`` and similar commands. An environment is known by what begins
it, ``begin{name}``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final, NamedTuple

from .arguments import (
    Argument,
    CitationShape,
    argument_span,
    brace_end,
    key_arguments,
    option_span,
    options_end,
    skip_space,
)
from .file_commands import FILE_COMMANDS, WITH_ONE_ARGUMENT, names_by_parameter
from .glossary import find_glossary

_SINGLE = """
cite Cite citep Citep citet Citet citealt Citealt citealp Citealp citeauthor Citeauthor
citefullauthor Citefullauthor citeyear Citeyear citeyearpar citenum citetalias citepalias
citetitle Citetitle citedate citeurl citeurldate onlinecite citen citeonline citesuper citeapo
shortcite Shortcite fullcite Fullcite shortciteA fullciteA citeA citeNP shortciteNP fullciteNP
citeNN shortciteNN fullciteNN citeauthorNP citeauthort citeyearNP shortciteauthor fullciteauthor
shortciteauthorNP maskcite maskciteA maskciteNP maskciteauthor maskciteyear maskciteyearNP
citeasnoun citeaffixed possessivecite citename citefield citelist citegen citework citelabel
parencite Parencite footcite Footcite footcitetext Footcitetext textcite Textcite smartcite
Smartcite autocite Autocite supercite Supercite footfullcite fullcitebib headlesscite
headlessfullcite titlecite citejournal surnamecite shortrefcite shorthandcite footcitet
footciteauthor notecite Notecite pnotecite Pnotecite fnotecite foottextcite inlinecite lowcite
bibentry defcitealias citetalias newcite yrcite citeay citeaycomma citeauthoryear
nptextcite parentcite textcitea citealtp citeposs citetpos citepos citefirstlastauthor
citeauthoronline footciteref cfcite citeifnotcited citeonlineifnotcited plaincite citelastname
citeyearorsh citetitleonly footcitetitle citeincite fullciteincite gentextcite Gentextcite
Headlesscite Shortrefcite shorthandrefcite runcite headlessparencite headlessparenshortcite atcite
atpcite parenfullcite
""".split()

_LISTED_ONLY = """
nocite nocitemeta maskednocite masknocite assignrefcontextkeyws nextcitefull nextciteshort
nextcitenotitle nextcitereset citeswithoutentry
""".split()

_MULTIPLE = """
cites Cites parencites Parencites footcites Footcites footcitetexts Footcitetexts textcites
Textcites smartcites Smartcites autocites Autocites supercites Supercites fullcites footfullcites
citetitles citeauthors Citeauthors citeyears notecites Notecites pnotecites fnotecites textapud
citeincites fullciteincites gentextcites Gentextcites headlesscites Headlesscites headlessfullcites
surnamecites headlessparencites headlessparenshortcites foottextcites
""".split()

_VOLUME = """
volcite Volcite pvolcite Pvolcite fvolcite Fvolcite ftvolcite Ftvolcite svolcite Svolcite tvolcite
Tvolcite avolcite Avolcite
""".split()

_QUOTATION = "textcquote blockcquote blockquotecite begin{displaycquote}".split()
_FOREIGN_QUOTATION = """
foreigntextcquote hyphentextcquote foreignblockcquote hyphenblockcquote hybridblockcquote
begin{foreigndisplaycquote} begin{hyphendisplaycquote}
""".split()

#: multibib defines each of these for every bibliography that ``\newcites`` declares.
_MULTIBIB = (
    "cite citep citet citealp citealt citeauthor citeyear citeyearpar nocite parencite textcite"
).split()

KNOWN_COMMANDS: Mapping[str, CitationShape] = {
    **dict.fromkeys(_SINGLE, CitationShape("single")),
    **dict.fromkeys(_LISTED_ONLY, CitationShape("single", listed_only=True)),
    **dict.fromkeys(_MULTIPLE, CitationShape("multiple")),
    **dict.fromkeys(_VOLUME, CitationShape("volume")),
    **dict.fromkeys([f"{name}s" for name in _VOLUME], CitationShape("volumes")),
    **dict.fromkeys(_QUOTATION, CitationShape("quotation")),
    **dict.fromkeys(_FOREIGN_QUOTATION, CitationShape("foreign quotation")),
    # \addtocategory{category}{keys} and \defbibentryset{set}{keys} of biblatex,
    # \DeclareAcronym{label}{cite = {keys}} of acro
    "addtocategory": CitationShape("own", ("m", "m"), frozenset({2}), True),
    "defbibentryset": CitationShape("own", ("m", "m"), frozenset({2}), True),
    "DeclareAcronym": CitationShape("options", (), frozenset({2}), True, ("cite",)),
}

_APUD = CitationShape("own", ("o", "m", "m"), frozenset({2, 3}))
_ABNTEX: Mapping[str, CitationShape] = {
    "apud": _APUD,
    "apudonline": _APUD,
    **dict.fromkeys(
        "Idem Ibidem opcit passim loccit etseq citetext".split(), CitationShape("single")
    ),
}
#: What packages define under names that are no citations elsewhere, or are laid out differently.
_OF_PACKAGES: Mapping[str, Mapping[str, CitationShape]] = {
    "abntex2": _ABNTEX,
    "abntex2cite": _ABNTEX,
    "abntcite": _ABNTEX,
    # of the style "abnt" of biblatex
    "abnt": {"apud": CitationShape("multiple")},
    "jurabib": {"citefield": CitationShape("own", ("o", "m", "m"), frozenset({3}))},
}

#: Listings and comments.
HIDDEN_ENVIRONMENTS = frozenset(
    """
    verbatim verbatim* Verbatim Verbatim* BVerbatim LVerbatim SaveVerbatim VerbatimOut verbatimtab
    verbatimwrite lstlisting lstlisting* minted minted* filecontents filecontents* comment ltxcode
    ltxexample sourcecode listing* tcblisting dispListing spverbatim python pycode pyblock
    pyverbatim luacode luacode* asy sageblock sagesilent codeexample
    """.split()
)


@dataclass(frozen=True, slots=True)
class Definition:
    """A command that a draft defines: its name, parameters, body, and the definition's place."""

    name: str
    parameters: tuple[Argument, ...]
    body: str
    start: int = 0
    end: int = 0
    #: The values of optional parameters that are not given, by their 1-based numbers.
    defaults: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Definitions:
    """What one file defines that changes how the draft's files are read."""

    definitions: tuple[Definition, ...] = ()
    copies: tuple[tuple[str, str], ...] = ()
    shapes: Mapping[str, CitationShape] = field(default_factory=dict)
    hidden_environments: frozenset[str] = frozenset()
    short_verbs: frozenset[str] = frozenset()
    conditionals: frozenset[str] = frozenset()
    glossary: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    #: Packages that it loads, of those that define commands of their own for citations.
    packages: frozenset[str] = frozenset()
    #: Languages that give ``"`` a meaning: in German, ``"a`` is ä.
    shorthands: frozenset[str] = frozenset()

    def __hash__(self) -> int:
        """Return the same for one object only; see `CommandTable`."""
        return id(self)


#: What most parts of a text define.
NOTHING: Final = Definitions()


class Hiding(NamedTuple):
    r"""What hides text in a draft: environments, signs such as ``|`` for ``\verb|``, conditionals.

    Only conditionals with unusual names have to be known.
    """

    environments: frozenset[str] = HIDDEN_ENVIRONMENTS
    short_verbs: frozenset[str] = frozenset()
    conditionals: frozenset[str] = frozenset()


#: What hides text in every draft.
HIDING: Final = Hiding()


@dataclass(frozen=True, slots=True)
class CommandTable:
    """Everything needed to read a draft's files: its citation commands and its own macros.

    `texts` maps the draft's own commands without parameters to their text, `macros` those with
    parameters to the parameters and the body, `glossary` labels to a short and a long form.
    `naming` are own commands that name a file with one of their parameters.
    """

    shapes: Mapping[str, CitationShape] = field(default_factory=lambda: KNOWN_COMMANDS)
    texts: Mapping[str, str] = field(default_factory=dict)
    hiding: Hiding = HIDING
    macros: Mapping[str, tuple[tuple[Argument, ...], str]] = field(default_factory=dict)
    glossary: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    shorthands: frozenset[str] = frozenset()
    naming: Mapping[str, Definition] = field(default_factory=dict)

    def __hash__(self) -> int:
        """Return the same for one table only, so that a cache need not look at all commands."""
        return id(self)


#: A command, or the beginning of an environment: its name, and whether it has a star.
COMMAND = re.compile(r"\\(?:(begin\{[A-Za-z\d*]+\}|[A-Za-z@]+)(\*?)|.)", re.DOTALL)
_NEWCOMMAND = re.compile(
    r"\\(?:(?:re)?new(?:command|robustcmd|commandx)|(?:re)?newcommandx|provide(?:command|robustcmd)"
    r"|DeclareRobustCommandx?|DeclareMathOperator)\*?\s*\{?\s*\\([A-Za-z@]+)\s*\}?"
)
_NEW_DOCUMENT_COMMAND = re.compile(
    r"\\(?:New|Renew|Provide|Declare)(?:Expandable)?DocumentCommand\s*\{?\s*\\([A-Za-z@]+)\s*\}?\s*(?=\{)"
)
_NEWENVIRONMENT = re.compile(
    r"\\(?:(?:re)?newenvironment\*?|((?:New|Renew|Provide|Declare)DocumentEnvironment))"
    r"\s*\{([A-Za-z\d*]+)\}"
)
_DEF = re.compile(
    r"\\(?:long\s*\\)?[gex]?def\s*\\([A-Za-z@]+)((?:[^\S\r\n]|[^{}\\\s]){0,60}\s{0,9})(?=\{)"
)
_DEF_PARAMETER = re.compile(r"(\[#\d\])|(\(#\d\))|(#\d)")
_LET = re.compile(r"\\let\s*\\([A-Za-z@]+)\s*=?\s*\\([A-Za-z@]+)")
_COPY = re.compile(
    r"\\(?:New|Renew|Declare)CommandCopy\s*\{?\s*\\([A-Za-z@]+)\s*\}?\s*\{?\s*\\([A-Za-z@]+)"
)
_DECLARE_CITE = re.compile(r"\\Declare(Multi)?CiteCommand\*?\s*\{?\s*\\([A-Za-z@]+)")
_NEWCITES = re.compile(r"\\newcites(?:\[[^\]]{0,2000}\])?\s*\{([^{}]*)\}")
_NEW_HIDDEN = re.compile(
    r"\\(?:lstnewenvironment|newtcblisting|NewTCBListing|DeclareTCBListing|newverbatim"
    r"|DefineVerbatimEnvironment|RecustomVerbatimEnvironment)\s*(?:\[[^\]]{0,2000}\])?\s*\{([A-Za-z*]+)\}"
    r"|\\excludecomment\s*\{([A-Za-z*]+)\}|\\newenvironment\*?\s*\{([A-Za-z*]+)\}\s*(?:\[\d\])?"
    r"\s*\{\s*\\(?:verbatim|lstlisting|Verbatim|comment)\b"
)
_NEW_MINTED = re.compile(r"\\newminted\s*(?:\[([^\]]{0,2000})\])?\s*\{([^{}]*)\}")
_SHORT_VERB = re.compile(
    r"\\(?:MakeShortVerb|DefineShortVerb|lstMakeShortInline)\*?\s*(?:\[[^\]]{0,2000}\])?\s*\{?\s*\\?(\W)"
)
_DEF_KINDS: Mapping[int, Argument] = {1: "o", 2: "(", 3: "m"}
_NEW_IF = re.compile(r"\\newif\s*\\(if[A-Za-z@]+)")
_SHORTHANDS = re.compile(
    r"\\(?:usepackage|RequirePackage|documentclass)\s*"
    r"\[[^\]]{0,500}?(german|austrian|russian|ukrainian)"
)
_LOADED = re.compile(
    r"\\(?:usepackage|RequirePackage|documentclass|LoadClass)\s*"
    r"(?:\[([^\]]{0,2000})\]\s*)?\{([^{}]{0,500})\}"
)
_ABNT_STYLE = re.compile(r"style\s*=\s*abnt\b")
_DEFAULTED = re.compile(r"(?:^|,)\s*(\d)\s*=\s*([^,]*)")
_Defaults = tuple[tuple[int, str], ...]
#: A text without any of these words defines nothing.
_DEFINING = """
def newif german austrian russian ukrainian acro Acronym glossaryentry newabbreviation command
Command robustcmd Operator let newcites newminted erbatim nvironment comment ShortVerb ShortInline
TCBListing tcblisting abnt jurabib
""".split()


@lru_cache(maxsize=2)
def find_definitions(text: str) -> Definitions:
    """Find what `text`, with its comments and listings blanked out, defines."""
    if not any(word in text for word in _DEFINING):
        return NOTHING
    shapes: dict[str, CitationShape] = {}
    for match in _NEWCITES.finditer(text):
        for suffix in filter(None, (name.strip() for name in match.group(1).split(","))):
            for base in _MULTIBIB:
                shapes[base + suffix] = KNOWN_COMMANDS[base]
    for match in _DECLARE_CITE.finditer(text):
        shapes[match.group(2)] = CitationShape("multiple" if match.group(1) else "single")
    copies = (match for pattern in (_LET, _COPY) for match in pattern.finditer(text))
    hidden = {name for match in _NEW_HIDDEN.finditer(text) for name in match.groups() if name}
    hidden |= {m.group(1) or m.group(2) + "code" for m in _NEW_MINTED.finditer(text)}
    found = Definitions(
        definitions=tuple(_definitions(text)),
        copies=tuple((match[1], match[2]) for match in copies),
        shapes=shapes,
        hidden_environments=frozenset(hidden),
        short_verbs=frozenset(match.group(1) for match in _SHORT_VERB.finditer(text)),
        conditionals=frozenset(match.group(1) for match in _NEW_IF.finditer(text)),
        glossary=dict(find_glossary(text)),
        packages=frozenset(_packages(text)),
        shorthands=frozenset(
            "german" if match.group(1) in ("german", "austrian") else "russian"
            for match in _SHORTHANDS.finditer(text)
        ),
    )
    return NOTHING if found == NOTHING else found


def _packages(text: str) -> Iterator[str]:
    for match in _LOADED.finditer(text):
        names = {name.strip() for name in match[2].split(",")}
        yield from names & _OF_PACKAGES.keys()
        if "biblatex" in names and _ABNT_STYLE.search(match[1] or ""):
            yield "abnt"


def _definitions(text: str) -> Iterator[Definition]:
    parameters: tuple[Argument, ...]
    for match in _NEWCOMMAND.finditer(text):
        parameters, defaults, position = _latex_parameters(text, match.end(), match.group())
        yield from _definition(text, match, parameters, position, defaults)
    for match in _NEW_DOCUMENT_COMMAND.finditer(text):
        end = brace_end(text, match.end())
        if end is not None:
            parameters, defaults = _document_parameters(text[match.end() + 1 : end - 1])
            yield from _definition(text, match, parameters, end, defaults)
    for match in _NEWENVIRONMENT.finditer(text):
        yield from _environment(text, match)
    for match in _DEF.finditer(text):
        parameters = tuple(_DEF_KINDS[m.lastindex or 3] for m in _DEF_PARAMETER.finditer(match[2]))
        yield from _definition(text, match, parameters, match.end())


def _environment(text: str, match: re.Match[str]) -> Iterator[Definition]:
    r"""Yield an environment as the command that begins it, ``\begin{name}``, with its arguments."""
    if match[1] and (span := argument_span(text, match.end())) is not None:
        (parameters, _), position = _document_parameters(text[slice(*span)]), span[1] + 1
    else:
        parameters, _, position = _latex_parameters(text, match.end(), match.group())
    begin = argument_span(text, position)
    end = begin and argument_span(text, begin[1] + 1)
    if begin and end:
        parts = (text[start : min(stop, start + _MAX_BODY)] for start, stop in (begin, end))
        body = " ".join(parts)
        yield Definition(f"begin{{{match[2]}}}", parameters, body, match.start(), end[1] + 1)


def _definition(
    text: str,
    match: re.Match[str],
    parameters: tuple[Argument, ...],
    position: int,
    defaults: _Defaults = (),
) -> Iterator[Definition]:
    span = argument_span(text, position)
    if span is not None:
        start, end = span
        body = text[start : min(end, start + _MAX_BODY - 1)]
        yield Definition(match.group(1), parameters, body, match.start(), end + 1, defaults)


def _latex_parameters(
    text: str, position: int, command: str
) -> tuple[tuple[Argument, ...], _Defaults, int]:
    r"""Read ``[2][default]``; `\newcommandx` names its optional parameters in the second."""
    start = skip_space(text, position)
    count = re.compile(r"\[\s*(\d)\s*\]").match(text, start)
    if count is None:
        return (), (), position
    number, position, optional = int(count.group(1)), count.end(), 0
    defaults: _Defaults = ()
    if (given := option_span(text, position)) is not None:
        optional, defaults = 1, ((1, text[slice(*given)]),)
        if "commandx" in command.lower():
            named = _DEFAULTED.findall(text[slice(*given)])
            defaults = tuple((int(digit), value) for digit, value in named)
            optional = max((number for number, _ in defaults), default=1)
        position = given[1] + 1
    kinds: list[Argument] = ["o"] * optional
    kinds += ["m"] * (number - optional)
    return tuple(kinds), defaults, position


def _document_parameters(specification: str) -> tuple[tuple[Argument, ...], _Defaults]:
    """Read an xparse argument specification such as ``s O{} m``."""
    parameters: list[Argument] = []
    defaults: list[tuple[int, str]] = []
    position = 0
    while position < len(specification):
        letter = specification[position]
        position += 1
        if letter in "mv":
            parameters.append("m")
        elif letter in "oO":
            parameters.append("o")
        elif letter == "s":
            parameters.append("s")
        elif letter in "dDrR":
            opening = specification[position : position + 1]
            parameters.append("(" if opening == "(" else "<" if opening == "<" else "o")
            position += 2
        if letter in "ODRE>":
            start = skip_space(specification, position)
            if specification[start : start + 1] == "{":
                position = brace_end(specification, start) or start + 1
                if letter in "ODR":
                    defaults.append((len(parameters), specification[start + 1 : position - 1]))
    return tuple(parameters), tuple(defaults)


_ALIAS_BODY = re.compile(
    r"(?:\\protect|\\unskip|~|\\xspace|\\,|\s)*\\(begin\{[A-Za-z\d*]+\}|[A-Za-z@]+)\*?\s*"
    r"(?:\\end\{[A-Za-z]+\}\s*)?"
)
#: How deep one own command may be built on another.
_DEPTH = 5
_MAX_TEXT = 200
#: Longest part of a definition's body that is searched for uses of its arguments.
_MAX_BODY = 4_000
#: Bodies that do something other than print words.
_NO_WORDS = re.compile(r"\\(?:begin|end|def|let|set|csname|if)|@")


@lru_cache(maxsize=16)
def learn_commands(found: tuple[Definitions, ...]) -> CommandTable:
    """Combine the definitions of a draft's files with the known commands."""
    shapes = dict(KNOWN_COMMANDS)
    for file in found:
        shapes.update(file.shapes)
        for package in file.packages:
            shapes.update(_OF_PACKAGES[package])
    definitions = [d for file in found for d in file.definitions]
    for _ in range(_DEPTH):
        before = len(shapes)
        for new, old in (copy for file in found for copy in file.copies):
            if old in shapes and new not in shapes and "@" not in new:
                shapes[new] = shapes[old]
        for definition in definitions:
            if definition.name in shapes or "@" in definition.name:
                continue
            learnt = _shape_of(definition, shapes)
            if learnt is not None:
                shapes[definition.name] = learnt
        if len(shapes) == before:
            break
    printing = [
        d
        for d in definitions
        if len(d.body) <= _MAX_TEXT and d.name not in shapes and not _NO_WORDS.search(d.body)
    ]
    return CommandTable(
        shapes=shapes,
        texts={d.name: d.body for d in printing if not d.parameters and "#" not in d.body},
        hiding=Hiding(
            HIDDEN_ENVIRONMENTS.union(*(f.hidden_environments for f in found)),
            frozenset().union(*(f.short_verbs for f in found)),
            frozenset().union(*(f.conditionals for f in found)),
        ),
        macros={d.name: (d.parameters, d.body) for d in printing if d.parameters},
        naming=own_file_commands(found),
        glossary={label: forms for file in found for label, forms in file.glossary.items()},
        shorthands=frozenset().union(*(f.shorthands for f in found)),
    )


def own_file_commands(
    files: Iterable[Definitions], known: Mapping[str, Definition] | None = None
) -> dict[str, Definition]:
    """Return the commands that name a file with a parameter, besides those `known` already."""
    found = dict(known or {})
    files = list(files)
    definitions = [each for file in files for each in reversed(file.definitions)]
    aliases = [copy for file in files for copy in file.copies]
    aliases += [
        (each.name, alias[1])
        for each in definitions
        if not each.parameters and (alias := _ALIAS_BODY.fullmatch(each.body.strip()))
    ]
    for _ in range(_DEPTH):
        before = len(found)
        for each in definitions:
            is_new = each.parameters and each.name not in found and each.name not in FILE_COMMANDS
            if is_new and "#" in each.body and names_by_parameter(each.body, found):
                # Without its place: what is equal stays equal where the text moves.
                found[each.name] = replace(each, start=0, end=0)
        for new, old in aliases:
            if old in found:
                found.setdefault(new, found[old])
            elif old in WITH_ONE_ARGUMENT and new not in FILE_COMMANDS:
                found.setdefault(new, Definition(new, ("m",), rf"\{old}{{#1}}"))
        if len(found) == before:
            break
    return found


def _shape_of(definition: Definition, shapes: Mapping[str, CitationShape]) -> CitationShape | None:
    """Return the shape of a command that passes its arguments on to a citation command."""
    alias = _ALIAS_BODY.fullmatch(definition.body.strip())
    if alias and not definition.parameters:
        return shapes.get(alias.group(1))
    *_, last = (None, *COMMAND.finditer(definition.body))
    if last is not None:
        shape = shapes.get(last.group(1) or "")
        end = options_end(definition.body, last.end())
        if shape and shape.layout == "single" and not definition.body[end:].strip():
            # \newcommand{\seecite}{\citep[see][]}: the keys come after the command's own arguments.
            parameters: tuple[Argument, ...] = (*definition.parameters, "o", "m")
            keys = frozenset({len(parameters)})
            return CitationShape("own", parameters, keys, shape.listed_only)
    handed_on: set[int] = set()
    listed_only = True
    for match in COMMAND.finditer(definition.body):
        shape = shapes.get(match.group(1) or "")
        if shape is None:
            continue
        for start, end in key_arguments(definition.body, match.end(), shape).spans:
            numbers = re.findall(r"(?:^|,)\s*#(\d)\s*(?=,|$)", definition.body[start:end])
            if numbers:
                handed_on.update(int(number) for number in numbers)
                listed_only = listed_only and shape.listed_only
    if not handed_on:
        return None
    return CitationShape("own", definition.parameters, frozenset(handed_on), listed_only)
