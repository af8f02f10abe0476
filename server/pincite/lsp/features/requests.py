"""Our own requests: works to cite at a place, evidence for a citation, and the reading status.

They serve views that follow the cursor; docs/protocol.md describes them for clients.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from ...model.spans import TextSpan
from ...project.suggestions import suggestions, zotero_suggestions
from .. import wire
from ..documents import Lines
from ..evidence import file_of, pdf_uri, remark_on
from ..from_proto import Place, place_at, places_around
from ..keys import bib_items
from ..language_server import PinciteServer
from ..session import OpenDraft, Project
from ..to_proto import Locations, reason

if TYPE_CHECKING:
    from ...model.contexts import CitationContext
    from ...model.papers import BibEntry, Candidate
    from ...model.results import RankedEntry, SupportingSentence
    from ...project.progress import Progress

#: Works shown for a placeholder, with their supporting sentences.
_FIRST_WORKS = 3


def register(server: PinciteServer) -> None:
    """Answer ``pincite/recommendations``, ``pincite/evidence`` and ``pincite/status``."""

    @server.feature(wire.RECOMMENDATIONS)
    async def recommends(ls: PinciteServer, params: Any) -> Any:  # noqa: ANN401 - JSON
        return await recommended(ls, wire.read(wire.RecommendationsParams, params))

    @server.feature(wire.EVIDENCE)
    async def shows_evidence(ls: PinciteServer, params: Any) -> Any:  # noqa: ANN401 - JSON
        return await shown_evidence(ls, wire.read(wire.EvidenceParams, params))

    @server.feature(wire.STATUS)
    async def says_status(ls: PinciteServer, params: Any) -> Any:  # noqa: ANN401 - JSON
        asked = wire.read(wire.StatusParams, params or {})
        document = asked.text_document
        path = ls.session.documents.now.path(document.uri) if document is not None else None
        return wire.written(await ls.answer(status, path))

    reported: tuple[str, float] | None = None

    def report_status(draft: str, progress: Progress) -> None:
        """Report to clients that follow the status how many of a draft's papers are read."""
        nonlocal reported
        if reported != (draft, progress.done) and server.session.client.follows_status:
            reported = draft, progress.done
            changed = wire.StatusChanged(draft, progress.done, progress.read, progress.papers)
            server.protocol.notify(wire.STATUS_CHANGED, wire.written(changed))

    server.when_read.append(report_status)


async def recommended(ls: PinciteServer, params: wire.RecommendationsParams) -> Any:  # noqa: ANN401
    """Answer a request for recommendations, as JSON; null if the document belongs to no draft."""
    work = partial(
        recommendations,
        limit=params.limit,
        with_sentences=params.supporting,
        typed=params.typed,
        of_zotero=params.only == "zotero",
    )
    at = types.TextDocumentPositionParams(params.text_document, params.position)
    return wire.written(await ls.answer_at(work, at))


async def shown_evidence(ls: PinciteServer, params: wire.EvidenceParams) -> Any:  # noqa: ANN401
    """Answer a request for evidence, as JSON; null if there is none to show."""
    at = types.TextDocumentPositionParams(params.text_document, params.position)
    return wire.written(await ls.answer_at(partial(evidence, key=params.key), at))


