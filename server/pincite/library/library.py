"""The texts of entries: own, found and fallback files, own and fallback abstracts, or the title."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import chain, islice
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

from ..cancellation import check
from ..model.fetched import ABSTRACT_FROM, is_fetched
from ..model.papers import BibEntry, Lazy, Reference, ReferencePaper, Sentence
from ..model.problems import InputError, NotAPaperError, NoTextError, Problem
from ..model.zotero import HIGHLIGHTS, attachment_address, is_from_zotero, read_highlights
from ..parsing.papers import READABLE_SUFFIXES, kind, stem
from ..parsing.paths import Stamp, file_stamp, is_file
from ..text.sentences import sentence_spans
from .fallback_texts import NO_FALLBACKS, FallbackTexts, prose_label
from .file_fields import article_first, entry_files, file_names
from .index import PaperIndex
from .stored import LinkedPaper, Name

# Imported late: the author waits for the first suggestions, which do not need these.
if TYPE_CHECKING:
    from .inlinks import CitingSource, Links
    from .same_work import WorkMatcher

#: Called with the number of finished files and of all files.
Progress = Callable[[int, int], None]

_MAX_FILES = 50_000
_MAX_FOLDERS = 5_000
#: Papers whose reference lists are in memory at a time while they are linked.
_LINKED_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class Linked:
    """The papers of a library that were read, as they stand to the entries of a bibliography.

    `papers` has which entries each is and cites, `texts` are the files of entries by key, and
    `others` those papers that may be no entry's.
    """

    papers: Mapping[Path, LinkedPaper]
    texts: Sequence[tuple[str, Sequence[Path]]]
    others: Sequence[Path]
    _index: PaperIndex

    def citing(self, left_out: Collection[Path] = ()) -> Iterator[CitingSource]:
        """Yield the contexts in which papers cite the entries, named by key or by file."""
        seen = set(left_out)
        for key, located in self.texts:
            if seen.isdisjoint(located):
                # Among several files of a work, use the one with the best reference list.
                papers = (self.papers[path] for path in located)
                yield self._source(key, max(papers, key=attrgetter("context_count")), key)
            # The other files of the entry are the same work.
            seen.update(located)
        for path in self.others:
            if path not in seen:
                yield self._source(stem(path), self.papers[path])

    def references(self) -> Iterator[tuple[str, Sequence[Reference]]]:
        """Yield the keys of the entries that have papers, with what these papers list."""
        keys = {self.papers[path].name: key for key, paths in self.texts for path in paths}
        for name, cited in self._index.cited_works(keys):
            yield keys[name], cited.references

    def _source(self, name: str, linked: LinkedPaper, own_key: str | None = None) -> CitingSource:
        from .inlinks import CitingSource

        contexts = partial(self._index.contexts, *linked.name)
        return CitingSource(name, linked.cited, contexts, own_key)


class Library:
    """The texts of a workspace's entries.

    An entry's text is the first readable one of: the files that its `file` field names; files of
    the library folders that are named after its key; files there that are the same work by DOI,
    arXiv id or title; files of another bibliography. `read` reads files into the index, and
    `link` finds files by their content; all other methods use what the index then holds. Fallback
    texts differ from draft to draft and are passed in. The library folders are listed on the first
    use of `files`, which may take long; until then, only `file` fields are searched.
    """

    def __init__(
        self,
        folders: Iterable[Path] = (),
        index: PaperIndex | None = None,
        base_folders: Sequence[Path] = (),
    ) -> None:
        self._problems: dict[Problem, None] = {}
        self._index = PaperIndex.in_memory() if index is None else index
        self._base_folders = tuple(base_folders)
        #: The top folders of its papers.
        self.tops = tuple(folders)
        #: Once they are listed, all folders with their stamps, and papers by lower-cased stem.
        self.folders: tuple[tuple[Path, Stamp], ...] = ()
        self._by_name: Mapping[str, Sequence[Path]] | None = None
        #: The papers whose content shows that they are an entry's, by its bibliography and its key.
        #: Drafts may be linked at once: each replaces what is known of its own bibliographies only.
        self._by_content: dict[Path, Mapping[str, Sequence[Path]]] = {}

    @property
    def problems(self) -> list[Problem]:
        """Which files could not be read, each once."""
        return list(self._problems)

    def files(self) -> Iterator[Path]:
        """Return the papers of the library folders, which are listed on first use."""
        if self._by_name is None:
            self._by_name, self.folders = _listed(self.tops)
        return chain.from_iterable(self._by_name.values())

    # Reading

    def files_of(
        self, entries: Iterable[BibEntry], fallbacks: FallbackTexts = NO_FALLBACKS
    ) -> Iterator[Path]:
        """Yield the existing files that the `file` fields of entries name."""
        for entry in entries:
            yield from self._named_by(entry, *fallbacks.get(entry.key, ()))

    def read(
        self,
        entries: Iterable[BibEntry],
        fallbacks: FallbackTexts = NO_FALLBACKS,
        *,
        progress: Progress | None = None,
        jobs: int | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> bool:
        """Read all files that may be the text of an entry; return False if `cancelled`."""
        from .indexing import read_into

        files = self._files_for(entries, fallbacks)
        return read_into(self._index, files, jobs=jobs, progress=progress, cancelled=cancelled)

    def forget(self, entries: Iterable[BibEntry], fallbacks: FallbackTexts = NO_FALLBACKS) -> None:
        """Forget what was read from files that may be an entry's text; `read` reads them again."""
        self._index.forget(self._indexed(self._files_for(entries, fallbacks)))

    def link(
        self,
        works: WorkMatcher,
        links: Links | None = None,
        fallbacks: FallbackTexts = NO_FALLBACKS,
    ) -> Linked:
        """Find which entries the papers read so far are, and which entries they cite."""
        from .inlinks import Links

        links = Links(self._index) if links is None else links
        # Few entries name files, and the file system is slow.
        named = enumerate([*self.files_of((each,), fallbacks)] for each in works.entries)
        own = {at: files for at, files in named if files}
        paths = dict.fromkeys((*chain.from_iterable(own.values()), *self.files()))
        names = self._indexed(paths)
        linked = {path: links.known(path, name) for path, name in names.items()}
        new = self._linked({path: names[path] for path in names if linked[path] is None}, works)
        links.store(new)
        known = {path: each for path in paths if (each := linked.get(path) or new.get(path))}
        others = [path for path in self.files() if path in known]
        by_content: dict[Path, dict[str, list[Path]]] = {e.path: {} for e in works.entries}
        for path in others:
            if (key := known[path].own_key) is not None:
                entry = works.entry(key)
                by_content[entry.path].setdefault(entry.key, []).append(path)
        self._by_content.update(by_content)
        located = (
            (e.key, [p for p in self._located(e, own.get(at, ())) if p in known])
            for at, e in enumerate(works.entries)
        )
        return Linked(known, [(k, paths) for k, paths in located if paths], others, self._index)

    def _linked(self, names: Mapping[Path, Name], works: WorkMatcher) -> dict[Path, LinkedPaper]:
        from .inlinks import cited_entries

        paths: dict[Name, list[Path]] = {}
        for path, name in names.items():
            paths.setdefault(name, []).append(path)
        found: dict[Path, LinkedPaper] = {}
        waiting = iter(paths)
        while some := tuple(islice(waiting, _LINKED_AT_ONCE)):
            heads = self._index.heads(some)
            for name, cited in self._index.cited_works(heads):
                entries = cited_entries(cited.references, cited.counts, works)
                count = sum(cited.counts[number] for number, _ in entries)
                for path in paths[name]:
                    own = works.find_paper(heads[name], stem(path))
                    found[path] = LinkedPaper(name, own, entries, count)
        return found

    # Texts

    def locate(self, entry: BibEntry) -> Path | None:
        """Return the file with the full text of an entry, if one exists."""
        return next(iter(self._located(entry)), None)

    def paper(
        self,
        entry: BibEntry,
        fallbacks: FallbackTexts = NO_FALLBACKS,
        *,
        left_out: Collection[str] = (),
    ) -> ReferencePaper:
        """Return the best text read so far for an entry, but of the kinds in `left_out`."""
        for path in self._located(entry, fallbacks=fallbacks):
            paper = None if left_out and kind(path) in left_out else self._read(path)
            if paper is not None:
                both = [each.fields for each in (entry, *fallbacks.get(entry.key, ()))]
                values = filter(None, (fields.get(HIGHLIGHTS) for fields in both))
                return replace(
                    paper,
                    title=entry.title or paper.title,
                    abstract=paper.abstract or self.known_text(entry, fallbacks).abstract,
                    highlights=tuple(each for value in values for each in read_highlights(value)),
                    zotero=attachment_address(path, both),
                )
        return self.known_text(entry, fallbacks)

    @staticmethod
    def known_text(entry: BibEntry, fallbacks: FallbackTexts = NO_FALLBACKS) -> ReferencePaper:
        """Return the text of an entry in bibliographies: its abstract, a fallback, or the title."""
        section, source = prose_label(entry), entry
        for other in fallbacks.get(entry.key, ()):
            if section is None and (label := prose_label(other)) is not None:
                # Authors want to know where a sentence comes from.
                where = f"in {other.path.name}"
                if is_fetched(other.path):
                    where = f"from {other.fields.get(ABSTRACT_FROM, 'the network')}"
                elif is_from_zotero(other.path):
                    where = "from Zotero"
                section, source = f"{label} {where}", other
        abstract = source.abstract
        if section is None:
            # Keywords help the ranking, but have no sentences to show.
            return ReferencePaper(entry.title, "title", (), abstract)
        sentences = Lazy(partial(_split, abstract, section))
        return ReferencePaper(entry.title, "abstract", sentences, abstract)

    def unreadable(
        self, entries: Iterable[BibEntry], fallbacks: FallbackTexts = NO_FALLBACKS
    ) -> list[Problem]:
        """Return which files cannot be read; a file in a folder that is no paper is no problem."""
        located = (self._located(entry, fallbacks=fallbacks) for entry in entries)
        named = dict.fromkeys(chain.from_iterable(located))
        return [
            _problem(path, error)
            for path in dict.fromkeys((*named, *self.files()))
            if (error := self._error(path)) is not None
            and (path in named or not isinstance(error, NotAPaperError))
        ]

    def unusable(
        self, entry: BibEntry, fallbacks: FallbackTexts = NO_FALLBACKS
    ) -> Iterator[tuple[Path, InputError]]:
        """Yield the files of an entry without readable text, each with the reason."""
        for path in self._located(entry, fallbacks=fallbacks):
            if (error := self._error(path)) is not None:
                yield path, error

    # Files

    def _files_for(self, entries: Iterable[BibEntry], fallbacks: FallbackTexts) -> dict[Path, None]:
        return dict.fromkeys((*self.files_of(entries, fallbacks), *self.files()))

    def _named_by(self, *entries: BibEntry) -> Iterator[Path]:
        for entry in entries:
            yield from entry_files(entry, self._base_folders, READABLE_SUFFIXES)

    def _located(
        self,
        entry: BibEntry,
        own: Iterable[Path] | None = None,
        fallbacks: FallbackTexts = NO_FALLBACKS,
    ) -> Iterable[Path]:
        """Return the files of an entry: first its `own`, which it names, last the fallbacks."""
        own = self._named_by(entry) if own is None else own
        alike = self._by_content.get(entry.path, {}).get(entry.key, ())
        found = (*own, *self._named_after(entry), *sorted(alike, key=article_first))
        return dict.fromkeys((*found, *self._named_by(*fallbacks.get(entry.key, ()))))

    def _named_after(self, entry: BibEntry) -> Iterator[Path]:
        for key in (entry.key, *entry.aliases):
            for name in sorted({each.lower() for each in file_names(key)}):
                yield from (self._by_name or {}).get(name, ())

    def _read(self, path: Path) -> ReferencePaper | None:
        """Return what was read of a file; if it is unreadable, report that once."""
        name = self._name(path)
        if not isinstance(name, InputError):
            paper = self._index.paper(*name, path)
            if paper is not None:
                return replace(paper, source=path)
        if (error := self._error(path)) is not None:
            self._problems[_problem(path, error)] = None
        return None

    def _error(self, path: Path) -> InputError | None:
        """Return why a file has no readable text, if that is known."""
        name = self._name(path)
        return name if isinstance(name, InputError) else self._index.unreadable(*name)

    def _indexed(self, paths: Iterable[Path]) -> dict[Path, Name]:
        """Return the names of files in the index; those that cannot be read are left out."""
        named = ((path, self._name(path)) for path in paths)
        return {path: name for path, name in named if not isinstance(name, InputError)}

    def _name(self, path: Path) -> Name | InputError:
        """Return the name of a file in the index, or why the file cannot be read."""
        try:
            return self._index.digest(path), kind(path)
        except OSError as error:
            return InputError(error.strerror or str(error))


