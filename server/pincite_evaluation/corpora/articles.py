"""Folders of articles in JATS or in GROBID's TEI, one file each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pincite.model.problems import InputError, Problem
from pincite.parsing.papers.xml import read_xml

from ..progress import Progress
from .found import FoundPaper, files_below

_SUFFIXES = (".xml", ".nxml")


def is_article(path: Path) -> bool:
    """Return whether a file is an article in XML, by its name."""
    return path.suffix.lower() in _SUFFIXES


def article_files(path: Path) -> list[Path]:
    """Return the XML files of a collection: `path`, or the non-hidden ones below it, by name."""
    if not path.is_dir():
        return [path] if is_article(path) else []
    return sorted(files_below(path, is_article))


def read_article(path: Path) -> FoundPaper | Problem:
    """Read one article, with the name of its file as id; return a problem if it is unusable."""
    try:
        paper = read_xml(path)
    except OSError as error:
        return Problem(path, None, f"cannot be read ({error.strerror})", broken=True)
    except InputError as error:
        return Problem(path, None, str(error), broken=True)
    name = path.name.removesuffix(path.suffix).removesuffix(".tei")
    return FoundPaper(name, paper, ("",) * len(paper.references), path, None)


def read_articles(files: list[Path], progress: Progress) -> Iterator[FoundPaper | Problem]:
    """Yield the articles in some files, and the problems.

    If all files have the same name, such as ``article.xml`` in separate folders, articles are named
    after their folders. `progress` is called with the number of files read and in all.
    """
    names = [file.name for file in files]
    for done, file in enumerate(files, start=1):
        found = read_article(file)
        if isinstance(found, FoundPaper) and names.count(file.name) > 1:
            found = found._replace(id=file.parent.name)
        yield found
        progress(done, len(files))
