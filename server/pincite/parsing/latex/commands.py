r"""Which LaTeX commands cite or name files, how their arguments are laid out, what a draft defines.

The commands of LaTeX, natbib, biblatex (with its style packages), apacite, chicago, jurabib,
harvard, abntex2cite, amsrefs, multibib, csquotes and REVTeX are known, some of them where their
package is loaded. A draft's own commands and environments are learnt from its definitions, if they
pass an argument on to a known command. An environment is known by what begins it, ``begin{name}``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, NamedTuple

from .arguments import (
    OPTIONS,
    CitationShape,
    argument_span,
    key_arguments,
    option_span,
    options_end,
    read_arguments,
)

#: Commands with one key list that only biblatex has.
BIBLATEX_SINGLE = """
parencite Parencite footcite Footcite footcitetext Footcitetext textcite Textcite smartcite
Smartcite autocite Autocite footfullcite notecite Notecite pnotecite fnotecite
""".split()
#: Others that print two notes, ``[pre][post]``.
_TWO_NOTES = """
cite Cite citep Citep citet Citet citealt Citealt citealp Citealp citeauthor Citeauthor
citefullauthor Citefullauthor citeyear citeyearpar citetalias citepalias citetitle Citetitle
citedate citeurl fullcite Fullcite parentcite pagescite yearpagescite yearcite authornumcite citec
Pnotecite upcite citetns citepns citetv parencitetv textcitetv posscite posscitet posscitealt
possciteauthor sfcite shortformcite idemcite footidemcite inparencite citenobr sidecite sidecitet
shortcitet shortcitep shortcitealt shortcitealp
""".split()
#: Those of apacite, chicago, harvard and abntex2, which have no second optional argument.
_ONE_NOTE = """
citeA citeN citeNP citeANP citeNN shortcite Shortcite shortciteA shortciteN shortciteNP shortciteANP
shortciteNN fullciteA fullciteNP fullciteNN citeauthorNP citeyearNP shortciteauthor
shortciteauthorNP fullciteauthor fullciteauthorNP citeauthort Citeauthort citeauthorp Citeauthorp
citeasnoun citeaffixed possessivecite citeonline cfcite
""".split()
#: apacite and apa7 can mask a citation for reviewers.
_MASKED = [f"mask{n}" for n in (*_ONE_NOTE, *_TWO_NOTES, "citenum", *BIBLATEX_SINGLE)]
_WITHOUT_NOTE = """
Citeyear citenum citeurldate onlinecite citen citesuper citeapo citegen citework citelabel supercite
Supercite fullcitebib headlesscite headlessfullcite titlecite citejournal surnamecite shortrefcite
shorthandcite footcitet footciteauthor foottextcite inlinecite lowcite bibentry newcite yrcite
citeay citeaycomma citeauthoryear nptextcite textcitea citealtp citeposs citetpos citepos
citefirstlastauthor citeauthoronline footciteref citeifnotcited citeonlineifnotcited plaincite
citelastname citeyearorsh citetitleonly footcitetitle citeincite fullciteincite gentextcite
Gentextcite Headlesscite Shortrefcite shorthandrefcite runcite headlessparencite
headlessparenshortcite atcite atpcite parenfullcite citeup opencite acite Acite citenoparens citealn
pgcitet pgcitep pgcitealt ccite footcitep footcitealt footcitealp footciteyear
""".split()
_LISTED_ONLY = """
nocite nocitemeta maskednocite masknocite assignrefcontextentries nextcitefull nextciteshort
nextcitenotitle nextcitereset citeswithoutentry shortcites defcitealias entrydata entryset
""".split()
_GROUPED = """
cite Cite supercite Supercite fullcite citetitle citeauthor Citeauthor citeyear citeincite citec
citet fullciteincite gentextcite Gentextcite headlesscite Headlesscite headlessfullcite surnamecite
headlessparencite headlessparenshortcite foottextcite authornumcite posscite sfcite shortformcite
idemcite footidemcite
""".split()
MULTIPLE = [*(f"{name}s" for name in (*BIBLATEX_SINGLE, *_GROUPED)), "textapud", "mcite"]
VOLUMES = [f"{each}olcite" for each in "v V pv Pv fv Fv ftv Ftv sv Sv tv Tv av Av".split()]

QUOTATIONS = "textcquote blockcquote blockquotecite begin{displaycquote}".split()
FOREIGN_QUOTATIONS = """
foreigntextcquote hyphentextcquote foreignblockcquote hyphenblockcquote hybridblockcquote
begin{foreigndisplaycquote} begin{hyphendisplaycquote}
""".split()

_CITE = CitationShape(f"{OPTIONS}m", frozenset({4}))
_MULTICITE = CitationShape("e((", repeated="aam", notes=2)
#: After another argument: the volume, or the language.
_SECOND = CitationShape(f"am{OPTIONS}m", frozenset({6}))
KNOWN_COMMANDS: Mapping[str, CitationShape] = {
    **dict.fromkeys(_WITHOUT_NOTE, _CITE),
    **dict.fromkeys((*_ONE_NOTE, *_MASKED), _CITE._replace(notes=1)),
    **dict.fromkeys((*BIBLATEX_SINGLE, *_TWO_NOTES, *QUOTATIONS), _CITE._replace(notes=2)),
    **dict.fromkeys(_LISTED_ONLY, _CITE._replace(listed_only=True)),
    **dict.fromkeys(MULTIPLE, _MULTICITE),
    # What they print of the entry is another argument: \citename{key}[format]{author}.
    **dict.fromkeys(("citefield", "citelist", "citename"), _CITE._replace(parameters="aaoomom")),
    # biblatex ignores their notes.
    **dict.fromkeys(("supercites", "Supercites"), _MULTICITE._replace(notes=0)),
    **dict.fromkeys(VOLUMES, _SECOND._replace(notes=1)),
    **dict.fromkeys(FOREIGN_QUOTATIONS, _SECOND._replace(notes=2)),
    **{f"{name}s": CitationShape("e((", repeated="amaam", notes=1) for name in VOLUMES},
    # \addtocategory{category}{keys} and \defbibentryset{set}{keys} of biblatex,
    # \DeclareAcronym{label}{cite = {keys}} of acro
    **dict.fromkeys(
        ("addtocategory", "defbibentryset"), CitationShape("mm", frozenset({1}), listed_only=True)
    ),
    "DeclareAcronym": CitationShape("", listed_only=True, options=("cite",)),
}
_ABNTEX = {
    **dict.fromkeys(("apud", "apudonline"), CitationShape("omm", frozenset({1, 2}))),
    **dict.fromkeys("Idem Ibidem opcit passim loccit etseq citetext".split(), _CITE),
}
#: Citation commands of packages whose names elsewhere do not cite, or are laid out differently.
_OF_PACKAGES: Mapping[str, Mapping[str, CitationShape]] = {
    **dict.fromkeys(("abntex2", "abntex2cite", "abntcite"), _ABNTEX),
    "abnt": {"apud": _MULTICITE},  # a style of biblatex
    "jurabib": {"citefield": CitationShape("omm", frozenset({2}))},
    "amsrefs": {
        **dict.fromkeys("ocite ycite ocites ycites fullocite citeauthory".split(), _CITE),
        "citelist": CitationShape(""),
    },
}

FOLDER_INCLUDES = frozenset(
    "import subimport includefrom inputfrom subincludefrom subinputfrom".split()
)
# \includepaper of langscibook includes a chapter of an edited volume, \loadglsentries a glossary.
TEXT_INCLUDES = FOLDER_INCLUDES | {"SweaveInput"}.union(
    "input include subfile subfileinclude InputIfFileExists includepaper loadglsentries".split()
)
PACKAGE_INCLUDES = frozenset(
    "usepackage RequirePackage documentclass LoadClass LoadClassWithOptions documentstyle".split()
)
BIBLIOGRAPHIES = frozenset(
    "bibliography nobibliography addbibresource addglobalbib addsectionbib putbib "
    "defaultbibliography newrefsection begin{refsection} begin{btSect}".split()
)
_FILE_COMMANDS = TEXT_INCLUDES | PACKAGE_INCLUDES | BIBLIOGRAPHIES
#: Those with one argument, for which a draft's own command may stand.
_WITH_ONE_ARGUMENT = _FILE_COMMANDS - FOLDER_INCLUDES - {"InputIfFileExists", "putbib"}
#: multibib defines such commands as \bibliographyweb.
KNOWN_NAMES = rf"{'|'.join(sorted(map(re.escape, _FILE_COMMANDS)))}|bibliography(?!style)[A-Za-z]+"
_NAMES_FILES = re.compile(KNOWN_NAMES)
#: The arguments of a command that names a file, up to a parameter in the name.
_UP_TO_PARAMETER = re.compile(
    r"\s*(?:\[[^\[\]#]*\]\s*|\{[^{}#]*\}\s*)*[\[{]?"
    r"[^\[\]{}#]*(?:\\(?:subfix|detokenize)\s*\{[^\[\]{}#]*)?#\d"
)

#: Listings and comments.
HIDDEN_ENVIRONMENTS = frozenset(
    """
    verbatim verbatim* Verbatim Verbatim* BVerbatim LVerbatim SaveVerbatim VerbatimOut verbatimtab
    verbatimwrite lstlisting lstlisting* minted minted* filecontents filecontents* comment ltxcode
    ltxexample sourcecode listing* tcblisting dispListing spverbatim python pycode pyblock
    pyverbatim luacode luacode* asy sageblock sagesilent codeexample CCSXML
    """.split()
)


class Definition(NamedTuple):
    """A command that a draft defines, with its parameters' defaults by 1-based numbers."""

    name: str
    parameters: str
    body: str
    defaults: Mapping[int, str]