@lru_cache(8)
def _split(text: str, section: str) -> tuple[Sentence, ...]:
    spans = sentence_spans(text)
    return tuple(Sentence(text[start:end], section=section) for start, end in spans)


def _problem(path: Path, error: InputError) -> Problem:
    return Problem(path, None, str(error), not isinstance(error, NoTextError))


def _listed(
    folders: Iterable[Path],
) -> tuple[dict[str, list[Path]], tuple[tuple[Path, Stamp], ...]]:
    """Return the papers below folders by lower-cased stem, and the stamps of these folders."""
    by_name: dict[str, list[Path]] = {}
    listed: dict[Path, Stamp] = {}
    places: set[str] = set()
    count = 0
    for top in folders:
        for place, subfolders, names in os.walk(top, followlinks=True):
            check()
            folder, real = Path(place), os.path.realpath(place)
            if real in places:
                subfolders[:] = []
                continue
            places.add(real)
            listed[folder] = file_stamp(folder)
            papers = [folder / name for name in sorted(names) if name[0] != "."]
            papers = [p for p in papers if p.suffix.lower() in READABLE_SUFFIXES and is_file(p)]
            if folder != top and any(name.lower().endswith((".tex", ".ltx")) for name in names):
                from ..parsing.papers.latex import is_latex_folder

                if is_latex_folder(folder):
                    subfolders[:], papers = [], [folder]
            subfolders[:] = sorted(name for name in subfolders if name[0] != ".")
            for path in papers:
                by_name.setdefault(stem(path).lower(), []).append(path)
            count += len(papers)
            if count >= _MAX_FILES or len(listed) >= _MAX_FOLDERS:
                break
    for paths in by_name.values():
        paths.sort(key=article_first)
    return by_name, tuple(listed.items())
