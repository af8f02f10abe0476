r"""A draft of several files: what its main file includes, and its bibliographies.

A file may be part of a larger draft: ``% !TeX root = main.tex`` or the `subfiles` class name the
main file, whose definitions and bibliographies are then used.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path

from ...model.drafts import BibliographySource, Draft
from ...model.problems import InputError, MissingBibliography, Problem, UnnamedBibliography
from ...model.programs import BIBER, BIBTEX
from ...model.spans import line_at
from ..disk import Disk
from ..drafts import DraftInputs, NamedBibliography, bibliographies_of, bibliography_files
from ..paths import expanded, normal
from .commands import CommandTable
from .walk import LatexWalk, Scan, is_text

#: A message names no more files than these.
_MAX_NAMED = 3
#: amsrefs has files of its own, ``.ltb``.
_AMSREFS = re.compile(r"\\bibselect\s*\*?\s*\{")
#: An item of a list of works as written by BibTeX and biber; a list may be empty.
_PRINTED = re.compile(r"\\(?:bibitem|harvarditem|entry)(?![A-Za-z])")
#: What is given to commands and options of a class that is not read. Each letter typed searches for
#: it, so the expression begins with fixed letters, not with the rest of a name before them.
_GIVEN = re.compile(
    r"(?:[bB]ib|BIB|[rR]eferences)(?!liographystyle|item)[\w@-]{0,30}\s{0,9}=?"
    r"((?:\s*[\[{][^\[\]{}]*[\]}])+)"
)
_REMOTE = re.compile(r"(?:https?|ftp)://")
#: These are part of TeX distributions; they hold names of journals and no entries.
_DISTRIBUTED_BIBLIOGRAPHIES = frozenset(("ieeeabrv", "ieeefull", "mrabbrev"))

#: The bibliographies of a draft: those that it names, found or missing, and stand-ins.
_Found = tuple[
    tuple[BibliographySource, ...], Sequence[MissingBibliography], tuple[BibliographySource, ...]
]


class LatexDraftReader:
    """Reads drafts; see `MarkupReader`."""

    def __init__(self, inputs: DraftInputs) -> None:
        self._inputs, self._read, self._disk = inputs, inputs.read_text, inputs.disk
        self._scans: dict[Path, Scan] = {}

    def read(self, path: Path, root: Path | None = None) -> Draft:
        """Read the draft at `path`; `root` is its main file if that is already known."""
        walk = self._walk_to(path, root)
        return self._draft(path, walk, self._bibliographies(walk))

    def read_alone(self, path: Path) -> Draft | None:
        """Read the draft at `path`, if it is a main file, names one or has works to cite."""
        walk = self._walk_to(path)
        found = self._bibliographies(walk)
        has_works = found[0] or walk.bib_items or self.starts_document(path)
        return self._draft(path, walk, found) if has_works else None

    def read_within(self, root: Path, path: Path) -> Draft | None:
        """Read the draft at `path` if the main file `root` reads it."""
        main = self.main_named_by(path) or root
        return self.read(path, root) if path in self._walk(main, main).files else None

    def includes(self, path: Path) -> tuple[Path, ...]:
        """Return the existing files that the file at `path` includes."""
        return tuple(self._walk(path, path).files)

    def inputs(self, path: Path) -> tuple[Path, ...]:
        """Return the files of the draft with this main file, including bibliographies."""
        walk = self._walk(path, path)
        sources, _, fallbacks = self._bibliographies(walk)
        return tuple(dict.fromkeys((*walk.files, *(x.path for x in (*sources, *fallbacks)))))

    def main_named_by(self, path: Path) -> Path | None:
        """Return the existing main file that the file at `path` names, if any."""
        return next(filter(self._disk.is_file, self._other_mains(path)), None)

    def visible(self, path: Path) -> str:
        """Return the text of a file with comments and listings as spaces, at equal length."""
        return self._scan(path).visible

    def commands(self, draft: Draft) -> CommandTable:
        """Return the commands with which the files of a draft were parsed."""
        return self._walk_to(draft.path, draft.root).table

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

    def _other_mains(self, path: Path) -> list[Path]:
        """Return the possible paths of the main file that this one names, other than itself."""
        scan = self._scan(path)
        roots = (include.name for include in scan.named.includes if include.kind == "root")
        places = (
            [normal(path.parent / f"{name}{suffix}") for suffix in ("", ".tex")]
            for name in (*scan.magic_roots, *roots)
        )
        return [place for either in places if path not in either for place in either]

    def _walk_to(self, path: Path, root: Path | None = None) -> LatexWalk:
        return self._walk(self.main_named_by(path) or root or path, path)

    def _walk(self, main: Path, path: Path) -> LatexWalk:
        return LatexWalk(self._scan, main, self._disk, path)

    def _bibliographies(self, walk: LatexWalk) -> _Found:
        named = _named(walk, self._inputs.workspace)
        sources, missing = bibliographies_of(named, self._inputs.find_bibliography)
        if walk.document is None or (not missing and (sources or walk.bib_items)):
            return sources, missing, ()
        known = {source.path for source in sources}
        others = [path for path in self._inputs.find_fallbacks(walk.main) if path not in known]
        if others and not missing:
            given = (
                _GIVEN.findall(scan.visible) for path, scan in walk.files.items() if is_text(path)
            )
            names = {
                Path(name).stem for each in chain(*given) for name in re.split(r"[][{},\s]+", each)
            }
            if certain := [path for path in others if path.stem in names]:
                return tuple(map(BibliographySource, certain)), missing, ()
        return sources, missing, tuple(map(BibliographySource, others))

    def _draft(self, path: Path, walk: LatexWalk, found: _Found) -> Draft:
        sources, missing, fallbacks = found
        scans = walk.files.values()
        members = dict.fromkeys(walk.reached_from(path))
        others = [other for other in walk.reached_from(walk.main) if other not in members]
        files = tuple(walk.parsed(member) for member in members)
        default = BIBER if any(scan.biblatex for scan in scans) else BIBTEX
        program = next((scan.program for scan in scans if scan.program is not None), default)
        # Such a main file names another one, which is missing.
        is_part = walk.main == path and bool(self._other_mains(path))
        named = walk.named_files.items()
        unresolved = any(each.unresolved for path, each in named if is_text(path))
        problems = _problems(walk, missing, fallbacks, cites=any(file.cites for file in files))
        return Draft(
            path=path,
            root=walk.main,
            files=files,
            others=tuple(map(walk.parsed, others)),
            own_paths=frozenset(walk.files),
            bibliographies=sources,
            fallback_bibliographies=fallbacks,
            bib_items=walk.bib_items,
            lacks_bibliography=not is_part and _lacks_bibliography(walk, found),
            has_all_text=not (walk.problems or unresolved),
            # LaTeX itself reads works that are listed by hand, with case-sensitive keys.
            case_sensitive_keys=(bool(walk.bib_items) and not sources) or program.case_sensitive,
            program=program,
            languages=tuple(name for scan in scans for name in scan.languages),
            problems=(*walk.problems, *problems),
            inclusions={path: tuple(read) for path, read in walk.inclusions.items()},
        )


def _named(walk: LatexWalk, workspace: Path | None) -> Iterator[NamedBibliography]:
    """Yield the bibliographies that a draft names, in order."""
    main = walk.main
    inputs = list(_bibinputs(walk.disk))
    within = [main.parent, *([workspace] if workspace else []), *inputs]
    embedded = {
        file.name.replace("\\jobname", main.stem): (path, scan.text, file.span)
        for path, scan in walk.files.items()
        for file in scan.embedded_files
    }
    # The draft's own packages make up names of files with these.
    stored = {option for option, _ in walk.stored.values()}
    for path, scan in walk.files.items():
        named = walk.named_files[path]
        optional = {each.span for each in named.bibliographies if each.optional}
        options = (each for each in named.options if is_text(path) and each.name not in stored)
        in_options = {name: option.span for option in options for name in option.bibliographies}
        in_commands = ((each.name, each.span) for each in named.bibliographies)
        folders = [main.parent, path.parent, *inputs, *walk.above]
        if (imported := walk.import_folders.get(path)) is not None:
            folders.insert(0, imported)
        for name, span in (*in_commands, *in_options.items(), *scan.magic_bibliographies):
            found = bibliography_files(name, folders, within, walk.disk)
            sources = tuple(map(BibliographySource, found))
            if not sources and (carrier := embedded.get(name) or embedded.get(f"{name}.bib")):
                place, text, inside = carrier
                line = line_at(text, inside.start)
                sources = (BibliographySource(place, inside.of(text), line, inside.start),)
            # The package may make up the file's name in another way.
            is_guess = name in in_options and not name.endswith(".bib")
            if sources or not (is_guess or span in optional):
                remote = _REMOTE.match(name) is not None
                distributed = name.lower().removesuffix(".bib") in _DISTRIBUTED_BIBLIOGRAPHIES
                yield NamedBibliography(path, scan.text, name, span, sources, remote, distributed)


def _bibinputs(disk: Disk) -> Iterator[Path]:
    """Yield the folders of ``BIBINPUTS``; a trailing ``//`` stands for all folders below."""
    for part in filter(None, os.environ.get("BIBINPUTS", "").split(os.pathsep)):
        folder = Path(expanded(part.rstrip("/") or "/"))
        yield folder
        if part.endswith("//"):
            yield from islice(disk.folders(folder), 1, None)


