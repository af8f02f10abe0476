"""Papers that cite each other: articles in JATS or GROBID's TEI, and folders of LaTeX projects."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from pincite.model.papers import NO_BREAK_SPACE, Reference, ReferencePaper
from pincite.model.problems import InputError, Problem
from pincite.parsing.encoding import read_text
from pincite.parsing.papers.latex import is_latex_folder, latex_sources, read_latex
from pincite.parsing.papers.xml import read_xml

from ..progress import Progress

_SUFFIXES = (".xml", ".nxml")


class CollectionPaper(NamedTuple):
    """A paper, under the id by which the others of its collection cite it.

    `links` has the id of the paper that each of its references refers to, empty if unknown; it may
    be the id of a paper outside the collection. The paper begins in the 1-based `line` of the file
    `path`, or `path` is the folder of its sources.
    """

    id: str
    paper: ReferencePaper
    links: tuple[str, ...]
    path: Path
    line: int | None


def files_below(folder: Path, is_wanted: Callable[[Path], bool]) -> Iterator[Path]:
    """Yield the non-hidden files in a folder and below that are wanted."""
    return (
        file
        for file in folder.rglob("*")
        if is_wanted(file)
        and not any(part.startswith(".") for part in file.relative_to(folder).parts)
        and file.is_file()
    )


def fields_of(work: Reference | ReferencePaper) -> dict[str, str]:
    """Return the fields by which a bibliography would describe a work; some may be empty."""
    return {
        "title": work.title,
        # A name is treated as one word.
        "author": " and ".join(name.replace(" ", NO_BREAK_SPACE) for name in work.surnames),
        "year": work.year,
        "doi": work.doi,
        "eprint": work.arxiv,
    }


# Articles -----------------------------------------------------------------------------------------


def is_article(path: Path) -> bool:
    """Return whether a file is an article in XML, by its name."""
    return path.suffix.lower() in _SUFFIXES


def article_files(path: Path) -> list[Path]:
    """Return the XML files of a collection: `path`, or the non-hidden ones below it, by name."""
    if not path.is_dir():
        return [path] if is_article(path) else []
    return sorted(files_below(path, is_article))


def read_article(path: Path) -> CollectionPaper | Problem:
    """Read one article, with the name of its file as id; return a problem if it is unusable."""
    try:
        paper = read_xml(path)
    except OSError as error:
        return Problem(path, None, f"cannot be read ({error.strerror})", broken=True)
    except InputError as error:
        return Problem(path, None, str(error), broken=True)
    name = path.name.removesuffix(path.suffix).removesuffix(".tei")
    return CollectionPaper(name, paper, ("",) * len(paper.references), path, None)


def read_articles(files: list[Path], progress: Progress) -> Iterator[CollectionPaper | Problem]:
    """Yield the articles in some files, and the problems."""
    names = [file.name for file in files]
    for done, file in enumerate(files, start=1):
        found = read_article(file)
        if isinstance(found, CollectionPaper) and names.count(file.name) > 1:
            found = found._replace(id=file.parent.name)
        yield found
        progress(done, len(files))


# LaTeX --------------------------------------------------------------------------------------------


def latex_projects(folder: Path) -> list[Path]:
    """Return the folders in a folder, by name, if one of them is a LaTeX project; else none."""
    if not folder.is_dir():
        return []
    folders = sorted(p for p in folder.iterdir() if p.name[0] != "." and p.is_dir())
    return folders if any(map(is_latex_folder, folders)) else []


def read_latex_papers(
    folders: list[Path], progress: Progress
) -> Iterator[CollectionPaper | Problem]:
    """Yield the papers of some projects, and problems for folders that are not projects."""
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
            yield CollectionPaper(folder.name, paper, ("",) * len(paper.references), folder, None)
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
