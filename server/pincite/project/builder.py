"""The recommenders of the drafts in use: the first at once, the full one when papers are read.

While a bibliography is edited, the earlier recommender serves for all other entries. The background
thread builds; requests take the newest that there is.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from ..cancellation import CancelledError, holding
from ..model.problems import Problem
from ..recommend import RankedFor, declared_language, draft_language
from .background import Background
from .memory import building
from .open_draft import OpenDraft, ReadDraft, innermost
from .progress import Progress
from .search import searchable

if TYPE_CHECKING:
    from ..library.library import Library
    from ..model.papers import BibEntry
    from ..recommend import Recommender
    from ..settings import Settings
    from .workspace import Caches

logger = logging.getLogger(__name__)

#: A draft by its main file and the library folders that serve it: two files of a draft may have
#: different ones.
BuildKey = tuple[Path, tuple[Path, ...]]
#: With more entries than this, an author would wait for a first list that has more than titles.
MAX_AT_ONCE: Final = 2_000
#: With more changed entries than this, an author would wait for them to be counted.
_MAX_CHANGED: Final = 200
#: With fewer characters, a language is hard to tell.
_MIN_PROSE: Final = 400
#: How many drafts stay ready of which no document is open.
_MAX_CLOSED: Final = 4
#: What is built of a large bibliography waits until the author has stopped editing it.
_EDITING_SECONDS: Final = 0.5
#: After how long papers that were read are used for the first time; then after four times as long.
_FIRST_PAPERS_SECONDS: Final = 1.0
#: What biblatex and REVTeX add to the name of a draft for their own bibliographies, and the
#: suffixes of other output that could be papers.
_WRITTEN_BY_TEX: Final = ("-blx.bib", "notes.bib")
_OUTPUT_SUFFIXES: Final = (".pdf", ".xml")


#: Called in the background with the name of a draft.
Report = Callable[[str, Progress], None]


@dataclass(frozen=True, slots=True, eq=False)
class Build:
    """The newest recommender of a draft, and what it was made from.

    `base` was counted as a whole; `recommender` may patch it for entries that have changed since.
    It is `complete` when no better one will come.
    """

    #: The newest reading of the draft, and when its library was last used.
    read: ReadDraft
    library: Library
    #: The entries that `base` ranks, and the length of the prose when its language was identified.
    counted: Mapping[str, BibEntry | None]
    prose: int
    base: Recommender
    recommender: Recommender
    complete: bool = False
    #: Papers, other drafts or bibliographies have changed since.
    outdated: bool = False
    progress: Progress | None = None

    @property
    def root(self) -> Path:
        """The main file of the draft."""
        return self.read.draft.root

    def is_open(self, documents: Container[Path]) -> bool:
        """Return whether a file of the draft is among the open documents."""
        return any(path in documents for path in self.read.draft.own_paths)

    def may_depend_on(self, changed: Path) -> bool:
        """Return whether a file may be a paper, another draft or a bibliography.

        The output of TeX, Typst and Pandoc for the draft is none of these, in any folder.
        """
        anywhere = not any(map(changed.is_relative_to, self.library.tops))
        own = self.read.draft.own_paths
        return changed not in own and not any(_is_output(e, changed, anywhere) for e in own)


class Builder:
    """Builds the recommenders of all drafts in use; thread-safe."""

    def __init__(self, background: Background, caches: Caches, report: Report) -> None:
        self._background = background
        self._caches = caches
        self.report = report
        self._builds: dict[BuildKey, Build] = {}
        #: The bibliographies of each draft that was read, by main file.
        self._bibliographies: dict[Path, frozenset[Path]] = {}
        #: Drafts for which the author wants no more papers read, until something changes.
        self._halted: set[BuildKey] = set()
        #: Held while the first recommender of a draft is made.
        self._making = Lock()
        self._reported: set[Problem] = set()

    # For requests

    def follow(self, read: ReadDraft) -> None:
        """Note which bibliographies a draft uses."""
        sources = (*read.draft.bibliographies, *read.draft.stand_ins)
        files = frozenset(source.path for source in sources if source.text is None)
        self._bibliographies[read.draft.root] = files

    def bibliographies(self) -> frozenset[Path]:
        """Return the bibliographies of the drafts that were read."""
        return frozenset().union(*tuple(self._bibliographies.values()))

    def open(self, read: ReadDraft) -> OpenDraft:
        """Return a draft with its best recommender so far; a better one is built if there is."""
        library = read.workspace.library(read.draft)
        key = read.draft.root, library.tops
        with holding(self._making):
            build = self._builds.get(key)
            if build is not None and read.revision < build.read.revision:
                # An older state is asked for after a newer one, whose build stays.
                return _opened(read, self._served(build, read, library))
            now = self._served(build, read, library) if build else self._first(read, library)
            self._builds[key] = now
            if len(self._builds) > _MAX_CLOSED:
                self._drop_closed(read)
            if not now.complete and (build is None or build.complete or _differ(build, now)):
                self._halted.discard(key)
                is_large = build is not None and len(read.bibliography.entries) > MAX_AT_ONCE
                self._build_soon(key, _EDITING_SECONDS if is_large else 0.0)
        return _opened(read, now)

    def _first(self, read: ReadDraft, library: Library) -> Build:
        is_large = len(read.bibliography.entries) > MAX_AT_ONCE
        made = read.workspace.recommender(
            read.draft,
            read.bibliography,
            full_texts=False,
            extent="titles" if is_large else "texts",
        )
        return Build(read, library, read.bibliography.entries, _prose(read), made, made)

    def _served(self, build: Build, read: ReadDraft, library: Library) -> Build:
        """Return what serves a draft as it is read now: an earlier build, patched if need be."""
        settings, made_with = read.workspace.settings, build.base.settings
        if (settings.ranking, settings.matching) != (made_with.ranking, made_with.matching):
            return self._first(read, library)
        is_outdated = (
            build.outdated
            or build.library is not library
            or _settings_of(read) != _settings_of(build.read)
            or _rules_of(read) != _rules_of(build.read)
        )
        now, prose = replace(build, read=read, library=library), _prose(read)
        if prose >= max(_MIN_PROSE, 2 * build.prose):
            now = replace(now, prose=prose)
            is_outdated |= draft_language(read.draft) not in (None, build.base.language)
        now = replace(now, outdated=is_outdated, complete=build.complete and not is_outdated)
        if read.bibliography is build.read.bibliography:
            return now
        entries = read.bibliography.entries
        if len(entries) == len(build.counted) and not _changed(build.counted, entries):
            return replace(now, counted=read.bibliography.entries, recommender=build.base)
        return replace(now, recommender=self._patched(now), complete=False)

    def _patched(self, build: Build) -> Recommender:
        """Return the recommender of an earlier bibliography, with the entries as they are now."""
        from ..library.library import Library
        from ..model.papers import Candidates
        from .candidates import candidates_of

        read, base = build.read, build.base
        before, entries = base.candidates, read.bibliography.entries
        changed = _changed(before.entries, entries)
        if len(changed) > _MAX_CHANGED:
            return self._first(read, build.library).recommender
        # A biblatex set has the texts of its members, which may be others by now.
        changed.update(key for key, entry in entries.items() if entry.members)
        now = candidates_of(read.bibliography, Library.known_text)
        candidates = Candidates(
            now.entries,
            lambda key: (now if key in changed else before)[key],
        )
        ranked_for = RankedFor.draft(read.draft, read.bibliography.key_of)
        return base.patched(candidates, changed, ranked_for)

    def _drop_closed(self, read: ReadDraft) -> None:
        """Drop the builds of all but the latest drafts of which no document is open."""
        held = read.workspace.open_texts
        closed = [key for key, build in self._builds.items() if not build.is_open(held)]
        for key in closed[:-_MAX_CLOSED]:
            self._drop(key)

    def _drop(self, key: BuildKey) -> None:
        build = self._builds.pop(key)
        self._bibliographies.pop(build.root, None)
        self._caches.forget_draft(build.root)
        self._background.drop(("build", key))

    # When something changes

    def changed(self, paths: frozenset[Path]) -> None:
        """Build again what may depend on files."""
        for key, build in tuple(self._builds.items()):
            if any(map(build.may_depend_on, paths)):
                self._update(key, outdated=True)

    def rebuild(self, root: Path) -> None:
        """Build a draft's recommender again when it is next asked for."""
        for key in tuple(self._builds):
            if key[0] == root:
                self._update(key, outdated=True)

    def folders_changed(self, before: tuple[Path, ...], now: tuple[Path, ...]) -> None:
        """Drop the drafts that belong to another folder now."""
        for key, build in tuple(self._builds.items()):
            if innermost(before, build.root) != innermost(now, build.root):
                self._drop(key)

    def stop_reading(self) -> None:
        """Read no more papers for the drafts in hand until something changes."""
        self._halted.update(key for key, build in self._builds.items() if not build.complete)

    def open_roots(self, documents: Container[Path]) -> list[Path]:
        """Return the main files of the drafts with an open document."""
        return [build.root for build in tuple(self._builds.values()) if build.is_open(documents)]

    def _update(self, key: BuildKey, **changes: Any) -> None:  # noqa: ANN401 - fields of `Build`
        with self._making:
            if (build := self._builds.get(key)) is not None:
                self._builds[key] = replace(build, **changes)

    # In the background

    def _build_soon(self, key: BuildKey, seconds: float = 0.0) -> None:
        self._background.do(("build", key), lambda: self._begin(key), after=seconds)

    def _begin(self, key: BuildKey) -> None:
        """Rank the entries of a draft by all that is known without its papers; then read these."""
        self._update(key, progress=None)
        if (build := self._builds.get(key)) is None or build.complete:
            return
        if build.base.extent != "texts":
            read = build.read
            try:
                with building():
                    made = read.workspace.recommender(
                        read.draft, read.bibliography, full_texts=False
                    )
            except CancelledError:
                raise
            except Exception:
                # Titles go on to serve; reading papers may still succeed.
                logger.exception("could not rank the entries of %s", build.root)
            else:
                build = self._publish(key, build, made)
        if build is not None:
            self._read_papers(key, build, _FIRST_PAPERS_SECONDS)

    def _read_papers(self, key: BuildKey, build: Build, seconds: float) -> None:
        """Read papers for some seconds, use them, and read the rest for four times as long.

        The first indexing of a large library takes minutes; other drafts get their turn in between.
        """
        read, name = build.read, build.root.name
        workspace, draft, ends = read.workspace, read.draft, time.monotonic() + seconds

        def is_stale() -> bool:
            now = self._builds.get(key)
            return now is None or now.read.bibliography is not read.bibliography

        def progress(done: int, total: int) -> None:
            now = self._builds.get(key)
            if now is not None and now.progress is not None and now.progress.papers == total:
                done = max(done, now.progress.read)
            self._update(key, progress=Progress(done, total))
            self.report(name, Progress(done, total))

        def is_over() -> bool:
            return time.monotonic() > ends or is_stale() or key in self._halted

        # What changes from now on is a reason to build again.
        self._update(key, outdated=False)
        ended = True
        try:
            complete = workspace.read_library(
                draft,
                progress=progress,
                # One processor is left to the editor and to the answers.
                jobs=max(1, (os.cpu_count() or 2) - 1),
                cancelled=is_over,
            )
            if is_stale():
                self._build_soon(key, _EDITING_SECONDS)
                return
            complete |= key in self._halted
            with building():
                made = workspace.recommender(draft, read.bibliography)
            published = self._publish(key, build, made, complete=complete)
            searchable(made)  # or the first letter that is typed would wait for it
            if published is not None and not complete:
                ended = False
                again = published
                self._background.do(
                    ("build", key), lambda: self._read_papers(key, again, 4.0 * seconds)
                )
            self._log([*workspace.problems, *workspace.library(draft).problems])
        except CancelledError:
            ended = False
            raise
        except Exception:
            # Titles and abstracts go on to serve; trying again would fail again.
            logger.exception("could not index %s", draft.root)
            self._publish(key, build, None, complete=True)
        finally:
            if ended:
                last = self._builds.get(key, build).progress
                papers = 0 if last is None else last.papers
                self.report(name, Progress(papers, papers, ended=True))

    def _publish(
        self, key: BuildKey, build: Build, made: Recommender | None, *, complete: bool = False
    ) -> Build | None:
        """Use a recommender from now on; return None if the draft is built anew instead."""
        with self._making:
            now = self._builds.get(key)
            if now is None:
                return None
            made = made or build.base
            newer = replace(
                now,
                counted=build.read.bibliography.entries,
                base=made,
                recommender=made,
                prose=_prose(build.read),
            )
            if now.read.bibliography is build.read.bibliography and not now.outdated:
                self._builds[key] = newer = replace(newer, complete=complete)
                return newer
            # The bibliography has changed meanwhile, or a paper.
            entries = now.read.bibliography.entries
            if len(entries) != len(newer.counted) or _changed(newer.counted, entries):
                newer = replace(newer, recommender=self._patched(newer))
            self._builds[key] = replace(newer, complete=False)
        self._build_soon(key)
        return None

    def _log(self, problems: list[Problem]) -> None:
        for problem in problems:
            if problem not in self._reported:
                self._reported.add(problem)
                logger.warning("%s", problem)