class Hiding(NamedTuple):
    r"""What hides text: environments, signs such as ``|`` for ``\verb|``, unusual conditionals."""

    environments: frozenset[str] = frozenset()
    short_verbs: frozenset[str] = frozenset()
    conditionals: frozenset[str] = frozenset()


#: What hides text in every draft.
HIDING: Final = Hiding(HIDDEN_ENVIRONMENTS)


@dataclass(frozen=True, slots=True)
class Definitions:
    """What one text defines that changes how the draft's files are read.

    `places` maps the start of each definition to those of its body and its end. `packages` are
    those that it loads, of those with citation commands of their own, `shorthands` languages that
    give ``"`` a meaning.
    """

    definitions: tuple[Definition, ...] = ()
    copies: tuple[tuple[str, str], ...] = ()
    hiding: Hiding = Hiding()  # noqa: RUF009 - immutable
    glossary: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    packages: frozenset[str] = frozenset()
    shorthands: frozenset[str] = frozenset()
    # Not compared: they move with each letter typed in front, and no command changes by that.
    places: Mapping[int, tuple[int, int]] = field(default_factory=dict, compare=False)

    def __hash__(self) -> int:
        """Return the same for equal definitions: any of their text may be typed again."""
        own = tuple((each.name, each.body) for each in self.definitions)
        return hash((own, self.copies, frozenset(self.glossary), self.packages))


