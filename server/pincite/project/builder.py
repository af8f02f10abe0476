"""The recommenders of the drafts in use: the first at once, the full one when papers are read.

While a bibliography is edited, the earlier recommender stays in use for all other entries. The
background thread builds; requests use the newest recommender.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..cancellation import READING, CancelledError
from ..model.problems import Problem
from ..recommend import RankedFor, declared_language, draft_language
from .background import Background, building, release_memory
from .bibliographies import WRITTEN_BY_TEX, candidates_of
from .open_draft import OpenDraft, Progress, ReadDraft, innermost
from .search import searchable

if TYPE_CHECKING:
    from ..library.library import Library
    from ..model.papers import BibEntry
    from ..recommend import Extent, Recommender
    from ..settings import Settings
    from .caches import Caches

logger = logging.getLogger(__name__)

#: A draft by its main file and the library folders that serve it: two files of a draft may have
#: different ones.
BuildKey = tuple[Path, tuple[Path, ...]]
#: Called in the background with the name of a draft.
Report = Callable[[str, Progress], None]
#: With more entries than this, an author would wait for a first list that has more than titles.
MAX_AT_ONCE: Final = 2_000
#: With more changed entries than this, an author would wait for them to be counted.
_MAX_CHANGED: Final = 200
#: With fewer characters, a language is hard to identify.
_MIN_PROSE: Final = 400
#: How many drafts without an open document stay ready, and for how many drafts that were only read
#: the bibliographies are followed.
_MAX_CLOSED: Final = 4
_MAX_FOLLOWED: Final = 100
#: How long the author must have stopped editing a large bibliography before it is rebuilt.
_EDITING_SECONDS: Final = 0.5
#: After how long papers that were read are used for the first time; then after four times as long.
_FIRST_PAPERS_SECONDS: Final = 1.0
#: The suffixes of output that could be papers.
_OUTPUT_SUFFIXES: Final = (".pdf", ".xml")


@dataclass(frozen=True, slots=True, eq=False)
class Build:
    """The newest recommender of a draft; `complete` when no better one will come."""

    #: The newest reading of the draft, and when its library was last used.
    read: ReadDraft
    library: Library
    #: The length of the prose when its language was identified.
    prose: int
    base: Recommender
    recommender: Recommender
    complete: bool = False

    def is_open(self, documents: Container[Path]) -> bool:
        """Return whether a file of the draft is among the open documents."""
        return any(path in documents for path in self.read.draft.own_paths)


class Builder:
    """Builds the recommenders of all drafts in use; thread-safe."""

    def __init__(self, background: Background, caches: Caches, report: Report) -> None:
        self._background = background
        self._caches = caches
        self.report = report
        #: Replaced only while `READING` is held; the event loop may drop some at any time.
        self._builds: dict[BuildKey, Build] = {}
        #: Those whose papers, other drafts or bibliographies have changed since they began.
        self._outdated: set[BuildKey] = set()
        self._progress: dict[BuildKey, Progress] = {}
        #: The bibliographies of the drafts that were read, by main file, the latest last.
        self._bibliographies: dict[Path, frozenset[Path]] = {}
        #: Drafts for which the author wants no more papers read, until something changes.
        self._halted: set[BuildKey] = set()
        self._reported: set[Problem] = set()

    # For requests

    def follow(self, read: ReadDraft) -> None:
        """Note which bibliographies a draft uses, and forget those of drafts read long ago."""
        sources = (*read.draft.bibliographies, *read.draft.fallback_bibliographies)
        self._bibliographies.pop(read.draft.root, None)  # the latest is the last
        files = frozenset(source.path for source in sources if source.text is None)
        self._bibliographies[read.draft.root] = files
        built = {root for root, _ in tuple(self._builds)}
        only_read = [root for root in tuple(self._bibliographies) if root not in built]
        for root in only_read[:-_MAX_FOLLOWED]:
            self._bibliographies.pop(root, None)

    def bibliographies(self) -> frozenset[Path]:
        """Return the bibliographies of the drafts that were read."""
        return frozenset().union(*tuple(self._bibliographies.values()))

    def open(self, read: ReadDraft) -> OpenDraft:
        """Return a draft with its best recommender so far; a better one is built if there is."""
        library = read.workspace.library(read.draft)
        key = read.draft.root, library.tops
        with READING:
            build = self._builds.get(key)
            now = self._served(key, build, read, library) if build else self._first(read, library)
            # An older state may be asked for after a newer one, whose build stays.
            if build is None or read.revision >= build.read.revision:
                self._builds[key] = now
                self._drop_closed(read)
                is_under_way = (
                    build is not None
                    and not build.complete
                    and build.read.bibliography is read.bibliography
                )
                if not now.complete and not is_under_way:
                    self._halted.discard(key)
                    is_large = build is not None and len(read.bibliography.entries) > MAX_AT_ONCE
                    self._build_soon(key, _EDITING_SECONDS if is_large else 0.0)
        return OpenDraft(
            *(read.workspace, read.draft, read.bibliography, read.file, read.revision),
            *(now.recommender, now.complete, None if now.complete else self._progress.get(key)),
        )

    def _first(self, read: ReadDraft, library: Library) -> Build:
        is_large = len(read.bibliography.entries) > MAX_AT_ONCE
        extent: Extent = "titles" if is_large else "texts"
        made = read.workspace.recommender(
            read.draft, read.bibliography, full_texts=False, extent=extent
        )
        return Build(read, library, _prose(read), made, made)

    def _served(self, key: BuildKey, build: Build, read: ReadDraft, library: Library) -> Build:
        """Return what serves a draft as it is read now: an earlier build, patched if need be."""
        settings, made_with = read.workspace.settings, build.base.settings
        if (settings.ranking, settings.matching) != (made_with.ranking, made_with.matching):
            return self._first(read, library)
        is_outdated = build.library is not library or _rules(read) != _rules(build.read)
        prose = build.prose
        if _prose(read) >= max(_MIN_PROSE, 2 * prose):
            prose = _prose(read)
            is_outdated |= draft_language(read.draft) not in (None, build.base.language)
        if is_outdated and read.revision >= build.read.revision:
            self._outdated.add(key)
        complete = build.complete and not is_outdated and key not in self._outdated
        now = replace(build, read=read, library=library, prose=prose, complete=complete)
        if read.bibliography is build.read.bibliography:
            return now
        if _ranks(build.base, read):
            return replace(now, recommender=build.base)
        return replace(now, recommender=self._patched(now), complete=False)

    def _patched(self, build: Build) -> Recommender:
        """Return the recommender of an earlier bibliography, with the entries as they are now."""
        from ..library.library import Library
        from ..model.papers import Candidates

        read, base = build.read, build.base
        before, entries = base.candidates, read.bibliography.entries
        changed = _changed(before.entries, entries)
        if len(changed) > _MAX_CHANGED:
            return self._first(read, build.library).recommender
        # A biblatex set has the texts of its members, which may be others by now.
        changed.update(key for key, entry in entries.items() if entry.members)
        now = candidates_of(read.bibliography, Library.known_text)
        candidates = Candidates(now.entries, lambda key: (now if key in changed else before)[key])
        ranked_for = RankedFor.draft(read.draft, read.bibliography.key_of)
        return base.patched(candidates, changed, ranked_for)

    def _drop_closed(self, read: ReadDraft) -> None:
        """Drop the builds of drafts without an open document, except the latest."""
        texts, builds = read.workspace.open_texts, tuple(self._builds.items())
        for key in [key for key, build in builds if not build.is_open(texts)][:-_MAX_CLOSED]:
            self._drop(key)

    def _drop(self, key: BuildKey) -> None:
        self._builds.pop(key, None)
        self._outdated.discard(key)
        self._bibliographies.pop(key[0], None)
        self._caches.forget_draft(key[0])
        self._background.drop(("build", key))
        if self._progress.pop(key, None) is not None:
            # What is left to read was waiting for its turn.
            self.report(key[0].name, Progress(0, 0, ended=True))

    # When something changes

    def changed(self, paths: frozenset[Path]) -> None:
        """Build again what may depend on files."""
        for key, build in tuple(self._builds.items()):
            if any(_may_depend(build, path) for path in paths):
                self._outdated.add(key)

    def rebuild(self, read: ReadDraft) -> None:
        """Build a draft's recommender again."""
        self._outdated.update(key for key in tuple(self._builds) if key[0] == read.draft.root)
        self.open(read)

    def folders_changed(self, before: tuple[Path, ...], now: tuple[Path, ...]) -> None:
        """Drop the drafts that belong to another folder now."""
        for key in tuple(self._builds):
            if innermost(before, key[0]) != innermost(now, key[0]):
                self._drop(key)

    def stop_reading(self) -> None:
        """Read no more papers for the drafts in hand until something changes."""
        builds = tuple(self._builds.items())
        self._halted.update(key for key, build in builds if not build.complete)

    def open_roots(self, documents: Container[Path]) -> list[Path]:
        """Return the main files of the drafts with an open document."""
        builds = tuple(self._builds.values())
        return [build.read.draft.root for build in builds if build.is_open(documents)]

    # In the background

    def _build_soon(self, key: BuildKey, seconds: float = 0.0) -> None:
        self._background.do(("build", key), lambda: self._begin(key), after=seconds)

    def _begin(self, key: BuildKey) -> None:
        self._progress.pop(key, None)
        if (build := self._builds.get(key)) is not None and not build.complete:
            self._read_papers(key, _FIRST_PAPERS_SECONDS)

    def _read_papers(self, key: BuildKey, seconds: float) -> None:
        """Read papers for some seconds, use them, and read the rest for four times as long."""
        # What changes from now on is a reason to build again.
        self._outdated.discard(key)
        if (build := self._builds.get(key)) is None:
            return
        workspace, draft, ends = build.read.workspace, build.read.draft, time.monotonic() + seconds

        def is_stale() -> bool:
            now = self._builds.get(key)
            return now is None or now.read.bibliography is not build.read.bibliography

        def is_enough() -> bool:
            return time.monotonic() > ends or is_stale() or key in self._halted

        def progress(done: int, total: int) -> None:
            before = self._progress.get(key)
            if before is not None and before.papers == total:
                done = max(done, before.read)
            self._progress[key] = Progress(done, total)
            self.report(draft.root.name, self._progress[key])

        has_ended = True
        try:
            complete = workspace.read_library(
                draft,
                progress=progress,
                # One processor is left to the editor and to the answers.
                jobs=max(1, (os.cpu_count() or 2) - 1),
                cancelled=is_enough,
            )
            to_encode = build.base.to_encode
            complete = workspace.encode(to_encode, cancelled=is_enough) and complete
            if is_stale():
                self._build_soon(key, _EDITING_SECONDS)
                return
            with building():
                made = workspace.recommender(draft, build.read.bibliography)
            # Papers have abstracts that their entries lack.
            complete = (complete and made.to_encode == to_encode) or key in self._halted
            published = self._publish(key, build, made, complete=complete)
            searchable(made)  # or the first letter that is typed would wait for it
            if published is not None and not complete:
                has_ended = False
                self._background.do(("build", key), lambda: self._read_papers(key, 4.0 * seconds))
            for problem in (*workspace.problems, *workspace.library(draft).problems):
                if problem not in self._reported:
                    self._reported.add(problem)
                    logger.warning("%s", problem)
        except CancelledError:
            has_ended = False
            raise
        except Exception:
            # Titles and abstracts stay in use; trying again would fail again.
            logger.exception("could not index %s", draft.root)
            self._publish(key, build, build.base, complete=True)
        finally:
            # Not here, where the earlier build still has a name.
            self._background.do("release memory", release_memory)
            if has_ended:
                papers = self._progress.get(key, Progress(0, 0)).papers
                self.report(draft.root.name, Progress(papers, papers, ended=True))

    def _publish(
        self, key: BuildKey, build: Build, made: Recommender, *, complete: bool = False
    ) -> Build | None:
        """Use a recommender from now on; return None if the draft is built anew instead."""
        with READING:
            if (now := self._builds.get(key)) is None:
                return None
            now = replace(now, base=made, recommender=made, prose=_prose(build.read))
            is_same = now.read.bibliography is build.read.bibliography
            is_newest = is_same and key not in self._outdated
            if not _ranks(made, now.read):
                now = replace(now, recommender=self._patched(now))
            now = self._builds[key] = replace(now, complete=complete and is_newest)
        if is_newest:
            return now
        self._build_soon(key)
        return None


