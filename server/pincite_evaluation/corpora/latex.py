"""Collections of LaTeX projects: a folder with a subfolder for each paper."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from pincite.model.problems import InputError, Problem
from pincite.parsing.encoding import read_text
from pincite.parsing.papers.latex import is_latex_folder, latex_sources, read_latex

from ..progress import Progress
from .found import FoundPaper


def latex_projects(folder: Path) -> list[Path]:
    """Return the folders in a folder, by name, if one of them is a LaTeX project; else none."""
    if not folder.is_dir():
        return []
    folders = sorted(p for p in folder.iterdir() if p.name[0] != "." and p.is_dir())
    return folders if any(map(is_latex_folder, folders)) else []


def read_latex_papers(folders: list[Path], progress: Progress) -> Iterator[FoundPaper | Problem]:
    """Yield the papers of some projects, and problems for folders that are not projects.

    The id of a paper is the name of its folder; its references are not linked. `progress` is called
    with the number of projects done and in all.
    """
    for number, folder in enumerate(folders, start=1):
        try:
            paper = read_latex(folder)
        except InputError as error:
            yield Problem(folder, None, str(error))
        except OSError as error:
            yield Problem(folder, None, f"this cannot be read ({error.strerror or error})")
        else:
            if not paper.title:
                yield Problem(folder, None, "it has no title by which others could cite it")
            yield FoundPaper(folder.name, paper, ("",) * len(paper.references), folder, None)
        progress(number, len(folders))


def place_of_reference(folder: Path, key: str) -> tuple[Path, int | None]:
    """Return the file and 1-based line of a project's reference, or the folder if not found."""
    entry = re.compile(
        r"(?:@\w{1,30}\s{0,9}|\\entry\s{0,9}|\\bibitem\s{0,9}(?:\[[^]]{0,300}\]\s{0,9})?)"
        rf"\{{\s{{0,9}}{re.escape(key)}\s{{0,9}}[,}}]"
    )
    for file in latex_sources(folder):
        try:
            text = read_text(file)
        except InputError:
            continue
        if found := entry.search(text):
            return file, text.count("\n", 0, found.start()) + 1
    return folder, None
