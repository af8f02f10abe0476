"""Hover on a key: the sentences of the cited work that support this citance.

In a bibliography: what is known about the work, and where it is cited.
"""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types

from ...edits.keys import keys_in_entry
from ...library.library import Library
from ...model.papers import Candidate
from ...parsing.bibliographies import parse_bibliography
from ...parsing.bibliographies.item_file import entry_at
from ...parsing.markups import markup_of
from ...project.project import is_bibliography
from ..documents import Lines
from ..session import OpenDraft, Project
from .evidence import Style, evidence_markup, remark_on, work_markup
from .keys import citing_places, comments_in, shown_path
from .places import place_at


def hover(
    project: Project, path: Path, lines: Lines, position: types.Position
) -> types.Hover | None:
    r"""Return the supporting sentences for the key under the cursor; None if there is nothing.

    ``\nocite`` has no citance to support.
    """
    offset, client = lines.offset(position), project.client
    style = Style(client.markdown_hovers, client.opens_pdf)
    # Every other extension shows the title, with the other fields.
    titled = not project.settings.editor.has_peer(markup_of(path).name)
    if is_bibliography(path):
        return _hover_on_entry(project, path, lines, offset, style, titled)
    opened = project.open_draft(path)
    if opened is None:
        return None
    place = place_at(opened.file, offset)
    key = place.key_at(offset)
    entry = opened.bibliography.find(key.key) if key else None
    candidate = opened.recommender.candidates.get(entry.key) if entry else None
    if key is None or candidate is None:
        return None
    supporting = opened.recommender.supporting(opened.context(place.span.start), candidate.key)
    remark = remark_on(opened, candidate, supporting)
    contents = evidence_markup(candidate, supporting, style, titled=titled, remark=remark)
    return types.Hover(contents, lines.range(key.span.start, key.span.end))


def _hover_on_entry(
    project: Project, path: Path, lines: Lines, offset: int, style: Style, titled: bool
) -> types.Hover | None:
    """Return what is known about the work of an entry, and where it is cited.

    Only on the keys of the entry itself: its own, and those in its ``ids``.
    """
    place = entry_at(path, lines.text, offset, comments=False)
    keys = keys_in_entry(place, lines.text) if place is not None else ()
    key = next((key for key, is_own in keys if is_own and key.span.covers(offset)), None)
    if place is None or key is None:
        return None
    drafts = project.drafts_with(path)
    if comments_in(drafts) and entry_at(path, lines.text, offset) is None:
        return None
    # An open draft is read anyway.
    held = project.buffers.texts.keys()
    chosen = min(drafts, key=lambda read: held.isdisjoint(read.draft.own_paths), default=None)
    opened = None if chosen is None else project.open_draft(chosen.file.path)
    candidate = _candidate(opened, path, place.key) or _alone(path, place.span.of(lines.text))
    if candidate is None:
        return None
    cited = [
        (f"{shown_path(project, file)}:{line}", f"{project.documents.uri(file)}#L{line}")
        for file, line in citing_places(drafts, place.key)
    ]
    remarks = []
    if opened is not None and not opened.complete and candidate.paper.basis != "full text":
        remarks.append("Papers are still being read.")
    if not drafts:
        remarks.append("No draft of the workspace reads this bibliography.")
    elif not cited:
        names = [f"`{read.draft.root.name}`" for read in drafts]
        of_all = names[0] if len(names) == 1 else f"the {len(names)} drafts with this bibliography"
        remarks.append(f"Not cited in {of_all}.")
    contents = work_markup(candidate, cited, " ".join(remarks), style, titled=titled)
    return types.Hover(contents, lines.range(key.span.start, key.span.end))


def _candidate(opened: OpenDraft | None, path: Path, key: str) -> Candidate | None:
    """Return a draft's candidate for an entry, if its key means the entry in this file."""
    entry = opened.bibliography.find(key) if opened is not None else None
    if opened is None or entry is None or entry.path != path:
        return None
    return opened.recommender.candidates.get(entry.key)


def _alone(path: Path, text: str) -> Candidate | None:
    """Return a candidate from the entry alone: it is new, not the one in use, or in no draft."""
    entry = next(iter(parse_bibliography(text, path).entries.values()), None)
    if entry is None:
        return None
    return Candidate(entry.key, Library.known_text(entry), entry, entry.surnames)
