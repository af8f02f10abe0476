"""The health of a draft's library: what is known about each entry, what is wrong, what to do.

One view instead of a remark in every hover. Nothing is read here but what the index holds: papers
that were not read yet are unknown.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from ..cancellation import checked
from ..library.fallback_texts import NO_FALLBACKS, FallbackTexts, prose_label
from ..library.file_fields import entry_files, missing_file, named_articles
from ..library.library import Library
from ..library.same_work import same_works
from ..model import fetched
from ..model.drafts import Draft
from ..model.papers import BibEntry, Candidates, ReferencePaper, TextBasis
from ..model.problems import NoTextError, ProtectedError
from ..model.programs import BIBTEX
from ..model.results import CommonFolder, FromService, LibraryCounts
from ..model.spans import TextSpan, line_starts
from ..model.zotero import is_from_zotero
from .bibliographies import broken_entries, cited_names, repeated_keys
from .citations import Files, knows_all_entries

ProblemKind = Literal[
    "missing-file",
    "scanned",
    "encrypted",
    "unreadable",
    "duplicate",
    "repeated-key",
    "no-year",
    "broken-entry",
    "title-only",
]

#: What the author can do about each kind of problem.
ADVICE: Final[Mapping[ProblemKind, str]] = {
    "missing-file": "point to its folder on this computer with --base-folder DIR or the "
    "setting library.baseFolders",
    "scanned": "recognise its text (OCR), or use another copy",
    "encrypted": "remove the password, or use another copy",
    "unreadable": "replace the file, or remove it",
    "duplicate": "merge them (Merge duplicates… in the Library view, or pincite library --merge)",
    "repeated-key": "if they are the same work, merge them (pincite library --merge); else change "
    "one of the keys",
    "no-year": "add a year or date to the entry",
    "broken-entry": "correct the entry",
    "title-only": "add a file or abstract field to the entry, put the paper into a papers folder "
    "under the name of its key, or fetch its abstract (pincite enrich)",
}
#: The key for problems that belong to no entry.
_OTHERS: Final = ""

#: Types for which BibTeX's and biblatex's styles print a year.
_DATED: Final = frozenset(
    "article book booklet collection conference inbook incollection inproceedings mastersthesis "
    "mvbook phdthesis proceedings report techreport thesis".split()
)
#: Fields that stand for a year: "to appear" is one that BibTeX prints.
_YEARS: Final = ("year", "date", "pubstate", "eventdate", "origdate")
#: A folder is named as the common one if this share of the missing files is in it.
_SHARE_IN_FOLDER: Final = 0.8


@dataclass(frozen=True, slots=True)
class LibraryProblem:
    """Something wrong with an entry or a file: `what` it is.

    `file` is the file concerned, a missing one as the entry names it. `place` is a file and what is
    wrong in it, where that is not the whole entry.
    """

    kind: ProblemKind
    what: str
    file: str = ""
    place: tuple[Path, TextSpan] | None = None

    @property
    def advice(self) -> str:
        """What the author can do."""
        return ADVICE[self.kind]

    @property
    def message(self) -> str:
        """What is wrong and what to do."""
        return f"{self.what}: {self.advice}"


#: The problems that were found, by the key of their entry, each once and in order.
_Problems = defaultdict[str, dict[LibraryProblem, None]]


@dataclass(frozen=True, slots=True)
class EntryHealth:
    """What is known about an entry: `file` is what a full text is read from.

    `cited` indicates whether the draft cites it, in any of its files, and `from_zotero` whether the
    abstract or the file that serves is Zotero's. If it was fetched, `open_access` is the address of
    a copy that is free to read, and `cited_by` the number of works that cite it.
    """

    key: str
    basis: TextBasis
    cited: bool = False
    file: Path | None = None
    from_zotero: bool = False
    problems: tuple[LibraryProblem, ...] = ()
    open_access: str = ""
    cited_by: int | None = None


@dataclass(frozen=True, slots=True)
class LibraryHealth:
    """The health of a library: `others` are problems that belong to no entry.

    `common_folder` is None where no files are missing, or these have no folder in common. `fetched`
    is what serves of what was fetched from the network, by service.
    """

    entries: tuple[EntryHealth, ...]
    counts: LibraryCounts
    others: tuple[LibraryProblem, ...] = ()
    common_folder: CommonFolder | None = None
    fetched: tuple[FromService, ...] = ()


def library_health(
    draft: Draft,
    files: Files,
    candidates: Candidates,
    library: Library,
    text_of: Callable[[Path], str | None],
    *,
    bases: Sequence[Path] = (),
    fallbacks: FallbackTexts = NO_FALLBACKS,
    complete: bool = True,
) -> LibraryHealth:
    """Return the health of a draft's library.

    `files` are its parsed bibliographies, whose texts `text_of` returns, and `candidates` its
    entries with what was read of them. Unless all papers were read (`complete`), nothing is
    reported on what is only known then: files that cannot be read, and entries of which the title
    is all.
    """
    entries = [entry for entry in candidates.entries.values() if entry is not None]
    problems: _Problems = defaultdict(dict)

    def add(key: str, kind: ProblemKind, what: str, file: str = "") -> None:
        problems[key][LibraryProblem(kind, what, file)] = None

    for entry, first in same_works(entries):
        add(entry.key, "duplicate", f"seems to be the same work as {first.key}")
    for path in dict.fromkeys(source.path for source, _ in files):
        if (text := text_of(path)) is not None:
            for key, found in _in_bibliography(path, text, draft, files):
                problems[key][found] = None
    healths: list[EntryHealth] = []
    missing: list[str] = []
    named, cited = 0, cited_names(draft)
    for entry in checked(entries):
        paper = candidates[entry.key].paper
        for file, error in library.unusable(entry, fallbacks) if complete else ():
            is_known = isinstance(error, (NoTextError, ProtectedError))
            kind: ProblemKind = "scanned" if isinstance(error, NoTextError) else "encrypted"
            add(entry.key, kind if is_known else "unreadable", f"{file.name}: {error}", str(file))
        if names := named_articles(entry):
            named += 1
            if paper.basis != "full text" and missing_file(entry, bases=bases) is not None:
                missing.append(names[0])
                what = f"names a file that is not on this computer ({names[0]})"
                add(entry.key, "missing-file", what, names[0])
        if entry.entry_type in _DATED and not any(entry.fields.get(name) for name in _YEARS):
            add(entry.key, "no-year", "has no year")
        has_file = any(problem.file for problem in problems[entry.key])
        if complete and paper.basis == "title" and not has_file:
            add(entry.key, "title-only", "only the title is known")
        others = [other for other in fallbacks.get(entry.key, ()) if fetched.is_fetched(other.path)]
        addresses = (other.fields.get(fetched.OPEN_ACCESS) for other in others)
        numbers = (other.fields.get(fetched.CITED_BY, "") for other in others)
        healths.append(
            EntryHealth(
                entry.key,
                paper.basis,
                any(name.lower() in cited for name in (entry.key, *entry.aliases)),
                paper.source if paper.basis == "full text" else None,
                _is_by_zotero(paper, entry, fallbacks, bases),
                tuple(problems[entry.key]),
                next(filter(None, addresses), ""),
                next((int(each) for each in numbers if each.isdecimal()), None),
            )
        )
    files_of_entries = {each.file for found in problems.values() for each in found}
    for problem in library.unreadable(entries, fallbacks) if complete else ():
        if problem.path is not None and str(problem.path) not in files_of_entries:
            what = f"{problem.path.name}: {problem.message}"
            add(_OTHERS, "unreadable" if problem.broken else "scanned", what, str(problem.path))
    return LibraryHealth(
        tuple(healths),
        _counted(healths, problems, named, len(missing)),
        tuple(problems[_OTHERS]),
        common_folder(missing),
        fetched.by_service(_in_use(entries, candidates, fallbacks)),
    )


def _in_use(
    entries: Iterable[BibEntry], candidates: Candidates, fallbacks: FallbackTexts
) -> Iterator[Mapping[str, str]]:
    """Yield the fields of what was fetched, without an abstract that is not shown."""
    for entry in entries:
        paper = candidates[entry.key].paper
        has_none = paper.basis == "abstract" and prose_label(entry) is None
        for other in fallbacks.get(entry.key, ()):
            if fetched.is_fetched(other.path):
                is_shown = has_none and other.abstract == paper.abstract
                yield other.fields if is_shown else {**other.fields, "abstract": ""}


def _is_by_zotero(
    paper: ReferencePaper, entry: BibEntry, fallbacks: FallbackTexts, bases: Sequence[Path]
) -> bool:
    others = [other for other in fallbacks.get(entry.key, ()) if is_from_zotero(other.path)]
    if not others or paper.basis == "title":
        return False
    if paper.basis == "abstract":
        # An export of Zotero may have the same abstract.
        is_same = any(each.abstract == paper.abstract for each in others)
        return is_same and prose_label(entry) is None
    own = entry_files(entry, bases)
    return paper.source not in own and any(paper.source in entry_files(e) for e in others)


def common_folder(names: Sequence[str]) -> CommonFolder | None:
    """Return the deepest folder of most of these files (paths of any system), as one names it."""
    folders = [name.replace("\\", "/").split("/")[:-1] for name in names]
    depth, within = 0, folders
    while True:
        counts = Counter(folder[depth] for folder in within if len(folder) > depth)
        name, count = max(counts.items(), key=lambda item: item[1], default=("", 0))
        if count == 0 or count < _SHARE_IN_FOLDER * len(folders):
            break
        within = [folder for folder in within if len(folder) > depth and folder[depth] == name]
        depth += 1
    folder = "/".join(within[0][:depth]) if within else ""
    return CommonFolder(folder, len(within)) if folder.strip("/") else None


def _in_bibliography(
    path: Path, text: str, draft: Draft, files: Files
) -> Iterator[tuple[str, LibraryProblem]]:
    starts = line_starts(text)

    def problem(kind: ProblemKind, what: str, span: TextSpan) -> LibraryProblem:
        what = f"{what} ({path.name}, line {bisect_right(starts, span.start)})"
        return LibraryProblem(kind, what, place=(path, span))

    which = "an earlier" if draft.program.last_counts else "a later"
    for again in repeated_keys(path, draft, files):
        what = f"{which} entry with this key is ignored"
        yield again.key, problem("repeated-key", what, again.span)
    macros_known, by_bibtex = knows_all_entries(draft, files), draft.program == BIBTEX
    for source, bibliography in files:
        if source.path != path or not (faults := bibliography.faults):
            continue
        keys = {place.span.start: key for key, place in bibliography.places.items()}
        for found in broken_entries(text, faults, macros_known=macros_known, by_bibtex=by_bibtex):
            what = f"{found.message[0].lower()}{found.message[1:].rstrip('.')}"
            key = keys.get(found.scope.start, _OTHERS)
            yield key, problem("broken-entry", what, found.span)


def _counted(
    entries: Sequence[EntryHealth], problems: _Problems, named: int, missing: int
) -> LibraryCounts:
    bases = Counter(entry.basis for entry in entries)
    found = [problem for each in problems.values() for problem in each]
    kinds = Counter(problem.kind for problem in found if not problem.file)
    kinds.update(kind for kind, _ in {(each.kind, each.file) for each in found if each.file})
    return LibraryCounts(
        entries=len(entries),
        cited=sum(entry.cited for entry in entries),
        full_text=bases["full text"],
        abstract=bases["abstract"],
        title=bases["title"],
        named_files=named,
        missing_files=missing,
        scanned=kinds["scanned"],
        encrypted=kinds["encrypted"],
        unreadable=kinds["unreadable"],
        duplicates=kinds["duplicate"],
        repeated_keys=kinds["repeated-key"],
        without_year=kinds["no-year"],
        broken=kinds["broken-entry"],
        from_zotero=sum(entry.from_zotero for entry in entries),
    )