#: What most parts of a text define.
NOTHING: Final = Definitions()


@dataclass(frozen=True, slots=True)
class CommandTable:
    """Everything needed to read a draft's files: its citation commands and its own macros.

    `texts` maps the draft's own commands without parameters to their text, `macros` has those with
    parameters, `glossary` labels with a short and a long form. `naming` are own commands that name
    a file with one of their parameters.
    """

    shapes: Mapping[str, CitationShape] = field(default_factory=lambda: KNOWN_COMMANDS)
    texts: Mapping[str, str] = field(default_factory=dict)
    hiding: Hiding = HIDING
    macros: Mapping[str, Definition] = field(default_factory=dict)
    glossary: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    shorthands: frozenset[str] = frozenset()
    naming: Mapping[str, Definition] = field(default_factory=dict)

    def __hash__(self) -> int:
        """Return the same for one table only, so that a cache need not look at all commands."""
        return id(self)


#: A command, or the beginning of an environment: its name, and whether it has a star.
COMMAND = re.compile(r"\\(?:(begin\{[A-Za-z\d*]+\}|[A-Za-z@]+)(\*?)|.)", re.DOTALL)
_NAME = r"\s*\{?\s*\\([A-Za-z@]+)\s*\}?"
_DEFINITION = re.compile(
    r"\\(?:(?:(?:re)?new|provide)(?:command(?:x|twoopt)?|robustcmd)"
    rf"|DeclareRobustCommandx?|DeclareMathOperator)\*?{_NAME}"
    rf"|\\(?:New|Renew|Provide|Declare)(?:Expandable)?DocumentCommand{_NAME}\s*(?=\{{)"
    r"|\\(?:(?:re)?newenvironment\*?|((?:New|Renew|Provide|Declare)DocumentEnvironment))"
    r"\s*\{([A-Za-z\d*]+)\}"
    r"|\\(?:long\s*\\)?[gex]?def\s*\\([A-Za-z@]+)((?:[^\S\r\n]|[^{}\\\s]){0,60}\s{0,9})(?=\{)"
)
_DEF_PARAMETER = re.compile(r"([\[(]?)#\d[\])]?")
_COUNT = re.compile(r"\s*\[\s*(\d)\s*\]")
_BRACED = r"\{((?:[^{}]|\{[^{}]*\})*)\}"
#: A parameter in an xparse specification such as ``s O{} m``, with its default.
_XPARSE = re.compile(rf"(?:([mvsoO])|[dDrR](.).)(?:\s*{_BRACED})?|[>eE]\s*{_BRACED}")
_COPY = re.compile(
    r"\\let\s*\\([A-Za-z@]+)\s*=?\s*\\([A-Za-z@]+)"
    rf"|\\(?:(?:New|Renew|Declare)CommandCopy|LetLtxMacro){_NAME}{_NAME}"
)
#: What is before the name of a command that is not used, but defined or changed.
_DEFINING = re.compile(
    r"(?:\\(?:(?:(?:re)?new|provide)(?:command(?:x|twoopt)?|robustcmd)|[gex]?def|let"
    r"|DeclareRobustCommandx?|(?:New|Renew|Provide|Declare)(?:Expandable)?(?:DocumentCommand|CommandCopy)"
    r"|Declare(?:Multi)?CiteCommand|string|meaning|show|undef|csletcs|futurelet"
    r"|robustify|patchcmd|pretocmd|apptocmd|LetLtxMacro|expandafter|noexpand)\*?"
    r"|\\(?:let|LetLtxMacro|(?:New|Renew|Declare)CommandCopy)\s*\{?\s*\\[A-Za-z@]+\s*\}?\s*=?)"
    r"\s*\{?\s*$"
)
_MAX_DEFINING = 80
#: The body of a definition that makes a command another name for a known one.
_ALIAS_BODY = re.compile(
    r"(?:\\protect|\\unskip|~|\\xspace|\\,|\s)*\\(begin\{[A-Za-z\d*]+\}|[A-Za-z@]+)\*?\s*"
    r"(?:\\end\{[A-Za-z]+\}\s*)?"
)
_DECLARE_CITE = re.compile(rf"\\Declare(Multi)?CiteCommand\*?{_NAME}")
_OPTIONS = r"\s*(?:\[([^\]]{0,2000})\]\s*)?"
_NEWCITES = re.compile(rf"\\newcites{_OPTIONS}\{{([^{{}}]*)\}}")
_NEW_HIDDEN = re.compile(
    r"\\(?:lstnewenvironment|newtcblisting|NewTCBListing|DeclareTCBListing|newverbatim"
    r"|DefineVerbatimEnvironment|RecustomVerbatimEnvironment)\s*(?:\[[^\]]{0,2000}\])?\s*\{([A-Za-z*]+)\}"
    r"|\\excludecomment\s*\{([A-Za-z*]+)\}|\\newenvironment\*?\s*\{([A-Za-z*]+)\}\s*(?:\[\d\])?"
    r"\s*\{\s*\\(?:verbatim|lstlisting|Verbatim|comment)\b"
)
_NEW_MINTED = re.compile(rf"\\newminted{_OPTIONS}\{{([^{{}}]*)\}}")
_SHORT_VERB = re.compile(
    r"\\(?:MakeShortVerb|DefineShortVerb|lstMakeShortInline)\*?\s*(?:\[[^\]]{0,2000}\])?\s*\{?\s*\\?(\W)"
)
_NEW_IF = re.compile(r"\\newif\s*\\(if[A-Za-z@]+)")
_SHORTHANDS = re.compile(
    r"\\(?:usepackage|RequirePackage|documentclass)\s*"
    r"\[[^\]]{0,500}?(german|austrian|russian|ukrainian)"
)
_LOADED = re.compile(
    rf"\\(?:usepackage|RequirePackage|documentclass|LoadClass){_OPTIONS}\{{([^{{}}]{{0,500}})\}}"
)
_ABNT_STYLE = re.compile(r"style\s*=\s*abnt\b")
_DEFAULTED = re.compile(r"(?:^|,)\s*(\d)\s*=\s*([^,]*)")
#: Acronyms and glossary entries of glossaries, glossaries-extra, acronym and acro.
_ENTRY = re.compile(
    r"\\(newacronym|newabbreviation|acrodef|acro|(?:new|provide)glossaryentry|DeclareAcronym)"
    r"(?![A-Za-z])"
)
_SETTING = re.compile(
    r"(?:\A|,)\s*(name|text|short|long)\s*=\s*(?:\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}|([^,]*))"
)
_MAX_ENTRY = 2_000


