"""The author's whole library: entries that a draft may cite once they are in its bibliography.

The background reads the global bibliographies, and last that of Zotero, and fits a recommender to
them. Requests are answered with what is known: nothing yet, or the state before a file changed.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from .background import building, release_memory

if TYPE_CHECKING:
    from ..library.same_work import WorkMatcher
    from ..model.bibliographies import BibliographyFile
    from ..model.papers import BibEntry, Candidate
    from ..model.results import RankedEntry
    from ..recommend import Recommender
    from ..settings import Settings
    from .background import Background
    from .bibliographies import DraftBibliography
    from .caches import Caches

logger = logging.getLogger(__name__)

#: In a larger bibliography works are distinguished by key alone: comparing takes too long.
_MAX_COMPARED = 10_000


class _Known(NamedTuple):
    """What was read, in which state; there is no recommender where reading failed."""

    chosen: tuple[object, ...]
    files: tuple[object, ...]
    recommender: Recommender | None = None
    bibliography: DraftBibliography | None = None
    #: The names, in lower case, of proceedings and collections: others inherit from these.
    parents: frozenset[str] = frozenset()


class GlobalLibrary:
    """The entries of the global bibliographies; thread-safe, and never waits."""

    def __init__(
        self,
        settings: Callable[[], Settings],
        texts: Callable[[], Mapping[Path, str]],
        caches: Caches,
        background: Background,
    ) -> None:
        """Read files on the disk, and the open documents, as they and the settings are now.

        An older request must not ask with those that it began with: all would be read again.
        """
        self._settings, self._texts = settings, texts
        self._caches, self._background = caches, background
        self._known: _Known | None = None
        #: The entries of a draft, and their keys for entries of the library that were compared.
        self._compared: tuple[Mapping[str, BibEntry], WorkMatcher, dict[str, str | None]] | None
        self._compared = None

    def recommender(self) -> Recommender | None:
        """Return the library's recommender; changes are read in the background."""
        known = self._current()
        return None if known is None else known.recommender

    def candidate(self, key: str) -> Candidate | None:
        """Return the entry of a key, of what has been read so far."""
        library = self.recommender()
        return None if library is None else library.candidates.get(key)

    def is_read(self) -> bool:
        """Return whether the library has been read; there may be nothing in it."""
        return self._current() is not None or _is_off(self._settings())

    def _current(self) -> _Known | None:
        settings, known = self._settings(), self._known
        if _is_off(settings):
            return None
        if known is None or known[:2] != self._state(settings):
            self._background.do("library", lambda: self._read(settings))
        return known if known is not None and known.chosen == _chosen(settings) else None

    def lacking(
        self, bibliography: DraftBibliography, ranked: Iterable[RankedEntry]
    ) -> Iterator[RankedEntry]:
        """Yield the ranked entries of the library that a draft lacks, each work once."""
        return (each for each, own in self.compared(bibliography, ranked) if own is None)

    def compared(
        self, bibliography: DraftBibliography, ranked: Iterable[RankedEntry]
    ) -> Iterator[tuple[RankedEntry, str | None]]:
        """Yield ranked entries of the library, each work once, with the draft's key for it."""
        from ..library.same_work import WorkMatcher, as_reference

        entries, compared = bibliography.entries, self._compared
        if compared is None or compared[0] is not entries:
            few = entries.values() if len(entries) <= _MAX_COMPARED else ()
            compared = self._compared = (entries, WorkMatcher(few), {})
        _, works, keys = compared
        yielded: set[tuple[str, ...]] = set()
        for each in ranked:
            entry = each.candidate.entry
            if entry is None:
                continue
            if (same := bibliography.find(entry.key)) is not None:
                key: str | None = same.key
            elif entry.key in keys:
                key = keys[entry.key]
            else:
                key = keys[entry.key] = works.find(as_reference(entry))
            # What two entries of one work in a library have in common.
            title = "".join(filter(str.isalnum, entry.title.casefold()))
            work = (entry.doi,) if entry.doi else (title, entry.year, *entry.surnames[:1])
            if work not in yielded:
                yielded.add(work)
                yield each, key

    def is_parent(self, key: str) -> bool:
        """Return whether other entries of the library inherit from this one by ``crossref``."""
        return self._known is not None and key.lower() in self._known.parents

    @property
    def bibliography(self) -> DraftBibliography | None:
        """The library's entries as they were read."""
        return None if self._known is None else self._known.bibliography

    def files(self) -> list[BibliographyFile]:
        """Return the bibliographies as they stand now, but for those that are not there."""
        from ..edits.entries import read_files
        from ..model.problems import InputError
        from ..parsing.encoding import read_text

        texts: list[tuple[Path, str]] = []
        for path in self._paths(self._settings()):
            with suppress(InputError):
                text = self._texts().get(path)
                texts.append((path, read_text(path) if text is None else text))
        return read_files(texts)

    def _paths(self, settings: Settings) -> tuple[Path, ...]:
        of_zotero = () if settings.zotero == "off" else self._caches.zotero.known
        return (*settings.global_bibliographies, *of_zotero)

    def _state(self, settings: Settings) -> tuple[tuple[object, ...], tuple[object, ...]]:
        """Return what the library depends on: settings, and the files with their states."""
        texts, disk, paths = self._texts(), self._caches.disk, self._paths(settings)
        files = (texts[path] if path in texts else disk.status(path) for path in paths)
        return _chosen(settings), (settings.ranking, *paths, *files)

    def _read(self, settings: Settings) -> None:
        from ..parsing.bibtex.file import keys_named_by
        from .workspace import Workspace

        known = _Known(*self._state(settings))
        try:
            if settings.zotero != "off":
                self._caches.zotero.bibliographies()
                known = _Known(*self._state(settings))
            if paths := self._paths(settings):
                # The bibliographies that every draft has are each draft's own.
                alone = replace(settings, bibliographies=(), zotero="off")
                workspace = Workspace(paths[0].parent, alone, None, self._texts(), self._caches)
                draft = workspace.without_text(paths[0], paths)
                with building():
                    recommender = workspace.recommender(draft, full_texts=False)
                read = workspace.bibliography(draft)
                for problem in read.unread:
                    logger.warning("%s", problem)
                heirs = (file.all_entries[key] for _, file in read.files for key in file.heirs)
                named = (name for each in heirs for name in keys_named_by(each, ("crossref",)))
                parents = frozenset(map(str.lower, named))
                known = _Known(*known[:2], recommender, read, parents)
        except Exception:
            # Trying again would fail again, until a file changes.
            logger.exception("could not read the global bibliographies")
        self._known, self._compared = known, None
        self._background.do("release memory", release_memory)


def _chosen(settings: Settings) -> tuple[object, ...]:
    return settings.global_bibliographies, settings.zotero


def _is_off(settings: Settings) -> bool:
    return not settings.global_bibliographies and settings.zotero == "off"
