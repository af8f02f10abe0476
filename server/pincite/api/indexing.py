"""Read libraries ahead of time, and count what is known about their entries."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ..discovery.neighbours import FOLDER as DISCOVERED
from ..library.file_fields import missing_file
from ..library.index import PaperIndex
from ..model.drafts import Draft
from ..model.fetched import FOLDER as FETCHED
from ..model.papers import InlinkContext, TextBasis
from ..model.problems import InputError, Problem
from ..project.project import is_bibliography
from ..project.workspace import Workspace
from ..settings import LibrarySettings, Settings, Zotero
from ..whole_files import replacing_text, require_writable
from ..zotero.libraries import FOLDER as ZOTERO
from .nouns import AnyPath, Paths, Progress, listed, no_progress
from .paths import settings_for

#: Longer than any line of contexts that we write.
_MAX_LINE = 1 << 20
#: The number of entries that a message names.
_MAX_NAMED = 3


def index(
    targets: Paths = (),
    *,
    bibliographies: Paths = (),
    library: Paths = (),
    base_folders: Paths = (),
    drafts: Paths = (),
    workspace: AnyPath | None = None,
    zotero: Zotero = "off",
    jobs: int | None = None,
    progress: Progress = no_progress,
) -> Indexed:
    """Read the papers of drafts, bibliographies or folders into the cache.

    A folder means the drafts and bibliographies in it or, without any, its papers; without targets,
    it is the current folder. `jobs` is the number of processes that read, by default one for each
    processor. The other options are those of `open`. Raises `PinciteError` if a target cannot be
    used; papers that cannot be read are among the `problems` of the result.

    >>> indexed = index(["examples/references.bib"])
    >>> indexed.counts["entries"], indexed.counts["full_text"]
    (25, 13)
    """
    folders = (bibliographies, library, base_folders, drafts, workspace)
    settings = settings_for(*folders, zotero=zotero)
    papers = PaperIndex()
    papers.evict(LibrarySettings().index_megabytes << 20)
    indexed = Indexed()
    for target in listed(targets) or [Path()]:
        opened, found = _opened(target, workspace, settings, papers)
        for draft in found:
            opened.read_library(draft, progress=progress, jobs=jobs)
            indexed._add(opened, draft)
    indexed._add_problems((*indexed._missing_files(), *papers.problems))
    return indexed


class Indexed:
    """What is known about all entries of the targets; an entry that several have counts once."""

    def __init__(self) -> None:
        """Use `index` instead."""
        self._bases: dict[tuple[Path, str], TextBasis] = {}
        self._papers: set[Path] = set()
        self._sentences = 0
        self._contexts: dict[tuple[str, InlinkContext], None] = {}
        self._problems: dict[Problem, None] = {}
        #: For each entry whose `file` field names only missing files, the first of these files.
        self._missing: dict[tuple[Path, str], str] = {}

    def __repr__(self) -> str:
        return f"<Indexed {', '.join(f'{n} {name}' for name, n in self.counts.items())}>"

    @property
    def counts(self) -> Mapping[str, int]:
        """The number of entries by what is known about them, and the amounts of text.

        The names are ``entries``, of which ``full_text``, ``abstract_only`` and ``title_only``;
        ``papers`` and ``sentences``; ``inlink_contexts`` and ``entries_with_inlink_contexts``.
        """
        bases = Counter(self._bases.values())
        return {
            "entries": len(self._bases),
            "full_text": bases["full text"],
            "abstract_only": bases["abstract"],
            "title_only": bases["title"],
            "papers": len(self._papers),
            "sentences": self._sentences,
            "inlink_contexts": len(self._contexts),
            "entries_with_inlink_contexts": len({key for key, _ in self._contexts}),
        }

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What could not be used."""
        return tuple(self._problems)

    def write_contexts(self, path: AnyPath) -> None:
        """Write each inlink context as a line of JSON.

        That has the citing and the cited work, the citance and its page, the words on both sides.
        Raises `PinciteError` if that is not possible, or would replace another file.
        """
        path = Path(path)
        check_contexts_path(path)
        with replacing_text(path) as file:
            for key, context in self._contexts:
                line = {
                    "citing": context.citing_paper,
                    "cited": key,
                    "text": context.citance,
                    "page": context.page,
                    "left": " ".join(context.left),
                    "right": " ".join(context.right),
                }
                file.write(json.dumps(line, ensure_ascii=False) + "\n")

    def _add(self, workspace: Workspace, draft: Draft) -> None:
        bibliography, inlinks = workspace.bibliography(draft), workspace.inlinks(draft)
        library, fallbacks = workspace.library(draft), workspace.fallback_texts(draft)
        entries = bibliography.entries.values()
        self._papers.update(workspace.linked(draft).papers)
        for entry in entries:
            work = (entry.path, entry.key)
            if work in self._bases:
                continue
            paper = library.paper(entry, fallbacks)
            self._bases[work] = paper.basis
            self._sentences += len(paper.sentences)
            bases = workspace.settings.library.base_folders
            if (missing := missing_file(entry, bases=bases)) is not None:
                self._missing[work] = missing
        for key, contexts in inlinks.items():
            self._contexts.update(((key, context), None) for context in contexts)
        unreadable = library.unreadable(entries, fallbacks)
        self._add_problems((*draft.problems, *bibliography.problems, *unreadable))

    def _add_problems(self, problems: Iterable[Problem]) -> None:
        self._problems.update(dict.fromkeys(problems))

    def _missing_files(self) -> Iterator[Problem]:
        """Yield a problem for each bibliography whose entries name missing files."""
        of_file: dict[Path, list[str]] = {}
        for (path, key), name in self._missing.items():
            of_file.setdefault(path, []).append(f"{key} ({name})")
        for path, named in of_file.items():
            rest = f" and {len(named) - _MAX_NAMED} more" if len(named) > _MAX_NAMED else ""
            listed = ", ".join(named[:_MAX_NAMED]) + rest
            entries = "1 entry names" if len(named) == 1 else f"{len(named)} entries name"
            yield Problem(
                path, None, f"{entries} a file that does not exist: {listed} (--base-folder DIR?)"
            )