def is_being_defined(visible: str, start: int) -> bool:
    """Return whether the command at `start` is not used there, but defined or changed."""
    return _DEFINING.search(visible, max(0, start - _MAX_DEFINING), start) is not None


@lru_cache(maxsize=2)
def find_definitions(text: str) -> Definitions:
    """Find what `text`, with its comments and listings blanked out, defines."""
    copies = [(m[1] or m[3], m[2] or m[4]) for m in _COPY.finditer(text)]
    for match in _NEWCITES.finditer(text):
        for suffix in filter(None, (name.strip() for name in match[2].split(","))):
            copies += ((old + suffix, old) for old in (*_TWO_NOTES, "nocite", *BIBLATEX_SINGLE))
    declared = _DECLARE_CITE.finditer(text)
    copies += ((m[2], "parencites" if m[1] else "parencite") for m in declared)
    hidden = {name for match in _NEW_HIDDEN.finditer(text) for name in match.groups() if name}
    hidden |= {match[1] or f"{match[2]}code" for match in _NEW_MINTED.finditer(text)}
    packages: set[str] = set()
    for match in _LOADED.finditer(text):
        names = {name.strip() for name in match[2].split(",")}
        packages |= names & _OF_PACKAGES.keys()
        if "biblatex" in names and _ABNT_STYLE.search(match[1] or ""):
            packages.add("abnt")
    german = {match[1] in ("german", "austrian") for match in _SHORTHANDS.finditer(text)}
    placed = list(_definitions(text))
    plain = (own for own, *_ in placed if not own.parameters)
    aliases = [(own.name, body[1]) for own in plain if (body := _ALIAS_BODY.fullmatch(own.body))]
    found = Definitions(
        definitions=tuple(definition for definition, *_ in placed),
        copies=(*copies, *aliases),
        hiding=Hiding(
            frozenset(hidden),
            frozenset(match[1] for match in _SHORT_VERB.finditer(text)),
            frozenset(match[1] for match in _NEW_IF.finditer(text)),
        ),
        glossary=dict(_glossary(text)),
        packages=frozenset(packages),
        shorthands=frozenset("german" if each else "russian" for each in german),
        places={start: (body, end) for _, start, body, end in placed},
    )
    return NOTHING if found == NOTHING else found


