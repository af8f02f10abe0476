"""A draft with its bibliographies and papers, as the API shows it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from ..checking.claims import verdict_on
from ..checking.draft_report import report
from ..checking.library_health import library_health
from ..checking.whole_draft import (
    KINDS,
    OF_PAPERS,
    CheckedDraft,
    check_citations,
    check_draft,
    has_no_bibliography,
    place_of,
)
from ..contexts.windows import text_around
from ..library.index import PaperIndex
from ..model import drafts as model
from ..model.contexts import CitationContext
from ..model.problems import InputError, Problem
from ..parsing.encoding import read_text
from ..parsing.markups import markup_of
from ..project import open_draft
from ..project.around import around
from ..project.caches import Caches
from ..project.disk import CachedDisk
from ..project.workspace import Workspace
from ..settings import DEFAULT_RANKER, DEFAULT_SYSTEM, Zotero
from ..whole_files import writing
from .nouns import (
    AnyPath,
    CheckedCitation,
    Citation,
    Entry,
    Evidence,
    Finding,
    LibraryHealth,
    Paths,
    Place,
    ProblemSource,
    Progress,
    Ranking,
    Suggestion,
    Support,
    discovered,
    entry_from,
    entry_of,
    evidence_from,
    no_progress,
    problem_text,
)
from .paths import check_report_path, main_file_in, require_draft, settings_for
from .places import (
    citations_at,
    citations_of,
    cited_keys,
    citing_offset,
    file_named,
    gap_in,
    last_place,
    place_in,
    require_same_files,
    with_paragraph,
)
from .remarks import remarks_on, why_no_entries

if TYPE_CHECKING:
    from ..recommend import Recommender


def open(
    draft: AnyPath,
    *,
    bibliographies: Paths = (),
    library: Paths = (),
    base_folders: Paths = (),
    drafts: Paths = (),
    workspace: AnyPath | None = None,
    ranker: str = DEFAULT_RANKER,
    system: str = DEFAULT_SYSTEM,
    vectors: AnyPath | None = None,
    model: AnyPath | None = None,
    zotero: Zotero = "off",
) -> Project:
    r"""Read a draft, its main file or a part of it, and its bibliographies.

    `draft` may be the folder of the one draft in it. `bibliographies` are added to those that the
    draft names. `library` are folders of papers, beside the ``papers/``, ``pdfs/`` and
    ``literature/`` next to the draft, and `base_folders` are where paths in ``file`` fields may
    start. Citations in your other drafts count as evidence: those in the folder `workspace`, by
    default that of the draft, and in the folders `drafts`.

    `ranker` is ``learned``, ``learned-encoder`` or ``mixed``. `system` finds supporting sentences
    (see docs/explanation/evaluation.md); it may take word `vectors` and a trained `model` of your
    own. With `zotero` at ``auto``, the Zotero library on this computer provides abstracts,
    files and highlights.

    Raises `PinciteError` if the draft or something that is named here cannot be used. Nothing is
    sent, and no papers are read yet.

    >>> project = open("examples/survey.tex")
    >>> len(project.entries), len(project.citations), len(project.placeholders)
    (25, 26, 9)
    """
    settings = settings_for(
        bibliographies, library, base_folders, drafts, workspace, ranker, system, vectors, model,
        zotero=zotero,
    )  # fmt: skip
    given = Path(draft)
    beside = given.absolute() if given.is_dir() else given.absolute().parent
    folder = beside if workspace is None else Path(workspace)
    disk = CachedDisk()
    opened = Workspace(folder, settings, caches=Caches(PaperIndex(), disk))
    if given.is_dir():
        given = main_file_in(given, opened)
    require_draft(given)
    if not read_text(given).strip():
        raise InputError(f"{given}: the draft is empty")
    if settings.matching.needs_research:
        opened.matcher()
    opened.vectors()
    # An editor falls back to the default system or ranker; here, that is an error.
    for problem in (*opened.matcher.problems, *opened.caches.vector_problems):
        raise InputError(str(problem))
    return Project(given, opened, disk)


class Project:
    """A draft with its bibliographies, as they were when it was opened, and with its papers.

    Papers are read when first needed, and cached in your cache folder; `read_papers` reads them
    ahead, with progress. `path` is the draft's, and `main` that of the main file that counts: of a
    chapter, the file that includes it. Both are absolute.
    """

    def __init__(self, given: Path, workspace: Workspace, disk: CachedDisk) -> None:
        """Use `open` instead."""
        self._given = given
        self._workspace = workspace
        self._disk = disk
        self._draft = workspace.draft(given)
        self._bibliography = workspace.bibliography(self._draft)
        self._place = open_draft.Place(workspace, self._draft, self._bibliography)
        self._papers_are_read = False
        self._ranks: Recommender | None = None
        self.path: Path = self._draft.path
        self.main: Path = self._draft.root

    def __repr__(self) -> str:
        return f"<Project {self._given}: {len(self._bibliography.entries)} entries>"

    def has_changed(self) -> bool:
        """Return whether a file that was read or missing has changed: then `open` it again."""
        changed = self._disk.changed_files() or self._disk.changed_folders()
        return bool(changed) or self._workspace.caches.check_libraries()

    # The draft

    @property
    def files(self) -> tuple[Path, ...]:
        """The files of the draft, absolute, in the order in which they are read."""
        return tuple(file.path for file in self._draft.files)

    @cached_property
    def placeholders(self) -> tuple[Place, ...]:
        """The places where a citation is still missing, file by file.

        >>> open("examples/survey.tex").placeholders[0].line
        49
        """
        return tuple(
            place_of(file, each.span.start)
            for file in self._draft.files
            for each in file.placeholders
        )

    @property
    def placeholder_syntax(self) -> str:
        r"""How a placeholder is written in the markup of this draft, such as ``\cite{}``."""
        return markup_of(self._given).placeholder

    @cached_property
    def citations(self) -> tuple[Citation, ...]:
        """The citations of the draft, file by file; this reads no papers.

        >>> citation = open("examples/survey.tex").citations[0]
        >>> citation.command, citation.cited, citation.undefined
        ('citep', ('garfield1955indexes',), ())
        """
        return tuple(citations_of(self._draft, self._checked))

    def place(self, file: AnyPath | None = None, *, line: int, column: int = 1) -> Place:
        """Return a place in the draft, in its first file by default.

        `file` starts at the folder of the draft, or at the current folder. `line` and `column`
        start at 1; a column beyond the end of the line means its end. Raises `PinciteError` if
        the draft has no such file or line.
        """
        found = self._draft.files[0] if file is None else file_named(self._draft, Path(file))
        return place_in(found, line, column)

    def cited_at(self, place: Place) -> tuple[str, ...]:
        """Return the keys of the citation at a place, without placeholders such as ``?``."""
        file, offset = self._file(place)
        return tuple(key for each in citations_at(file, offset) for key in cited_keys(each))

    def text_around(self, place: Place) -> tuple[str, str]:
        """Return the text before and after a place in its paragraph, without citations.

        It has at most as many words as are compared, and an ellipsis where it was cut.
        """
        file, offset = self._citing_offset(place)
        prose, window = file.prose, self._workspace.settings.ranking.window
        return text_around(prose.text, prose.offset_at(offset), window)

    def drafted(self, text: str, after: Place | None = None) -> tuple[Project, Place]:
        r"""Return the project as if `text` were in the draft, and the place to cite at in it.

        `text` is a paragraph in the draft's markup. It follows the line of `after`, by default
        that of the last citation. The place is its first placeholder, else its end. No
        file is written. Raises `PinciteError` without entries, or if it changes what is read.

        >>> text = "Readers of theses classified the function of citations."
        >>> project, place = open("examples/survey.tex").drafted(text)
        >>> [each.key for each in project.suggest(place, top=1)]
        ['teufel2006function']
        """
        self.require_entries()
        file, offset = last_place(self._draft) if after is None else self._file(after)
        written, start = with_paragraph(file.text, offset, text)
        project = Project(self._given, self._workspace.edited({file.path: written}), self._disk)
        require_same_files(self._draft, project._draft)
        # The entries are the same.
        project._papers_are_read, project._ranks = True, self._ranking
        edited, _ = project._file(Place(file.path, 1, 1))
        return project, place_of(edited, gap_in(edited, start, text))

    # Bibliographies

    @cached_property
    def entries(self) -> Mapping[str, Entry]:
        """The entries of all bibliographies of the draft, by key.

        >>> open("examples/survey.tex").entries["duma2014resolution"].author_year
        'Duma and Klein 2014'
        """
        found = self._bibliography.entries.values()
        return {entry.key: entry_from(entry) for entry in found}

    def entry(self, key: str) -> Entry | None:
        """Return the entry that a key in the draft means: it may be an alias or a DOI."""
        found = self._bibliography.find(key)
        return None if found is None else entry_from(found)

    @property
    def has_bibliography(self) -> bool:
        """Whether there is anything that keys can be looked up in."""
        return not has_no_bibliography(self._checked)

    @property
    def no_entries(self) -> str:
        """Why there are no entries, and what to do; empty if there are some."""
        return why_no_entries(self._place)

    def require_entries(self) -> None:
        """Raise `PinciteError` if there is nothing to cite."""
        if not self._bibliography.entries:
            missing = (each for each in self._draft.problems if "bibliography" in each.message)
            reasons = [*map(problem_text, (*self._bibliography.problems, *missing))]
            raise InputError(f"{self._given}: {why_no_entries(self._place, *reasons[:1])}")

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What could not be used of the draft, its bibliographies and the papers read so far."""
        return self.problems_of(*get_args(ProblemSource))

    def problems_of(self, *sources: ProblemSource) -> tuple[Problem, ...]:
        """Return the problems that were found in some places only."""
        found: dict[ProblemSource, Callable[[], Iterable[Problem]]] = {
            "draft": lambda: self._draft.problems,
            "entries": lambda: (p for _, f in self._bibliography.files for p in f.problems),
            "bibliographies": lambda: self._bibliography.unread,
            "setup": lambda: self._workspace.problems,
            "papers": lambda: self._workspace.library(self._draft).problems,
        }
        return tuple(problem for source in sources for problem in found[source]())

    # Papers

    def read_papers(self, progress: Progress = no_progress) -> None:
        """Read the papers of the entries, in processes of their own; unchanged ones are cached.

        The ranker ``learned-encoder`` also encodes the entries.
        """
        if not self._papers_are_read:
            self._workspace.read_library(self._draft, progress=progress)
            self._workspace.encode_entries(self._draft, progress)
            self._papers_are_read = True

    def suggest(self, place: Place, top: int | None = 5) -> list[Suggestion]:
        """Return the entries that fit best at a place, the best first; all if `top` is None.

        A place within a citation means its beginning, one within a word the word's end. Raises
        `PinciteError` if there are no entries, or if the place is not in the draft.

        >>> project = open("examples/survey.tex")
        >>> [each.key for each in project.suggest(project.placeholders[0], top=2)]
        ['teufel2002zoning', 'teufel2006function']
        """
        return self.rank(place).best(top)

    def rank(self, place: Place) -> Ranking:
        """Return all entries as they fit at a place; raises what `suggest` raises.

        >>> project = open("examples/survey.tex")
        >>> ranking = project.rank(project.place(line=25, column=1))
        >>> len(ranking), ranking.rank_of("no-such-key")
        (25, None)
        """
        self.require_entries()
        self._file(place)
        context = self._context(place, self._ranking)
        ranked = self._ranking.rank(context)
        return Ranking(place, context, ranked, self._ranking, self._bibliography.key_of)

    def evidence(self, place: Place, key: str, top: int | None = None) -> list[Evidence]:
        """Return the sentences of a work that support what the draft says at a place.

        At most `top`, by default four; none if nothing supports it or nothing of it can be read.

        >>> project = open("examples/survey.tex")
        >>> place = project.place("survey.tex", line=98, column=61)
        >>> found = project.evidence(place, "barzilay2008coherence", top=2)
        >>> [each.strength for each in found]
        ['strong', 'strong']
        """
        return list(self.support(place, key, top).sentences)

    def support(self, place: Place, key: str, top: int | None = None) -> Support:
        """Return what `evidence` does, with why there is none and what it rests on."""
        from ..ranking.base import basis_of

        self._file(place)
        recommender = self._matching
        context = self._context(place, recommender)
        name = self._bibliography.key_of(key)
        candidate = None if name is None else recommender.candidates.get(name)
        if candidate is None:
            remark = "undefined key: no bibliography of the draft has this entry"
            judged = verdict_on(recommender, context, None)
            return Support(place, key, None, context.citance, (), None, (), (remark,), judged)
        found = recommender.supporting(context, candidate.key, top)
        judged = verdict_on(
            recommender,
            context,
            candidate,
            found if top is None else None,
            lacks_text=self._workspace.lacks_text(self._draft),
        )
        return Support(
            place=place,
            key=key,
            entry=entry_of(candidate),
            citance=context.citance,
            basis=basis_of(candidate),
            languages=recommender.languages(candidate.key),
            sentences=tuple(map(evidence_from, found)),
            remarks=tuple(remarks_on(self._place, candidate, judged)),
            verdict=judged,
        )

    def discover(self, place: Place, top: int | None = 5) -> list[Suggestion]:
        """Return the works around the bibliography that fit best at a place; all if `top` is None.

        The draft lacks them: they are what the papers of its works list, and what `discover` has
        fetched. The first reason is how they are connected. Raises what `suggest` raises.
        """
        self.require_entries()
        self.read_papers()
        return discovered(around(self._place), self._draft, *self._citing_offset(place), top)

    def library(self) -> LibraryHealth:
        """Return what is known about each entry, what is wrong with it, and what to do.

        >>> open("examples/survey.tex").library().counts.full_text
        13
        """
        self.require_entries()
        draft, opened = self._draft, self._workspace
        return library_health(
            draft,
            self._bibliography.files,
            self._matching.candidates,
            opened.library(draft),
            opened.read,
            bases=opened.settings.library.base_folders,
            fallbacks=opened.fallback_texts(draft),
        )

    # Checks

    def check(
        self, kinds: Collection[str] = (), *, progress: Progress = no_progress
    ) -> list[Finding]:
        """Return what to look at before the draft is submitted, in reading order.

        `kinds` are the kinds of `Finding` to look for, by default all; papers are read only for
        ``weak-support`` and ``title-only``. Raises `PinciteError` for other kinds.

        >>> found = open("examples/survey.tex").check(["placeholder"])
        >>> len(found), found[0].message
        (9, 'A citation is missing here.')
        """
        if unknown := [kind for kind in kinds if kind not in KINDS]:
            raise InputError(f"unknown kind {unknown[0]!r}; choose from {', '.join(KINDS)}")
        chosen = frozenset(kind for kind in KINDS if kind in kinds or not kinds)
        of_papers = chosen & OF_PAPERS and self._bibliography.entries
        return check_draft(self._with_papers() if of_papers else self._checked, chosen, progress)

    def verdicts(self, *, progress: Progress = no_progress) -> list[CheckedCitation]:
        """Return the verdict on every key that the draft cites, in reading order.

        Without entries there is none. Papers are read.

        >>> project = open("examples/survey.tex")
        >>> cited = project.verdicts()
        >>> cited[0].key, str(cited[0].verdict)
        ('garfield1955indexes', 'not checked, because only the title is known')
        """
        if not self._bibliography.entries:
            return []
        return check_citations(self._with_papers(), progress)

    def write_report(
        self,
        findings: Iterable[Finding],
        path: AnyPath,
        verdicts: Iterable[CheckedCitation] = (),
    ) -> None:
        """Write findings as a report: an HTML page, or Markdown if the path ends in ``.md``.

        With `verdicts` it counts them, and lists the citations that were not checked. Raises
        `PinciteError` if that is not possible, or would replace another file.
        """
        path = Path(path)
        form = check_report_path(path)
        written = [*findings], self.path.parent, [*verdicts]
        with writing(path) as file:
            file.write(report(form, self._given.name, self._draft, *written))

    # What the above share

    @property
    def _ranking(self) -> Recommender:
        if self._ranks is None:
            self.read_papers()
            self._ranks = self._workspace.recommender(self._draft)
        return self._ranks

    @property
    def _matching(self) -> Recommender:
        """A recommender that finds sentences in the papers, and need not rank."""
        return self._ranks or self._without_ranking

    @cached_property
    def _without_ranking(self) -> Recommender:
        self.read_papers()
        return self._workspace.recommender(self._draft, extent="keys")

    @cached_property
    def _checked(self) -> CheckedDraft:
        """The draft as it is checked without its papers."""
        return CheckedDraft(self._draft, self._bibliography.files, self._bibliography.find)

    def _with_papers(self) -> CheckedDraft:
        lacks_text = self._workspace.lacks_text(self._draft)
        return replace(self._checked, recommender=self._matching, lacks_text=lacks_text)

    def _file(self, place: Place) -> tuple[model.DraftFile, int]:
        """Return the file of a place and the offset in it."""
        if (file := self._draft.file(place.file)) is None:
            raise InputError(f"{place.file} is not a file of this draft")
        return file, file.offset(place.line, place.column)

    def _context(self, place: Place, recommender: Recommender) -> CitationContext:
        return recommender.context(self._draft, *self._citing_offset(place))

    def _citing_offset(self, place: Place) -> tuple[model.DraftFile, int]:
        """Return the file of a place, and where a citation for it stands or would stand."""
        file, offset = self._file(place)
        return file, citing_offset(file, offset)
