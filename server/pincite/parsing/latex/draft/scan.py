"""Scan a file for what is needed before the draft's commands are known."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from ....model.drafts import EmbeddedFile
from ....model.programs import BIBER, BIBTEX, Program
from ....model.spans import TextSpan
from ..commands import CommandTable, Definitions, find_definitions, learn_commands
from ..file_commands import USE
from ..hidden import blank_hidden
from ..loose_ends import LooseEnds
from ..named_files import NamedFiles, find_named_files
from ..regions import Regions

# Lines may end with a lone carriage return.
_MAGIC, _LINE_ENDS = r"(?:^|(?<=\r))[ \t]*%+[ \t]*![ \t]*", r"[ \t]*(?=[\r\n]|\Z)"
_MAGIC_ROOT = re.compile(
    rf"{_MAGIC}TEX[ \t]+root[ \t]*=[ \t]*([^\s][^\r\n]*?){_LINE_ENDS}", re.IGNORECASE | re.M
)
_MAGIC_BIB = re.compile(
    rf"{_MAGIC}BIB[ \t]+(?:(?:TS-)?program[ \t]*=[ \t]*(?P<program>[\w-]+)"
    rf"|(?:\w*[ \t]*=[ \t]*)?(?P<file>[^\s][^\r\n]*?\.bib)){_LINE_ENDS}",
    re.IGNORECASE | re.M,
)
_MAGIC_LINES = 2_000
_BIBLATEX = re.compile(
    r"\\(?:usepackage|RequirePackage)\s*(?:\[(?P<options>[^\]]{0,2000})\])?\s*\{[^{}]*\bbiblatex\b"
    r"|\\PassOptionsToPackage\s*\{(?P<passed>[^{}]{0,2000})\}\s*\{[^{}]*\bbiblatex\b"
)
#: What only biblatex has, which a class of the distribution may load.
_OF_BIBLATEX = re.compile(r"\\(?:addbibresource|printbibliography)(?![A-Za-z])")
_BACKEND_BIBTEX = re.compile(r"\bbackend\s*=\s*bibtex")
_BABEL = re.compile(r"\\(?:usepackage|RequirePackage)\s*\[([^\]]{0,2000})\]\s*\{babel\}")
_POLYGLOSSIA = re.compile(
    r"\\(?:set(?:default|main)|select)language\s*(?:\[[^\]]{0,2000}\])?\s*\{([^{}]*)\}"
    r"|\\babelprovide\s*\[(?=[^\]]{0,200}?\bmain\b)[^\]]{0,500}\]\s*\{([^{}]*)\}"
)
_DOCUMENT = re.compile(r"\\(?:documentclass|begin\{document\})")


@dataclass(frozen=True)
class ScannedRegion:
    """What is needed from a region before the draft's commands are known."""

    text: str
    visible: str
    ends: LooseEnds
    #: None for none, as in most regions.
    definitions: Definitions | None
    named: NamedFiles
    embedded_files: tuple[EmbeddedFile, ...]
    document: TextSpan | None
    #: Whether it loads biblatex, or uses it.
    biblatex: bool
    #: The options of biblatex that it gives.
    options: str
    names_job: bool
    languages: tuple[str, ...]

    @cached_property
    def is_notable(self) -> bool:
        """Whether it has more than text, as few regions do."""
        return (
            self.definitions is not None
            or self.document is not None
            or self.biblatex
            or bool(self.embedded_files or self.languages)
            or self.names_job
            or self.named != NamedFiles()
        )

    @cached_property
    def commands(self) -> frozenset[str]:
        """The names of the commands in it."""
        return frozenset(USE.findall(self.visible))

    @classmethod
    def of(cls, text: str) -> ScannedRegion:
        """Scan the text of a region."""
        hidden = blank_hidden(text, CommandTable())
        visible = hidden.text
        document = _DOCUMENT.search(visible)
        packages = tuple(_BIBLATEX.finditer(visible))
        definitions = find_definitions(visible)
        return cls(
            text=text,
            visible=visible,
            ends=hidden.loose_ends,
            definitions=None if definitions == Definitions() else definitions,
            named=find_named_files(visible, CommandTable()),
            embedded_files=hidden.embedded_files,
            document=TextSpan(*document.span()) if document else None,
            biblatex=bool(packages) or _OF_BIBLATEX.search(visible) is not None,
            options=",".join(each["options"] or each["passed"] or "" for each in packages),
            names_job="\\jobname" in visible,
            languages=tuple(_languages(visible)),
        )