def _definitions(text: str) -> Iterator[tuple[Definition, int, int, int]]:
    """Yield what a text defines, with the starts of it and of its (last) body, and its end."""
    for match in _DEFINITION.finditer(text):
        latex, document, environment, begins, plain, delimited = match.groups()
        position, defaults = match.end(), dict[int, str]()
        if plain:
            kinds = (m[1] for m in _DEF_PARAMETER.finditer(delimited))
            parameters = "".join({"[": "o", "(": "("}.get(kind, "m") for kind in kinds)
        elif document or environment:
            if (given := argument_span(text, position)) is None:
                continue
            parameters, position = "", given[1] + 1
            for each in _XPARSE.finditer(text[slice(*given)]):
                if kind := each[1] or each[2]:
                    signs = {"v": "m", "m": "m", "s": "s", "(": "(", "<": "<"}
                    parameters += signs.get(kind, "o")
                    if each[3]:
                        defaults[len(parameters)] = each[3]
        else:
            parameters, defaults, position = _latex_parameters(text, position, match[0])
        if (span := argument_span(text, position)) is None:
            continue
        body = text[span[0] : min(span[1], span[0] + _MAX_BODY - 1)]
        if begins:
            if (ending := argument_span(text, span[1] + 1)) is None:
                continue
            body += f" {text[ending[0] : min(ending[1], ending[0] + _MAX_BODY)]}"
            span = ending
        name = f"begin{{{begins}}}" if begins else latex or document or plain
        yield Definition(name, parameters, body, defaults), match.start(), span[0], span[1] + 1


