"""The recommenders of a draft over time: the first at once, the full one when papers are read.

While a bibliography is edited, the earlier recommender still serves for all other entries.
"""

from __future__ import annotations

import threading
from collections.abc import Container
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from ..cancellation import holding

if TYPE_CHECKING:
    from ..library.library import Library
    from ..model.drafts import Draft
    from ..parsing.bibtex import MergedEntries
    from ..recommend import Recommender
    from .read_draft import ReadDraft

#: A draft by its main file and the library folders that serve it.
IndexKey = tuple[Path, tuple[Path, ...]]
#: With more changed entries than this, an author would wait for them to be counted.
_MOST_CHANGED = 200
#: With more entries than this, an author would wait for the first list.
MOST_AT_ONCE = 2_000
#: With fewer characters, a language is hard to tell.
_LEAST_PROSE = 400
#: What biblatex and REVTeX add to the name of a draft for their own bibliographies, and the
#: suffixes of other output that could be papers.
_WRITTEN_BY_TEX = ("-blx.bib", "notes.bib")
_OUTPUT_SUFFIXES = (".pdf", ".xml")


@dataclass(frozen=True, slots=True)
class Reading:
    """How many of a draft's papers are read; once it has `ended`, no more will be."""

    read: int
    papers: int
    ended: bool = False

    @property
    def done(self) -> float:
        """The fraction that is done; 1 only at the end, when the recommender uses the papers."""
        return 1.0 if self.ended else self.read / (self.papers + 1)


@dataclass(slots=True, eq=False)
class Index:
    """The recommenders of one draft in one state of its library and of its bibliography's entries.

    Each attribute is set once it is known. `revision` is the latest one of the inputs that it was
    asked for with. `base` is the best recommender of an earlier state: `first` goes on from it. The
    index is `stale` once the bibliography has changed, `outdated` once anything else that it
    depends on has changed, and `halted` once the author wants no more papers read for it.
    """

    #: The main file of the draft.
    root: Path
    #: Another object once its folders have changed.
    library: Library
    entries: MergedEntries
    #: The files of the draft, as it was last read.
    own_files: frozenset[Path]
    revision: int
    base: Recommender | None = None
    first: Recommender | None = None
    full: Recommender | None = None
    stale: bool = False
    outdated: bool = False
    halted: bool = False
    #: The language that the draft declares, and whether its keys are case-sensitive; and the length
    #: of its prose when its language was last identified.
    declared: tuple[object, ...] | None = None
    prose: int = 0
    #: What it will be built from, once that is queued; and whether building has begun.
    submitted: ReadDraft | None = None
    begun: bool = False
    #: Progress in reading its papers, once they are counted.
    reading: Reading | None = None
    #: Held while `first` is made.
    lock: threading.Lock = field(default_factory=threading.Lock)
    #: Set when no better recommender will come.
    finished: threading.Event = field(default_factory=threading.Event)

    @property
    def key(self) -> IndexKey:
        """The main file and the library folders: two files of a draft may have different ones."""
        return self.root, self.library.tops

    @property
    def done(self) -> bool:
        """Whether no better recommender will come."""
        return self.finished.is_set()

    def has_same(self, entries: MergedEntries) -> bool:
        """Return whether these are its entries, or others with the same content."""
        return self.entries is entries or (
            len(self.entries) == len(entries)
            and next(entries.changed_since(self.entries), None) is None
        )

    def is_open(self, documents: Container[Path]) -> bool:
        """Return whether a file of the draft is among the open documents."""
        return any(path in documents for path in self.own_files)

    def may_depend_on(self, changed: Path) -> bool:
        """Return whether a file may be a paper, another draft or a bibliography.

        The output of TeX, Typst and Pandoc for the draft is none of these, in any folder.
        """
        anywhere = not any(map(changed.is_relative_to, self.library.tops))
        own = self.own_files
        return changed not in own and not any(_is_output(e, changed, anywhere) for e in own)

    def language_changed(self, draft: Draft) -> bool:
        """Return whether the recommenders are for another language, or for other rules of keys.

        That of the text is identified again once the prose has doubled.
        """
        from ..recommend import declared_language, draft_language

        before = self.declared
        self.declared = declared_language(draft), draft.case_sensitive_keys, draft.program
        length = max((file.prose.length for file in draft.files), default=0)
        if before is None or before != self.declared:
            self.prose = length
            return before is not None
        best = self.full or self.first or self.base
        if length < max(_LEAST_PROSE, 2 * self.prose) or best is None:
            return False
        self.prose = length
        return draft_language(draft) not in (None, best.language)

    def best(self, read: ReadDraft) -> Recommender:
        """Return the best recommender so far; if there is none, make one quickly.

        It is made from `read`: the workspace may already serve a request with other documents.
        """
        with holding(self.lock):
            if self.full is not None:
                return self.full
            if self.first is None:
                self.first = self._updated(read) or self._new(read)
            return self.first

    def rank_list(self, read: ReadDraft) -> None:
        """Replace a first recommender that knows only keys: by titles, then by all fields.

        Papers come later, because reading them may take long.
        """
        if self.first is not None and self.first.extent == "keys":
            make = partial(
                read.workspace.recommender,
                read.draft,
                full_texts=False,
                bibliography=read.bibliography,
            )
            self.first = make(extent="titles")
            self.first = make(keep=True)

    @property
    def so_far(self) -> Recommender | None:
        """The best recommender of this state so far, if it knows more than titles."""
        first = self.first  # which another thread may replace
        return self.full or (None if first is None or first.extent != "texts" else first)

    def improve(self, full: Recommender) -> None:
        """Use this recommender from now on, and release the earlier ones."""
        with self.lock:
            self.full, self.base, self.first = full, None, None

    def count(self, read: int, papers: int) -> Reading:
        """Record how many papers are read, and return it; the count never goes down."""
        known = self.reading
        if known is not None and known.papers == papers:
            read = max(read, known.read)
        self.reading = Reading(read, papers)
        return self.reading

    def _new(self, read: ReadDraft) -> Recommender:
        workspace, draft, known = read.workspace, read.draft, read.bibliography
        is_long = len(self.entries) > MOST_AT_ONCE
        kept = workspace.kept_recommender(draft, known) if is_long else None
        return kept or workspace.recommender(
            draft,
            full_texts=False,
            bibliography=known,
            extent="keys" if is_long else "texts",
        )

    def _updated(self, read: ReadDraft) -> Recommender | None:
        from ..parsing.bibtex import MergedEntries
        from ..recommend import Since

        if self.base is None or not isinstance(self.base.candidates.entries, MergedEntries):
            return None
        if self.base.settings.ranking != read.workspace.settings.ranking:
            return None  # An older request has other settings.
        since_base = self.entries.changed_since(self.base.candidates.entries)
        changed = set(islice(since_base, _MOST_CHANGED + 1))
        if len(changed) > _MOST_CHANGED:
            return None
        if not changed and tuple(self.base.candidates) == tuple(self.entries):
            return self.base
        since = Since(self.base, changed)
        return read.workspace.updated_recommender(read.draft, read.bibliography, since)


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