def _opened(read: ReadDraft, build: Build) -> OpenDraft:
    return OpenDraft(
        read.workspace,
        read.draft,
        read.file,
        read.bibliography,
        read.revision,
        build.recommender,
        build.complete,
        None if build.complete else build.progress,
    )


def _differ(build: Build, now: Build) -> bool:
    """Return whether a build under way is for something else."""
    is_edited = build.read.bibliography is not now.read.bibliography
    return is_edited or (now.outdated and not build.outdated)


def _changed(before: Mapping[str, BibEntry | None], now: Mapping[str, BibEntry]) -> set[str]:
    """Return the keys of the entries that are new, or say something else than before."""

    def content(entry: BibEntry) -> tuple[object, ...]:
        return entry.entry_type, entry.path, entry.aliases, entry.members, entry.fields

    return {
        key
        for key, entry in now.items()
        # Most are written as before; white space around an entry is no change.
        if (known := before.get(key)) != entry
        and (known is None or content(known) != content(entry))
    }


def _settings_of(read: ReadDraft) -> tuple[object, ...]:
    """Return the settings that a build depends on."""
    settings: Settings = read.workspace.settings
    return settings.matching, settings.library, settings.ranking, settings.zotero


def _prose(read: ReadDraft) -> int:
    return max((file.prose.length for file in read.draft.files), default=0)


def _rules_of(read: ReadDraft) -> tuple[object, ...]:
    """Return the language that a draft declares, and how its keys are compared."""
    draft = read.draft
    return declared_language(draft), draft.case_sensitive_keys, draft.program


def _is_output(own: Path, path: Path, anywhere: bool) -> bool:
    """Return whether a file is built from a draft's file: beside it, or below if `anywhere`."""
    rest = path.name.removeprefix(own.stem)
    if rest == path.name:
        return False
    is_output = rest.lower() in _WRITTEN_BY_TEX or (
        rest.startswith(".") and path.suffix.lower() in _OUTPUT_SUFFIXES
    )
    if path.parent == own.parent:
        return is_output or rest == path.suffix
    return anywhere and is_output and path.is_relative_to(own.parent)