def _lacks_bibliography(walk: LatexWalk, found: _Found) -> bool:
    """Return whether a main file certainly has no bibliography; unread files may name one."""
    sources, missing, fallbacks = found
    if walk.document is None or sources or fallbacks or walk.bib_items:
        return False
    # Not all text is known, or not all that the draft's own packages name.
    unresolved = walk.problems or any(each.unresolved for each in walk.named_files.values())
    if unresolved or any(each.remote for each in missing):
        return False
    if any(_AMSREFS.search(scan.visible) for scan in walk.files.values()):
        return False
    bbl = walk.main.with_suffix(".bbl")
    try:
        return not (walk.disk.is_file(bbl) and _PRINTED.search(walk.disk.read(bbl)))
    except InputError:
        return True


def _problems(
    walk: LatexWalk,
    missing: Sequence[MissingBibliography],
    fallbacks: Sequence[BibliographySource],
    *,
    cites: bool,
) -> Iterator[Problem]:
    """Yield the problems with bibliographies; one of them names the fallbacks for missing ones."""
    names = [source.path.name for source in fallbacks]
    if len(names) > _MAX_NAMED:
        names[_MAX_NAMED:] = [f"{len(names) - _MAX_NAMED} more"]
    listed = " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
    until = f"Until then {listed} beside {walk.main.name}"
    until += f" {'serves' if len(names) == 1 else 'serve'} for suggestions and evidence"
    for problem in missing:
        if names:
            names = []
            message = f"{problem.message}; name one that can be read. {until}"
            problem = replace(problem, message=message)
        yield problem
    if names and cites and walk.document is not None:
        line = line_at(walk.files[walk.main].text, walk.document.start)
        message = "no bibliography is named; name one with \\bibliography or \\addbibresource."
        yield UnnamedBibliography(walk.main, line, f"{message} {until}", span=walk.document)
