"""Finds the text of an entry: its own file, a file of a library folder, abstract, or title."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from ..model.papers import BibEntry, ReferencePaper, Sentence
from ..model.problems import InputError, NoTextError, Problem
from ..parsing.papers import READABLE_SUFFIXES, read_paper
from ..text.sentences import sentence_spans
from .file_fields import as_path, named_files
from .index import PaperIndex, content_hash

logger = logging.getLogger(__name__)

#: Time of change and size of a file; None where there is none.
Stamp = tuple[int, int] | None

_MOST_FILES = 50_000
_MOST_FOLDERS = 5_000
#: Fields that stand for a text that is not there, and what their sentences are shown as.
_PROSE_FIELDS = (
    ("abstract", "Abstract"),
    ("annote", "Annotation"),
    ("annotation", "Annotation"),
)
_NOT_IN_FILE_NAMES = re.compile(r'[/\\:*?"<>|\s]')


class Library:
    """The texts of a workspace's entries.

    `folders` are searched for files named after a key. Files that exist but cannot be read are
    reported once, in `problems`, and the entry falls back to its abstract or title. `folders`
    holds all folders that were listed, with the stamps they had.
    """

    def __init__(self, folders: Iterable[Path] = (), index: PaperIndex | None = None) -> None:
        self.problems: list[Problem] = []
        self._index = index
        self._unreadable: dict[Path, Stamp] = {}
        self._papers: dict[Path, tuple[Stamp, ReferencePaper]] = {}
        self._by_name, self.folders = _files_by_name(folders)

    def locate(self, entry: BibEntry) -> Path | None:
        """Return the file with the full text of an entry, if one exists."""
        for path in self._located(entry):
            return path
        return None

    def paper(self, entry: BibEntry) -> ReferencePaper:
        """Return the best text there is for an entry."""
        for path in self._located(entry):
            paper = self._read(path)
            if paper is not None:
                return replace(
                    paper,
                    title=entry.title or paper.title,
                    abstract=paper.abstract or entry.abstract,
                )
        return self.known_text(entry)

    @staticmethod
    def known_text(entry: BibEntry) -> ReferencePaper:
        """Return what the bibliography itself says of an entry: abstract, else title."""
        abstract = entry.abstract
        section = next((label for name, label in _PROSE_FIELDS if entry.fields.get(name)), None)
        if section is None:
            # Keywords count in the ranking, but there is no sentence in them to show.
            return ReferencePaper(entry.title, "title", (), abstract)
        sentences = tuple(
            Sentence(abstract[start:end], section=section)
            for start, end in sentence_spans(abstract)
        )
        return ReferencePaper(entry.title, "abstract", sentences, abstract)

    def _located(self, entry: BibEntry) -> Iterable[Path]:
        for name in named_files(entry.fields.get("file", "")):
            path = as_path(name)
            if path.suffix.lower() not in READABLE_SUFFIXES:
                continue
            path = path if path.is_absolute() else entry.path.parent / path
            if path.is_file():
                yield path
        for key in (entry.key, *entry.aliases):
            # A key such as "DBLP:conf/acl/Smith01" is no file name as it stands.
            names = {_NOT_IN_FILE_NAMES.sub(stand_in, key).lower() for stand_in in ("_", "-", "")}
            for name in sorted({key.lower(), *names}):
                yield from self._by_name.get(name, ())

    def _read(self, path: Path) -> ReferencePaper | None:
        stamp = file_stamp(path)
        known = self._papers.get(path)
        if known is not None and known[0] == stamp:
            return known[1]
        if path in self._unreadable and self._unreadable[path] == stamp:
            return None
        try:
            paper = self._indexed(path)
        except Exception as error:  # one paper must not cost all the others
            self._set_aside(path, stamp, error)
            return None
        paper = replace(paper, source=path)
        self._papers[path] = (stamp, paper)
        return paper

    def _set_aside(self, path: Path, stamp: Stamp, error: Exception) -> None:
        """Report a file once, and leave it alone until it changes."""
        reason = str(error)
        if isinstance(error, OSError):
            reason = error.strerror or reason
        elif not isinstance(error, InputError):
            logger.exception("reading %s", path)
            reason = f"cannot be read ({type(error).__name__}: {error})"
        self._unreadable[path] = stamp
        self.problems.append(Problem(path, None, reason, not isinstance(error, NoTextError)))

    def _indexed(self, path: Path) -> ReferencePaper:
        if self._index is None:
            return read_paper(path)
        digest, suffix = content_hash(path.read_bytes()), path.suffix.lower()
        paper = self._index.get(digest, suffix)
        if paper is not None:
            return paper
        if (known := self._index.unreadable(digest, suffix)) is not None:
            raise known
        try:
            paper = read_paper(path)
        except NoTextError as error:
            self._index.put_unreadable(digest, suffix, error)
            raise
        self._index.put(digest, suffix, paper)
        return paper


def file_stamp(path: Path) -> Stamp:
    """Return what changes when a file or folder does (time, size); None for one that is gone."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def _files_by_name(
    folders: Iterable[Path],
) -> tuple[dict[str, list[Path]], tuple[tuple[Path, Stamp], ...]]:
    """Map the lower-cased names (without suffix) of the readable files to their paths.

    Also return all folders that were listed, with their stamps.
    """
    by_name: dict[str, list[Path]] = {}
    listed: dict[Path, Stamp] = {}
    count = 0
    for top in folders:
        for place, subfolders, names in os.walk(top):
            subfolders[:] = sorted(name for name in subfolders if name[0] != ".")
            listed[Path(place)] = file_stamp(Path(place))
            for name in sorted(names):
                path = Path(place, name)
                if path.suffix.lower() not in READABLE_SUFFIXES or name[0] == ".":
                    continue
                paths = by_name.setdefault(path.stem.lower(), [])
                if path not in paths:
                    paths.append(path)
                count += 1
            if count >= _MOST_FILES or len(listed) >= _MOST_FOLDERS:
                break
    # A PDF has pages to show; it comes before a text version of the same work.
    for paths in by_name.values():
        paths.sort(key=lambda path: path.suffix.lower() != ".pdf")
    return by_name, tuple(listed.items())
