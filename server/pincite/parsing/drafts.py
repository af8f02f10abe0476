"""Read drafts, each by the reader of its markup."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from ..model.drafts import Draft
from .disk import Disk
from .markup import Markup, MarkupReader
from .markups import markup_of

#: Reads a file's text, for open documents from the editor; raises `InputError`.
ReadText = Callable[[Path], str]
#: Finds a file by its name in a draft, if it is not in the usual places.
FindFile = Callable[[str], Path | None]
#: Finds stand-ins for bibliographies that the draft with this main file lacks.
FindFallbacks = Callable[[Path], Iterable[Path]]


class ReaderInputs(NamedTuple):
    """What a reader of drafts reads, and where it searches: see `DraftReader`."""

    read: ReadText
    disk: Disk
    find_bibliography: FindFile = lambda _name: None
    find_fallbacks: FindFallbacks = lambda _main: ()
    workspace: Path | None = None


class DraftReader:
    """Reads drafts in all markup languages and caches parsed files; see `MarkupReader`."""

    def __init__(
        self,
        read: ReadText | None = None,
        find_bibliography: FindFile = lambda _name: None,
        find_fallbacks: FindFallbacks = lambda _main: (),
        disk: Disk | None = None,
        workspace: Path | None = None,
    ) -> None:
        """Read files with `read`, or else from `disk`, on which they are searched.

        `find_bibliography` searches for one that is missing, `find_fallbacks` for those of a main
        file that names none. Patterns may lead anywhere in the `workspace`.
        """
        disk = Disk() if disk is None else disk
        read = disk.read if read is None else read
        self._inputs = ReaderInputs(read, disk, find_bibliography, find_fallbacks, workspace)
        #: Each is made, and its modules are imported, with its first draft.
        self._readers: dict[Markup, MarkupReader] = {}

    def _of(self, path: Path) -> MarkupReader:
        markup = markup_of(path)
        if markup not in self._readers:
            self._readers[markup] = markup.reader(self._inputs)
        return self._readers[markup]

    def read(self, path: Path, root: Path | None = None) -> Draft:
        """See `MarkupReader.read`."""
        return self._of(path).read(_normal(path), root and _normal(root))

    def read_alone(self, path: Path) -> Draft | None:
        """See `MarkupReader.read_alone`."""
        return self._of(path).read_alone(_normal(path))

    def read_within(self, root: Path, path: Path) -> Draft | None:
        """See `MarkupReader.read_within`."""
        return self._of(path).read_within(_normal(root), _normal(path))

    def includes(self, path: Path) -> tuple[Path, ...]:
        """See `MarkupReader.includes`."""
        return self._of(path).includes(_normal(path))

    def inputs(self, path: Path) -> tuple[Path, ...]:
        """See `MarkupReader.inputs`."""
        return self._of(path).inputs(_normal(path))

    def main_named_by(self, path: Path) -> Path | None:
        """See `MarkupReader.main_named_by`."""
        return self._of(path).main_named_by(_normal(path))

    def starts_document(self, path: Path) -> bool:
        """See `MarkupReader.starts_document`."""
        return self._of(path).starts_document(_normal(path))


def _normal(path: Path) -> Path:
    """Return the normal form of a path, by which files are identified."""
    return Path(os.path.normpath(path.absolute()))
