"""Bibliographies that a draft uses without naming their files: a build or a TeX tree has them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final

from ..model.problems import InputError
from ..parsing.bibliographies import has_items
from ..parsing.disk import Disk
from ..parsing.markups import markup_of

_BIBDATA: Final = re.compile(r"\\bibdata\s*\{([^{}]*)\}")
_MAX_BESIDE: Final = 50
#: What biblatex and REVTeX add to the name of a draft for what they write when they run; no entry
#: in it can be cited.
WRITTEN_BY_TEX: Final = ("-blx.bib", "notes.bib")


class UnnamedBibliographies:
    """Finds the bibliographies of a workspace's folder that no draft names by their paths."""

    def __init__(self, folder: Path, disk: Disk) -> None:
        self._folder, self._disk = folder, disk

    def named(self, name: str) -> Path | None:
        """Return the workspace's one bibliography of this name, wherever it lies.

        A name without a suffix is that of a .bib file. LaTeX may know its folder from a
        configuration that we do not read (latexmkrc, a TeX tree). Of two files of one name, neither
        is taken.
        """
        wanted = Path(name).name
        if not (wanted.lower().endswith(".bib") or has_items(Path(wanted))):
            wanted += ".bib"
        found = list(self._disk.files_named(self._folder, wanted))
        return found[0] if len(found) == 1 and self._disk.is_file(found[0]) else None

    def of_main(self, main: Path) -> Sequence[Path]:
        """Return what serves a main file that lacks a bibliography."""
        if noted := tuple(self._named_by_tex(main)):
            return noted
        written = {f"{main.stem}{ending}".lower() for ending in WRITTEN_BY_TEX}
        beside = [main.parent / name for name in self._disk.listed(os.fspath(main.parent)).files]
        bibs = (p for p in beside if p.suffix.lower() == ".bib" and p.name.lower() not in written)
        if found := tuple(islice(filter(self._disk.is_file, bibs), _MAX_BESIDE)):
            return found
        # Often an export of the same entries, so only where there is no .bib.
        suffixes = markup_of(main).bibliography_suffixes
        others = (path for path in beside if path.suffix.lower() in suffixes)
        return tuple(islice(filter(self._disk.begins_as_bibliography, others), _MAX_BESIDE))

    def _named_by_tex(self, main: Path) -> Iterator[Path]:
        r"""Yield the bibliographies that LaTeX noted when it typeset a main file: ``\bibdata``."""
        aux = main.with_suffix(".aux")
        try:
            noted = self._disk.read(aux) if self._disk.is_file(aux) else ""
        except InputError:
            return
        names = (name.strip() for found in _BIBDATA.findall(noted) for name in found.split(","))
        for name in dict.fromkeys(filter(None, names)):
            beside = main.parent / (name if name.endswith(".bib") else f"{name}.bib")
            path = beside if self._disk.is_file(beside) else self.named(name)
            if path is not None:
                yield path