class Scan:
    """What is needed from a file before the draft's commands are known.

    `magic_roots` and `magic_bibliographies` are named in comments for editors. `program`
    reads the bibliographies, None if the file does not determine it; `biblatex` says whether it
    uses that package.
    """

    def __init__(
        self, text: str, regions: Regions[ScannedRegion], earlier: Scan | None = None
    ) -> None:
        """Take the regions of a text; `earlier` is the scan of the text that was read before."""
        self.text = text
        self._regions = regions
        self._notable_numbers = [*_notable(regions, earlier)]
        #: The regions that have more than text, and where they start.
        self._notable = [(regions.starts[n], regions.all[n]) for n in self._notable_numbers]
        notable = [each for _, each in self._notable]
        self.definitions = [each.definitions for each in notable if each.definitions is not None]
        own = learn_commands(self.definitions)
        self.texts, self.naming = own.texts, own.naming
        self.named = self.named_with(own)
        #: The macros in names of files, known or not.
        self.macros_in_names = frozenset().union(*(each.named.unresolved for each in notable))
        self.embedded_files = tuple(
            file.moved(start) for start, each in self._notable for file in each.embedded_files
        )
        # Nearly all files have none of these comments, and looking for a character is fast.
        head = text[:_MAGIC_LINES] if "!" in text[:_MAGIC_LINES] else ""
        self.magic_roots = tuple(match[1] for match in _MAGIC_ROOT.finditer(head))
        self.names_job = any(each.names_job for each in notable)
        magic = tuple(_MAGIC_BIB.finditer(head))
        self.magic_bibliographies = tuple(
            (match["file"], TextSpan(*match.span("file"))) for match in magic if match["file"]
        )
        self.program = _program(magic, (each.options for each in notable))
        self.biblatex = any(each.biblatex for each in notable)
        self.languages = tuple(name for each in notable for name in each.languages)

    def differs_only_in_text(self, other: Scan) -> bool:
        """Return whether the regions that have more than text are those of another scan."""
        pairs = zip(self._notable, other._notable, strict=False)
        is_same = all(own is known for (_, own), (_, known) in pairs)
        return is_same and len(self._notable) == len(other._notable)

    def cut(self, start: int, end: int) -> str:
        """Return the text between two offsets, which is not copied where it is a region's."""
        for region in self._regions.known_at(start):
            if len(region.text) == end - start:
                return region.text
        return self.text[start:end]

    @cached_property
    def visible(self) -> str:
        """The text without hidden parts, at equal length."""
        return "".join(each.visible for each in self._regions.all)

    @cached_property
    def document(self) -> TextSpan | None:
        """The first command that only main files have."""
        found = (each.document.moved(by) for by, each in self._notable if each.document is not None)
        return next(found, None)

    def named_with(self, table: CommandTable) -> NamedFiles:
        """Return what the file names, parsed with the commands of `table`."""
        own = table.naming.keys()
        # A command of the draft's own may be in any region.
        every = zip(self._regions.starts, self._regions.all, strict=True)
        found = [
            (
                start,
                find_named_files(each.visible, table)
                if each.named.unresolved or not own.isdisjoint(each.commands)
                else each.named,
            )
            for start, each in (every if own else self._notable)
        ]
        return NamedFiles(
            tuple(include.moved(by) for by, named in found for include in named.includes),
            tuple(name.moved(by) for by, named in found for name in named.bibliographies),
            tuple(item.moved(by) for by, named in found for item in named.bib_items),
            frozenset().union(*(named.unresolved for _, named in found)),
            tuple(option.moved(by) for by, named in found for option in named.options),
        )


def _notable(regions: Regions[ScannedRegion], earlier: Scan | None) -> Iterator[int]:
    """Yield the numbers of the regions that have more than text."""
    known = [] if earlier is None else earlier._notable_numbers
    before = 0 if earlier is None else len(earlier._regions.all)
    front, behind, end = regions.front, regions.behind, len(regions.all)
    yield from known[: bisect_left(known, front)]
    yield from (n for n in range(front, end - behind) if regions.all[n].is_notable)
    yield from (n + end - before for n in known[bisect_left(known, before - behind) :])


def program_of(scans: Collection[Scan]) -> Program:
    """Return the program that reads the bibliographies of a draft."""
    for scan in scans:
        if scan.program is not None:
            return scan.program
    return BIBER if any(scan.biblatex for scan in scans) else BIBTEX


def _program(magic: Iterable[re.Match[str]], options: Iterable[str]) -> Program | None:
    """Return the program that a file names, None if it names none."""
    for match in magic:
        if match["program"]:
            return BIBTEX if match["program"].lower().startswith("bibtex") else BIBER
    return BIBTEX if any(map(_BACKEND_BIBTEX.search, options)) else None


def _languages(visible: str) -> Iterator[str]:
    """Yield the names of the main languages that a file declares."""
    for match in _BABEL.finditer(visible):
        options = [option.strip() for option in match.group(1).split(",") if option.strip()]
        mains = [o.split("=", 1)[1].strip() for o in options if o.startswith("main")]
        plain = [option for option in options if "=" not in option]
        if chosen := (mains or plain[-1:]):
            yield chosen[0].lower()
    for match in _POLYGLOSSIA.finditer(visible):
        yield (match.group(1) or match.group(2)).strip().lower()
