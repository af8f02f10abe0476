"""Code actions: cite a work, pin the page of a supporting sentence, show more, and fixes.

Editors request them at every move of the cursor. Outside citations and placeholders, works are
ranked only if the author invokes code actions explicitly.

Edits that cite a ranked work are computed when one is chosen (``codeAction/resolve``), if the
client supports that. Actions that show something are commands of the client, so they are offered
only if the client declares them; elsewhere hover and completion show the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import islice, takewhile

from lsprotocol import types

from ...checking.citations import knows_all_entries, nearest_keys
from ...edits.citations import sentence_at
from ...model.problems import InputError
from ...model.results import SupportingSentence
from ..session import Document, Made, Project, ReadDraft
from .citing import citing_edit, pinning_edit
from .diagnostics import SOURCE, fixes
from .keys import Place, place_at, places_around
from .workspace_edits import editable_in

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
    here: Document, asked: types.Range, context: types.CodeActionContext
) -> list[types.CodeAction] | None:
    """Return the code actions for a range of a document."""
    project = here.project
    if not project.client.code_actions:
        return None
    context.diagnostics = [each for each in context.diagnostics if each.source == SOURCE]
    offers = _Offers(here, context)
    actions: list[types.CodeAction] = []
    if offers.wants(_FIX):
        actions += fixes(here, asked, context.diagnostics)
    if any(map(offers.wants, (_FIX, _REWRITE, None))) and (read := here.read()) is not None:
        span = here.lines.span(asked)
        actions += offers.offered(read, span.start, span.end)
    try:
        if actions:
            editable_in(project, here.path)
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
    uri, position, documents = str(data["uri"]), data["position"], project.buffers
    path, lines = documents.path(uri), documents.lines(uri)
    if lines is None or documents.version(path) != data["version"]:
        return action
    here = Document(project, path, lines)
    offset = lines.offset(types.Position(int(position["line"]), int(position["character"])))
    action.edit = _edit(here, citing_edit, offset, str(data["key"]))
    return action


def _edit(
    here: Document, make: Callable[..., Made], *arguments: object
) -> types.WorkspaceEdit | None:
    """Return an edit of the requested text; None if there is none or the text has changed."""
    try:
        edit = make(here, *arguments).edit
    except InputError:  # `code_actions` reports why
        return None
    return edit if here.project.newest().text(here.path) == here.text else None


class _Offers:
    """Builds the actions for one request."""

    def __init__(self, here: Document, context: types.CodeActionContext) -> None:
        self._here, self._context = here, context
        # Clients mark automatic requests.
        self._explicitly = context.trigger_kind != types.CodeActionTriggerKind.Automatic

    def wants(self, kind: types.CodeActionKind | None) -> bool:
        """Return whether actions of a kind are wanted; those without a kind only if all are."""
        name = str(kind.value) if kind else ""
        only = [str(getattr(each, "value", each)) for each in self._context.only or ()]
        return not only or any(
            each == name or not each or name.startswith(f"{each}.") for each in only
        )

    def offered(self, read: ReadDraft, offset: int, end: int) -> Iterator[types.CodeAction]:
        """Yield all actions but the fixes."""
        place = place_at(read.file, offset)
        if place.citation is None and place.placeholder is None:
            # Or the first placeholder in the selection.
            gaps = (gap for gap in read.file.placeholders if offset <= gap.span.start < end)
            place = next((Place(gap.span, gap.citation, (), gap) for gap in gaps), place)
        key, taken = place.key_at(offset), {key.key for key in place.keys}
        if key is not None:
            yield from self._at_key(read, place, offset, key.key)
        if place.citation and not all(keys.closed for keys in place.citation.key_lists):
            return  # nothing can be inserted into a half-typed command
        if place.placeholder is not None and key is None:
            if self.wants(_FIX):
                yield from self._fills(place, offset, taken)
        elif place.citation is not None and self._here.project.client.suggests_here:
            if key is not None and self._is_unknown(read, key.key):
                if self.wants(_FIX):
                    yield from self._searches(key.key, offset)
            elif self.wants(None):
                yield self._command("Suggest other citations here", SUGGEST_HERE, offset)
        elif self._explicitly and self.wants(_REWRITE):
            if place.citation is not None:
                yield from self._cites("Also cite", place.span.start, offset, taken)
            else:
                yield from self._in_sentence(read, offset)

    def _in_sentence(self, read: ReadDraft, offset: int) -> Iterator[types.CodeAction]:
        for cited in places_around(read.file, offset):
            for each in cited.keys:
                yield from self._pins(cited, each.span.start, each.key)
        sentence = sentence_at(read.file, offset)
        if sentence is not None and not sentence.cited:
            yield from self._cites("Cite", sentence.inside, offset, set())

    def _at_key(
        self, read: ReadDraft, place: Place, offset: int, key: str
    ) -> Iterator[types.CodeAction]:
        if self.wants(_REWRITE):
            yield from self._pins(place, offset, key)
        shows = self._here.project.client.shows_evidence and self.wants(None)
        library = self._here.project.global_library
        if shows and (read.bibliography.find(key) or library.candidate(key)):
            yield self._command("Show supporting sentences", SHOW_EVIDENCE, offset)

    def _is_unknown(self, read: ReadDraft, key: str) -> bool:
        """Return whether a key is undefined, not in the library either, and like no other key."""
        known = read.bibliography
        return (
            known.find(key) is None
            and knows_all_entries(read.draft, known.files)
            and self._here.project.global_library.candidate(key) is None
            and not nearest_keys(key, known.entries)
        )

    def _fills(self, place: Place, offset: int, taken: set[str]) -> Iterator[types.CodeAction]:
        """Yield actions that fill a placeholder."""
        at = offset if place.span.covers(offset) else place.span.start
        start = self._here.lines.position(place.span.start)
        fixed = [
            diagnostic
            for diagnostic in self._context.diagnostics
            if diagnostic.code == "placeholder" and diagnostic.range.start == start
        ]
        for action in self._cites("Cite", place.span.start, at, taken):
            action.kind, action.diagnostics = _FIX, fixed or None
            yield action

    def _searches(self, key: str, offset: int) -> Iterator[types.CodeAction]:
        """Yield ways to find the intended work of an unknown key; the one chosen replaces it."""
        # Keys mostly begin with the name of an author.
        begun = _FIRST_WORD.search(key)
        search = {"typed": begun.group() if begun else key}
        for title, more in (("Search the library", search), ("Suggest for this place", {})):
            action = self._command(title, SUGGEST_HERE, offset, replaces=key, **more)
            action.kind = _FIX
            yield action

    def _cites(
        self, verb: str, ranked_at: int, offset: int, taken: set[str]
    ) -> Iterator[types.CodeAction]:
        """Yield actions that cite at `offset` the works ranked first for `ranked_at`."""
        here, project = self._here, self._here.project
        if (opened := here.opened()) is None:
            return
        key_of = opened.bibliography.key_of
        cited = taken | {key_of(key) or key for key in taken}
        ranking = opened.recommender.rank(opened.context(ranked_at))
        fitting = takewhile(lambda each: each.score > 0.0, ranking)
        works = (each for each in fitting if each.key not in cited)
        version = project.buffers.version(here.path)
        for work in islice(works, _MAX_WORKS):
            entry = work.candidate.entry
            who = entry.author_year if entry is not None and entry.surnames else ""
            named = ": ".join(filter(None, (who or work.key, _shortened(work.candidate.title))))
            action = types.CodeAction(f"{verb} {named}", kind=_REWRITE)
            if project.client.resolves_edits and version is not None:
                action.data = {**self._at(offset), "version": version, "key": work.key}
            else:
                action.edit = _edit(here, citing_edit, offset, work.key)
            if action.data is not None or action.edit is not None:
                yield action

    def _pins(self, place: Place, offset: int, key: str) -> Iterator[types.CodeAction]:
        """Yield actions that pin the pages of the supporting sentences.

        Their edits are computed at once, as an action without an edit is not offered.
        """
        opened = self._here.opened()
        entry = opened.bibliography.find(key) if opened else None
        if opened is None or entry is None:
            return
        by_page: dict[str, SupportingSentence] = {}
        for sentence in opened.recommender.supporting(opened.context(place.span.start), entry.key):
            if page := sentence.page_label:
                by_page.setdefault(page, sentence)
        for page, sentence in islice(by_page.items(), _MAX_PAGES):
            if (edit := _edit(self._here, pinning_edit, offset, key, 1, page)) is not None:
                title = f"Pin p. {page}: “{_shortened(sentence.text)}”"
                yield types.CodeAction(title, kind=_REWRITE, edit=edit)

    def _command(self, title: str, command: str, offset: int, **more: str) -> types.CodeAction:
        arguments = [{**self._at(offset), **more}]
        return types.CodeAction(title, command=types.Command(title, command, arguments=arguments))

    def _at(self, offset: int) -> dict[str, object]:
        at = self._here.lines.position(offset)
        position = {"line": at.line, "character": at.character}
        return {"uri": self._here.project.buffers.uri(self._here.path), "position": position}


def _shortened(text: str) -> str:
    """Return the first words of a text."""
    text = " ".join(text.split())
    if len(text) <= _MAX_TITLE:
        return text
    words = text[: _MAX_TITLE + 1].rsplit(" ", 1)[0]
    return f"{words[:_MAX_TITLE].rstrip(' ,;:.')}…"