def _latex_parameters(text: str, position: int, command: str) -> tuple[str, dict[int, str], int]:
    r"""Read ``[2][default]``; `\newcommandx` names its optional parameters in the second."""
    if (count := _COUNT.match(text, position)) is None:
        return "", {}, position
    total, position, optional = int(count[1]), count.end(), 0
    defaults: dict[int, str] = {}
    if (given := option_span(text, position)) is not None:
        optional, defaults, position = 1, {1: text[slice(*given)]}, given[1] + 1
        if "commandx" in command.lower():
            defaults = {int(number): value for number, value in _DEFAULTED.findall(defaults[1])}
            optional = max(defaults, default=1)
        elif "twoopt" in command and (second := option_span(text, position)) is not None:
            optional, defaults[2], position = 2, text[slice(*second)], second[1] + 1
    return "o" * optional + "m" * (total - optional), defaults, position


def _glossary(text: str) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield the label of every acronym and entry that `text` defines, its short and long form."""
    for match in _ENTRY.finditer(text):
        spans = read_arguments(text, match.end(), "omomm", _MAX_ENTRY).spans
        given = [text[slice(*span)].strip() if span else "" for span in spans]
        _, label, option, first, second, *_ = (*given, *[""] * 5)
        named = {each[1]: (each[2] or each[3] or "").strip() for each in _SETTING.finditer(first)}
        short = named.get("short") or named.get("text") or named.get("name", "")
        long = named.get("long", short)
        if match[1] in ("acro", "acrodef"):
            short, long = option or label, first or label
        elif match[1] in ("newacronym", "newabbreviation"):
            short, long = first and second and first, second
        if len(spans) > 1 and (short or match[1].startswith("acro")):
            yield label, (short, long)


#: How deep one own command may be built on another.
_DEPTH = 5
_MAX_TEXT = 200
#: Longest part of a definition's body that is searched for uses of its arguments.
_MAX_BODY = 4_000
#: Bodies that do something other than print words.
_NO_WORDS = re.compile(r"\\(?:begin|end|def|let|set|csname|if)|@")


@lru_cache(maxsize=512)  # for a draft, and for each of its files that defines something: 10 kB each
def learn_commands(found: tuple[Definitions, ...]) -> CommandTable:
    """Combine the definitions of a draft's files with the known commands."""
    shapes = dict(KNOWN_COMMANDS)
    for file in found:
        for package in file.packages:
            shapes.update(_OF_PACKAGES[package])
    definitions = [d for file in found for d in file.definitions]
    copies = [copy for file in found for copy in file.copies]
    copied = {new for new, _ in copies}
    for _ in range(_DEPTH):
        before = len(shapes)
        for new, old in copies:
            if old in shapes and "@" not in new:
                shapes.setdefault(new, shapes[old])
        for definition in definitions:
            is_copy = definition.name in copied and not definition.parameters
            if is_copy or "@" in definition.name:
                continue
            learnt = _shape_of(definition, shapes)
            first = {definition.parameters.find("m")}
            # An own meaning of a known name counts where its keys stand elsewhere.
            if learnt and (definition.name not in shapes or not learnt.keys <= first):
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
        hiding=Hiding(*map(frozenset().union, HIDING, *(f.hiding for f in found))),
        macros={d.name: d for d in printing if d.parameters},
        naming=_own_file_commands(found, copies),
        glossary={label: forms for file in found for label, forms in file.glossary.items()},
        shorthands=frozenset().union(*(f.shorthands for f in found)),
    )


