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
from dataclasses import dataclass
from itertools import islice, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from ...model.problems import InputError
from ..documents import Lines
from ..editable import editable_in
from ..from_proto import Place, place_at, places_around
from ..language_server import PinciteServer
from ..session import Project, ReadDraft
from ..to_proto import workspace_edit
from . import diagnostics
from .commands import inserted, pinned

if TYPE_CHECKING:
    from ...model.drafts import CitationKey
    from ...model.edits import TextEdit
    from ...model.papers import Candidate
    from ...model.results import SupportingSentence

#: Commands that a client may have.
SHOW_EVIDENCE = "pincite.showEvidence"
SUGGEST_HERE = "pincite.suggestHere"

_FIX = types.CodeActionKind.QuickFix
_REWRITE = types.CodeActionKind.RefactorRewrite
_OPTIONS = types.CodeActionOptions(code_action_kinds=[_FIX, _REWRITE], resolve_provider=True)
_FIRST_WORD = re.compile(r"[^\W\d_]{2,}")
_MOST_WORKS = 3
_MOST_PAGES = 2
_LONGEST_TITLE = 50


def register(server: PinciteServer) -> None:
    """Answer ``textDocument/codeAction`` and ``codeAction/resolve``."""

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, _OPTIONS)
    async def offers(
        ls: PinciteServer, params: types.CodeActionParams
    ) -> list[types.CodeAction] | None:
        if not ls.session.client.code_actions:
            return None
        asked = _Asked(params.range, params.context)
        return await ls.answer_about(code_actions, params.text_document.uri, asked)

    @server.feature(types.CODE_ACTION_RESOLVE)
    async def resolves(ls: PinciteServer, action: types.CodeAction) -> types.CodeAction:
        await ls.look_at_files()
        return await ls.answer(resolve, action)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A request for code actions."""

    range: types.Range
    context: types.CodeActionContext

    @property
    def explicitly(self) -> bool:
        """Whether the author invoked the request; clients mark automatic requests."""
        return self.context.trigger_kind != types.CodeActionTriggerKind.Automatic

    def wants(self, kind: types.CodeActionKind | None) -> bool:
        """Return whether actions of a kind are wanted; those without a kind only if all are."""
        if not self.context.only:
            return True
        wanted = [str(getattr(each, "value", each)) for each in self.context.only]
        name = kind.value if kind else ""
        return any(each == name or not each or name.startswith(f"{each}.") for each in wanted)


def code_actions(
    project: Project, path: Path, lines: Lines, asked: _Asked
) -> list[types.CodeAction]:
    """Return the code actions for a range of a document."""
    actions: list[types.CodeAction] = []
    if asked.wants(_FIX):
        given = [d for d in asked.context.diagnostics if d.source == diagnostics.SOURCE]
        actions += diagnostics.fixes(project, path, lines, asked.range, given)
    if any(map(asked.wants, (_FIX, _REWRITE, None))):
        read = project.read_draft(path)
        if read is not None:
            actions += _Offers(project, path, lines, asked, read).all()
    try:
        if actions:
            editable_in(project, path)
    except InputError as error:
        return _without_edits(project, actions, str(error))
    return actions


def _without_edits(
    project: Project, actions: Sequence[types.CodeAction], reason: str
) -> list[types.CodeAction]:
    """Return actions of which those that edit are disabled, for a reason that the author sees."""
    for action in actions:
        if action.command is None:
            action.edit = action.data = None
            action.disabled = types.CodeActionDisabled(reason)
    shows = project.client.disabled_actions
    return [action for action in actions if shows or action.disabled is None]


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
        self, project: Project, path: Path, lines: Lines, asked: _Asked, read: ReadDraft
    ) -> None:
        self._snapshot = project
        self._path = path
        self._lines = lines
        self._asked = asked
        self._read = read
        self._uri = project.documents.uri(path)
        self._version = project.documents.version(path)

    def all(self) -> Iterator[types.CodeAction]:
        """Yield all actions but the fixes."""
        offset = self._lines.offset(self._asked.range.start)
        place = self._place(offset)
        key = place.key_at(offset)
        if key is not None:
            yield from self._at_key(place, offset, key.key)
        if place.citation and not all(keys.closed for keys in place.citation.key_lists):
            return  # nothing can be inserted into a half-typed command
        if place.placeholder is not None and key is None:
            yield from self._in_placeholder(place, offset)
        elif place.citation is not None:
            yield from self._in_citation(place, offset)
        elif self._asked.explicitly and self._asked.wants(_REWRITE):
            for cited in places_around(self._read.file, offset):
                for each in cited.keys:
                    yield from self._pins(cited, each.span.start, each.key)
            yield from self._in_sentence(offset)

    def _place(self, offset: int) -> Place:
        """Return the place at an offset, or the first placeholder in the selection."""
        file, end = self._read.file, self._lines.offset(self._asked.range.end)
        place = place_at(file, offset)
        if place.citation is None and place.placeholder is None:
            selected = (gap for gap in file.placeholders if offset <= gap.span.start < end)
            if (gap := next(selected, None)) is not None:
                return Place(gap.span, gap.citation, placeholder=gap)
        return place

    def _in_placeholder(self, place: Place, offset: int) -> Iterator[types.CodeAction]:
        if not self._asked.wants(_FIX):
            return
        at = offset if place.span.covers(offset) else place.span.start
        told = [
            diagnostic
            for diagnostic in self._asked.context.diagnostics
            if diagnostic.source == diagnostics.SOURCE
            and diagnostic.code == "placeholder"
            and self._lines.offset(diagnostic.range.start) == place.span.start
        ]
        taken = {key.key for key in place.keys}
        for action in self._cites("Cite", place.span.start, at, taken):
            action.kind, action.diagnostics = _FIX, told or None
            yield action

    def _at_key(self, place: Place, offset: int, key: str) -> Iterator[types.CodeAction]:
        if self._asked.wants(_REWRITE):
            yield from self._pins(place, offset, key)
        shows = self._snapshot.client.shows_evidence and self._asked.wants(None)
        library = self._snapshot.global_library
        if shows and (self._read.bibliography.find(key) or library.candidate(key)):
            yield self._command("Show supporting sentences", SHOW_EVIDENCE, offset)

    def _in_citation(self, place: Place, offset: int) -> Iterator[types.CodeAction]:
        key, suggests_here = place.key_at(offset), self._snapshot.client.suggests_here
        if suggests_here and key is not None and self._is_unknown(key.key):
            yield from self._for_unknown(key, offset)
        elif suggests_here:
            if self._asked.wants(None):
                yield self._command("Suggest other citations here", SUGGEST_HERE, offset)
        elif self._asked.explicitly and self._asked.wants(_REWRITE):
            taken = {key.key for key in place.keys}
            yield from self._cites("Also cite", place.span.start, offset, taken)

    def _is_unknown(self, key: str) -> bool:
        """Return whether a key is undefined, not in the library either, and like no other key."""
        from ...checking.bibliographies import knows_all_entries
        from ...checking.citations import nearest_keys

        known = self._read.bibliography
        return (
            known.find(key) is None
            and knows_all_entries(self._read.draft, known.files)
            and self._snapshot.global_library.candidate(key) is None
            and not nearest_keys(key, known.entries)
        )

    def _for_unknown(self, key: CitationKey, offset: int) -> Iterator[types.CodeAction]:
        """Yield ways to find the work that was meant by a key; what is chosen replaces the key."""
        if not self._asked.wants(_FIX):
            return
        # Keys mostly begin with the name of an author.
        begun = _FIRST_WORD.search(key.key)
        search = {"typed": begun.group() if begun else key.key}
        for title, more in (("Search the library", search), ("Suggest for this place", {})):
            action = self._command(title, SUGGEST_HERE, offset, replaces=key.key, **more)
            action.kind = _FIX
            yield action

    def _in_sentence(self, offset: int) -> Iterator[types.CodeAction]:
        from ...edits.citations import sentence_at

        sentence = sentence_at(self._read.file, offset)
        if sentence is not None and not sentence.cited:
            yield from self._cites("Cite", sentence.inside, offset, set())

    def _cites(
        self, verb: str, ranked_at: int, offset: int, taken: set[str]
    ) -> Iterator[types.CodeAction]:
        """Yield actions that cite at `offset` the works ranked first for `ranked_at`."""
        opened = self._snapshot.open_draft(self._path)
        if opened is None:
            return
        key_of = opened.bibliography.key_of
        cited = taken | {key_of(key) or key for key in taken}
        fitting = takewhile(
            lambda each: each.score > 0.0, opened.recommender.rank(opened.context(ranked_at))
        )
        works = (each for each in fitting if each.key not in cited)
        for work in islice(works, _MOST_WORKS):
            action = types.CodeAction(f"{verb} {_named(work.candidate)}", kind=_REWRITE)
            if self._can_resolve:
                action.data = self._data(offset, work.key)
            else:
                position = self._lines.position(offset)
                edits = inserted(self._snapshot, self._path, self._lines, position, work.key)
                action.edit = self._edit(edits)
            if action.data is not None or action.edit is not None:
                yield action

    def _pins(self, place: Place, offset: int, key: str) -> Iterator[types.CodeAction]:
        """Yield actions that pin the pages of the supporting sentences.

        Their edits are computed at once, as an action without an edit is not offered.
        """
        opened = self._snapshot.open_draft(self._path)
        entry = opened.bibliography.find(key) if opened else None
        if opened is None or entry is None:
            return
        context = opened.context(place.span.start)
        by_page: dict[str, SupportingSentence] = {}
        for sentence in opened.recommender.supporting(context, entry.key):
            if page := sentence.page_label:
                by_page.setdefault(page, sentence)
        position = self._lines.position(offset)
        for page, sentence in islice(by_page.items(), _MOST_PAGES):
            edits = pinned(self._snapshot, self._path, self._lines, position, key, page)
            if (edit := self._edit(edits)) is not None:
                yield types.CodeAction(_pin_title(sentence), kind=_REWRITE, edit=edit)

    @property
    def _can_resolve(self) -> bool:
        return self._snapshot.client.resolves_edits and self._version is not None

    def _data(self, offset: int, key: str) -> dict[str, Any]:
        return {
            "uri": self._uri,
            "version": self._version,
            "position": self._position(offset),
            "key": key,
        }

    def _command(self, title: str, command: str, offset: int, **more: str) -> types.CodeAction:
        arguments = [{"uri": self._uri, "position": self._position(offset), **more}]
        return types.CodeAction(title, command=types.Command(title, command, arguments=arguments))

    def _position(self, offset: int) -> dict[str, int]:
        position = self._lines.position(offset)
        return {"line": position.line, "character": position.character}

    def _edit(self, edits: Sequence[TextEdit] | str) -> types.WorkspaceEdit | None:
        return _workspace_edit(self._snapshot, self._path, self._lines, edits)


def _workspace_edit(
    project: Project, path: Path, lines: Lines, edits: Sequence[TextEdit] | str
) -> types.WorkspaceEdit | None:
    """Return edits of the requested text; None if there are none or the text has changed."""
    if isinstance(edits, str) or not edits:
        return None
    try:
        edit = workspace_edit(project, edits)
    except InputError:  # `code_actions` says why
        return None
    now = project.newest().lines(path)
    return edit if now is not None and now.text == lines.text else None


def _named(candidate: Candidate) -> str:
    """Return a work's name for an action: authors, year and the first words of its title."""
    entry, title = candidate.entry, candidate.title
    who = entry.author_year if entry is not None and entry.surnames else ""
    return ": ".join(filter(None, (who or candidate.key, _shortened(title))))


def _pin_title(sentence: SupportingSentence) -> str:
    return f"Pin p. {sentence.page_label}: “{_shortened(sentence.text)}”"


def _shortened(text: str) -> str:
    """Return the first words of a text."""
    text = " ".join(text.split())
    if len(text) <= _LONGEST_TITLE:
        return text
    words = text[: _LONGEST_TITLE + 1].rsplit(" ", 1)[0]
    return f"{words[:_LONGEST_TITLE].rstrip(' ,;:.')}…"
