"""The markup languages of drafts: a new one is an entry here and a package with its `name`.

A markup gives a reader of its drafts, its syntax, and how its authors cite.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

if TYPE_CHECKING:
    from ..model.drafts import Citation, CitationKey, CitationPlaceholder, Draft, DraftFile
    from ..model.edits import TextEdit
    from ..model.spans import TextSpan

#: Whether the bibliography has a key.
KnowsKey = Callable[[str], bool]


@dataclass(frozen=True, eq=False)
class Markup:
    """A markup language of drafts.

    Its code is in the module `markup` of the package with its `name`, imported when it is first
    needed: `SYNTAX`, and the functions `reader` and `conventions`, as the methods here return them.
    Folders are searched for `suffixes`; an editor's documents may have `other_suffixes`, or no file
    yet: `languages` has the suffix for each of its identifiers.
    """

    name: str
    suffixes: tuple[str, ...]
    other_suffixes: tuple[str, ...] = ()
    languages: Mapping[str, str] = field(default_factory=dict)
    #: Suffixes of its bibliographies besides `.bib`, and what names one.
    bibliography_suffixes: tuple[str, ...] = ()
    bibliography_commands: tuple[str, ...] = ()
    #: A placeholder for a citation.
    placeholder: str = ""
    #: A space at which no line ends.
    tie: str = "~"
    #: Whether such files are always drafts; a text in Markdown may be anything.
    only_drafts: bool = False

    @property
    def every_suffix(self) -> tuple[str, ...]:
        """The suffixes of all files in this language."""
        return self.suffixes + self.other_suffixes

    @cached_property
    def _code(self) -> Any:  # noqa: ANN401 - a module
        return import_module(f"{__package__}.{self.name}.markup")

    @property
    def syntax(self) -> Syntax:
        """How keys are typed and written."""
        found: Syntax = self._code.SYNTAX
        return found

    def reader(self, inputs: Any) -> MarkupReader:  # noqa: ANN401 - it needs the disk
        """Return a new reader of drafts; they are read from `drafts.DraftInputs`."""
        found: MarkupReader = self._code.reader(inputs)
        return found

    def conventions(self, *drafts: Draft) -> Conventions:
        """Return how drafts cite; pass a part of a draft together with the whole."""
        found: Conventions = self._code.conventions(*drafts)
        return found


class MarkupReader(Protocol):
    """Reads the drafts of one markup language, and caches what it parsed of each file.

    Paths are absolute and normal. Raises `InputError` if the draft at `path` cannot be read.
    """

    def read(self, path: Path, root: Path | None = None) -> Draft:
        """Read the draft at `path`; `root` is its main file if that is already known."""

    def read_alone(self, path: Path) -> Draft | None:
        """Read the draft at `path`, if it is a main file, names one or has works to cite."""

    def read_within(self, root: Path, path: Path) -> Draft | None:
        """Read the draft at `path` if the main file `root` reads it."""

    def includes(self, path: Path) -> tuple[Path, ...]:
        """Return the existing files that the draft with this main file consists of."""

    def inputs(self, path: Path) -> tuple[Path, ...]:
        """Return the files of the draft with this main file, including bibliographies."""

    def main_named_by(self, path: Path) -> Path | None:
        """Return the existing main file that the file at `path` names, if any."""

    def starts_document(self, path: Path) -> bool:
        """Return whether a file is certainly the main file of a draft."""


@dataclass(frozen=True, slots=True)
class KeySlot:
    r"""Where a key is being typed; a completion replaces `start` to `end`, which are in one line.

    `prefix` is the text up to the cursor, `search` what to search for, `taken` the other keys;
    `write` returns a key as it is written there: ``{key}`` in place of the ``<>`` of ``\cite<>``.
    `is_label`: the name there is a label of the draft, or may be one, unless a key is meant.
    """

    place: int
    start: int
    end: int
    prefix: str
    search: str = ""
    taken: frozenset[str] = frozenset()
    write: Callable[[str], str] = str
    is_label: bool = False


class Syntax(Protocol):
    """How a markup language cites, as far as keys and messages need it."""

    def may_cite(self, text: str) -> bool:
        """Return whether a text may have a citation; fast, and True if in doubt."""

    def certain_citations(self, file: DraftFile) -> Iterable[Citation]:
        """Return the citations of a file that can be nothing else: ``@name`` may be a person."""

    def key_slot(self, file: DraftFile, offset: int, known: KnowsKey) -> KeySlot | None:
        """Return the place for a key at `offset` of a text that may be half typed, if any is."""

    def can_cite_at(self, text: str, place: int) -> bool:
        """Return whether a place of prose may get a citation: none in headings and formulas."""

    def ends_cell(self, text: str, place: int) -> bool:
        """Return whether the sign at a place of prose stands between the cells of a table."""

    def key_edit(self, text: str, span: TextSpan, key: str) -> tuple[TextSpan, str]:
        """Return what to write, and in place of what, to replace the key in a span by another."""

    def shown(self, command: str) -> str:
        """Return a citation command as an author knows it."""

    def wants_citation(self, file: DraftFile, slot: KeySlot) -> bool:
        """Return whether a key typed at a slot cites, even if nothing else marks a draft."""

    def naming_edits(self, draft: Draft, name: str, texts: Iterable[str]) -> tuple[TextEdit, ...]:
        """Return the edits of its main file by which a draft that names none names a bibliography.

        `name` is a path from the main file's folder, `texts` are those of the draft's own packages.
        Empty where they would have no effect, or the name cannot be written.
        """


class Conventions(Protocol):
    """How a draft cites, and the edits of a citation in its markup."""

    @property
    def before(self) -> str:
        """The text in front of a citation."""

    @property
    def behind_stop(self) -> bool:
        """Whether a citation follows the full stop."""

    def citation(self, key: str, before: str) -> str:
        """Return a new citation of a key; `before` is the text of the file in front of it."""

    def filled(self, file: DraftFile, gap: CitationPlaceholder, key: str) -> TextEdit | None:
        """Return the edit that fills a special placeholder; None for one in words."""

    def extended(
        self, file: DraftFile, citation: Citation, key: str, offset: int
    ) -> tuple[TextEdit, ...]:
        """Return the edits that add another key to a closed citation, near `offset`."""

    def pinned(
        self, file: DraftFile, citation: Citation, key: CitationKey, page: str
    ) -> tuple[TextEdit, ...]:
        """Return the edits that put a page into the note after a key; none if it cannot be."""


LATEX: Final = Markup(
    "latex",
    suffixes=(".tex", ".ltx"),
    other_suffixes=(
        *(".latex", ".dtx", ".sty", ".cls", ".rnw", ".snw", ".rtex", ".jnw", ".jtexw"),
        *(".texw", ".pnw", ".tikz"),
    ),
    # With those that embed it. Any other document is read as LaTeX, so none needs a suffix.
    languages=dict.fromkeys(
        "latex tex plaintex plain-tex context latex-expl3 latex-package latex-class doctex rsweave "
        "rnoweb sweave jlweave pweave".split(),
        "",
    ),
    bibliography_commands=("\\bibliography", "\\addbibresource"),
    placeholder="\\cite{}",
    only_drafts=True,
)
MARKDOWN: Final = Markup(
    "markdown",
    suffixes=(".md", ".markdown", ".qmd", ".rmd"),
    other_suffixes=(".mdown", ".mkd", ".mkdn", ".pandoc", ".rmarkdown", ".myst"),
    languages={
        "markdown": ".md",
        "pandoc": ".md",
        "myst": ".md",
        "quarto": ".qmd",
        "rmd": ".Rmd",
        "rmarkdown": ".Rmd",
    },
    bibliography_suffixes=(".json", ".yaml", ".yml"),
    bibliography_commands=("“bibliography:” in the header",),
    placeholder="[@]",
    tie="\u00a0",
)
TYPST: Final = Markup(
    "typst",
    suffixes=(".typ",),
    languages={"typst": ".typ"},
    bibliography_suffixes=(".yaml", ".yml"),
    bibliography_commands=("#bibliography",),
    placeholder="#cite(<>)",
)
MARKUPS: Final = (LATEX, MARKDOWN, TYPST)
ALL_DRAFT_SUFFIXES: Final = tuple(suffix for markup in MARKUPS for suffix in markup.suffixes)
_BY_SUFFIX: Final = {suffix: markup for markup in MARKUPS for suffix in markup.every_suffix}


def markup_of(path: Path) -> Markup:
    """Return the markup of a file; LaTeX unless its suffix is that of another."""
    return _BY_SUFFIX.get(path.suffix.lower(), LATEX)
