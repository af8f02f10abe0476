"""What a markup language gives: a reader of its drafts, and its syntax where keys are written.

`drafts` chooses between the implementations by the name of a file. Nothing else knows which there
are: everything above works on `Draft`, with `Syntax` for what is typed and written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from ..model.drafts import Citation, Draft, DraftFile
from ..model.spans import TextSpan
from .disk import Disk

#: Reads a file's text, for open documents from the editor; raises `InputError`.
ReadText = Callable[[Path], str]
#: Finds a file by its name in a draft, if it is not in the usual places.
FindFile = Callable[[str], Path | None]
#: Finds stand-ins for bibliographies that the draft with this main file lacks.
FindStandIns = Callable[[Path], Iterable[Path]]
#: Whether the bibliography has a key.
KnowsKey = Callable[[str], bool]


class ReaderInputs(NamedTuple):
    """What a reader of drafts reads, and where it looks: see `DraftReader`."""

    read: ReadText
    disk: Disk
    find_bibliography: FindFile = lambda _name: None
    find_stand_ins: FindStandIns = lambda _main: ()
    workspace: Path | None = None


class MarkupReader(Protocol):
    """Reads the drafts of one markup language, and caches what it parsed of each file.

    Paths are absolute and normal.
    """

    def read(self, path: Path, root: Path | None = None) -> Draft:
        """Read the draft at `path`; `root` is its main file if that is already known.

        Raises `InputError` if `path` itself cannot be read.
        """

    def read_alone(self, path: Path) -> Draft | None:
        """Read the draft at `path`, if it is a main file, names one or has works to cite.

        Raises `InputError` when `path` cannot be read.
        """

    def read_within(self, root: Path, path: Path) -> Draft | None:
        """Read the draft at `path` if the main file `root` reads it.

        Raises `InputError` when `path` cannot be read.
        """

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

    `prefix` is the text from `start` to the cursor, `search` the part of it to search for; `taken`
    are the other keys of the command. `write` returns a key as it is written there: ``{key}`` in
    place of the ``<>`` of ``\cite<>``.
    """

    place: int
    start: int
    end: int
    prefix: str
    search: str = ""
    taken: frozenset[str] = frozenset()
    write: Callable[[str], str] = str


class Syntax(Protocol):
    """How a markup language cites, as far as keys and messages need it."""

    #: What names a bibliography.
    bibliography_commands: tuple[str, ...]
    #: A placeholder for a citation.
    placeholder: str

    def may_cite(self, text: str) -> bool:
        """Return whether a text may have a citation; fast, and True if in doubt."""

    def certain_citations(self, file: DraftFile) -> tuple[Citation, ...]:
        """Return the citations of a file that can be nothing else: ``@name`` may be a person."""

    def key_slot(self, file: DraftFile, offset: int, known: KnowsKey) -> KeySlot | None:
        """Return the place for a key at `offset`, or None where a key is not possible.

        The text may be half typed. `known` says whether the bibliography has a key.
        """

    def can_cite_at(self, text: str, place: int) -> bool:
        """Return whether a citation can be inserted at a place of a file's prose.

        False in headings and formulas, which prose contains too.
        """

    def key_edit(self, text: str, span: TextSpan, key: str) -> tuple[TextSpan, str]:
        """Return what to write, and in place of what, to replace the key in a span by another."""

    def shown(self, command: str) -> str:
        """Return a citation command as an author knows it."""