def _own_file_commands(
    files: tuple[Definitions, ...], copies: Sequence[tuple[str, str]]
) -> dict[str, Definition]:
    """Return the commands that name a file with a parameter."""
    found: dict[str, Definition] = {}

    def names_file(body: str) -> bool:
        uses = ((use[1] or "", use.end()) for use in COMMAND.finditer(body))
        ends = (end for name, end in uses if name in found or _NAMES_FILES.fullmatch(name))
        return any(_UP_TO_PARAMETER.match(body, end) for end in ends)

    definitions = [d for file in files for d in reversed(file.definitions)]
    for _ in range(_DEPTH):
        before = len(found)
        for each in definitions:
            is_new = each.parameters and each.name not in found and each.name not in _FILE_COMMANDS
            if is_new and "#" in each.body and names_file(each.body):
                found[each.name] = each
        for new, old in copies:
            if old in found:
                found.setdefault(new, found[old])
            elif old in _WITH_ONE_ARGUMENT and new not in _FILE_COMMANDS:
                found.setdefault(new, Definition(new, "m", rf"\{old}{{#1}}", {}))
        if len(found) == before:
            break
    return found


def _shape_of(definition: Definition, shapes: Mapping[str, CitationShape]) -> CitationShape | None:
    """Return the shape of a command that passes its arguments on to a citation command."""
    parameters, body = definition.parameters, definition.body
    commands = [(shapes.get(match[1] or ""), match.end()) for match in COMMAND.finditer(body)]
    last, end = commands[-1] if commands else (None, 0)
    if last and last.parameters == _CITE.parameters and not body[options_end(body, end) :].strip():
        # \newcommand{\seecite}{\citep[see][]}: the keys come after the command's own arguments.
        keys = frozenset({len(parameters) + 1})
        return CitationShape(f"{parameters}om", keys, listed_only=last.listed_only)
    handed_on: set[int] = set()
    listed_only = True
    for shape, end in commands:
        for span in key_arguments(body, end, shape)[0] if shape else ():
            if numbers := re.findall(r"(?:^|,)\s*#(\d)\s*(?=,|$)", body[slice(*span)]):
                handed_on.update(int(number) - 1 for number in numbers)
                listed_only = listed_only and shape is not None and shape.listed_only
    if not handed_on:
        return None
    return CitationShape(parameters, frozenset(handed_on), listed_only=listed_only)