def recommendations(
    project: Project,
    path: Path,
    lines: Lines,
    position: types.Position,
    limit: int = wire.MOST_WORKS,
    with_sentences: int = 0,
    typed: str = "",
    *,
    of_zotero: bool = False,
) -> wire.Recommendations | None:
    """Return the works ranked for a place, the first `with_sentences` with supporting sentences.

    For a position in a citation or placeholder, works are ranked for its start. With `typed` text,
    these are the works found by it; with `of_zotero`, those of the author's Zotero.
    """
    opened = project.open_draft(path)
    if opened is None:
        return None
    place = place_at(opened.file, lines.offset(position))
    context = opened.context(place.span.start)
    limit = max(limit, 0)
    typed, complete = " ".join(typed.split()), opened.complete
    if of_zotero:
        # In this order: it may be read between the two.
        complete = project.global_library.is_read()
        suggested = zotero_suggestions(project, opened, context, most=limit, typed=typed)
    else:
        suggested = suggestions(project, opened, context, most=limit, kept=limit // 3, typed=typed)
    works = _Works(project, opened, context)
    items = [
        works.ranked(entry, rank < with_sentences, from_library=is_new)
        for rank, (entry, is_new) in enumerate(suggested[:limit])
    ]
    return wire.Recommendations(
        range=lines.range(place.span.start, place.span.end),
        citance=context.citance,
        placeholder=place.placeholder is not None,
        cited=tuple(key.key for key in place.keys),
        complete=complete,
        items=tuple(items),
    )


def evidence(
    project: Project,
    path: Path,
    lines: Lines,
    position: types.Position,
    key: str | None = None,
) -> wire.Evidence | None:
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
    gaps = [place for place in places if place.placeholder is not None]
    shown = citing or gaps[:1] or _place_to_cite(opened, offset)
    if not shown:
        return None
    found: dict[str, wire.Work] = {}
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
    return wire.Evidence(
        range=lines.range(first.span.start, first.span.end),
        citance=contexts[0].citance,
        placeholder=first.placeholder is not None,
        complete=opened.complete,
        works=tuple(found.values()),
        key=here.key if here else None,
    )


def _place_to_cite(opened: OpenDraft, offset: int) -> list[Place]:
    """Return where the sentence at an offset would be cited; nothing if it cannot be."""
    from ...edits.citations import sentence_at

    sentence = sentence_at(opened.file, offset)
    if sentence is None or sentence.cited:
        return []
    return [Place(TextSpan(sentence.inside, sentence.inside))]


def status(project: Project, path: Path | None = None) -> wire.Status:
    """Return what is known about the entries of one draft, or of all open drafts."""
    opened = {draft.draft.root: draft for draft in _opened(project, path)}
    bases = Counter(text for draft in opened.values() for text, *_ in draft.recommender.bases())
    readings = [draft.reading for draft in opened.values() if draft.reading is not None]
    return wire.Status(
        state="ready" if all(draft.complete for draft in opened.values()) else "reading",
        entries=bases.total(),
        full_texts=bases["full text"],
        abstracts=bases["abstract"],
        titles=bases["title"],
        broken=_broken(project, opened.values()),
        reading=wire.Reading(sum(r.read for r in readings), sum(r.papers for r in readings))
        if readings
        else None,
    )


def _broken(project: Project, opened: Iterable[OpenDraft]) -> int:
    """Return how many entries of the bibliographies of drafts are broken."""
    from .diagnostics import broken_in

    found = {
        (source.path, finding.scope)
        for draft in opened
        for source, _ in draft.bibliography.files
        if source.text is None
        for finding in broken_in(project, draft, source.path)
    }
    return len(found)


def _opened(project: Project, path: Path | None) -> Iterator[OpenDraft]:
    for each in [path] if path is not None else tuple(project.documents.texts):
        if (opened := project.open_draft(each)) is not None:
            yield opened


class _Works:
    """Builds the works of one answer."""

    def __init__(self, project: Project, opened: OpenDraft, context: CitationContext) -> None:
        self._snapshot = project
        self._opened = opened
        self._context = context
        self._bib_items = bib_items(opened.draft)

    def cited(self, key: str) -> wire.Work:
        """Return the work that a key means, with its supporting sentences."""
        entry = self._opened.bibliography.find(key)
        candidate = self._opened.recommender.candidates.get(entry.key) if entry else None
        if candidate is not None:
            return self._work(candidate, key=key)
        if (of_library := self._snapshot.global_library.candidate(key)) is not None:
            return self._work(of_library, from_library=True)
        remark = f"No bibliography of the draft has the key `{key}`."
        return wire.Work(key, "", "", (), remark=remark)

    def ranked(
        self, entry: RankedEntry, supported: bool, *, from_library: bool = False
    ) -> wire.Work:
        """Return a ranked work; `supported` says whether its supporting sentences are wanted."""
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
        key: str = "",
        from_library: bool = False,
        **rank: Any,  # noqa: ANN401 - fields of `wire.Work`
    ) -> wire.Work:
        from ...ranking.base import basis_of

        shown = self._opened.recommender
        if from_library and supported:
            # With its full text, if known; the library's own recommender has none.
            shown = self._snapshot.from_library(self._opened, candidate.key) or shown
            candidate = shown.candidates.get(candidate.key, candidate)
        entry, file = candidate.entry, file_of(candidate.paper)
        found: dict[str, Any] = {}
        if supported:
            sentences = shown.supporting(self._context, candidate.key)
            found = {
                "supporting": tuple(_supporting(sentence, file) for sentence in sentences),
                "remark": remark_on(self._opened, candidate, sentences),
            }
        return wire.Work(
            key=key or candidate.key,
            author_year=entry.author_year if entry else "",
            title=candidate.title,
            basis=basis_of(candidate),
            doi=(entry.doi or None) if entry else None,
            file=file.as_uri() if file else None,
            entry=self._location(entry) if entry else None,
            from_library=from_library,
            **found,
            **rank,
        )

    def _location(self, entry: BibEntry) -> types.Location | None:
        r"""Return the location of an entry's key, or of its ``\bibitem``."""
        for bibliography in (self._opened.bibliography, self._snapshot.global_library.bibliography):
            if bibliography is not None and (place := bibliography.place(entry)) is not None:
                lines = self._snapshot.lines_of(bibliography, entry)
                uri, span = self._snapshot.documents.uri(entry.path), place.key_span
                return types.Location(uri, lines.range(span.start, span.end)) if lines else None
        item = self._bib_items.get(entry.key)
        return item and Locations(self._snapshot).of(*item)


def _supporting(sentence: SupportingSentence, file: Path | None) -> wire.Supporting:
    text, page = sentence.text, sentence.page
    return wire.Supporting(
        text=text,
        score=sentence.score,
        strength=sentence.strength,
        probability=sentence.probability,
        matched=tuple((_utf16(text, s.start), _utf16(text, s.end)) for s in sentence.matched),
        page=page,
        page_label=sentence.page_label,
        section=sentence.section,
        highlighted=sentence.highlighted,
        comment=sentence.comment,
        link=pdf_uri(file, page) if file else None,
    )


def _utf16(text: str, offset: int) -> int:
    before = text[:offset]
    return offset if before.isascii() else len(before.encode("utf-16-le", "surrogatepass")) // 2
