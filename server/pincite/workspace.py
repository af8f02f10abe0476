"""Drafts, their bibliographies and papers, as they stand on disk and in the editor.

A workspace reads files when asked and keeps what it parsed until the file changes. Nothing above
its folder is searched; files outside it are read only where a draft or an entry names them.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import blake2b
from itertools import chain, islice
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from .library.bibliographies import WORTH_KEEPING, pack, unpack, version_with
from .library.index import PaperIndex
from .library.library import Library, Progress, file_stamp
from .model.basis import TextBasis
from .model.drafts import BibItem, BibliographySource, Draft
from .model.papers import BibEntry, Candidate, Candidates, InlinkContext, ReferencePaper
from .model.places import Place
from .model.problems import InputError, Problem
from .parsing.bibtex import (
    Bibliography,
    inherit_across,
    parse_bibliography,
)
from .parsing.bibtex_changes import parse_changed
from .parsing.drafts import DraftReader
from .parsing.encoding import read_text
from .parsing.papers import kind
from .settings import DEFAULT_SYSTEM, KEPT_WINDOW, MatchingSettings, Settings

# What the first list of suggestions does not need is imported where it is used: the author waits.
if TYPE_CHECKING:
    from .library.inlinks import CitingSource, Inlinks
    from .library.links import Links
    from .library.works import Works
    from .matching.base import SentenceMatcher
    from .matching.vectors import WordVectors
    from .ranking.kept import KeptRankers
    from .ranking.tfidf import Fitted
    from .recommend import Recommender

Loaded = TypeVar("Loaded")
#: Makes the sentence matcher of settings with word vectors; raises `InputError` if it cannot.
MakeMatcher = Callable[[MatchingSettings, "WordVectors"], "SentenceMatcher[Any]"]

_SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__", "venv", "_minted", "svg-inkscape"})
_MOST_TEX_FILES = 3_000
_CANDIDATES_KEPT = 512
_RANKERS_FOLDER = "rankings"
#: With no more entries and papers than these, fitting takes no longer than finding out what for.
_FITTED_AT_ONCE = 2_000
_FEW_PAPERS = 500
_MOST_FOLDERS = 10_000
#: How long what was not found in the workspace is not looked for again.
_LOOK_AGAIN_SECONDS = 5.0
#: In place of the time and size of a file: those of no file.
_FORGOTTEN = object()
_BEST_FIRST: tuple[TextBasis, ...] = ("full text", "abstract", "title")


@dataclass(frozen=True, slots=True)
class DraftBibliography:
    """The entries a draft can cite, by key, from all its bibliographies.

    `names` maps every way of writing a key (aliases, and other cases where BibTeX is used) to
    the key itself. `files` are the bibliographies as they were read, in order, with their sources.
    """

    entries: Mapping[str, BibEntry] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    case_sensitive: bool = True
    problems: tuple[Problem, ...] = ()
    files: tuple[tuple[BibliographySource, Bibliography], ...] = ()

    def find(self, key: str) -> BibEntry | None:
        """Return the entry that a citation with this key means."""
        name = self.names.get(key if self.case_sensitive else key.lower())
        return self.entries.get(name) if name is not None else None

    def place(self, entry: BibEntry) -> Place | None:
        """Return where an entry stands in the file at its path; None for one that is an item."""
        files = (file for source, file in self.files if source.path == entry.path)
        return next((file.places[entry.key] for file in files if entry.key in file.places), None)

    def excerpt(self, entry: BibEntry) -> tuple[str, int, int] | None:
        """Return an entry's text from the beginning of its line, where that begins, and the line.

        What stands where in an entry is told by it without the whole file. None where it is not
        known, as of what stands in a draft.
        """
        for source, file in self.files:
            if source.path == entry.path and source.text is None:
                found = file.excerpt(entry)
                return found and (*found, file.places[entry.key].line)
        return None


class Workspace:
    """All drafts under one folder, with the settings that apply to them."""

    def __init__(
        self,
        folder: Path,
        settings: Settings | None = None,
        index: PaperIndex | None = None,
        open_texts: Mapping[Path, str] | None = None,
        make_matcher: MakeMatcher | None = None,
    ) -> None:
        """Open a workspace; `open_texts` are the files that an editor holds, as it holds them.

        `make_matcher` serves where the settings name another system than the default.
        """
        self.folder = folder.absolute()
        self.settings = settings or Settings()
        self._problems: list[Problem] = []
        self._index = PaperIndex.in_memory() if index is None else index
        self._open_texts = {} if open_texts is None else open_texts
        self._texts: dict[Path, tuple[tuple[int, int] | None, str]] = {}
        self._drafts = DraftReader(self.read, self._find_bibliography)
        self._bibliographies: dict[BibliographySource, tuple[_Version, Bibliography]] = {}
        self._bib_files: tuple[tuple[Path, ...], float] = ((), -_LOOK_AGAIN_SECONDS)
        self._roots: dict[Path, tuple[Path | None, float]] = {}
        self._merged: dict[Path, tuple[_MergeState, DraftBibliography]] = {}
        self._kept_rankers: KeptRankers | None = None
        self._make_matcher = make_matcher
        self._matcher: SentenceMatcher[Any] | None = None
        self._libraries: dict[tuple[Path, ...], Library] = {}

    def read(self, path: Path) -> str:
        """Return a file's text: the editor's, else what is on disk, read again when changed.

        Raises `InputError` where there is none. A byte order mark is no part of it.
        """
        text = self._open_texts.get(path)
        if text is not None:
            return text
        stamp = file_stamp(path)
        known = self._texts.get(path)
        if known is None or known[0] != stamp or stamp is None:
            known = (stamp, read_text(path))
            self._texts[path] = known
        return known[1]

    def forget(self, paths: Collection[Path]) -> None:
        """Read some files anew, even where time and size do not tell that they changed."""
        for path in paths:
            self._texts.pop(path, None)
        for source, ((stamp, strings), read) in tuple(self._bibliographies.items()):
            # What an editor holds, and what stands in a draft, is compared as text.
            if source.path in paths and not isinstance(stamp, str):
                # Only what is another by now is read anew.
                self._bibliographies[source] = ((_FORGOTTEN, strings), read)
        # What was looked for in vain may be there now.
        self._bib_files = ((), -_LOOK_AGAIN_SECONDS)
        for path, (root, _) in tuple(self._roots.items()):
            if root is None:
                self._roots.pop(path, None)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What was wrong with things that no one draft is to blame for."""
        kept = self._kept_rankers.problems if self._kept_rankers is not None else ()
        return (*self._problems, *self._index.problems, *kept)

    # Drafts

    def draft(self, path: Path) -> Draft:
        """Read the draft at `path`; raises `InputError` when it cannot be read.

        A file that names no bibliography and no main file is looked for in the drafts of the
        workspace: the one that reads it lends its bibliography and commands.
        """
        path = path.absolute()
        draft = self._drafts.read_alone(path)
        known, _ = self._roots.get(path, (None, 0.0))
        if draft is None and known is not None:
            draft = self._drafts.read_within(known, path)
        return draft or self._drafts.read(path, root=self._root_of(path))

    def _root_of(self, path: Path) -> Path | None:
        """Return the main file of the workspace that reads `path`.

        The workspace is walked at most every few seconds: not for every letter that is typed.
        """
        known, looked_at = self._roots.get(path, (None, -_LOOK_AGAIN_SECONDS))
        try:
            if known is not None and path in self._drafts.includes(known):
                return known
            if known is None and time.monotonic() - looked_at < _LOOK_AGAIN_SECONDS:
                return None
        except InputError:
            pass
        found: Path | None = None
        for other in self.tex_files():
            try:
                if (
                    other != path
                    and self._drafts.starts_document(other)
                    and path in self._drafts.includes(other)
                ):
                    found = other
                    break
            except InputError:
                continue
        self._roots[path] = (found, time.monotonic())
        return found

    def tex_files(self) -> Iterator[Path]:
        """Yield the LaTeX files of the workspace, in a fixed order."""
        return _tex_files(self.folder)

    def bibliographies(self) -> Iterator[Path]:
        """Yield the bibliographies of the workspace, in a fixed order."""
        return _files(self.folder, (".bib",))

    def _find_bibliography(self, name: str) -> Path | None:
        """Return the workspace's one .bib file of this name, wherever it lies.

        LaTeX may know its folder from a configuration that we do not read (latexmkrc, a TeX tree).
        Of two files of one name, neither is taken.
        """
        wanted = Path(name).name.lower()
        wanted += "" if wanted.endswith(".bib") else ".bib"
        found = [path for path in self.known_bibliographies() if path.name.lower() == wanted]
        return found[0] if len(found) == 1 and found[0].is_file() else None

    def known_bibliographies(self) -> tuple[Path, ...]:
        """Return the bibliographies of the workspace as they were seen some seconds ago."""
        files, looked_at = self._bib_files
        if time.monotonic() - looked_at >= _LOOK_AGAIN_SECONDS:
            files = tuple(self.bibliographies())
            self._bib_files = (files, time.monotonic())
        return files

    # Bibliographies

    def bibliography(self, draft: Draft, *, added: bool = True) -> DraftBibliography:
        """Return the entries of a draft; `added` takes in those that the settings name."""
        sources = self._sources(draft) if added else draft.bibliographies
        strings: dict[str, str] = {}
        problems: list[Problem] = []
        read: list[BibliographySource] = []
        files: list[Bibliography] = []
        for source in sources:
            try:
                # As in BibTeX, a later file may use the @string macros of an earlier one.
                files.append(self._bibliography(source, strings))
                strings.update(files[-1].strings)
                read.append(source)
            except InputError as error:
                message = str(error).removeprefix(f"{source.path}: ")
                problems.append(Problem(source.path, None, message))
        # Entries stay the same objects while their files do: what is made from them is kept.
        state = (files, draft.bib_items, draft.case_sensitive_keys, problems)
        merged = self._known_merge(draft.root, state)
        if merged is None:
            merged = _merge(files, draft, problems)
            merged = replace(merged, files=tuple(zip(read, files, strict=True)))
        self._merged[draft.root] = (state, merged)
        return merged

    def _known_merge(self, root: Path, state: _MergeState) -> DraftBibliography | None:
        """Return what was merged from this before, for this draft or for another.

        A hundred drafts may share one large bibliography.
        """
        known = self._merged.get(root)
        if known is not None and _same_state(known[0], state):
            return known[1]
        if state[1]:  # each draft has items of its own
            return None
        others = tuple(self._merged.values())
        return next((merged for other, merged in others if _same_state(other, state)), None)

    def _sources(self, draft: Draft) -> tuple[BibliographySource, ...]:
        added = (BibliographySource(path) for path in self.settings.bibliographies)
        return (*draft.bibliographies, *added)

    def _bibliography(self, source: BibliographySource, strings: Mapping[str, str]) -> Bibliography:
        if source.text is not None:
            stamp: object = source.text
        else:
            text = self._open_texts.get(source.path)
            stamp = text if text is not None else file_stamp(source.path)
        version = (stamp, dict(strings))
        known = self._bibliographies.get(source)
        if known is not None and known[0] == version:
            return known[1]
        parsed = None
        if known is not None and source.text is None and known[0][1] == strings:
            parsed = self._edited(source.path, stamp, *known)
        if parsed is None and isinstance(stamp, str):
            parsed = parse_bibliography(stamp, source.path, strings)
        elif parsed is None:
            parsed = self._read_bibliography(source.path, strings)
        if source.start:
            parsed = _moved(parsed, source.first_line - 1, source.start)
        self._bibliographies[source] = (version, parsed)
        return parsed

    def _read_bibliography(self, path: Path, strings: Mapping[str, str]) -> Bibliography:
        """Return the bibliography in a file; a large one may be known to the index."""
        text = read_text(path)
        if len(text) >= WORTH_KEEPING:
            with suppress(OSError, ValueError):
                kept = self._index.bibliography(path, version_with(strings))
                if kept is not None:
                    return unpack(kept, text, path)
        return parse_bibliography(text, path, strings)

    def _keep_bibliographies(self, draft: Draft) -> None:
        """Keep the large bibliographies of a draft in the index."""
        for source in self._sources(draft):
            (stamp, strings), parsed = self._bibliographies.get(source, ((None, {}), None))
            if parsed is None or isinstance(stamp, str) or stamp != file_stamp(source.path):
                continue
            with suppress(OSError, InputError):
                text, version = read_text(source.path), version_with(strings)
                if len(text) < WORTH_KEEPING or self._index.bibliography(source.path, version):
                    continue
                digest = self._index.digest(source.path)
                # What was read may be another text by now.
                if stamp == file_stamp(source.path):
                    packed = pack(parsed, text)
                    self._index.put_bibliography(source.path, digest, version, packed)

    def _edited(
        self, path: Path, now: object, version: _Version, known: Bibliography
    ) -> Bibliography | None:
        """Return a bibliography that is another by now, if not all of it has to be read anew.

        `now` is its text in the editor, or else what tells the state of the file.
        """
        stamp, strings = version
        before = stamp if isinstance(stamp, str) else known.text()
        if before is None:
            return None
        text = now if isinstance(now, str) else read_text(path)
        return known if text == before else parse_changed(text, path, strings, before, known)

    # Candidates

    def recommender(
        self,
        draft: Draft,
        *,
        full_texts: bool = True,
        only: Collection[str] | None = None,
        keep: bool = False,
    ) -> Recommender:
        """Return a recommender over the entries of a draft with what is known of each.

        Full texts and inlink contexts are those that `read_library` has read by now; without
        `full_texts`, abstracts and titles must do. `only` restricts the candidates to some keys.
        What takes long to fit is on the disk afterwards if it is to be kept; if it is there
        already, nothing is fitted.
        """
        from .recommend import Recommender

        inlinks = self.inlinks(draft) if full_texts else {}
        read = self.library(draft).paper if full_texts else Library.known_text
        candidates = self._candidates(draft, read, inlinks, only)
        papers = tuple(self.library(draft).linked()) if full_texts else ()
        is_kept = keep and only is None
        fitted = self._fitted(draft, candidates, papers, inlinks) if is_kept else None
        if full_texts:
            self.matcher()  # what is wrong with it is a problem by now
        return Recommender(candidates, self.settings, self.matcher, fitted)

    def kept_recommender(self, draft: Draft) -> Recommender | None:
        """Return at once what ranked the entries of a draft when its bibliography was the same.

        The library may have been another then. None where nothing is kept.
        """
        rankers = self._rankers()
        if rankers is None or rankers.is_empty():
            return None
        candidates = self._candidates(draft, self.library(draft).paper)
        state = self._ranked_state(draft, candidates)
        if state is None:
            return None
        from .recommend import Recommender

        fitted = rankers.newest(state, tuple(candidates))
        if fitted is None:
            return None
        return Recommender(candidates, self.settings, self.matcher, fitted)

    def _candidates(
        self,
        draft: Draft,
        read: Callable[[BibEntry], ReferencePaper],
        inlinks: Mapping[str, Sequence[InlinkContext]] = MappingProxyType({}),
        only: Collection[str] | None = None,
    ) -> Candidates:
        bibliography = self.bibliography(draft)
        entries: Mapping[str, BibEntry] = bibliography.entries
        if only is not None:
            entries = {key: entries[key] for key in only if key in entries}

        @lru_cache(_CANDIDATES_KEPT)
        def make(key: str) -> Candidate:
            return _candidate(entries[key], read, bibliography, inlinks)

        return Candidates(entries, make)

    def _rankers(self) -> KeptRankers | None:
        # An index that was on the disk may have gone on in memory since.
        if self._kept_rankers is None or self._index.path is None:
            self._kept_rankers = kept_rankers(self._index)
        return self._kept_rankers

    def _fitted(
        self,
        draft: Draft,
        candidates: Candidates,
        papers: Collection[object],
        inlinks: Mapping[str, Sequence[InlinkContext]],
    ) -> Fitted | None:
        """Return what ranks all entries of a draft from the disk, fitted now if it is not there.

        `papers` name what the entries' texts are. None where keeping is not worth it, or nothing
        can be kept.
        """
        from .ranking.kept import Name, digest
        from .recommend import fit

        rankers = self._rankers()
        is_small = len(candidates) <= _FITTED_AT_ONCE and len(papers) <= _FEW_PAPERS
        state = None if is_small else self._ranked_state(draft, candidates)
        if rankers is None or state is None:
            return None
        said = (
            "\0".join((key, *context.left, "", *context.right))
            for key, contexts in inlinks.items()
            for context in contexts
        )
        # In order: papers and contexts come as the index happens to have them.
        additions = digest((*sorted(map(repr, papers)), "", *sorted(said)))
        name, keys = Name(state, additions), tuple(candidates)
        fitted = rankers.get(name, keys)
        if fitted is None:
            fitted = fit(candidates, self.settings)
            owner = (draft.root, bool(papers or inlinks))
            if fitted is not None and rankers.put(name, fitted, owner):
                # Of what lies on the disk, only what is looked at is in memory.
                fitted = rankers.get(name, keys) or fitted
        return fitted

    def _ranked_state(self, draft: Draft, candidates: Candidates) -> str | None:
        """Return a digest of what ranks the entries of a draft by themselves.

        None while a bibliography is edited: what was read of it is not what is on the disk.
        """
        from .ranking.kept import digest

        items = [(item.key, item.text) for item in draft.bib_items]
        state = [repr((self.settings.ranking, items))]
        try:
            for source in self._sources(draft):
                if source.text is None and source in self._bibliographies:
                    (stamp, _), _ = self._bibliographies[source]
                    is_open = isinstance(stamp, str)
                    if stamp != (read_text if is_open else file_stamp)(source.path):
                        return None
                    state.append(self._index.digest(source.path))
                else:
                    state.append(repr(source.text))
        except (InputError, OSError):
            return None
        is_the_same = self.bibliography(draft).entries is candidates.entries
        return digest(state) if is_the_same else None

    def matcher(self) -> SentenceMatcher[Any]:
        """Return the sentence matcher of the settings, made once.

        What cannot be had is told of in `problems`, and the packaged vectors or the default
        matcher serve instead.
        """
        if self._matcher is None:
            from .matching.asymmetric import AsymmetricMatcher
            from .matching.vectors import WordVectors

            settings = self.settings.matching
            chosen = settings.vectors
            loaded = self._loaded(lambda: WordVectors.load(chosen)) if chosen else None
            vectors = loaded or self._loaded(WordVectors.packaged) or WordVectors.empty()
            make, named = self._make_matcher, None
            if make is not None and settings.system != DEFAULT_SYSTEM:
                named = self._loaded(lambda: make(settings, vectors))
            self._matcher = AsymmetricMatcher(vectors) if named is None else named
        return self._matcher

    def _loaded(self, load: Callable[[], Loaded]) -> Loaded | None:
        try:
            return load()
        except InputError as error:
            self._problems.append(Problem(None, None, str(error)))
            return None

    def library(self, draft: Draft) -> Library:
        """Return the library that serves a draft; it is listed anew when its folders change."""
        chosen = tuple(self._library_folders(draft))
        known = self._libraries.get(chosen)
        if known is None or any(file_stamp(place) != stamp for place, stamp in known.folders):
            bases = self.settings.library.base_folders
            known = self._libraries[chosen] = Library(chosen, self._index, bases)
        return known

    def read_library(
        self,
        draft: Draft,
        *,
        progress: Progress | None = None,
        jobs: int | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> bool:
        """Read the papers of a draft's library into the index; unchanged ones are there already.

        `jobs` is the number of processes that read, `progress` is called with files done and in
        all, and reading ends early, with False, once `cancelled` says so.
        """
        entries = self.bibliography(draft).entries.values()
        self._keep_bibliographies(draft)
        library = self.library(draft)
        return library.read(entries, progress=progress, jobs=jobs, cancelled=cancelled)

    def forget_library(self, draft: Draft) -> None:
        """Forget what was read of a draft's papers, and look through its folders anew."""
        self.library(draft).forget(self.bibliography(draft).entries.values())
        self._libraries.clear()

    def library_state(self, draft: Draft) -> tuple[tuple[Path, object], ...]:
        """Return the folders of a draft's library with their stamps."""
        return self.library(draft).folders

    def _library_folders(self, draft: Draft) -> Iterable[Path]:
        folders = [folder.absolute() for folder in self.settings.library.folders]
        homes = [draft.root.parent, draft.path.parent, self.folder]
        homes += [source.path.parent for source in draft.bibliographies]
        for home in homes:
            folders += [home / name for name in self.settings.library.folder_names]
        return dict.fromkeys(folder for folder in folders if folder.is_dir())

    def inlinks(self, draft: Draft) -> Inlinks:
        """Return the inlink contexts of a draft's entries, by key.

        They come from the papers of its library that are read by now and from the other drafts
        of the workspace and of the folders of earlier drafts; the draft itself is no source.
        """
        from .library.inlinks import Inlinks
        from .library.links import Links
        from .library.works import Works

        library = self.library(draft)
        # Made anew when papers or drafts are: what it knows of all entries fills the memory.
        works = Works(self.bibliography(draft).entries.values())
        links = Links(self._index, *self._bibliography_state(draft))
        library.link(works, links)
        # LaTeX sources in a library folder may be the draft in hand, or another of the workspace.
        sources_of = {path for path in library.files() if kind(path) == ".tex"}
        own = {place for path in draft.own_paths for place in (path, *path.parents)} & sources_of
        typeset = draft.root.with_suffix(".pdf")
        sources = chain(
            library.citing(left_out=own | {typeset}),
            self._citing_drafts(draft, works, links, left_out=sources_of - own),
        )
        return Inlinks(sources, self.settings.ranking.inlink_window, _says(draft))

    def _bibliography_state(self, draft: Draft) -> tuple[str, str]:
        """Return a name for the bibliographies of a draft and a digest of what is in them."""
        names, content = [str(draft.root)] if draft.bib_items else [], blake2b(digest_size=20)
        for source in self._sources(draft):
            names.append(str(source.path))
            text = self._open_texts.get(source.path) if source.text is None else source.text
            with suppress(InputError, OSError):
                if text is None:
                    content.update(self._index.digest(source.path).encode())
                else:
                    content.update(text.encode("utf-8", "replace"))
        content.update(repr([(item.key, item.text) for item in draft.bib_items]).encode())
        return "\n".join(names), content.hexdigest()

    def _citing_drafts(
        self, draft: Draft, works: Works, links: Links, left_out: set[Path]
    ) -> Iterator[CitingSource]:
        """Yield what the other drafts say of the works they cite, each file once.

        Files and folders of LaTeX sources that are `left_out` have been heard as papers.
        """
        from .library.citing_drafts import citing_drafts
        from .library.inlinks import CitingSource, held_packed

        folders = (self.folder, *self.settings.library.draft_folders)
        files = chain.from_iterable(_tex_files(folder) for folder in folders)
        found = citing_drafts(
            (path for path in files if left_out.isdisjoint((path, *path.parents))),
            self._read_citing,
            self._index,
            KEPT_WINDOW,
            left_out=draft.own_paths,
            unsaved=tuple(self._open_texts),
        )
        for path, citing in found:
            name = os.path.relpath(path, self.folder)
            linked = links.of_draft(path, citing, works)
            yield CitingSource(name, linked.cited, held_packed(citing))

    def _read_citing(self, path: Path) -> tuple[Draft, Mapping[str, BibEntry]] | None:
        if not self._drafts.starts_document(path):
            return None
        draft = self._drafts.read(path)
        return draft, self.bibliography(draft, added=False).entries

    def without_text(self, root: Path, bibliographies: Iterable[Path]) -> Draft:
        """Return a draft that has bibliographies and cites nothing."""
        sources = tuple(BibliographySource(path) for path in bibliographies)
        return Draft(root, root, (), bibliographies=sources)

    def mains_with(self, path: Path) -> Iterator[Path]:
        """Yield the main files of the drafts that use a bibliography or a part, unsaved ones too.

        A draft that reads it through a link uses it as well.
        """
        is_added = path in self.settings.bibliographies
        real = os.path.realpath(path)
        seen: set[Path] = set()
        for main in chain(self._main_files(), self._mains_of_open_files()):
            if main in seen:
                continue
            seen.add(main)
            with suppress(InputError):
                files = (main,) if is_added else self._drafts.rests_on(main)
                if is_added or path in files or real in map(os.path.realpath, files):
                    yield main

    def _main_files(self) -> Iterator[Path]:
        for path in self.tex_files():
            with suppress(InputError):
                if self._drafts.starts_document(path):
                    yield path

    def _mains_of_open_files(self) -> Iterator[Path]:
        for path in self._open_texts:
            if path.suffix.lower() in (".tex", ".ltx", "") and path.is_relative_to(self.folder):
                with suppress(InputError):
                    yield self.draft(path).root

    def drafts(self) -> Iterator[Draft]:
        """Yield the drafts of the workspace by their main files, each file once."""
        seen: set[Path] = set()
        for path in self.tex_files():
            if path in seen:
                continue
            with suppress(InputError):
                if self._drafts.starts_document(path):
                    draft = self._drafts.read(path)
                    seen.update(draft.own_paths)
                    yield draft


def kept_rankers(index: PaperIndex) -> KeptRankers | None:
    """Return the rankers that are kept beside an index; None where that is in memory only."""
    from .ranking.kept import KeptRankers

    return None if index.path is None else KeptRankers(index.path.parent / _RANKERS_FOLDER)


def _says(draft: Draft) -> set[int]:
    """Return the hashes of the words around each citation of a draft: copies are known by them."""
    from .contexts.inlinks import words_around

    return {hash(words) for file in draft.files for words in words_around(file, KEPT_WINDOW)}


def _tex_files(top: Path) -> Iterator[Path]:
    return islice(_files(top, (".tex", ".ltx")), _MOST_TEX_FILES)


def _files(top: Path, suffixes: tuple[str, ...]) -> Iterator[Path]:
    for walked, (folder, subfolders, names) in enumerate(os.walk(top)):
        if walked >= _MOST_FOLDERS:
            return
        subfolders[:] = sorted(
            name for name in subfolders if name[0] != "." and name not in _SKIPPED_FOLDERS
        )
        for name in sorted(names):
            if name.lower().endswith(suffixes) and name[0] != ".":
                yield Path(folder, name)


#: Time and size of a file, or its text, and the @string macros it was read with.
_Version = tuple[object, dict[str, str]]
_MergeState = tuple[list[Bibliography], tuple[BibItem, ...], bool, list[Problem]]


def _same_state(one: _MergeState, other: _MergeState) -> bool:
    """Compare what bibliographies were merged from; parsed files by identity."""
    same_files = len(one[0]) == len(other[0]) and all(
        a is b for a, b in zip(one[0], other[0], strict=True)
    )
    return same_files and one[1:] == other[1:]


def _merge(
    files: Sequence[Bibliography], draft: Draft, problems: Sequence[Problem]
) -> DraftBibliography:
    """Put a draft's bibliographies together; the first of several entries with one key counts."""
    entries: dict[str, BibEntry] = {}
    for file in inherit_across(files):
        # Without `@xdata`, all that stands there are entries.
        keys = [entry.key for entry in file.entries] if file.data_entries else file.places
        own = dict(zip(keys, file.entries, strict=True))
        entries = {**own, **entries} if entries else own
    for item in draft.bib_items:
        entries.setdefault(item.key, _entry_of_item(item, draft.root))
    names = dict(zip(entries, entries, strict=True))
    if not draft.case_sensitive_keys:
        # Of keys that differ in their case only, the first one counts.
        backwards = tuple(reversed(entries))
        names = dict(zip(map(str.lower, backwards), backwards, strict=True))
    for entry in entries.values():
        for alias in entry.aliases:
            names.setdefault(alias if draft.case_sensitive_keys else alias.lower(), entry.key)
    found = (*(problem for file in files for problem in file.problems), *problems)
    return DraftBibliography(entries, names, draft.case_sensitive_keys, found)


def _candidate(
    entry: BibEntry,
    read: Callable[[BibEntry], ReferencePaper],
    bibliography: DraftBibliography,
    inlinks: Mapping[str, Sequence[InlinkContext]],
) -> Candidate:
    names, paper = entry.surnames, read(entry)
    if entry.members and not paper.title:
        # A biblatex set says what its members say.
        members = [m for key in entry.members if (m := bibliography.find(key)) is not None]
        names = tuple(name for member in members for name in member.surnames)
        papers = [read(member) for member in members]
        paper = ReferencePaper(
            title="; ".join(member.title for member in members),
            basis=min((paper.basis, *(p.basis for p in papers)), key=_BEST_FIRST.index),
            sentences=tuple(sentence for p in papers for sentence in p.sentences),
            abstract=" ".join(p.abstract for p in papers if p.abstract),
        )
    return Candidate(entry.key, paper, entry, names, inlinks.get(entry.key, ()))


def _entry_of_item(item: BibItem, path: Path) -> BibEntry:
    r"""Return a ``\bibitem`` as an entry: all that is known is how it is printed."""
    return BibEntry(item.key, "bibitem", {"title": item.text}, path)


def _moved(parsed: Bibliography, lines: int, start: int) -> Bibliography:
    """Return an embedded bibliography with the places that it has in the file around it."""
    return replace(
        parsed,
        places=parsed.places.moved(lines, start),
        repeated=tuple(replace(key, span=key.span.moved(start)) for key in parsed.repeated),
        faults=tuple(
            replace(fault, offset=fault.offset + start, entry=fault.entry.moved(start))
            for fault in parsed.faults
        ),
        problems=tuple(
            replace(problem, line=problem.line + lines if problem.line else None)
            for problem in parsed.problems
        ),
    )
