"""Drafts, their bibliographies and papers, as they stand on disk and in the editor.

A workspace is a function of the files: what it computes from a content is cached in `Caches`, which
later states of the files share. Nothing above its folder is searched; files outside it are read
only where a draft or an entry names them.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from ..cancellation import check, is_late
from ..library.fallback_texts import NO_FALLBACKS, FallbackTexts, fallback_texts
from ..library.index import PaperIndex
from ..library.library import Library, Linked, Progress
from ..model.drafts import BibliographySource, Draft
from ..model.papers import BibEntry
from ..model.problems import InputError, Problem
from ..parsing.disk import Disk, list_folder
from ..parsing.drafts import DraftReader
from ..parsing.markups import ALL_DRAFT_SUFFIXES, markup_of
from ..parsing.papers import kind
from ..parsing.paths import is_virtual, normal
from ..settings import STORED_WINDOW, Settings
from .bibliographies import DraftBibliography, candidates_of
from .caches import Caches
from .named_files import NamedFiles

# What the first list of suggestions does not need is imported where it is used: the author waits.
if TYPE_CHECKING:
    from ..library.inlinks import CitingSource, Inlinks, Links
    from ..library.same_work import WorkMatcher
    from ..library.text_vectors import StoredVectors
    from ..recommend import Extent, Recommender

#: Where no main file was found, the workspace is searched again after so long.
_SEARCH_AGAIN_SECONDS = 5.0
#: What marks the folder of a project: of version control, latexmk, texlab, tectonic and VS Code.
_ROOT_MARKERS = (
    *(".git", ".vscode", "latexmkrc", ".latexmkrc"),
    *("texlabroot", ".texlabroot", "Tectonic.toml"),
)
#: How far above a part its main file is searched for.
_MAX_FOLDERS_ABOVE = 5
_MAX_FILES_ABOVE = 500
#: The suffixes of open files that may be drafts.
_OPEN = ("", *ALL_DRAFT_SUFFIXES)


class Workspace:
    """All drafts under one folder, with the settings that apply to them, in one state."""

    def __init__(
        self,
        folder: Path,
        settings: Settings | None = None,
        index: PaperIndex | None = None,
        open_texts: Mapping[Path, str] = MappingProxyType({}),
        caches: Caches | None = None,
        disk: Disk | None = None,
    ) -> None:
        """Open a workspace; `open_texts` are the files that an editor holds, as it holds them."""
        self.folder = normal(folder)
        self.settings = settings or Settings()
        self.open_texts = open_texts
        self.caches = caches = Caches(index) if caches is None else caches
        self._index, self._disk = caches.index, caches.disk if disk is None else disk
        self.matcher = caches.matcher(self.settings.matching)
        files = NamedFiles(self.folder, self.settings, open_texts, self._disk)
        self.read = files.read
        self._drafts = DraftReader(
            *(files.read, files.named, files.fallback_bibliographies, files.disk, files.folder)
        )

    def edited(self, texts: Mapping[Path, str]) -> Workspace:
        """Return the workspace with some files as they are edited."""
        texts = {**self.open_texts, **texts}
        return Workspace(self.folder, self.settings, self._index, texts, self.caches, self._disk)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Problems not tied to a single draft."""
        own = (*self.matcher.problems, *self.caches.vector_problems)
        return (*own, *self._index.problems, *self.caches.zotero.problems)

    def vectors(self) -> StoredVectors | None:
        """Return the vectors of texts; None if the ranker or the installation has none."""
        return self.caches.vectors() if self.settings.ranking.encodes else None

    # Drafts

    def draft(self, path: Path) -> Draft:
        """Read the draft at `path`; raises `InputError` when it cannot be read.

        For a file that names no main file, the drafts of the workspace are searched: the one that
        includes it provides its bibliography and commands, also where the file has a preamble of
        its own and can be typeset alone. A main file that is in none, and names no bibliography,
        falls back to those beside it.
        """
        path = normal(path)
        reader = self._drafts.of(path)
        draft = reader.read_alone(path)
        if draft is not None and draft.root != path:
            return draft
        larger = self._root_of(path)
        while larger is not None and (outer := self._root_of(larger)) is not None:
            larger = outer
        within = None if larger is None else reader.read_within(larger, path)
        return within or draft or reader.read(path)

    def _root_of(self, path: Path) -> Path | None:
        """Return a main file of the workspace, or of the folders above, that reads `path`."""
        caches, key = self.caches, (self.folder, path)
        known, searched_at = caches.roots.get(key, (None, -_SEARCH_AGAIN_SECONDS))
        if known is not None and self._includes(known, path):
            return known
        markup = markup_of(path)
        if known is not None or time.monotonic() > searched_at + _SEARCH_AGAIN_SECONDS:
            below = self._disk.draft_files(self.folder, (markup,))
            files = [file for file in (*below, *self._files_above(path)) if file != path]
            caches.roots[key] = (None, time.monotonic())
        else:
            # What is typed into a main file counts at once.
            opened = (file for file in self.open_texts if file.suffix.lower() in markup.suffixes)
            files = [file for file in opened if file != path]
        # Most main files are part of nothing, and are not named anywhere.
        if not self._starts_document(path) or any(self._naming(files, path)):
            for file in files:
                if is_late():
                    caches.unsearched.add(key)
                    break
                if self._starts_document(file) and self._is_part(path, file):
                    caches.roots[key] = (file, time.monotonic())
                    return file
        return None

    def _naming(self, files: Iterable[Path], path: Path) -> Iterator[Path]:
        """Yield the files that may include `path`, and those that could not be read in time."""
        stem, suffix = re.escape(path.stem), re.escape(path.suffix)
        includes = re.compile(
            rf"(?:[{{/\"'=]|\\input)\s*{stem}(?:{suffix})?\s*[}}\"'\s]|\s{stem}{suffix}\s"
        )
        for file in files:
            text = ""
            with suppress(InputError):
                text = "" if is_late() else self.read(file)
            if is_late() or (path.stem in text and includes.search(text)):
                yield file

    def _is_part(self, path: Path, main: Path) -> bool:
        """Return whether a file is a part of a draft, and not the other way round."""
        return self._includes(main, path) and not self._includes(path, main)

    def _includes(self, main: Path, path: Path) -> bool:
        with suppress(InputError):
            return path in self._drafts.of(main).includes(main)
        return False

    def _files_above(self, path: Path) -> Iterator[Path]:
        """Yield the files of its markup in the folders above, up to the root of a project."""
        top = self.folder if path.is_relative_to(self.folder) else path.parent
        if is_virtual(top):
            return
        left = _MAX_FILES_ABOVE
        suffixes = markup_of(path).suffixes
        for folder in (top, *top.parents)[: _MAX_FOLDERS_ABOVE + 1]:
            # Not by the disk that remembers: what comes and goes there is not watched.
            files = [folder / name for name in list_folder(os.fspath(folder)).files]
            files = [file for file in files if file.suffix.lower() in suffixes][:left]
            left -= len(files)
            if folder != top:
                yield from files
            if any(self._disk.status(folder / name) for name in _ROOT_MARKERS):
                return
            if folder != top and any(map(self._starts_document, files)):
                return

    def _starts_document(self, path: Path) -> bool:
        with suppress(InputError):
            return self._drafts.of(path).starts_document(path)
        return False

    def draft_files(self) -> Iterator[Path]:
        """Yield the files of drafts in the workspace, in a fixed order."""
        return self._disk.draft_files(self.folder)

    def bibliographies(self) -> Iterator[Path]:
        """Yield the bibliographies of the workspace, in order."""
        return self._disk.bib_files(self.folder)

    # Bibliographies

    def other_bibliographies(self, draft: Draft) -> Iterator[Path]:
        """Yield the author's bibliographies that a draft does not use; those of Zotero, too."""
        own = {source.path for source in self._sources(draft)}
        has_zotero = self.settings.zotero != "off"
        of_zotero = self.caches.zotero.bibliographies() if has_zotero else ()
        every = (*self.bibliographies(), *self.settings.global_bibliographies, *of_zotero)
        yield from (path for path in dict.fromkeys(every) if path not in own)

    def bibliography(self, draft: Draft, *, added: bool = True) -> DraftBibliography:
        """Return the entries of a draft; `added` takes in those that the settings name."""
        sources = self._sources(draft) if added else draft.bibliographies
        return self.caches.bibliographies.of_draft(draft, sources, self.open_texts)

    def _sources(self, draft: Draft) -> tuple[BibliographySource, ...]:
        added = (
            BibliographySource(path)
            for path in self.settings.bibliographies
            if not is_virtual(path) or self._disk.is_file(path)
        )
        return tuple(dict.fromkeys((*draft.bibliographies, *draft.fallback_bibliographies, *added)))

    # Candidates

    def recommender(
        self,
        draft: Draft,
        bibliography: DraftBibliography | None = None,
        *,
        full_texts: bool = True,
        extent: Extent = "texts",
    ) -> Recommender:
        """Return a recommender over the entries of a draft.

        Its `bibliography` is read unless it is given. Full texts and inlink contexts are those that
        the workspace has read so far; without `full_texts`, only the entries' own fields are used.
        With an `extent` below "texts", only keys, or keys and titles, are read, which is much
        faster.
        """
        from ..recommend import RankedFor, Recommender

        bibliography = bibliography or self.bibliography(draft)
        candidates = candidates_of(bibliography, Library.known_text)
        if full_texts:
            inlinks, fallbacks = self.inlinks(draft), self.fallback_texts(draft)
            read = partial(self.library(draft).paper, fallbacks=fallbacks)
            candidates = candidates_of(bibliography, read, inlinks)
            self.matcher()  # reports its problems
        ranked_for = RankedFor.draft(draft, bibliography.key_of)
        given = candidates, self.settings, self.matcher, ranked_for
        # An encoder takes seconds to load: the first list goes without.
        vectors = self.vectors() if full_texts and extent == "texts" else None
        return Recommender(*given, extent=extent, vectors=vectors)

    def encode(
        self,
        texts: Sequence[str],
        progress: Progress | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> bool:
        """Encode the texts by which entries are ranked; return False if `cancelled`."""
        vectors = self.vectors() if texts else None
        return vectors is None or vectors.encode(texts, progress, cancelled)

    def encode_entries(self, draft: Draft, progress: Progress) -> None:
        """Encode all entries of a draft, if its ranker uses that."""
        if self.settings.ranking.encodes:
            self.encode(self.recommender(draft).to_encode, progress)

    def library(self, draft: Draft) -> Library:
        """Return the library that serves a draft: another object once its folders have changed."""
        settings = self.settings.library
        homes = [draft.root.parent, draft.path.parent, self.folder]
        homes += [source.path.parent for source in draft.bibliographies]
        beside = (home / name for home in homes for name in settings.folder_names)
        every = dict.fromkeys((*(each.absolute() for each in settings.folders), *beside))
        folders, bases = tuple(filter(self._disk.is_folder, every)), settings.base_folders
        new = Library(folders, self._index, bases)
        return self.caches.libraries.setdefault((folders, bases), new)

    def read_library(
        self,
        draft: Draft,
        *,
        progress: Progress | None = None,
        jobs: int | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> bool:
        """Read the papers of a draft's library into the index; return False if `cancelled`."""
        entries = self.bibliography(draft).entries.values()
        self.caches.check_libraries()
        library, fallbacks = self.library(draft), self.fallback_texts(draft)
        return library.read(entries, fallbacks, progress=progress, jobs=jobs, cancelled=cancelled)

    def forget_library(self, draft: Draft) -> None:
        """Forget what was read of a draft's papers, and list its folders again."""
        entries = self.bibliography(draft).entries.values()
        self.library(draft).forget(entries, self.known_fallback_texts(draft))
        self.caches.libraries.clear()

    def fallback_texts(self, draft: Draft) -> FallbackTexts:
        """Return the texts of other bibliographies for a draft's entries; may take seconds."""
        from ..library.inlinks import Links
        from ..library.same_work import WorkMatcher

        caches, own = self.caches, {source.path for source in self._sources(draft)}
        others = (path for path in self.bibliographies() if path not in own)
        has_zotero = self.settings.zotero != "off"
        given = [*caches.text_sources(others, self.open_texts, zotero=has_zotero)]
        if not given:
            return NO_FALLBACKS
        of_draft = self._bibliography_state(draft)
        state = (of_draft, [(each.path, each.digest) for each in given])
        known = caches.fallbacks.get(draft.root)
        if known is None or known[0] != state:
            works = WorkMatcher(self.bibliography(draft).entries.values())
            known = state, fallback_texts(given, works, Links(self._index, *of_draft))
            caches.fallbacks[draft.root] = known
        return known[1]

    def known_fallback_texts(self, draft: Draft) -> FallbackTexts:
        """Return what `fallback_texts` found last; this never waits."""
        return self.caches.fallbacks.get(draft.root, (None, NO_FALLBACKS))[1]

    def lacks_text(self, draft: Draft) -> Callable[[BibEntry], bool]:
        """Return a function that decides whether an entry of a draft has a file without text."""
        library, fallbacks = self.library(draft), self.known_fallback_texts(draft)
        return lambda entry: next(library.unusable(entry, fallbacks), None) is not None

    def _link(self, draft: Draft) -> tuple[Linked, WorkMatcher, Links]:
        from ..library.inlinks import Links
        from ..library.same_work import WorkMatcher

        # Made when papers or drafts are linked: what it knows of all entries fills the memory.
        works = WorkMatcher(self.bibliography(draft).entries.values())
        links = Links(self._index, *self._bibliography_state(draft))
        linked = self.library(draft).link(works, links, self.fallback_texts(draft))
        self.caches.linked[draft.root] = linked
        return linked, works, links

    def linked(self, draft: Draft) -> Linked:
        """Return the papers as they stood to a draft's entries when inlinks were last found."""
        known = self.caches.linked.get(draft.root)
        return self._link(draft)[0] if known is None else known

    def inlinks(self, draft: Draft) -> Inlinks:
        """Return the inlink contexts of a draft's entries: from papers and other drafts."""
        from ..contexts.inlinks import hashes_of_contexts
        from ..library.inlinks import fetched_sources, inlinks_from

        linked, works, links = self._link(draft)
        # Sources in a library folder may be the draft in hand, or another of the workspace.
        library = self.library(draft).files()
        sources_of = {path for path in library if kind(path) in ALL_DRAFT_SUFFIXES}
        own = {place for path in draft.own_paths for place in (path, *path.parents)} & sources_of
        typeset = draft.root.with_suffix(".pdf")
        read = tuple(linked.citing(left_out=own | {typeset}))
        keys = (source.own_key for source in read)
        heard = [works.entry(key).title for key in keys if key is not None]
        sources = chain(
            read,
            self._citing_drafts(draft, works, links, left_out=sources_of - own),
            fetched_sources(self.known_fallback_texts(draft), heard),
        )
        copies = cache(partial(hashes_of_contexts, draft, STORED_WINDOW))
        return inlinks_from(sources, self.settings.ranking.inlink_window, copies)

    def _bibliography_state(self, draft: Draft) -> tuple[str, str]:
        """Return a name for the bibliographies of a draft and a digest of what is in them."""
        sources, items = self._sources(draft), [(item.key, item.text) for item in draft.bib_items]
        names = (*([draft.root] if items else []), *(source.path for source in sources))
        content = blake2b(repr((items, draft.program.name)).encode(), digest_size=20)
        for _, file in self.bibliography(draft).files:
            content.update(file.digest.encode())
        return "\n".join(map(str, names)), content.hexdigest()

    def _citing_drafts(
        self, draft: Draft, works: WorkMatcher, links: Links, left_out: set[Path]
    ) -> Iterator[CitingSource]:
        """Yield the contexts in which the other drafts cite works, each file once."""
        from ..library.inlinks import CitingSource, citing_drafts, held_packed

        folders = (self.folder, *self.settings.library.draft_folders)
        files = chain.from_iterable(map(self._disk.draft_files, folders))

        def read(path: Path) -> tuple[Draft, Mapping[str, BibEntry]] | None:
            if not self._drafts.of(path).starts_document(path):
                return None
            draft = self._drafts.read(path)
            return draft, self.bibliography(draft, added=False).entries

        found = citing_drafts(
            (path for path in files if left_out.isdisjoint((path, *path.parents))),
            read,
            self._index,
            left_out=draft.own_paths,
            unsaved=tuple(self.open_texts),
        )
        for path, citing in found:
            cited = links.of_draft(path, citing, works).cited
            yield CitingSource(os.path.relpath(path, self.folder), cited, held_packed(citing))

    def without_text(self, root: Path, bibliographies: Iterable[Path]) -> Draft:
        """Return a draft that has bibliographies and cites nothing."""
        sources = tuple(BibliographySource(path) for path in bibliographies)
        return Draft(root, root, (), bibliographies=sources)

    def mains_with(self, path: Path) -> Iterator[Path]:
        """Yield the main files of drafts that use a file; behind them, what names one of these."""
        is_added = path in self.settings.bibliographies
        real = os.path.realpath(path)
        using: set[Path] = set()
        # All chapters of a thesis may name it: it is walked once.
        read_by = cache(lambda main: frozenset(self._drafts.of(main).includes(main)))
        files = tuple(self.draft_files())
        opened = [
            each
            for each in self.open_texts
            if each.suffix.lower() in _OPEN and each.is_relative_to(self.folder)
        ]
        mains = chain(filter(self._starts_document, files), self._mains_of(opened))
        for main in dict.fromkeys(mains):
            check()
            with suppress(InputError):
                read = (main,) if is_added else self._drafts.of(main).inputs(main)
                if is_added or path in read or real in map(os.path.realpath, read):
                    using.add(main)
                    yield main
        for part in dict.fromkeys((*files, *opened)):
            check()
            with suppress(InputError):
                named = self._drafts.of(part).main_named_by(part)
                if named in using and part not in using and part not in read_by(named):
                    yield part

    def _mains_of(self, paths: Iterable[Path]) -> Iterator[Path]:
        for path in paths:
            with suppress(InputError):
                yield self.draft(path).root

    def drafts(self) -> Iterator[Draft]:
        """Yield the drafts of the workspace, by their main files that no other one reads."""
        found: dict[Path, Draft] = {}
        for path in filter(self._starts_document, self.draft_files()):
            with suppress(InputError):
                if (draft := self._drafts.read(path)).root == path:
                    found[path] = draft
        read_by: dict[Path, list[Path]] = {}
        for main, draft in found.items():
            for path in draft.own_paths & found.keys() - {main}:
                read_by.setdefault(path, []).append(main)
        for main, draft in found.items():
            if all(larger in draft.own_paths for larger in read_by.get(main, ())):
                yield draft
