"""``pincite index``: read a library into the index and count what is known about its entries."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from rich.table import Table

from ..library.file_fields import missing_file
from ..library.index import PaperIndex
from ..model.basis import TextBasis
from ..model.drafts import Draft
from ..model.fetched import FOLDER
from ..model.papers import InlinkContext
from ..model.problems import InputError, Problem
from ..project.project import is_bibliography
from ..project.workspace import Workspace
from ..settings import LibrarySettings
from ..zotero.bibliography import remove_kept
from .files import replacing, require_writable
from .inputs import problem_text, progress_bar, report, settings_of
from .options import DraftOptions
from .output import console, counted, echo, print_json, show

#: Longer than any line of contexts that we write.
_LONGEST_LINE = 1 << 20
#: The number of entries that a message names.
_MOST_NAMED = 3
_LABELS = {
    "entries": "Entries",
    "full_text": "  with full text",
    "abstract_only": "  with abstract only",
    "title_only": "  with title only",
    "papers": "Papers read",
    "sentences": "Sentences of entries",
    "inlink_contexts": "Inlink contexts",
    "entries_with_inlink_contexts": "  entries that have some",
}


@dataclass(slots=True)
class _Known:
    """What is known about all entries of all targets; an entry that several have counts once."""

    bases: dict[tuple[Path, str], TextBasis] = field(default_factory=dict)
    papers: set[Path] = field(default_factory=set)
    sentences: int = 0
    contexts: dict[tuple[str, InlinkContext], None] = field(default_factory=dict)
    problems: dict[Problem, None] = field(default_factory=dict)
    #: For each entry whose `file` field names only missing files, the first of these files.
    missing: dict[tuple[Path, str], str] = field(default_factory=dict)

    def add(self, workspace: Workspace, draft: Draft) -> None:
        """Count what is known about the entries of a draft."""
        bibliography, inlinks = workspace.bibliography(draft), workspace.inlinks(draft)
        library, lent = workspace.library(draft), workspace.lent_texts(draft)
        self.papers.update(library.papers(bibliography.entries.values(), lent))
        for entry in bibliography.entries.values():
            work = (entry.path, entry.key)
            if work not in self.bases:
                paper = library.paper(entry, lent)
                self.bases[work] = paper.basis
                self.sentences += len(paper.sentences)
                bases = workspace.settings.library.base_folders
                if (missing := missing_file(entry, bases=bases)) is not None:
                    self.missing[work] = missing
        for key, contexts in inlinks.items():
            self.contexts.update(((key, context), None) for context in contexts)
        found = (
            *draft.problems,
            *bibliography.problems,
            *library.unreadable(bibliography.entries.values(), lent),
        )
        self.problems.update((problem, None) for problem in found)

    def missing_files(self) -> Iterator[Problem]:
        """Yield a problem for each bibliography whose entries name missing files."""
        of_file: dict[Path, list[str]] = {}
        for (path, key), name in self.missing.items():
            of_file.setdefault(path, []).append(f"{key} ({name})")
        for path, named in of_file.items():
            rest = f" and {len(named) - _MOST_NAMED} more" if len(named) > _MOST_NAMED else ""
            listed = ", ".join(named[:_MOST_NAMED]) + rest
            entries = counted(len(named), "entry names", "entries name")
            yield Problem(
                path, None, f"{entries} a file that is not there: {listed} (--base-folder DIR?)"
            )

    def json(self) -> dict[str, Any]:
        """Return the numbers and the problems."""
        return {
            **self.numbers(),
            "problems": [
                {
                    "path": None if problem.path is None else str(problem.path),
                    "line": problem.line,
                    "message": problem.message,
                }
                for problem in self.problems
            ],
        }

    def numbers(self) -> dict[str, int]:
        """Return the number of entries by kind of text, and the amounts of text."""
        bases = Counter(self.bases.values())
        return {
            "entries": len(self.bases),
            "full_text": bases["full text"],
            "abstract_only": bases["abstract"],
            "title_only": bases["title"],
            "papers": len(self.papers),
            "sentences": self.sentences,
            "inlink_contexts": len(self.contexts),
            "entries_with_inlink_contexts": len({key for key, _ in self.contexts}),
        }


def run(
    targets: Sequence[Path],
    contexts: Path | None,
    jobs: int | None,
    options: DraftOptions,
    output: str,
) -> int:
    """Index the targets and return the exit status: 2 if a paper is broken."""
    known = _Known()
    if contexts is not None:
        _check_output(contexts)
    index = PaperIndex()
    index.evict(LibrarySettings().index_megabytes << 20)
    for target in targets or (Path(),):
        workspace, drafts = _opened(target, options, index)
        for draft in drafts:
            with progress_bar(f"Reading papers for {draft.root.name}") as progress:
                workspace.read_library(draft, progress=progress, jobs=jobs)
            known.add(workspace, draft)
    known.problems.update((problem, None) for problem in (*known.missing_files(), *index.problems))
    if contexts is not None:
        _write_contexts(contexts, known.contexts)
    if output == "json":
        print_json(known.json())
    else:
        _print(known)
    return 2 if any(problem.broken for problem in known.problems) else 0


def show_status(output: str) -> int:
    """Print what the index holds."""
    index = PaperIndex()
    status = index.status()
    report(index.problems)
    held = asdict(status)
    if output == "json":
        print_json({**held, "path": None if status.path is None else str(status.path)})
        return 0
    numbers = (f"{value:,}" for value in held.values() if isinstance(value, int))
    digits, letters = max(map(len, numbers)), max(map(len, held))
    screen = console()
    for name, value in held.items():
        shown = f"{value:>{digits},}" if isinstance(value, int) else str(value)
        # A path is shown complete, however long it is and whatever characters it has.
        show(screen, f"{name.replace('_', ' '):<{letters}}  {shown}", 0)
    return 0


def empty() -> int:
    """Empty the index, which is a cache: everything in it can be rebuilt."""
    index = PaperIndex()
    index.clear()
    path = index.path
    if path is not None:
        remove_kept(path)
        shutil.rmtree(path.parent / FOLDER, ignore_errors=True)
        # Earlier versions stored fitted rankers there.
        shutil.rmtree(path.parent / "rankings", ignore_errors=True)
    if path is None or index.status().papers:
        reason = "; ".join(problem.message for problem in index.problems)
        raise InputError(f"the index could not be emptied ({reason or 'it is in use'})")
    echo(f"pincite: emptied {path}", err=True)
    return 0


def _opened(
    target: Path, options: DraftOptions, index: PaperIndex
) -> tuple[Workspace, Sequence[Draft]]:
    """Return the workspace and the drafts of a target.

    A target is a draft, a bibliography (for its entries), or a folder, which means the drafts and
    bibliographies in it or, if it has none, its papers.
    """
    settings = settings_of(options)
    if not target.exists():
        raise InputError(f"{target}: no such file or folder")
    if target.is_dir():
        workspace = Workspace(target, settings, index)
        drafts = [draft for draft in workspace.drafts() if _has_works(draft)]
        used = ((*draft.bibliographies, *draft.stand_ins) for draft in drafts)
        named = {source.path for sources in used for source in sources}
        others = [path for path in workspace.bibliographies() if path not in named]
        drafts += [workspace.without_text(path, (path,)) for path in others]
        if not drafts:
            folders = (*settings.library.folders, target.absolute())
            settings = replace(settings, library=replace(settings.library, folders=folders))
            workspace = Workspace(target, settings, index)
            drafts = [workspace.without_text(target.absolute(), ())]
        return workspace, drafts
    workspace = Workspace(options.workspace or target.absolute().parent, settings, index)
    if is_bibliography(target):
        return workspace, [workspace.without_text(target.absolute(), (target.absolute(),))]
    return workspace, [workspace.draft(target)]


def _has_works(draft: Draft) -> bool:
    """Return whether a draft has its own entries; a figure or a cover beside a .bib has none."""
    cites = any(file.citations or file.placeholders for file in draft.files)
    return cites or not draft.stand_ins or bool(draft.bibliographies)


def _check_output(path: Path) -> None:
    """Raise `InputError` where contexts cannot be written, or would overwrite something else."""
    require_writable(path)
    if path.is_file() and not _holds_contexts(path):
        raise InputError(f"{path}: exists and is not a file of contexts; choose another name")


def _holds_contexts(path: Path) -> bool:
    """Return whether a file is empty or looks like one that we have written."""
    with path.open("rb") as file:
        first = file.readline(_LONGEST_LINE)
    try:
        return not first or {"citing", "cited", "text"} <= dict(json.loads(first)).keys()
    except (ValueError, TypeError):
        return False


def _write_contexts(path: Path, contexts: Iterable[tuple[str, InlinkContext]]) -> None:
    """Write one JSON object per line: citing and cited work, citance, its page, the words."""
    _check_output(path)  # reading papers takes long, and the author may have used the name
    with replacing(path) as file:
        for key, context in contexts:
            line = {
                "citing": context.citing_paper,
                "cited": key,
                "text": context.citance,
                "page": context.page,
                "left": " ".join(context.left),
                "right": " ".join(context.right),
            }
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


def _print(known: _Known) -> None:
    numbers = known.numbers()
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column()
    table.add_column(justify="right")
    for name, label in _LABELS.items():
        table.add_row(label, f"{numbers[name]:,}")
    screen = console()
    screen.print(table)
    if known.problems:
        screen.print(f"\n{counted(len(known.problems), 'problem')}:")
        for problem in known.problems:
            show(screen, problem_text(problem), 2)
