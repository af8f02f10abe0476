"""Works for a place, evidence for a citation, and the reading status; docs/protocol.md.

They serve views that follow the cursor.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from lsprotocol import types

from ...edits.citations import sentence_at
from ...model.contexts import CitationContext
from ...model.papers import BibEntry, Candidate
from ...model.results import RankedEntry, SupportingSentence
from ...model.spans import TextSpan
from ...project.suggestions import suggestions, zotero_suggestions
from ...ranking.base import basis_of
from .. import wire
from ..documents import Lines
from ..session import OpenDraft, Project
from .diagnostics import broken_in
from .evidence import file_of, pdf_uri, remark_on
from .keys import bib_items
from .places import Place, place_at, places_around
from .ranks import reason

#: Works shown for a placeholder, with their supporting sentences.
_FIRST_WORKS = 3


def recommendations(
    project: Project,
    path: Path,
    lines: Lines,
    position: types.Position,
    limit: int = wire.MAX_WORKS,
    supporting: int = 0,
    typed: str = "",
    only: str | None = None,
) -> wire.Json | None:
    """Return the works ranked for a place, the first ones `supporting` with their sentences.

    For a position in a citation or placeholder, works are ranked for its start. With `typed` text,
    these are the works found by it; with `only` those of the author's Zotero.
    """
    opened = project.open_draft(path)
    if opened is None:
        return None
    place = place_at(opened.file, lines.offset(position))
    context = opened.context(place.span.start)
    limit = max(limit, 0)
    typed, complete = " ".join(typed.split()), opened.complete
    if only == "zotero":
        # In this order: it may be read between the two.
        complete = project.global_library.is_read()
        suggested = zotero_suggestions(project, opened, context, most=limit, typed=typed)
    else:
        suggested = suggestions(
            project, opened, context, most=limit, for_library=limit // 3, typed=typed
        )
    works = _Works(project, opened, context)
    return wire.answer(
        range=lines.range(place.span.start, place.span.end),
        citance=context.citance,
        placeholder=place.placeholder is not None,
        cited=[key.key for key in place.keys],
        complete=complete,
        items=[
            works.ranked(entry, rank < supporting, from_library=is_new)
            for rank, (entry, is_new) in enumerate(suggested[:limit])
        ],
    )


def evidence(
    project: Project,
    path: Path,
    lines: Lines,
    position: types.Position,
    key: str | None = None,
) -> wire.Json | None:
    """Return the works of a citation with the sentences that support its citance.

    Elsewhere in a sentence, these are the works of all its citations. For a placeholder, or in a
    sentence without a citation, they are the works that rank first. With a `key` it is that work
    alone, at any place. None where nothing can be cited.
    """
    opened = project.open_draft(path)
    if opened is None:
        return None
    offset = lines.offset(position)
    places = places_around(opened.file, offset)
    citing = [place for place in places if place.keys]
    if key is not None:
        naming = (place for place in citing if any(each.key == key for each in place.keys))
        citing = [next(naming, None) or place_at(opened.file, offset)]
    shown = citing or [place for place in places if place.placeholder is not None][:1]
    if not shown:
        sentence = sentence_at(opened.file, offset)
        if sentence is None or sentence.cited:
            return None
        shown = [Place(TextSpan(sentence.inside, sentence.inside))]
    found: dict[str, wire.Json] = {}
    contexts = [opened.context(place.span.start) for place in shown]
    for place, context in zip(shown, contexts, strict=True):
        works = _Works(project, opened, context)
        keys = [key] if key is not None else [each.key for each in place.keys]
        for each in keys:
            if each not in found:
                found[each] = works.cited(each)
        if not keys:
            ranked = opened.recommender.rank(context)[:_FIRST_WORKS]
            ranked = opened.recommender.explain(context, ranked)
            found.update((entry.key, works.ranked(entry, supported=True)) for entry in ranked)
    first, here = shown[0], place_at(opened.file, offset).key_at(offset)
    return wire.answer(
        range=lines.range(first.span.start, first.span.end),
        citance=contexts[0].citance,
        placeholder=first.placeholder is not None,
        complete=opened.complete,
        works=list(found.values()),
        key=here.key if here else None,
    )


def asked_status(project: Project, params: wire.StatusParams) -> wire.Json:
    """Answer ``pincite/status``."""
    document = params.text_document
    return status(project, None if document is None else project.documents.path(document.uri))


def status(project: Project, path: Path | None = None) -> wire.Json:
    """Return what is known about the entries of one draft, or of all open drafts."""
    paths = [path] if path is not None else tuple(project.documents.texts)
    found = (project.open_draft(each) for each in paths)
    opened = {draft.draft.root: draft for draft in found if draft is not None}.values()
    bases = Counter(text for draft in opened for text, *_ in draft.recommender.bases())
    readings = [draft.reading for draft in opened if draft.reading is not None]
    read, papers = sum(each.read for each in readings), sum(each.papers for each in readings)
    broken = {
        (source.path, finding.scope)
        for draft in opened
        for source, _ in draft.bibliography.files
        if source.text is None
        for finding in broken_in(project, draft, source.path)
    }
    return wire.answer(
        state="ready" if all(draft.complete for draft in opened) else "reading",
        entries=bases.total(),
        full_texts=bases["full text"],
        abstracts=bases["abstract"],
        titles=bases["title"],
        broken=len(broken),
        reading={"read": read, "papers": papers} if readings else None,
    )


class _Works:
    """Builds the works of one answer."""

    def __init__(self, project: Project, opened: OpenDraft, context: CitationContext) -> None:
        self._project = project
        self._opened = opened
        self._context = context
        self._bib_items = bib_items(opened.draft)

    def cited(self, key: str) -> wire.Json:
        """Return the work that a key means, with its supporting sentences."""
        entry = self._opened.bibliography.find(key)
        candidate = self._opened.recommender.candidates.get(entry.key) if entry else None
        if candidate is not None:
            return {**self._work(candidate), "key": key}
        if (of_library := self._project.global_library.candidate(key)) is not None:
            return self._work(of_library, from_library=True)
        remark = f"No bibliography of the draft has the key `{key}`."
        return wire.answer(key=key, author_year="", title="", basis=(), remark=remark)

    def ranked(
        self, entry: RankedEntry, supported: bool, *, from_library: bool = False
    ) -> wire.Json:
        """Return a ranked work; `supported` is whether it needs its supporting sentences."""
        return self._work(
            entry.candidate,
            supported,
            from_library=from_library,
            score=entry.score,
            internal=entry.internal,
            external=entry.external,
            matched=entry.matched,
            reason=reason(entry),
        )

    def _work(
        self,
        candidate: Candidate,
        supported: bool = True,
        *,
        from_library: bool = False,
        **rank: object,
    ) -> wire.Json:
        shown = self._opened.recommender
        if from_library and supported:
            # With its full text, if known; the library's own recommender has none.
            shown = self._project.from_library(self._opened, candidate.key) or shown
            candidate = shown.candidates.get(candidate.key, candidate)
        entry, file = candidate.entry, file_of(candidate.paper)
        found: dict[str, Any] = {}
        if supported:
            sentences = shown.supporting(self._context, candidate.key)
            found = {
                "supporting": [_supporting(sentence, file) for sentence in sentences],
                "remark": remark_on(self._opened, candidate, sentences),
            }
        return wire.answer(
            key=candidate.key,
            author_year=entry.author_year if entry else "",
            title=candidate.title,
            basis=basis_of(candidate),
            doi=(entry.doi or None) if entry else None,
            file=file.as_uri() if file else None,
            entry=self._location(entry) if entry else None,
            from_library=from_library or None,
            **found,
            **rank,
        )

    def _location(self, entry: BibEntry) -> types.Location | None:
        r"""Return the location of an entry's key, or of its ``\bibitem``."""
        for bibliography in (self._opened.bibliography, self._project.global_library.bibliography):
            if bibliography is not None and (place := bibliography.place(entry)) is not None:
                return self._project.location(entry.path, place.key_span)
        item = self._bib_items.get(entry.key)
        return item and self._project.location(*item)


def _supporting(sentence: SupportingSentence, file: Path | None) -> wire.Json:
    text, page = sentence.text, sentence.page
    return wire.answer(
        text=text,
        score=sentence.score,
        strength=sentence.strength,
        probability=sentence.probability,
        matched=[[_utf16(text, s.start), _utf16(text, s.end)] for s in sentence.matched],
        page=page,
        page_label=sentence.page_label,
        section=sentence.section,
        highlighted=sentence.highlighted or None,
        comment=sentence.comment or None,
        link=pdf_uri(file, page) if file else None,
    )


def _utf16(text: str, offset: int) -> int:
    before = text[:offset]
    return offset if before.isascii() else len(before.encode("utf-16-le", "surrogatepass")) // 2