def _opened(
    target: Path, folder: AnyPath | None, settings: Settings, index: PaperIndex
) -> tuple[Workspace, Sequence[Draft]]:
    if not target.exists():
        raise InputError(f"{target}: no such file or folder")
    if target.is_dir():
        workspace = Workspace(target, settings, index)
        drafts = [draft for draft in workspace.drafts() if _has_works(draft)]
        used = ((*draft.bibliographies, *draft.fallback_bibliographies) for draft in drafts)
        named = {source.path for sources in used for source in sources}
        others = [path for path in workspace.bibliographies() if path not in named]
        drafts += [workspace.without_text(path, (path,)) for path in others]
        if not drafts:
            folders = (*settings.library.folders, target.absolute())
            settings = replace(settings, library=replace(settings.library, folders=folders))
            workspace = Workspace(target, settings, index)
            drafts = [workspace.without_text(target.absolute(), ())]
        return workspace, drafts
    workspace = Workspace(Path(folder or target.absolute().parent), settings, index)
    if is_bibliography(target):
        return workspace, [workspace.without_text(target.absolute(), (target.absolute(),))]
    return workspace, [workspace.draft(target)]


def _has_works(draft: Draft) -> bool:
    """Return whether a draft has its own entries; a figure or a cover beside a .bib has none."""
    cites = any(file.citations or file.placeholders for file in draft.files)
    return cites or not draft.fallback_bibliographies or bool(draft.bibliographies)


def check_contexts_path(path: AnyPath) -> None:
    """Raise `PinciteError` if no contexts can be written to a path, before papers are read."""
    path = Path(path)
    require_writable(path)
    if path.is_file() and not _holds_contexts(path):
        raise InputError(f"{path}: exists and is not a file of contexts; choose another name")


def _holds_contexts(path: Path) -> bool:
    """Return whether a file is empty or looks like one that we have written."""
    with path.open("rb") as file:
        first = file.readline(_MAX_LINE)
    try:
        return not first or {"citing", "cited", "text"} <= dict(json.loads(first)).keys()
    except (ValueError, TypeError):
        return False


def index_status() -> tuple[Mapping[str, Path | int | None], tuple[Problem, ...]]:
    """Return where the cache is, what it holds (docs/reference/json.md), what is wrong with it."""
    papers = PaperIndex()
    return papers.status()._asdict(), tuple(papers.problems)


def clear_index() -> Path:
    """Empty the cache, all of which can be rebuilt, and return its path.

    Raises `PinciteError` if it cannot be emptied.
    """
    papers = PaperIndex()
    papers.clear()
    path = papers.path
    if path is not None:
        for folder in (ZOTERO, FETCHED, DISCOVERED):
            shutil.rmtree(path.parent / folder, ignore_errors=True)
    if path is None or papers.status().papers:
        reason = "; ".join(problem.message for problem in papers.problems)
        raise InputError(f"the index could not be emptied ({reason or 'it is in use'})")
    return path
