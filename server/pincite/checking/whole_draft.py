"""The claim check: everything that a whole draft cites, before it is submitted.

The findings are those of the diagnostics, of all files and in reading order: undefined keys,
citations that their work does not support, claims without a citation, works cited of which only
the title is known, placeholders that are left.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from hashlib import blake2b
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar, cast, get_args

from ..cancellation import check
from ..contexts.citing_text import text_of_draft
from ..contexts.windows import citance_at
from ..edits.naming import missing_in
from ..enrichment.known_works import Known, identifier_of
from ..library.same_work.titles import words_of
from ..model.drafts import Draft, DraftFile
from ..model.papers import BibEntry
from ..model.spans import TextSpan
from ..parsing.bibliographies import OTHER_FORMATS
from ..parsing.markups import markup_of
from . import citations
from .citations import DraftKind, Files, ReferenceKind, knows_all_entries
from .claims import (
    citations_in,
    missing_citations,
    name_of,
    verdict_on,
    weak_support,
    why_unchecked,
)
from .references import REFERENCE_KINDS, Retractions, judge
from .verdicts import Verdict

if TYPE_CHECKING:
    from ..recommend import Recommender

_Found = TypeVar("_Found", bound="Finding | CheckedCitation")
FindingKind = DraftKind | ReferenceKind
KINDS: Final[tuple[DraftKind, ...]] = get_args(DraftKind)
#: Kinds for which papers have to be read.
OF_PAPERS: Final[frozenset[DraftKind]] = frozenset(("weak-support", "title-only"))
#: Kinds that are about a work, whatever the sentence that cites it.
OF_WORKS: Final[frozenset[FindingKind]] = frozenset((*REFERENCE_KINDS, "title-only"))
_EXCERPT_CHARACTERS: Final = 60
#: What ends a paragraph: a blank line, or where an environment of LaTeX begins or ends.
_END_OF_PARAGRAPH: Final = re.compile(
    r"\n[ \t\r]*\n|^[ \t]*\\(?:begin|end)\{[^{}\n]*\}(?:\[[^\]\n]*\]|\{[^{}\n]*\})*", re.MULTILINE
)

#: Called with how many citations are checked, of how many.
Progress = Callable[[int, int], None]
#: Called with the offset in a file before which citations are checked.
_Step = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a file of a draft; `line` and `column` start at 1, columns count code points.

    >>> str(Place(Path("thesis.tex"), 98, 61))
    'thesis.tex:98:61'
    """

    file: Path
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to look at in a draft before it is submitted.

    `kind` is one of ``undefined-key``, ``placeholder``, ``weak-support``, ``missing-citation`` and
    ``title-only``; of an entry, ``retracted``, ``wrong-identifier``, ``not-found``, ``published``
    and ``entry-differs``. `key` is the key concerned, empty for a missing citation,
    and for a placeholder unless it is a key without its sign. `excerpt` is the source around the
    place, of an entry author, year and title; `sentence` is the sentence of the draft, without
    citations. `start` and `end` are offsets (code points) into the file. `work` is the identifier
    of the work, else its title, and `state` what a finding about it rests on. `notice` is the
    address of a notice of retraction, and `values` are what fields of the entry should be; of a
    preprint they are those of the published version, which is of an `entry_type`.
    """

    kind: FindingKind
    place: Place
    message: str
    key: str
    excerpt: str
    sentence: str
    start: int
    end: int
    work: str = ""
    state: str = ""
    notice: str = ""
    values: tuple[tuple[str, str], ...] = ()
    entry_type: str = ""

    @property
    def about(self) -> str:
        """What a decision about it rests on: words in lower case, without signs."""
        return self.state if self.kind in OF_WORKS else " ".join(words_of(self.sentence))

    @property
    def id(self) -> str:
        """Its name, by which it is accepted."""
        what = "\0".join((self.kind, self.key, self.work, self.about))
        return blake2b(what.encode("utf-8", "replace"), digest_size=4).hexdigest()


@dataclass(frozen=True, slots=True)
class CheckedCitation:
    """A key that a draft cites at a place, with the verdict on it.

    `sentence` is the sentence of the draft, without citations. `start` and `end` are the offsets
    (code points) of the key in the file.
    """

    place: Place
    key: str
    verdict: Verdict
    sentence: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class CheckedDraft:
    """A draft as it is checked; papers are reported if there is a `recommender`.

    `lacks_text` returns whether a file of an entry gives no text.
    """

    draft: Draft
    files: Files
    find: Callable[[str], BibEntry | None]
    recommender: Recommender | None = None
    lacks_text: Callable[[BibEntry], bool] = lambda _entry: False


def check_draft(
    checked: CheckedDraft,
    kinds: Collection[FindingKind] = KINDS,
    progress: Progress = lambda _done, _total: None,
) -> list[Finding]:
    """Return what is found in the files of a draft, in reading order; title-only works once."""

    def find(file: DraftFile, step: _Step) -> Iterator[Finding]:
        for found in _findings(checked, file, kinds, step):
            entry = checked.find(found.key) if found.key else None
            start, end = found.span.start, found.span.end
            yield Finding(
                cast(DraftKind, found.code),
                place_of(file, start),
                found.message,
                found.key,
                _excerpt(file.text, start, end),
                citance_at(file.prose.text, file.prose.offset_at(start)),
                start,
                end,
                "" if entry is None else work_of(entry),
            )

    known_by_title: set[str] = set()
    results = []
    for each in _in_reading_order(checked.draft, find, progress):
        if each.kind == "title-only" and (entry := checked.find(each.key)) is not None:
            if entry.key in known_by_title:
                continue
            known_by_title.add(entry.key)
        results.append(each)
    return results


def _in_reading_order(
    draft: Draft, find: Callable[[DraftFile, _Step], Iterable[_Found]], progress: Progress
) -> list[_Found]:
    """Return what is found in the files of a draft, in reading order."""
    place_in, done = text_of_draft(draft).place_of, 0
    total = sum(len(file.citations) for file in draft.files) or 1
    found: list[_Found] = []
    for file in draft.files:
        starts = [citation.span.start for citation in file.citations]

        def step(offset: int, done: int = done, starts: list[int] = starts) -> None:
            progress(done + bisect_right(starts, offset), total)

        found += sorted(find(file, step), key=attrgetter("start"))
        done += len(starts)
    progress(total, total)
    return sorted(found, key=lambda each: place_in(each.place.file, each.start))


def place_of(file: DraftFile, offset: int) -> Place:
    """Return an offset of a file as a place."""
    return Place(file.path, *file.line_column(offset))


def check_references(
    known: Iterable[Known],
    where: Callable[[BibEntry], tuple[int, int, TextSpan] | None],
    retractions: Retractions = lambda _doi, _pmid: (),
) -> list[Finding]:
    """Return what is wrong with the entries that services `known`, in their order.

    `where` returns line, column and the key's span of an entry in its file; what has no place is
    not reported.
    """
    found = []
    for each in known:
        entry = each.entry
        at = None
        for judged in judge(each, retractions):
            at = at or where(entry)
            if at is not None:
                label = " · ".join(filter(None, (entry.author_year, entry.title)))
                line, column, span = at
                place = Place(entry.path, line, column)
                what = judged.message, entry.key, label, "", span.start, span.end, work_of(entry)
                more = judged.state, judged.notice, judged.values, judged.entry_type
                found.append(Finding(judged.kind, place, *what, *more))
    return found


def cited_first(checked: CheckedDraft, entries: Iterable[BibEntry]) -> list[BibEntry]:
    """Return entries: those that the draft cites, in reading order, and then all others."""
    keys = (key.key for file in checked.draft.files for each in file.citations for key in each.keys)
    found = (entry.key for key in keys if (entry := checked.find(key)) is not None)
    order = {key: at for at, key in enumerate(dict.fromkeys(found))}
    return sorted(entries, key=lambda entry: order.get(entry.key, len(order)))


def work_of(entry: BibEntry) -> str:
    """Return the identifier of a work, else its title."""
    return identifier_of(entry) or " ".join(words_of(entry.title))


def check_citations(
    checked: CheckedDraft, progress: Progress = lambda _done, _total: None
) -> list[CheckedCitation]:
    """Return the verdict on every citation of a draft, in reading order; none without papers."""
    draft, recommender = checked.draft, checked.recommender
    if recommender is None:
        return []

    def verdicts(file: DraftFile, step: _Step) -> Iterator[CheckedCitation]:
        for key, context, candidate in citations_in(draft, file, checked.find, recommender):
            start, end = key.span.start, key.span.end
            step(start)
            made = verdict_on(recommender, context, candidate, lacks_text=checked.lacks_text)
            yield CheckedCitation(place_of(file, start), key.key, made, context.citance, start, end)

    return _in_reading_order(draft, verdicts, progress)


def _findings(
    checked: CheckedDraft, file: DraftFile, kinds: Collection[FindingKind], step: _Step
) -> Iterator[citations.Finding]:
    check()
    if "undefined-key" in kinds:
        yield from undefined_in(checked, file)
    if "placeholder" in kinds:
        yield from citations.placeholders(file, lambda key: checked.find(key) is not None)
        # In an editor, it may be half typed.
        yield from citations.unclosed(file)
    if "missing-citation" in kinds:
        yield from missing_citations(file, checked.find)
    recommender = checked.recommender
    if recommender is None or OF_PAPERS.isdisjoint(kinds):
        return
    for key, context, candidate in citations_in(checked.draft, file, checked.find, recommender):
        step(key.span.start)
        if candidate is None:
            continue
        if candidate.paper.basis == "title":
            if "title-only" in kinds:
                lacks_text = checked.lacks_text
                made = verdict_on(recommender, context, candidate, (), lacks_text=lacks_text)
                message = made.sentence(name_of(candidate))
                yield citations.Finding("title-only", key.span, message, key.span, key.key)
        elif "weak-support" in kinds and not why_unchecked(recommender, context, candidate):
            made = verdict_on(recommender, context, candidate)
            if made.is_weak:
                yield weak_support(key, candidate, made)


def has_no_bibliography(checked: CheckedDraft) -> bool:
    """Return whether there is nothing to look keys up in; here also in Markdown of any kind."""
    draft = checked.draft
    if checked.files:
        return False
    named = (
        draft.bibliographies
        or draft.fallback_bibliographies
        or draft.bib_items
        or any(missing_in(draft))
    )
    return draft.lacks_bibliography or (not (markup_of(draft.root).only_drafts or named))


def undefined_in(checked: CheckedDraft, file: DraftFile) -> Iterator[citations.Finding]:
    """Find the undefined keys of a file; without any bibliography, each at its first citation."""
    draft = checked.draft

    def is_entry(key: str) -> bool:
        return checked.find(key) is not None

    if knows_all_entries(draft, checked.files):
        yield from citations.undefined_keys(file, draft, is_entry)
    elif has_no_bibliography(checked):
        yield from citations.keys_without_bibliography(file, draft)
    elif not (
        any(each.remote for each in missing_in(draft))
        or any(each.path.suffix.lower() in OTHER_FORMATS for each in draft.bibliographies)
    ):
        # Where nothing is named, names may be no keys. LaTeX would find no more than we do; why a
        # bibliography could not be read is reported apart.
        certain = (
            markup_of(file.path).syntax.certain_citations(file)
            if draft.fallback_bibliographies
            else None
        )
        for finding in citations.undefined_keys(file, draft, is_entry, certain):
            message = f"No bibliography that could be read has the key “{finding.key}”."
            yield replace(finding, message=message)


def _excerpt(text: str, start: int, end: int) -> str:
    """Return the words around a place within its paragraph, in one line."""
    most = 2 * _EXCERPT_CHARACTERS
    before = _END_OF_PARAGRAPH.split(text[max(start - most, 0) : start])[-1]
    behind = _END_OF_PARAGRAPH.split(text[end : end + most])[0]
    # Cut at words.
    if len(before) > _EXCERPT_CHARACTERS:
        before = "… " + " ".join(before[-_EXCERPT_CHARACTERS:].split(" ")[1:])
    if len(behind) > _EXCERPT_CHARACTERS:
        behind = " ".join(behind[:_EXCERPT_CHARACTERS].split(" ")[:-1]) + " …"
    return " ".join(f"{before}{text[start:end]}{behind}".split())
