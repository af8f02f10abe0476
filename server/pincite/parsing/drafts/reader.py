"""Read drafts, each by the reader of its markup."""

from __future__ import annotations

import os
from pathlib import Path

from ...model.drafts import Draft
from ...model.markups import MarkupName, markup_of
from ..disk import Disk
from ..markup import FindFile, FindStandIns, MarkupReader, ReaderInputs, ReadText


def _reader(name: MarkupName, inputs: ReaderInputs) -> MarkupReader:
    if name == "markdown":
        from ..markdown import MarkdownDraftReader

        return MarkdownDraftReader(inputs)
    if name == "typst":
        from ..typst import TypstDraftReader

        return TypstDraftReader(inputs)
    from ..latex.draft import LatexDraftReader

    return LatexDraftReader(inputs)


class DraftReader:
    """Reads drafts in all markup languages and caches parsed files.

    A draft is in the markup of its files: none mixes several.
    """

    def __init__(
        self,
        read: ReadText | None = None,
        find_bibliography: FindFile = lambda _name: None,
        find_stand_ins: FindStandIns = lambda _main: (),
        disk: Disk | None = None,
        workspace: Path | None = None,
    ) -> None:
        """Read files with `read`; `find_bibliography` searches for bibliographies that are missing.

        `find_stand_ins` finds bibliographies for a main file that names none, or a missing one.
        Files are searched on `disk`, and read from it unless `read` is given. Patterns may lead
        anywhere in the `workspace`.
        """
        disk = Disk() if disk is None else disk
        self._inputs = ReaderInputs(
            disk.read if read is None else read, disk, find_bibliography, find_stand_ins, workspace
        )
        #: Each is made, and its modules are imported, with its first draft.
        self._readers: dict[MarkupName, MarkupReader] = {}

    def _of(self, path: Path) -> MarkupReader:
        name = markup_of(path)
        if name not in self._readers:
            self._readers[name] = _reader(name, self._inputs)
        return self._readers[name]

    def read(self, path: Path, root: Path | None = None) -> Draft:
        """Read the draft at `path`; see `MarkupReader.read`."""
        return self._of(path).read(_normal(path), root and _normal(root))

    def read_alone(self, path: Path) -> Draft | None:
        """Read the draft at `path` by itself; see `MarkupReader.read_alone`."""
        return self._of(path).read_alone(_normal(path))

    def read_within(self, root: Path, path: Path) -> Draft | None:
        """Read the draft at `path` as a part of another; see `MarkupReader.read_within`."""
        return self._of(path).read_within(_normal(root), _normal(path))

    def includes(self, path: Path) -> tuple[Path, ...]:
        """Return the files of a draft; see `MarkupReader.includes`."""
        return self._of(path).includes(_normal(path))

    def inputs(self, path: Path) -> tuple[Path, ...]:
        """Return the files of a draft and its bibliographies; see `MarkupReader.inputs`."""
        return self._of(path).inputs(_normal(path))

    def main_named_by(self, path: Path) -> Path | None:
        """Return the main file that a file names; see `MarkupReader.main_named_by`."""
        return self._of(path).main_named_by(_normal(path))

    def starts_document(self, path: Path) -> bool:
        """Return whether a file is a main file; see `MarkupReader.starts_document`."""
        return self._of(path).starts_document(_normal(path))


def _normal(path: Path) -> Path:
    """Return the normal form of a path, by which files are identified."""
    return Path(os.path.normpath(path.absolute()))
