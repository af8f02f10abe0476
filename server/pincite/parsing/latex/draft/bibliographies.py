"""The bibliographies that a draft names, their stand-ins, and the messages about both."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from ....model.drafts import BibliographySource
from ....model.problems import InputError, MissingBibliography, Problem, UnnamedBibliography
from ....model.spans import TextSpan
from ...bibliography_files import (
    NamedBibliography,
    bibliographies_of,
    bibliography_files,
    line_at,
)
from ...disk import Disk
from ...drafts import FindFile
from ...paths import expanded
from .walk import Walk, is_text

#: A message names no more files than these.
_MAX_NAMED = 3
#: amsrefs has entries in the text itself.
_AMSREFS = re.compile(r"\\bib(?:select)?\s*\*?\s*\{")
#: An item of a list of works as written by BibTeX and biber; a list may be empty.
_PRINTED = re.compile(r"\\(?:bibitem|entry)(?![A-Za-z])")
#: These are part of TeX distributions; they hold names of journals and no entries.
_DISTRIBUTED_BIBLIOGRAPHIES = frozenset(("ieeeabrv", "ieeefull", "mrabbrev"))


@dataclass(frozen=True, slots=True)
class FoundBibliographies:
    """The bibliographies of a draft: those that it names, found or missing, and stand-ins."""

    sources: tuple[BibliographySource, ...]
    missing: Sequence[MissingBibliography]
    stand_ins: tuple[BibliographySource, ...] = ()


def find_bibliographies(
    walk: Walk, find_elsewhere: FindFile, workspace: Path | None
) -> tuple[tuple[BibliographySource, ...], list[MissingBibliography]]:
    """Find the .bib files that a draft names: each once, in the order of naming.

    Patterns are searched only in the folder of the main file, the workspace and ``BIBINPUTS``.
    """
    return bibliographies_of(_named(walk, workspace), find_elsewhere)


def _named(walk: Walk, workspace: Path | None) -> Iterator[NamedBibliography]:
    main = walk.main
    inputs = list(_bibinputs(walk.disk))
    within = [main.parent, *([workspace] if workspace else []), *inputs]
    embedded = {
        file.name.replace("\\jobname", main.stem): (path, scan.text, file.span)
        for path, scan in walk.scans.items()
        for file in scan.embedded_files
    }
    for path, scan in walk.scans.items():
        bibliographies = walk.named_files[path].bibliographies
        named = [(each.name, each.span) for each in bibliographies]
        optional = {each.span for each in bibliographies if each.optional}
        of_options = {} if not is_text(path) else dict(_in_options(walk, path))
        for name, span in [*named, *of_options.items(), *scan.magic_bibliographies]:
            folders = [main.parent, path.parent, *inputs, *walk.above]
            if (imported := walk.import_folders.get(path)) is not None:
                folders.insert(0, imported)
            found = bibliography_files(name, folders, within, walk.disk)
            sources = tuple(map(BibliographySource, found))
            if not sources and (carrier := embedded.get(name) or embedded.get(f"{name}.bib")):
                sources = (_embedded(*carrier),)
            # The package may make up the file's name in another way.
            is_guess = name in of_options and not name.endswith(".bib")
            if not sources and (is_guess or span in optional):
                continue
            remote = re.match(r"(?:https?|ftp)://", name) is not None
            distributed = name.lower().removesuffix(".bib") in _DISTRIBUTED_BIBLIOGRAPHIES
            yield NamedBibliography(path, scan.text, name, span, sources, remote, distributed)


def _in_options(walk: Walk, path: Path) -> Iterator[tuple[str, TextSpan]]:
    """Yield the bibliographies that the author names in options of packages."""
    for option in walk.named_files[path].options:
        if option.name not in walk.stored_options:
            yield from ((name, option.span) for name in option.bibliographies)


def _embedded(path: Path, text: str, span: TextSpan) -> BibliographySource:
    """Return a bibliography that is a part of the file at `path`."""
    return BibliographySource(path, span.of(text), line_at(text, span.start), span.start)


def lacks_bibliography(found: FoundBibliographies, walk: Walk) -> bool:
    """Return whether a main file certainly has no bibliography at all.

    Files that were not read may name one, and LaTeX prints the .bbl of an earlier run.
    """
    if walk.document is None or walk.is_part or not walk.names_all:
        return False
    known = found.sources or found.stand_ins or walk.lists_works
    if known or any(each.remote for each in found.missing):
        return False
    by_hand = any(_AMSREFS.search(scan.visible) for scan in walk.scans.values())
    return not by_hand and not _is_printed(walk.main.with_suffix(".bbl"), walk.disk)


def _is_printed(bbl: Path, disk: Disk) -> bool:
    try:
        return disk.is_file(bbl) and _PRINTED.search(disk.read(bbl)) is not None
    except InputError:
        return False


def problems_of(found: FoundBibliographies, walk: Walk, *, cites: bool) -> Iterator[Problem]:
    """Yield the problems with bibliographies; one of them names the stand-ins for missing ones."""
    said = not found.stand_ins
    until = f"Until then {_listed(found.stand_ins)} beside {walk.main.name}"
    until += f" {'serves' if len(found.stand_ins) == 1 else 'serve'} for suggestions and evidence"
    for problem in found.missing:
        if not said and not problem.distributed:
            said = True
            message = f"{problem.message}; name one that can be read. {until}"
            problem = replace(problem, message=message)
        yield problem
    if not said and cites and walk.document is not None:
        line = line_at(walk.scans[walk.main].text, walk.document.start)
        message = "no bibliography is named; name one with \\bibliography or \\addbibresource."
        yield UnnamedBibliography(walk.main, line, f"{message} {until}", span=walk.document)


def _listed(sources: Sequence[BibliographySource]) -> str:
    """Return the names of files as a list in a sentence, empty if there are none."""
    names = [source.path.name for source in sources]
    if len(names) > _MAX_NAMED:
        names[_MAX_NAMED:] = [f"{len(names) - _MAX_NAMED} more"]
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def _bibinputs(disk: Disk) -> Iterator[Path]:
    """Yield the folders of ``BIBINPUTS``; a trailing ``//`` stands for all folders below."""
    for part in os.environ.get("BIBINPUTS", "").split(os.pathsep):
        if not part:
            continue
        folder = Path(expanded(part.rstrip("/") or "/"))
        yield folder
        if part.endswith("//"):
            yield from islice(disk.folders(folder), 1, None)
