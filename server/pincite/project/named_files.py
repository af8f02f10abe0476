"""The files that drafts name, and the bibliographies of those that name none."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from ..model.problems import InputError
from ..parsing.bibliographies import has_items
from ..parsing.disk import Disk
from ..parsing.markups import markup_of
from ..settings import Settings
from .bibliographies import WRITTEN_BY_TEX

_BIBDATA: Final = re.compile(r"\\bibdata\s*\{([^{}]*)\}")
_MAX_BESIDE: Final = 50


# Apart from the workspace: a draft that its reader has read would stay until the next garbage
# collection if the reader referred back to the workspace.
@dataclass(frozen=True, slots=True)
class NamedFiles:
    """The files that drafts name, open documents as the editor has them."""

    folder: Path
    settings: Settings
    open_texts: Mapping[Path, str]
    disk: Disk

    def read(self, path: Path) -> str:
        """Return a file's text: the editor's, else what is on disk; or raise `InputError`."""
        text = self.open_texts.get(path)
        return self.disk.read(path) if text is None else text

    def named(self, name: str) -> Path | None:
        """Return the workspace's one bibliography of this name, wherever it is; None for two."""
        wanted = Path(name).name
        if not (wanted.lower().endswith(".bib") or has_items(Path(wanted))):
            wanted += ".bib"
        found = list(self.disk.files_named(self.folder, wanted))
        return found[0] if len(found) == 1 and self.disk.is_file(found[0]) else None

    def fallback_bibliographies(self, main: Path) -> Sequence[Path]:
        """Return the fallback bibliographies of a main file that has none of its own."""
        if self.settings.bibliographies:
            return ()  # Where the author has chosen some, nothing else is guessed.
        if noted := tuple(self._noted_by_tex(main)):
            return noted
        written = {f"{main.stem}{ending}".lower() for ending in WRITTEN_BY_TEX}
        beside = [main.parent / name for name in self.disk.listed(os.fspath(main.parent)).files]
        bibs = (p for p in beside if p.suffix.lower() == ".bib" and p.name.lower() not in written)
        if found := tuple(islice(filter(self.disk.is_file, bibs), _MAX_BESIDE)):
            return found
        # Often an export of the same entries, so only where there is no .bib.
        suffixes = markup_of(main).bibliography_suffixes
        others = (path for path in beside if path.suffix.lower() in suffixes)
        return tuple(islice(filter(self.disk.begins_as_bibliography, others), _MAX_BESIDE))

    def _noted_by_tex(self, main: Path) -> Iterator[Path]:
        r"""Yield the bibliographies that LaTeX noted when it typeset a main file: ``\bibdata``."""
        aux = main.with_suffix(".aux")
        try:
            noted = self.disk.read(aux) if self.disk.is_file(aux) else ""
        except InputError:
            return
        names = (name.strip() for found in _BIBDATA.findall(noted) for name in found.split(","))
        for name in dict.fromkeys(filter(None, names)):
            beside = main.parent / (name if name.endswith(".bib") else f"{name}.bib")
            path = beside if self.disk.is_file(beside) else self.named(name)
            if path is not None:
                yield path
