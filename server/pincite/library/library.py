"""Finds the text of an entry: its own file, a file of a library folder, abstract, or title."""

from __future__ import annotations

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

_MOST_FILES = 50_000
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
    reported once, in `problems`, and the entry falls back to its abstract or title.
    """

    def __init__(self, folders: Iterable[Path] = (), index: PaperIndex | None = None) -> None:
        self.problems: list[Problem] = []
        self._index = index
        self._unreadable: set[Path] = set()
        self._papers: dict[Path, tuple[tuple[int, int], ReferencePaper]] = {}
        self._by_name = _files_by_name(folders)

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
        if path in self._unreadable:
            return None
        try:
            status = path.stat()
            stamp = (status.st_mtime_ns, status.st_size)
            known = self._papers.get(path)
            if known is not None and known[0] == stamp:
                return known[1]
            paper = self._indexed(path)
        except (InputError, OSError) as error:
            self._unreadable.add(path)
            reason = (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
            broken = not isinstance(error, NoTextError)
            self.problems.append(Problem(path, None, reason, broken))
            return None
        paper = replace(paper, source=path)
        self._papers[path] = (stamp, paper)
        return paper

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


def _files_by_name(folders: Iterable[Path]) -> dict[str, list[Path]]:
    """Map the lower-cased names (without suffix) of the readable files to their paths."""
    by_name: dict[str, list[Path]] = {}
    count = 0
    for folder in folders:
        for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
            if path.suffix.lower() in READABLE_SUFFIXES and path.name[0] != "." and path.is_file():
                paths = by_name.setdefault(path.stem.lower(), [])
                if path not in paths:
                    paths.append(path)
                count += 1
            if count >= _MOST_FILES:
                return by_name
    # A PDF has pages to show; it comes before a text version of the same work.
    for paths in by_name.values():
        paths.sort(key=lambda path: path.suffix.lower() != ".pdf")
    return by_name
