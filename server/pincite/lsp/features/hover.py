"""Hover on a key: the sentences of the cited work that support this citance.

In a bibliography: what is known about the work, and where it is cited.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from ...parsing.markups import markup_of
from ...project.project import is_bibliography
from ..documents import Lines
from ..evidence import evidence_markup, remark_on, style_of, work_markup
from ..from_proto import place_at
from ..keys import citing_places, comments_in, shown_path
from ..language_server import PinciteServer
from ..session import OpenDraft, Project, ReadDraft

if TYPE_CHECKING:
    from ...model.papers import Candidate


def register(server: PinciteServer) -> None:
    """Answer ``textDocument/hover``."""

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hovers(ls: PinciteServer, params: types.HoverParams) -> types.Hover | None:
        return await ls.answer_at(hover, params)


def hover(
    project: Project, path: Path, lines: Lines, position: types.Position
) -> types.Hover | None:
    r"""Return the supporting sentences for the key under the cursor; None if there is nothing.

    ``\nocite`` has no citance to support.
    """
    if is_bibliography(path):
        return _hover_on_entry(project, path, lines, lines.offset(position))
    opened = project.open_draft(path)
    if opened is None:
        return None
    offset = lines.offset(position)
    place = place_at(opened.file, offset)
    key = place.key_at(offset)
    entry = opened.bibliography.find(key.key) if key else None
    candidate = opened.recommender.candidates.get(entry.key) if entry else None
    if key is None or candidate is None:
        return None
    supporting = opened.recommender.supporting(opened.context(place.span.start), candidate.key)
    client = project.client
    contents = evidence_markup(
        candidate,
        supporting,
        style_of(markdown=client.markdown_hovers, opens_pdf=client.opens_pdf),
        titled=_shows_title(project, path),
        remark=remark_on(opened, candidate, supporting),
    )
    return types.Hover(contents, lines.range(key.span.start, key.span.end))


def _shows_title(project: Project, path: Path) -> bool:
    """Return whether to show the title: every other extension shows it, with the other fields."""
    return not project.settings.editor.has_peer(markup_of(path).name)


def _hover_on_entry(project: Project, path: Path, lines: Lines, offset: int) -> types.Hover | None:
    """Return what is known about the work of an entry, and where it is cited.

    Only on the keys of the entry itself: its own, and those in its ``ids``.
    """
    from ...edits.keys import keys_in_entry
    from ...parsing.bibliographies.places import entry_at

    place = entry_at(path, lines.text, offset, comments=False)
    keys = keys_in_entry(place, lines.text) if place is not None else ()
    key = next((key for key, is_own in keys if is_own and key.span.covers(offset)), None)
    if place is None or key is None:
        return None
    drafts = project.drafts_with(path)
    if comments_in(drafts) and entry_at(path, lines.text, offset) is None:
        return None
    opened = _opened(project, drafts)
    candidate = _candidate(opened, path, place.key) or _alone(path, place.span.of(lines.text))
    if candidate is None:
        return None
    cited = [
        (f"{shown_path(project, file)}:{line}", f"{project.documents.uri(file)}#L{line}")
        for file, line in citing_places(drafts, place.key)
    ]
    client = project.client
    contents = work_markup(
        candidate,
        cited,
        _remark(drafts, opened, candidate, is_cited=bool(cited)),
        style_of(markdown=client.markdown_hovers, opens_pdf=client.opens_pdf),
        titled=_shows_title(project, path),
    )
    return types.Hover(contents, lines.range(key.span.start, key.span.end))


def _opened(project: Project, drafts: Sequence[ReadDraft]) -> OpenDraft | None:
    """Return a draft to take knowledge about works from, preferably one that is open.

    An open draft is read anyway.
    """
    held = project.buffers.texts.keys()
    chosen = min(drafts, key=lambda read: held.isdisjoint(read.draft.own_paths), default=None)
    return None if chosen is None else project.open_draft(chosen.file.path)


def _candidate(opened: OpenDraft | None, path: Path, key: str) -> Candidate | None:
    """Return a draft's candidate for an entry, if its key means the entry in this file."""
    entry = opened.bibliography.find(key) if opened is not None else None
    if opened is None or entry is None or entry.path != path:
        return None
    return opened.recommender.candidates.get(entry.key)


def _alone(path: Path, text: str) -> Candidate | None:
    """Return a candidate from the entry alone: it is new, not the one in use, or in no draft."""
    from ...library.library import Library
    from ...model.papers import Candidate
    from ...parsing.bibliographies import parse_bibliography

    entry = next(iter(parse_bibliography(text, path).entries.values()), None)
    if entry is None:
        return None
    return Candidate(entry.key, Library.known_text(entry), entry, entry.surnames)


def _remark(
    drafts: Sequence[ReadDraft],
    opened: OpenDraft | None,
    candidate: Candidate,
    *,
    is_cited: bool,
) -> str:
    said = []
    if opened is not None and not opened.complete and candidate.paper.basis != "full text":
        said.append("Papers are still being read.")
    if not drafts:
        said.append("No draft of the workspace reads this bibliography.")
    elif not is_cited:
        names = [f"`{read.draft.root.name}`" for read in drafts]
        of_all = names[0] if len(names) == 1 else f"the {len(names)} drafts with this bibliography"
        said.append(f"Not cited in {of_all}.")
    return " ".join(said)
