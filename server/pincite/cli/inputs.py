"""From the command line's arguments to a draft, its workspace and its bibliography."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..library.index import PaperIndex
from ..model.drafts import Draft
from ..model.markups import markup_of
from ..model.problems import InputError, Problem
from ..parsing.drafts import syntax_of
from ..parsing.encoding import read_text
from ..project.bibliographies import DraftBibliography
from ..project.workspace import Workspace
from ..settings import (
    RANKER_NAMES,
    SYSTEM_NAMES,
    LibrarySettings,
    MatchingSettings,
    RankingSettings,
    Settings,
)
from .options import DraftOptions
from .output import echo

if TYPE_CHECKING:
    from ..checking.library_health import LibraryHealth
    from ..recommend import Extent, Recommender


@dataclass(frozen=True, slots=True)
class DraftInput:
    """A draft named on the command line, with its bibliography."""

    given: Path
    draft: Draft
    workspace: Workspace
    bibliography: DraftBibliography

    def relative(self, path: Path) -> str:
        """Return a file's path relative to the draft's folder."""
        return Path(os.path.relpath(path, self.draft.path.parent)).as_posix()

    def place(self, path: Path, line: int, column: int) -> str:
        """Return a place in a file as ``file:line:column``."""
        return f"{self.relative(path)}:{line}:{column}"

    def require_entries(self) -> None:
        """Raise `InputError` if there is nothing to cite."""
        if self.bibliography.entries:
            return
        missing = (p for p in self.draft.problems if "bibliography" in p.message)
        reasons = [problem_text(problem) for problem in (*self.bibliography.problems, *missing)]
        raise InputError(f"{self.given}: {self.no_entries(*reasons[:1])}")

    def no_entries(self, reason: str = "") -> str:
        """Return a message that there is nothing to cite, and what to do."""
        because = f" ({reason})" if reason else ""
        sources = self.draft.bibliographies or self.draft.stand_ins
        if sources or self.workspace.settings.bibliographies:
            return f"its bibliography has no usable entries{because}"
        commands = ", ".join(syntax_of(self.draft.path).bibliography_commands)
        advice = f"name one in the draft ({commands}) or with --bib FILE"
        if (
            markup_of(self.draft.path) == "latex"
            and "\\documentclass" not in self.draft.files[0].text
        ):
            advice += "; for a part of a larger draft, name its folder with --workspace DIR"
        return f"no bibliography found{because}; {advice}"

    def recommender(self, extent: Extent = "texts") -> Recommender:
        """Read the texts of all entries, showing progress, and make the recommender."""
        with progress_bar("Reading papers") as progress:
            self.workspace.read_library(self.draft, progress=progress)
        return self.workspace.recommender(self.draft, extent=extent)

    def texts(self) -> Recommender:
        """Return a recommender for finding sentences, as `recommender` does."""
        return self.recommender("keys")

    def same(self, key: str, other: str) -> bool:
        """Return whether two keys mean the same entry."""
        first, second = self.bibliography.find(key), self.bibliography.find(other)
        return key == other or (first is not None and first is second)

    def health(self) -> LibraryHealth:
        """Return the health of the draft's library; reads all papers, showing progress."""
        from ..checking.library_health import library_health

        recommender, opened = self.texts(), self.workspace
        return library_health(
            self.draft,
            self.bibliography.files,
            recommender.candidates,
            opened.library(self.draft),
            opened.read,
            bases=opened.settings.library.base_folders,
            lent=opened.lent_texts(self.draft),
        )

    def report_draft_problems(self) -> None:
        """Print the problems of everything but papers."""
        report((*self.draft.problems, *self.bibliography.problems, *self.workspace.problems))

    def report_problems(self) -> int:
        """Print the problems; return the exit status: 2 if a paper is broken."""
        self.report_draft_problems()
        unreadable = self.workspace.library(self.draft).problems
        report(unreadable)
        return 2 if any(problem.broken for problem in unreadable) else 0


def read_input(given: Path, options: DraftOptions) -> DraftInput:
    """Read a draft and its bibliography; raises `InputError` if they cannot be used."""
    settings = settings_of(options)
    if not read_text(given).strip():
        raise InputError(f"{given}: the draft is empty")
    folder = options.workspace or given.absolute().parent
    opened = Workspace(folder, settings, index=PaperIndex())
    if settings.matching.needs_research:
        opened.matcher()
        # An editor falls back to the default system; on the command line that is an error.
        for problem in opened.matcher.problems:
            raise InputError(str(problem))
    draft = opened.draft(given)
    return DraftInput(given, draft, opened, opened.bibliography(draft))


def settings_of(options: DraftOptions) -> Settings:
    """Return the settings for the options; raises `InputError` for missing files or names."""
    folders = (*options.libraries, *options.base_folders, *options.draft_folders)
    for folder in (*folders, *filter(None, (options.workspace,))):
        if not folder.is_dir():
            raise InputError(f"{folder}: no such folder")
    for path in options.bibliographies:
        read_text(path)
    if options.vectors is not None:
        from ..matching.vectors import WordVectors

        WordVectors.load(options.vectors)
    if options.ranker not in RANKER_NAMES:
        raise InputError(f"no ranker {options.ranker!r}; there are {', '.join(RANKER_NAMES)}")
    if options.system not in SYSTEM_NAMES:
        raise InputError(f"no system {options.system!r}; there are {', '.join(SYSTEM_NAMES)}")
    return Settings(
        library=LibrarySettings(
            folders=_absolute(options.libraries),
            base_folders=_absolute(options.base_folders),
            draft_folders=_absolute(options.draft_folders),
        ),
        ranking=RankingSettings(options.ranker),
        matching=MatchingSettings(options.system, options.vectors, options.model),
        bibliographies=_absolute(options.bibliographies),
        zotero=options.zotero,
    )


def _absolute(paths: Iterable[Path]) -> tuple[Path, ...]:
    return tuple(path.absolute() for path in paths)


def report(problems: Sequence[Problem]) -> None:
    """Print problems to stderr, each once, with file and line."""
    for text in dict.fromkeys(problem_text(problem) for problem in problems):
        echo(f"pincite: {text}", err=True)


def problem_text(problem: Problem) -> str:
    """Format a problem with file and line; the path is relative if below the current folder."""
    if problem.path is not None:
        relative = os.path.relpath(problem.path)
        if not relative.startswith(".."):
            problem = replace(problem, path=Path(relative))
    return str(problem).replace("\n", " ").replace("\r", " ")


@contextmanager
def progress_bar(label: str) -> Iterator[Callable[[int, int], None]]:
    """Show progress on stderr if it is a terminal."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
