"""Code actions: cite a work, pin the page of a supporting sentence, show more, and fixes.

Editors request them at every move of the cursor. Outside citations and placeholders, works are
ranked only if the author invokes code actions explicitly.

Edits that cite a ranked work are computed when one is chosen (``codeAction/resolve``), if the
client supports that. Actions that show something are commands of the client, so they are offered
only if the client declares them; elsewhere hover and completion show the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, takewhile
from pathlib import Path

from lsprotocol import types

from ...checking.citations import knows_all_entries, nearest_keys
from ...edits.citations import sentence_at
from ...model.drafts import CitationKey
from ...model.edits import TextEdit
from ...model.papers import Candidate
from ...model.problems import InputError
from ...model.results import SupportingSentence
from ..documents import Lines
from ..session import Project, ReadDraft
from . import diagnostics
from .citing import inserted, pinned
from .edits import editable_in, workspace_edit
from .places import Place, place_at, places_around

#: Commands that a client may have.
SHOW_EVIDENCE = "pincite.showEvidence"
SUGGEST_HERE = "pincite.suggestHere"

_FIX = types.CodeActionKind.QuickFix
_REWRITE = types.CodeActionKind.RefactorRewrite
_FIRST_WORD = re.compile(r"[^\W\d_]{2,}")
_MAX_WORKS = 3
_MAX_PAGES = 2
_MAX_TITLE = 50


def code_actions(
    project: Project,
    path: Path,
    lines: Lines,
    asked: types.Range,
    context: types.CodeActionContext,
) -> list[types.CodeAction] | None:
    """Return the code actions for a range of a document."""
    if not project.client.code_actions:
        return None
    offers = _Offers(project, path, lines, asked, context)
    actions: list[types.CodeAction] = []
    if offers.wants(_FIX):
        given = [d for d in context.diagnostics if d.source == diagnostics.SOURCE]
        actions += diagnostics.fixes(project, path, lines, asked, given)
    if any(map(offers.wants, (_FIX, _REWRITE, None))):
        read = project.read_draft(path)
        if read is not None:
            actions += offers.all(read)
    try:
        if actions:
            editable_in(project, path)
    except InputError as error:
        # Those that edit are disabled, for a reason that the author sees.
        for action in actions:
            if action.command is None:
                action.edit = action.data = None
                action.disabled = types.CodeActionDisabled(str(error))
        shows = project.client.disabled_actions
        return [action for action in actions if shows or action.disabled is None]
    return actions


def resolve(project: Project, action: types.CodeAction) -> types.CodeAction:
    """Add the edit to an action that cites a work, unless the text has changed."""
    data = action.data
    if not isinstance(data, Mapping) or not {"uri", "version", "position", "key"} <= data.keys():
        return action
    path, position = project.documents.path(str(data["uri"])), data["position"]
    lines = project.documents.lines(str(data["uri"]))
    if lines is None or project.documents.version(path) != data["version"]:
        return action
    place = types.Position(int(position["line"]), int(position["character"]))
    edits = inserted(project, path, lines, place, str(data["key"]))
    action.edit = _workspace_edit(project, path, lines, edits)
    return action


class _Offers:
    """Builds the actions for one request."""

    def __init__(
        self,
        project: Project,
        path: Path,
        lines: Lines,
        asked: types.Range,
        context: types.CodeActionContext,
    ) -> None:
        self._project, self._path, self._lines = project, path, lines
        self._asked, self._context = asked, context
        only = context.only or ()
        self._only = [str(getattr(each, "value", each)) for each in only]
        # Clients mark automatic requests.
        self._explicitly = context.trigger_kind != types.CodeActionTriggerKind.Automatic

    def wants(self, kind: types.CodeActionKind | None) -> bool:
        """Return whether actions of a kind are wanted; those without a kind only if all are."""
        name = kind.value if kind else ""
        return not self._only or any(
            each == name or not each or name.startswith(f"{each}.") for each in self._only
        )

    def all(self, read: ReadDraft) -> Iterator[types.CodeAction]:
        """Yield all actions but the fixes."""
        offset = self._lines.offset(self._asked.start)
        place = self._place(read, offset)
        key = place.key_at(offset)
        if key is not None:
            yield from self._at_key(read, place, offset, key.key)
        if place.citation and not all(keys.closed for keys in place.citation.key_lists):
            return  # nothing can be inserted into a half-typed command
        if place.placeholder is not None and key is None:
            yield from self._in_placeholder(place, offset)
        elif place.citation is not None:
            yield from self._in_citation(read, place, offset)
        elif self._explicitly and self.wants(_REWRITE):
            for cited in places_around(read.file, offset):
                for each in cited.keys:
                    yield from self._pins(cited, each.span.start, each.key)
            sentence = sentence_at(read.file, offset)
            if sentence is not None and not sentence.cited:
                yield from self._cites("Cite", sentence.inside, offset, set())

    def _place(self, read: ReadDraft, offset: int) -> Place:
        """Return the place at an offset, or the first placeholder in the selection."""
        end = self._lines.offset(self._asked.end)
        place = place_at(read.file, offset)
        if place.citation is None and place.placeholder is None:
            for gap in read.file.placeholders:
                if offset <= gap.span.start < end:
                    return Place(gap.span, gap.citation, placeholder=gap)
        return place

    def _in_placeholder(self, place: Place, offset: int) -> Iterator[types.CodeAction]:
        if not self.wants(_FIX):
            return
        at = offset if place.span.covers(offset) else place.span.start
        fixed = [
            diagnostic
            for diagnostic in self._context.diagnostics
            if diagnostic.source == diagnostics.SOURCE
            and diagnostic.code == "placeholder"
            and self._lines.offset(diagnostic.range.start) == place.span.start
        ]
        taken = {key.key for key in place.keys}
        for action in self._cites("Cite", place.span.start, at, taken):
            action.kind, action.diagnostics = _FIX, fixed or None
            yield action

    def _at_key(
        self, read: ReadDraft, place: Place, offset: int, key: str
    ) -> Iterator[types.CodeAction]:
        if self.wants(_REWRITE):
            yield from self._pins(place, offset, key)
        shows = self._project.client.shows_evidence and self.wants(None)
        library = self._project.global_library
        if shows and (read.bibliography.find(key) or library.candidate(key)):
            yield self._command("Show supporting sentences", SHOW_EVIDENCE, offset)

    def _in_citation(
        self, read: ReadDraft, place: Place, offset: int
    ) -> Iterator[types.CodeAction]:
        key, suggests_here = place.key_at(offset), self._project.client.suggests_here
        if suggests_here and key is not None and self._is_unknown(read, key.key):
            yield from self._for_unknown(key, offset)
        elif suggests_here:
            if self.wants(None):
                yield self._command("Suggest other citations here", SUGGEST_HERE, offset)
        elif self._explicitly and self.wants(_REWRITE):
            taken = {key.key for key in place.keys}
            yield from self._cites("Also cite", place.span.start, offset, taken)

    def _is_unknown(self, read: ReadDraft, key: str) -> bool:
        """Return whether a key is undefined, not in the library either, and like no other key."""
        known = read.bibliography
        return (
            known.find(key) is None
            and knows_all_entries(read.draft, known.files)
            and self._project.global_library.candidate(key) is None
            and not nearest_keys(key, known.entries)
        )

    def _for_unknown(self, key: CitationKey, offset: int) -> Iterator[types.CodeAction]:
        """Yield ways to find the intended work of a key; the one chosen replaces the key."""
        if not self.wants(_FIX):
            return
        # Keys mostly begin with the name of an author.
        begun = _FIRST_WORD.search(key.key)
        search = {"typed": begun.group() if begun else key.key}
        for title, more in (("Search the library", search), ("Suggest for this place", {})):
            action = self._command(title, SUGGEST_HERE, offset, replaces=key.key, **more)
            action.kind = _FIX
            yield action

    def _cites(
        self, verb: str, ranked_at: int, offset: int, taken: set[str]
    ) -> Iterator[types.CodeAction]:
        """Yield actions that cite at `offset` the works ranked first for `ranked_at`."""
        opened = self._project.open_draft(self._path)
        if opened is None:
            return
        key_of = opened.bibliography.key_of
        cited = taken | {key_of(key) or key for key in taken}
        ranking = opened.recommender.rank(opened.context(ranked_at))
        fitting = takewhile(lambda each: each.score > 0.0, ranking)
        works = (each for each in fitting if each.key not in cited)
        version = self._project.documents.version(self._path)
        for work in islice(works, _MAX_WORKS):
            action = types.CodeAction(f"{verb} {_named(work.candidate)}", kind=_REWRITE)
            if self._project.client.resolves_edits and version is not None:
                action.data = {**self._at(offset), "version": version, "key": work.key}
            else:
                position = self._lines.position(offset)
                edits = inserted(self._project, self._path, self._lines, position, work.key)
                action.edit = self._edit(edits)
            if action.data is not None or action.edit is not None:
                yield action

    def _pins(self, place: Place, offset: int, key: str) -> Iterator[types.CodeAction]:
        """Yield actions that pin the pages of the supporting sentences.

        Their edits are computed at once, as an action without an edit is not offered.
        """
        opened = self._project.open_draft(self._path)
        entry = opened.bibliography.find(key) if opened else None
        if opened is None or entry is None:
            return
        by_page: dict[str, SupportingSentence] = {}
        for sentence in opened.recommender.supporting(opened.context(place.span.start), entry.key):
            if page := sentence.page_label:
                by_page.setdefault(page, sentence)
        position = self._lines.position(offset)
        for page, sentence in islice(by_page.items(), _MAX_PAGES):
            edits = pinned(self._project, self._path, self._lines, position, key, page)
            if (edit := self._edit(edits)) is not None:
                title = f"Pin p. {page}: “{_shortened(sentence.text)}”"
                yield types.CodeAction(title, kind=_REWRITE, edit=edit)

    def _command(self, title: str, command: str, offset: int, **more: str) -> types.CodeAction:
        arguments = [{**self._at(offset), **more}]
        return types.CodeAction(title, command=types.Command(title, command, arguments=arguments))

    def _at(self, offset: int) -> dict[str, object]:
        at = self._lines.position(offset)
        position = {"line": at.line, "character": at.character}
        return {"uri": self._project.documents.uri(self._path), "position": position}

    def _edit(self, edits: Sequence[TextEdit] | str) -> types.WorkspaceEdit | None:
        return _workspace_edit(self._project, self._path, self._lines, edits)


def _workspace_edit(
    project: Project, path: Path, lines: Lines, edits: Sequence[TextEdit] | str
) -> types.WorkspaceEdit | None:
    """Return edits of the requested text; None if there are none or the text has changed."""
    if isinstance(edits, str) or not edits:
        return None
    try:
        edit = workspace_edit(project, edits)
    except InputError:  # `code_actions` reports why
        return None
    return edit if project.newest().text(path) == lines.text else None


def _named(candidate: Candidate) -> str:
    """Return a work's name for an action: authors, year and the first words of its title."""
    entry, title = candidate.entry, candidate.title
    who = entry.author_year if entry is not None and entry.surnames else ""
    return ": ".join(filter(None, (who or candidate.key, _shortened(title))))


def _shortened(text: str) -> str:
    """Return the first words of a text."""
    text = " ".join(text.split())
    if len(text) <= _MAX_TITLE:
        return text
    words = text[: _MAX_TITLE + 1].rsplit(" ", 1)[0]
    return f"{words[:_MAX_TITLE].rstrip(' ,;:.')}…"
