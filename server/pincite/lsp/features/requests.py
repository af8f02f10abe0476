"""Works for a place, evidence for a citation, the reading status; docs/reference/protocol.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from lsprotocol import types

from ...edits.citations import sentence_at
from ...model.contexts import CitationContext
from ...model.papers import BibEntry, Candidate, ReferencePaper
from ...model.results import RankedEntry, SupportingSentence
from ...model.spans import TextSpan
from ...project.around import Around, around, suggested
from ...project.suggestions import nothing_fits, suggestions, zotero_suggestions
from ...ranking.base import basis_of
from .. import wire
from ..session import Document, OpenDraft, Project
from .diagnostics import broken_in
from .evidence import file_of, pdf_uri, remark_on, verdict_here
from .first_bibliography import CREATE, NAME, is_draft, offers
from .keys import Place, entry_location, place_at, places_around

#: Works shown for a placeholder, with their supporting sentences.
_FIRST_WORKS = 3


def recommendations(
    here: Document,
    offset: int,
    limit: int = wire.MAX_WORKS,
    supporting: int = 0,
    typed: str = "",
    only: Literal["zotero", "discovered"] | None = None,
    newest: bool = False,
) -> wire.Json | None:
    """Return the works ranked for a place, or found by `typed`, `supporting` with sentences.

    With `newest`, those that the author added last come first.
    """
    project, opened = here.project, here.opened()
    if opened is None:
        return None
    place = place_at(opened.file, offset)
    context = opened.context(place.span.start)
    limit = max(limit, 0)
    typed, complete, lacks = " ".join(typed.split()), opened.complete, False
    if only == "discovered":
        items = _discovered(opened, context, typed, limit, supporting or limit)
    else:
        if only == "zotero":
            # In this order: it may be read between the two.
            complete = project.global_library.is_read()
            listed = zotero_suggestions(
                project, opened, context, most=limit, typed=typed, newest=newest
            )
        else:
            listed = suggestions(
                project,
                opened,
                context,
                most=limit,
                for_library=limit // 3,
                typed=typed,
                newest=newest,
            )
            lacks = not (typed or newest) and nothing_fits(
                opened.recommender, (each.entry for each in listed)
            )
        items = []
        for rank, (entry, is_new) in enumerate(listed[:limit]):
            shown = entry.candidate, rank < supporting
            work = _work(project, opened, context, *shown, from_library=is_new)
            items.append(_ranked(work, entry))
    return wire.answer(
        range=here.lines.range(place.span),
        citance=context.citance,
        placeholder=place.placeholder is not None,
        cited=[key.key for key in place.keys],
        complete=complete,
        nothing_fits=lacks or None,
        items=items,
    )


def _discovered(
    opened: OpenDraft, context: CitationContext, typed: str, limit: int, supporting: int
) -> list[wire.Json]:
    """Return the works around those of the draft that fit a place, some with sentences."""
    found = around(opened)
    return [
        discovered_work(found, context if rank < supporting else None, entry)
        for rank, entry in enumerate(found.ranked(context, limit, typed))
    ]


def discovered_work(
    found: Around, context: CitationContext | None, entry: RankedEntry, **more: object
) -> wire.Json:
    """Return a work that the author does not have, with `more` values of a client."""
    # Its score is no probability: below 0, it has its reasons, too.
    work = _of_around(found, context, entry.candidate) | wire.answer(**more)
    return _ranked(work, entry) | wire.answer(reason="; ".join(entry.reasons))


def _of_around(found: Around, context: CitationContext | None, candidate: Candidate) -> wire.Json:
    """Return such a work, with the sentences of its abstract that support a context."""
    sentences = None if context is None else found.supporting(context, candidate.key)
    look_up = found.look_up_name(candidate.key) or None
    return _described(candidate, sentences, discovered=True, look_up=look_up)


def evidence(here: Document, offset: int, key: str | None = None) -> wire.Json | None:
    """Return the works of a citation with the sentences that support its citance.

    Elsewhere in a sentence, these are the works of all its citations. For a placeholder, or in a
    sentence without a citation, they are the works that rank first. With a `key` it is that work
    alone, at any place. None where nothing can be cited.
    """
    opened = here.opened()
    if opened is None:
        return None
    places = places_around(opened.file, offset)
    citing = [place for place in places if place.keys]
    at_cursor = place_at(opened.file, offset)
    if key is not None:
        naming = (place for place in citing if any(each.key == key for each in place.keys))
        citing = [next(naming, at_cursor)]
    shown = citing or [place for place in places if place.placeholder is not None][:1]
    if not shown:
        sentence = sentence_at(opened.file, offset)
        if sentence is None or sentence.cited:
            return None
        shown = [Place(TextSpan(sentence.inside, sentence.inside))]
    found: dict[str, wire.Json] = {}
    contexts = [opened.context(place.span.start) for place in shown]
    for place, context in zip(shown, contexts, strict=True):
        keys = [key] if key is not None else [each.key for each in place.keys]
        for each in keys:
            if each not in found:
                found[each] = _cited(here.project, opened, context, each)
        if not keys:
            ranked = opened.recommender.rank(context)[:_FIRST_WORKS]
            for entry in opened.recommender.explain(context, ranked):
                work = _work(here.project, opened, context, entry.candidate)
                found[entry.key] = _ranked(work, entry)
    key_here = at_cursor.key_at(offset)
    return wire.answer(
        range=here.lines.range(shown[0].span),
        citance=contexts[0].citance,
        placeholder=shown[0].placeholder is not None,
        complete=opened.complete,
        works=list(found.values()),
        key=key_here.key if key_here else None,
    )


def status(project: Project, path: Path | None = None) -> wire.Json:
    """Return what is known about the entries of one draft, or of all open drafts."""
    paths = [path] if path is not None else tuple(project.buffers.documents)
    found = (project.open_draft(each) for each in paths)
    opened = {draft.draft.root: draft for draft in found if draft is not None}.values()
    part = next((draft for draft in opened if path is not None and not draft.is_whole), None)
    bases = Counter(text for draft in opened for text, *_ in draft.recommender.bases())
    # Before papers are counted, and where there are none, there is no progress to show.
    readings = [draft.reading for draft in opened if draft.reading and draft.reading.papers]
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
        main=None if part is None else project.buffers.uri(part.draft.root),
        reading={"read": read, "papers": papers} if readings else None,
        offers=None if path is None else _offers(project, path) or None,
    )


def _offers(project: Project, path: Path) -> list[wire.Json]:
    """Return what gives a draft a bibliography that has none, or entries, where it has none."""
    read = project.begun_draft(path)
    if read is None:
        return []
    found = [*offers(project, path, read)]
    if read.bibliography.entries:
        found = [each for each in found if each.command.command in (CREATE, NAME)]
    if not (found and is_draft(read)):
        return []
    return [
        wire.answer(each, "title why", command=asked.command, arguments=asked.arguments)
        for each in found
        for asked in (each.command,)
    ]


def reindex(project: Project, path: Path | None = None) -> int:
    """Read the papers of one or all open drafts again; return the number of drafts."""
    paths = [path] if path is not None else tuple(project.buffers.documents)
    drafts = {read.draft.root: read for read in filter(None, map(project.read_draft, paths))}
    for read in drafts.values():
        project.read_again(read)
    return len(drafts)


def _cited(project: Project, opened: OpenDraft, context: CitationContext, key: str) -> wire.Json:
    """Return the work that a key means, with its supporting sentences."""
    entry = opened.bibliography.find(key)
    candidate = opened.recommender.candidates.get(entry.key) if entry else None
    if candidate is not None:
        return {**_work(project, opened, context, candidate), "key": key}
    if (of_library := project.global_library.candidate(key)) is not None:
        return _work(project, opened, context, of_library, from_library=True)
    found = suggested(opened)
    if found is not None and (of_around := found.candidate(key)) is not None:
        return _of_around(found, context, of_around)
    remark = f"No bibliography of the draft has the key `{key}`."
    judged = wire.verdict(verdict_here(opened, context, None, ()))
    return wire.answer(key=key, author_year="", title="", basis=(), remark=remark, verdict=judged)


def _ranked(work: wire.Json, entry: RankedEntry) -> wire.Json:
    reason = "; ".join(entry.reasons) if entry.score > 0.0 else ""
    return work | wire.answer(entry, "score internal external matched", reason=reason)


def _work(
    project: Project,
    opened: OpenDraft,
    context: CitationContext,
    candidate: Candidate,
    supported: bool = True,
    *,
    from_library: bool = False,
) -> wire.Json:
    """Return a work; `supported` is whether it needs its supporting sentences."""
    shown = opened.recommender
    if from_library and supported:
        # With its full text, if known; the library's own recommender has none.
        shown = project.from_library(opened, candidate.key) or shown
        candidate = shown.candidates.get(candidate.key, candidate)
    entry, file = candidate.entry, file_of(candidate.paper)
    sentences, more = None, wire.Json()
    if supported:
        sentences = shown.supporting(context, candidate.key)
        here = replace(opened, recommender=shown)
        judged = verdict_here(here, context, candidate, sentences)
        more = {"remark": remark_on(here, candidate, judged), "verdict": wire.verdict(judged)}
    return _described(
        candidate,
        sentences,
        file=file.as_uri() if file else None,
        entry=_location(project, opened, entry) if entry else None,
        from_library=from_library or None,
        **more,
    )


def _described(
    candidate: Candidate, supporting: Sequence[SupportingSentence] | None, **more: object
) -> wire.Json:
    """Return what every work has, with its supporting sentences and `more` values."""
    entry = candidate.entry
    return wire.answer(
        candidate,
        "key title author_year",
        basis=basis_of(candidate),
        doi=(entry.doi or None) if entry else None,
        supporting=None
        if supporting is None
        else [_supporting(each, candidate.paper) for each in supporting],
        **more,
    )


def _location(project: Project, opened: OpenDraft, entry: BibEntry) -> types.Location | None:
    library = project.global_library.bibliography
    if library is not None and (place := library.place(entry)) is not None:
        return project.location(entry.path, place.key_span)
    return entry_location(project, opened, entry)


def _supporting(sentence: SupportingSentence, paper: ReferencePaper) -> wire.Json:
    file = file_of(paper)

    def utf16(offset: int) -> int:
        return len(sentence.text[:offset].encode("utf-16-le", "surrogatepass")) // 2

    return wire.answer(
        sentence,
        "text score strength probability page page_label section",
        matched=[[utf16(span.start), utf16(span.end)] for span in sentence.matched],
        highlighted=sentence.highlighted or None,
        comment=sentence.comment or None,
        link=pdf_uri(file, sentence.page) if file else None,
        zotero=_in_zotero(sentence, paper.zotero) if paper.zotero else None,
    )


def _in_zotero(sentence: SupportingSentence, file: str) -> str:
    """Return the address at which Zotero opens a file at a sentence, or at its highlight."""
    annotation = f"&annotation={sentence.annotation}" if sentence.annotation else ""
    return f"{file}?page={sentence.page}{annotation}"
