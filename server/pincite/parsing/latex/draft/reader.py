"""Read drafts."""

from __future__ import annotations

import os
from pathlib import Path

from ....model.drafts import BibliographySource, Draft, DraftFile
from ...drafts import ReaderInputs
from ..commands import HIDING, CommandTable
from ..parse import parse_tex
from .bibliographies import (
    FoundBibliographies,
    find_bibliographies,
    lacks_bibliography,
    problems_of,
)
from .scan import Scan, program_of
from .walk import Walk


class LatexDraftReader:
    """Reads drafts and caches parsed files."""

    def __init__(self, inputs: ReaderInputs) -> None:
        """Read files as `DraftReader` does."""
        self._inputs, self._read, self._disk = inputs, inputs.read, inputs.disk
        self._scans: dict[Path, Scan] = {}
        #: By main file: the commands of its draft, so that equal tables are the same object.
        self._tables: dict[Path, CommandTable] = {}
        self._walks: dict[tuple[Path, Path | None], Walk] = {}
        #: By main file: a part that two drafts share is parsed with the commands of each.
        self._parsed: dict[tuple[Path, Path], tuple[CommandTable, DraftFile]] = {}

    def read(self, path: Path, root: Path | None = None) -> Draft:
        """Read the draft at `path`; `root` is its main file if that is already known.

        Raises `InputError` if `path` itself cannot be read.
        """
        walk = self._walk_to(path, root)
        return self._draft(path, walk, self._bibliographies(walk))

    def read_alone(self, path: Path) -> Draft | None:
        """Read the draft at `path`, if it is a main file, names one or has works to cite.

        Raises `InputError` when `path` cannot be read.
        """
        walk = self._walk_to(path)
        found = self._bibliographies(walk)
        if not (found.sources or walk.lists_works or self.starts_document(path)):
            return None
        return self._draft(path, walk, found)

    def read_within(self, root: Path, path: Path) -> Draft | None:
        """Read the draft at `path` if the main file `root` reads it.

        Raises `InputError` when `path` cannot be read.
        """
        main = self._main_file(path, self._scan(path)) or root
        return self.read(path, root) if path in self._walk_from(main).scans else None

    def _walk_to(self, path: Path, root: Path | None = None) -> Walk:
        scan = self._scan(path)
        main = self._main_file(path, scan) or root or path
        walk = self._walk_from(main)
        if path not in walk.scans:
            # The main file does not include this one (yet), but its definitions are used.
            walk = self._walk_from(main, path)
        walk.is_part = main == path and bool(self._other_mains(path, scan))
        return walk

    def _walk_from(self, main: Path, outside: Path | None = None) -> Walk:
        walk = self._walks.get((main, outside))
        if walk is None or not walk.is_current():
            self._walks[main, outside] = walk = Walk(self._scan, main, self._disk)
            walk.visit(main)
            if outside is not None:
                walk.visit(outside)
        return walk

    def _bibliographies(self, walk: Walk) -> FoundBibliographies:
        sources, missing = find_bibliographies(
            walk, self._inputs.find_bibliography, self._inputs.workspace
        )
        has_all = all(each.distributed for each in missing)
        if walk.document is None or (has_all and (sources or walk.lists_works)):
            return FoundBibliographies(sources, missing)
        named = {source.path for source in sources}
        others = (path for path in self._inputs.find_stand_ins(walk.main) if path not in named)
        return FoundBibliographies(sources, missing, tuple(map(BibliographySource, others)))

    def _draft(self, path: Path, walk: Walk, found: FoundBibliographies) -> Draft:
        table = self._tables.setdefault(walk.main, walk.table)
        if table != walk.table:
            self._tables[walk.main] = table = walk.table
        items = tuple(item for scan in walk.scans.values() for item in scan.named.bib_items)
        # LaTeX itself reads these, with case-sensitive keys.
        lists_works = bool(items) and not found.sources
        members = dict.fromkeys(walk.reached_from(path))
        others = [other for other in walk.reached_from(walk.main) if other not in members]
        parsed = [
            tuple(self._parse(walk.main, member, walk.scans[member], table) for member in some)
            for some in (members, others)
        ]
        files = parsed[0]
        cites = any(file.cites for file in files)
        program = program_of(walk.scans.values())
        return Draft(
            path=path,
            root=walk.main,
            files=files,
            others=parsed[1],
            own_paths=frozenset(walk.scans),
            bibliographies=found.sources,
            stand_ins=found.stand_ins,
            bib_items=items,
            lacks_bibliography=lacks_bibliography(found, walk),
            has_all_text=walk.has_all_text,
            case_sensitive_keys=lists_works or program.case_sensitive,
            program=program,
            languages=tuple(name for scan in walk.scans.values() for name in scan.languages),
            problems=(*walk.problems, *problems_of(found, walk, cites=cites)),
            inclusions={path: tuple(read) for path, read in walk.inclusions.items()},
        )

    def includes(self, path: Path) -> tuple[Path, ...]:
        """Return the existing files that the file at `path` includes."""
        return tuple(self._walk_from(path).scans)

    def inputs(self, path: Path) -> tuple[Path, ...]:
        """Return the files of the draft with this main file, including bibliographies."""
        walk = self._walk_from(path)
        found = self._bibliographies(walk)
        sources = (*found.sources, *found.stand_ins)
        return tuple(dict.fromkeys((*walk.scans, *(source.path for source in sources))))

    def main_named_by(self, path: Path) -> Path | None:
        """Return the existing main file that the file at `path` names, if any."""
        return self._main_file(path, self._scan(path))

    def visible(self, path: Path) -> str:
        """Return the text of a file with comments and listings as spaces, at equal length."""
        return self._scan(path).visible

    def commands(self, draft: Draft) -> CommandTable:
        """Return the commands with which the files of a draft were parsed."""
        known = self._parsed.get((draft.root, draft.path))
        return CommandTable() if known is None else known[0]

    def starts_document(self, path: Path) -> bool:
        r"""Return whether a file is a main file (it has a ``\documentclass`` or a document)."""
        # Most files of a large folder have no such word.
        return "document" in self._read(path) and self._scan(path).document is not None

    def _scan(self, path: Path) -> Scan:
        text = self._read(path)
        scan = self._scans.get(path)
        if scan is None or scan.text != text:
            self._scans[path] = scan = Scan(text)
        return scan

    def _parse(self, main: Path, path: Path, scan: Scan, table: CommandTable) -> DraftFile:
        known, file = self._parsed.get((main, path), (None, None))
        if file is None or known is not table or file.text != scan.text:
            hides_more = table.hiding != HIDING
            file = parse_tex(path, scan.text, table, None if hides_more else scan.regions)
            self._parsed[main, path] = table, file
        return file

    def _main_file(self, path: Path, scan: Scan) -> Path | None:
        """Return the existing main file that this one names, if any."""
        return next(filter(self._disk.is_file, self._other_mains(path, scan)), None)

    @staticmethod
    def _other_mains(path: Path, scan: Scan) -> list[Path]:
        """Return the possible paths of the main file that this one names, other than itself."""
        names = [
            *scan.magic_roots,
            *(include.name for include in scan.named.includes if include.kind == "root"),
        ]
        places = (
            [Path(os.path.normpath(path.parent / f"{name}{suffix}")) for suffix in ("", ".tex")]
            for name in names
        )
        return [place for either in places if path not in either for place in either]