def _ranks(base: Recommender, read: ReadDraft) -> bool:
    """Return whether a recommender ranks the entries that a draft has as they are."""
    before, entries = base.candidates.entries, read.bibliography.entries
    return before is entries or (len(before) == len(entries) and not _changed(before, entries))


def _changed(before: Mapping[str, BibEntry | None], now: Mapping[str, BibEntry]) -> set[str]:
    """Return the keys of the entries that are new or have changed."""

    def content(entry: BibEntry) -> tuple[object, ...]:
        return entry.entry_type, entry.path, entry.aliases, entry.members, entry.fields

    return {
        key
        for key, entry in now.items()
        # Most are written as before; white space around an entry is no change.
        if (known := before.get(key)) != entry
        and (known is None or content(known) != content(entry))
    }


def _prose(read: ReadDraft) -> int:
    return max((file.prose.length for file in read.draft.files), default=0)


def _rules(read: ReadDraft) -> tuple[object, ...]:
    """Return the settings that a build depends on, and what the draft itself declares."""
    settings: Settings = read.workspace.settings
    draft = read.draft
    return (
        *(settings.matching, settings.library, settings.ranking, settings.zotero),
        *(declared_language(draft), draft.case_sensitive_keys, draft.program),
    )


def _may_depend(build: Build, changed: Path) -> bool:
    """Return whether a file may be a paper, another draft or a bibliography.

    The output of TeX, Typst and Pandoc for the draft is none of these: it lies beside a file of the
    draft, or below it where that is no folder of papers.
    """
    own = build.read.draft.own_paths
    in_library = any(map(changed.is_relative_to, build.library.tops))
    for path in own:
        rest = changed.name.removeprefix(path.stem)
        if rest == changed.name:
            continue
        is_output = rest.lower() in WRITTEN_BY_TEX or (
            rest.startswith(".") and changed.suffix.lower() in _OUTPUT_SUFFIXES
        )
        is_beside = changed.parent == path.parent
        if is_beside and (is_output or rest == changed.suffix):
            return False
        if is_output and not (is_beside or in_library) and changed.is_relative_to(path.parent):
            return False
    return changed not in own
