"""Tools for assistants that write with an author, by the Model Context Protocol, over stdio.

An assistant that asks here cites works that exist: every key in an answer is in the bibliography of
the draft. The tools are the public API. None writes a file, and none reaches the network unless the
server was started for that. Paths outside the folders that the author named are refused. Answers
are short, since an assistant pays for each word.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar

import pincite

from .api.nouns import problem_text
from .cancellation import cancelled_by
from .model.problems import InputError
from .parsing.paths import relative
from .settings import Zotero
from .text.characters import folded

try:
    import anyio
    import anyio.to_thread
    from mcp.server import MCPServer
    from mcp.server.mcpserver.exceptions import ResourceError, ToolError
    from mcp_types import ToolAnnotations
    from pydantic import Field
    from typing_extensions import TypedDict
except ModuleNotFoundError as error:
    raise InputError(
        f"pincite mcp needs {error.name}; install it with: pip install 'pincite[mcp]'"
    ) from error

if TYPE_CHECKING:
    from .api.project import Project

_T = TypeVar("_T")
#: What an answer has at most.
MAX_SUGGESTIONS: Final = 10
MAX_SENTENCES: Final = 4
MAX_FINDINGS: Final = 40
MAX_ENTRIES: Final = 25
MAX_AUTHORS: Final = 20
MAX_FIELDS: Final = 30
MAX_LISTED: Final = 500
#: Longer texts end in an ellipsis.
_MAX_CHARACTERS: Final = 400
_MAX_LINE: Final = 200
_MAX_ABSTRACT: Final = 1_500
#: The longest text that an assistant may ask about.
_MAX_ASKED: Final = 20_000

_INSTRUCTIONS: Final = """\
Pincite knows the author's bibliography and the papers in it. Before you write a citation, ask
suggest_citations for the sentence, and cite only keys that it or search_library returns. Use
find_evidence to check that the cited work says what the sentence claims, and quote its page.
If nothing fits, leave a placeholder and tell the author so."""


class Sentence(TypedDict):
    """A sentence of a work that supports the claim."""

    text: str
    where: str
    strength: str | None
    probability: float | None


class Work(TypedDict):
    """An entry of the bibliography."""

    key: str
    authors_and_year: str
    title: str


class Suggested(Work):
    """An entry that may be cited at the place; `probability` is that it is cited there."""

    probability: float | None
    reasons: list[str]
    sentences: list[Sentence]


class Suggestions(TypedDict):
    """The entries that fit best, the best first, for the sentence as it was read."""

    sentence: str
    suggestions: list[Suggested]
    entries_in_bibliography: int


class Found(TypedDict):
    """What a work says for a claim: the verdict in words, and its sentences."""

    key: str
    title: str
    claim: str
    verdict: str
    sentences: list[Sentence]
    remarks: list[str]


class FindingOfDraft(TypedDict):
    """Something to look at in the draft."""

    kind: str
    file: str
    line: int
    key: str
    message: str
    sentence: str


class Checked(TypedDict):
    """Verdicts, counted, and findings; `not_shown` are further ones."""

    summary: str
    findings: list[FindingOfDraft]
    not_shown: int
    problems: list[str]


class Works(TypedDict):
    """Entries with the words asked for, those with most of them first."""

    works: list[Work]
    not_shown: int


class Details(Work):
    """All that the bibliography has of an entry."""

    type: str
    authors: list[str]
    year: str
    doi: str
    abstract: str
    fields: dict[str, str]
    file: str


class Fetched(TypedDict):
    """What services answered."""

    asked: list[str]
    entries_with_news: int
    problems: list[str]


Draft = Annotated[
    str,
    Field(
        description="The main file of the draft or a part of it, absolute or relative to the "
        "served folder. Empty: the only draft of the folder."
    ),
]
Text = Annotated[
    str,
    Field(
        description="A sentence or paragraph in the draft's markup, as it should appear there. The "
        "place is its first placeholder (\\cite{}, [@], #cite(<>)), else its end.",
        max_length=_MAX_ASKED,
    ),
]
File = Annotated[str, Field(description="The file of the place, by default the draft's first.")]
Line = Annotated[int, Field(description="The line of the place, from 1; 0 for none.", ge=0)]
Column = Annotated[int, Field(description="The column in the line, from 1.", ge=1)]
Key = Annotated[str, Field(description="The key of an entry.", max_length=1_000)]


class Assistant:
    """The tools; each opens its draft, and keeps it open until its files change."""

    def __init__(
        self,
        folders: Sequence[Path],
        *,
        allow_fetch: bool = False,
        library: Sequence[Path] = (),
        zotero: Zotero = "off",
    ) -> None:
        """Serve the drafts in some folders, with the papers of others, and Zotero if at ``auto``.

        Raises `InputError` if a folder does not exist.
        """
        self.folders = [*dict.fromkeys(folder.resolve() for folder in folders)]
        for folder in (*self.folders, *library):
            if not folder.is_dir():
                raise InputError(f"{folder}: no such folder")
        self.allow_fetch, self._library, self._zotero = allow_fetch, library, zotero
        self._open: dict[Path, Project] = {}

    def suggest_citations(
        self,
        draft: Draft = "",
        text: Text = "",
        file: File = "",
        line: Line = 0,
        column: Column = 1,
        top: Annotated[int, Field(ge=1, le=MAX_SUGGESTIONS)] = 5,
    ) -> Suggestions:
        """Rank the bibliography for a sentence, or for a place in the draft.

        Give either `text`, which need not be in the draft yet, or `line` and `column`; with both,
        the text follows that line. Each suggestion has the sentences of the work that support
        the text, with page, if its full text is known.
        """
        project, place = self._at(draft, text, file, line, column)
        ranking = project.rank(place)
        return Suggestions(
            sentence=_short(ranking.citance),
            suggestions=[
                Suggested(
                    **_work(each.entry),
                    probability=_rounded(each.probability),
                    reasons=[*each.reasons],
                    sentences=_sentences(project.evidence(place, each.key, 1)),
                )
                for each in ranking.best(top)
            ],
            entries_in_bibliography=len(project.entries),
        )

    def find_evidence(
        self,
        key: Key,
        draft: Draft = "",
        text: Text = "",
        file: File = "",
        line: Line = 0,
        column: Column = 1,
    ) -> Found:
        """Find the sentences of a work that support a claim.

        The claim is `text`, or the sentence at a place of the draft. The verdict is
        supported, nothing found, or not checked, and why.
        """
        project, place = self._at(draft, text, file, line, column)
        found = project.support(place, key)
        if found.entry is None:
            raise InputError(f"{key!r} is not in the bibliography of {project.path.name}")
        return Found(
            key=found.entry.key,
            title=found.entry.title,
            claim=_short(found.citance),
            verdict=str(found.verdict),
            sentences=_sentences(found.sentences[:MAX_SENTENCES]),
            remarks=[*found.remarks],
        )

    def check_draft(
        self,
        draft: Draft = "",
        kinds: Annotated[
            list[str],
            Field(
                description="undefined-key, placeholder, weak-support, missing-citation, "
                "title-only; by default all"
            ),
        ] = [],  # noqa: B006 - never changed
    ) -> Checked:
        """Check all citations of a draft: undefined keys, gaps, and claims without support.

        Works known by title only, of which there may be hundreds, come last.
        """
        project = self._project(draft)
        findings = sorted(project.check(kinds), key=lambda each: each.kind == "title-only")
        counts = pincite.VerdictCounts.of(each.verdict for each in project.verdicts())
        return Checked(
            summary=str(counts),
            findings=[
                FindingOfDraft(
                    kind=each.kind,
                    file=relative(each.place.file, project.path.parent),
                    line=each.place.line,
                    key=_short(each.key, _MAX_LINE),
                    message=_short(each.message),
                    sentence=_short(each.sentence, _MAX_LINE),
                )
                for each in findings[:MAX_FINDINGS]
            ],
            not_shown=max(0, len(findings) - MAX_FINDINGS),
            problems=[_short(problem_text(e), _MAX_LINE) for e in project.problems[:MAX_FINDINGS]],
        )

    def search_library(
        self,
        words: Annotated[
            str,
            Field(description="Words of title, authors, year, venue, key.", max_length=1_000),
        ],
        draft: Draft = "",
    ) -> Works:
        """Search the bibliography of a draft by words: names, years, words of the title."""
        asked = {*folded(words).split()}
        if not asked:
            raise InputError("give a word to search for")
        scored = []
        for entry in self._project(draft).entries.values():
            text = folded(
                " ".join((entry.key, entry.title, *entry.authors, *entry.fields.values()))
            )
            if number := sum(word in text for word in asked):
                scored.append((-number, entry.key, entry))
        found = [entry for *_, entry in sorted(scored, key=lambda each: each[:2])]
        shown = [_work(entry) for entry in found[:MAX_ENTRIES]]
        return Works(works=shown, not_shown=len(found) - len(shown))

    def get_entry(self, key: Key, draft: Draft = "") -> Details:
        """Return all fields of an entry of the bibliography."""
        project = self._project(draft)
        entry = project.entry(key)
        if entry is None:
            raise InputError(f"{key!r} is not in the bibliography of {project.path.name}")
        fields = {name: _short(value) for name, value in entry.fields.items() if name != "abstract"}
        more = len(entry.authors) - MAX_AUTHORS
        return Details(
            **_work(entry),
            type=entry.type,
            authors=[*entry.authors[:MAX_AUTHORS], *([f"and {more} more"] if more > 0 else [])],
            year=entry.year,
            doi=entry.doi,
            abstract=_short(entry.fields.get("abstract", ""), _MAX_ABSTRACT),
            fields=dict([*fields.items()][:MAX_FIELDS]),
            file=entry.file.name,
        )

    def fetch_missing(self, draft: Draft = "") -> Fetched:
        """Fetch abstracts that the bibliography lacks from OpenAlex, Crossref, Semantic Scholar.

        They get DOIs and titles of the entries, and no text of the draft. Their answers are
        cached; the author's files do not change.
        """
        files = {entry.file for entry in self._project(draft).entries.values()}
        plan = pincite.plan_enrichment(sorted(files))
        found = pincite.enrich(plan)
        self._open.clear()
        failed = [f"{name}: {why}" for name, why in found.given_up.items()]
        wrong = [problem_text(each) for each in found.wrong_dois[:MAX_FINDINGS]]
        return Fetched(
            asked=[each.host for each in plan.requests],
            entries_with_news=found.found,
            problems=[*failed, *wrong, *filter(None, [found.not_cached])],
        )

    def bibliography(self, draft: str = "") -> str:
        """Return the entries of a draft, a line each: key, author and year, title."""
        entries = [*self._project(draft).entries.values()]
        lines = [_short(f"{each.key}: {each.label}", _MAX_LINE) for each in entries[:MAX_LISTED]]
        if len(entries) > MAX_LISTED:
            lines.append(f"... and {len(entries) - MAX_LISTED} more: use search_library")
        return "\n".join(lines)

    def _at(
        self, draft: str, text: str, file: str, line: int, column: int
    ) -> tuple[Project, pincite.Place]:
        project = self._project(draft)
        place = project.place(file or None, line=line, column=column) if line else None
        if text.strip():
            return project.drafted(text.strip(), place)
        if place is None:
            raise InputError("give a text, or the line of a place in the draft")
        return project, place

    def _project(self, draft: str) -> Project:
        path = self._path(draft)
        project = self._open.get(path)
        if project is None or project.has_changed():
            folder = next(each for each in self.folders if path.is_relative_to(each))
            project = self._open[path] = pincite.open(
                path, workspace=folder, library=self._library, zotero=self._zotero
            )
        return project

    def _path(self, draft: str) -> Path:
        """Return the file or folder that a draft is in; raise `InputError` outside the folders."""
        for folder in self.folders:
            with suppress(OSError, ValueError):  # of names that no file can have
                path = Path(os.path.realpath(folder / draft))
                if path.exists() and any(map(path.is_relative_to, self.folders)):
                    return path
        served = ", ".join(map(str, self.folders))
        raise InputError(f"there is no {_short(draft)!r} in the served folders: {served}")


def server_for(assistant: Assistant) -> MCPServer[Any]:
    """Return a server with the tools of an assistant."""
    server: MCPServer[Any] = MCPServer(
        "pincite",
        title="Pincite",
        instructions=_INSTRUCTIONS,
        version=pincite.__version__,
        log_level="WARNING",
    )
    one = anyio.CapacityLimiter(1)

    def add(tool: Callable[..., Any], *, sends: bool) -> None:
        hints = ToolAnnotations(
            read_only_hint=not sends, destructive_hint=False, open_world_hint=sends
        )
        server.add_tool(_off_the_loop(tool, one), name=tool.__name__, annotations=hints)

    add(assistant.suggest_citations, sends=False)
    add(assistant.find_evidence, sends=False)
    add(assistant.check_draft, sends=False)
    add(assistant.search_library, sends=False)
    add(assistant.get_entry, sends=False)
    if assistant.allow_fetch:
        add(assistant.fetch_missing, sends=True)
    listed = _off_the_loop(assistant.bibliography, one, ResourceError)

    @server.resource("pincite://bibliography", mime_type="text/plain")
    async def bibliography() -> str:
        """The entries of the one draft, a line each: key, author and year, title."""  # noqa: D401
        return await listed("")

    @server.resource("pincite://bibliography/{+draft}", mime_type="text/plain")
    async def bibliography_of(draft: str) -> str:
        """The entries of a draft, a line each: key, author and year, title."""  # noqa: D401
        return await listed(draft)

    return server


def _off_the_loop(
    tool: Callable[..., _T],
    one: anyio.CapacityLimiter,
    failed: type[Exception] = ToolError,
) -> Callable[..., Awaitable[_T]]:
    """Return a tool that runs on a thread, one at a time, and ends once its request is cancelled.

    What the author or the assistant can mend is reported as such.
    """

    @wraps(tool)
    async def run(*args: Any, **arguments: Any) -> _T:  # noqa: ANN401 - as the tool has them
        is_cancelled = False

        def work() -> _T:
            with cancelled_by(lambda: is_cancelled):
                return tool(*args, **arguments)

        try:
            return await anyio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=one)
        except InputError as error:
            raise failed(_short(str(error), _MAX_ABSTRACT)) from error
        except anyio.get_cancelled_exc_class():
            is_cancelled = True
            raise

    return run


def _work(entry: pincite.Entry) -> Work:
    return Work(key=entry.key, authors_and_year=entry.author_year, title=_short(entry.title))


def _sentences(found: Iterable[pincite.Evidence]) -> list[Sentence]:
    return [
        Sentence(
            text=_short(each.text),
            where=each.location,
            strength=each.strength,
            probability=_rounded(each.probability),
        )
        for each in found
    ]


def _rounded(probability: float | None) -> float | None:
    return None if probability is None else round(probability, 3)


def _short(text: str, most: int = _MAX_CHARACTERS) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"
