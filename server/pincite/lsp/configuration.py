"""The client's settings: read and validated, followed, and reported where they are wrong."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import msgspec
from lsprotocol import types

from ..parsing.paths import is_virtual
from ..settings import (
    EMAIL,
    PEERS,
    RANKER_NAMES,
    SYSTEM_NAMES,
    Enrich,
    Label,
    Settings,
    Switch,
    Zotero,
)
from .jsonrpc import RequestError

if TYPE_CHECKING:
    from .language_server import PinciteServer

logger = logging.getLogger(__name__)

#: The name of our section in every client's settings.
SECTION = "pincite"
#: Sources of options, in order of increasing precedence.
Source = Literal["initialize", "pushed", "asked"]
_SOURCES: tuple[Source, ...] = ("initialize", "pushed", "asked")
_MAX_SHOWN = 200
#: The settings of a client that sets nothing.
DEFAULTS = Settings(zotero="auto")


def _path(name: str, home: Path | None) -> Path:
    if "\0" in name:
        raise ValueError
    path = Path(name)
    # Without a known home folder, ~ stays as it is.
    with suppress(RuntimeError):
        path = path.expanduser()
    return (path if home is None else home / path).absolute()


def _file(name: str, home: Path | None) -> Path:
    path = _path(name, home)
    if not path.is_file():
        raise ValueError
    return path


def _paths(names: list[str], home: Path | None) -> tuple[Path, ...]:
    return tuple(_path(name, home) for name in names)


def _switch(value: bool | str, _home: Path | None) -> str:
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else value


def _one_of(names: Iterable[str]) -> Any:  # noqa: ANN401 - a type
    return Literal.__getitem__(tuple(names))


class Setting(NamedTuple):
    """A setting: its name in clients, its field in `Settings`, and its possible values.

    These are in words and as the type of their JSON. `read` makes the value of a field of them and
    of the folder that relative paths are resolved against; it raises `ValueError` for wrong ones.
    """

    name: str
    field: str
    expected: str
    type: Any
    read: Callable[[Any, Path | None], object] = lambda value, _home: value

    @property
    def default(self) -> object:
        """The default in the form that clients use."""
        value = attrgetter(self.field)(DEFAULTS)
        return list(value) if isinstance(value, tuple | frozenset) else value


_Values = tuple[str, Any, Callable[[Any, Path | None], object]]
_PATHS: _Values = ("a list of paths", list[str], _paths)
_SWITCH: _Values = ('"auto", "on" or "off"', bool | Switch, _switch)
_ON_OR_OFF: _Values = ('"on" or "off"', bool | Literal["on", "off"], _switch)
_TRUTH = ("true or false", bool)
_MEGABYTES = ("a number of megabytes", Annotated[int, msgspec.Meta(ge=1)])
_ADDRESS = Annotated[str, msgspec.Meta(pattern=rf"\A(?:{EMAIL.pattern})\Z")]
_SYSTEM = (f"one of {', '.join(SYSTEM_NAMES)}", _one_of(SYSTEM_NAMES))
_RANKER = (f"one of {', '.join(RANKER_NAMES)}", _one_of(RANKER_NAMES))
_PEERS = (f"a list with any of {', '.join(PEERS)}", frozenset[_one_of(PEERS)])  # type: ignore[misc]

SETTINGS = (
    Setting("library.folders", "library.folders", *_PATHS),
    Setting("library.baseFolders", "library.base_folders", *_PATHS),
    Setting("library.drafts", "library.draft_folders", *_PATHS),
    Setting("library.indexMegabytes", "library.index_megabytes", *_MEGABYTES),
    Setting("bibliographies", "bibliographies", *_PATHS),
    Setting("globalBibliographies", "global_bibliographies", *_PATHS),
    Setting("zotero", "zotero", '"auto" or "off"', Zotero),
    Setting("enrich", "enrich", '"ask" or "off"', Enrich),
    Setting("searchLiterature", "search_literature", *_TRUTH),
    Setting("retractions", "retractions", "a file that exists", str, _file),
    Setting("email", "email", "an e-mail address", _ADDRESS),
    Setting("ranker", "ranking.ranker", *_RANKER),
    Setting("system", "matching.system", *_SYSTEM),
    Setting("vectors", "matching.vectors", "a file that exists", str, _file),
    Setting("model", "matching.model", "a path", str, _path),
    Setting("suggestions.label", "editor.label", '"key" or "author-year"', Label),
    Setting("definition", "editor.definition", *_SWITCH),
    Setting("references", "editor.references", *_SWITCH),
    Setting("rename", "editor.rename", *_SWITCH),
    Setting("workspaceSymbols", "editor.workspace_symbols", *_SWITCH),
    Setting("documentHighlight", "editor.document_highlight", *_SWITCH),
    Setting("documentLinks", "editor.document_links", *_SWITCH),
    Setting("inlayHints", "editor.inlay_hints", *_ON_OR_OFF),
    Setting("diagnostics.enabled", "editor.diagnostics", *_SWITCH),
    Setting("diagnostics.weakSupport", "editor.weak_support", *_TRUTH),
    Setting("diagnostics.missingCitations", "editor.missing_citations", *_TRUTH),
    Setting("diagnostics.unusedEntries", "editor.unused_entries", *_TRUTH),
    Setting("diagnostics.wrongReferences", "editor.wrong_references", *_TRUTH),
    Setting("peers", "editor.peers", *_PEERS),
)
_BY_NAME = {setting.name: setting for setting in SETTINGS}
_GROUPS = frozenset(name.rpartition(".")[0] for name in _BY_NAME) - {""}


class SettingProblem(NamedTuple):
    """A problem with a setting and its `value`; an `unknown` one may belong to another program."""

    message: str
    setting: str = ""
    value: str = ""
    wrong: str = ""
    unknown: bool = False


def wrong_value(name: str, value: str, wrong: str) -> SettingProblem:
    """Return the problem with a value that a setting may have, but that cannot be used."""
    full = f"{SECTION}.{name}"
    return SettingProblem(f"{full}: {value} {wrong}", full, value, wrong)


def missing_paths(settings: Settings) -> Iterator[SettingProblem]:
    """Yield the folders and files that settings name and that do not exist."""
    for setting in SETTINGS:
        for path in attrgetter(setting.field)(settings) if setting.read is _paths else ():
            with suppress(OSError):
                if not (is_virtual(path) or path.exists()):
                    yield wrong_value(setting.name, str(path), "does not exist")


def read_settings(
    options: object, home: Path | None = None
) -> tuple[Settings, list[SettingProblem]]:
    """Return the settings in a client's options, and the problems with them.

    `options` may be nested in an object under "pincite". Null, an empty string or an invalid value
    means the default. Relative paths are resolved against `home`.
    """
    settings = DEFAULTS
    problems: list[SettingProblem] = []
    for name, value in _named_values(options):
        if value is None or value == "":
            continue
        full = f"{SECTION}.{name}"
        if (setting := _BY_NAME.get(name)) is not None:
            try:
                read = setting.read(msgspec.convert(value, setting.type), home)
            except (msgspec.ValidationError, ValueError, OSError):
                wrong = f"must be {setting.expected}"
                text = value if isinstance(value, str) else json.dumps(value, default=str)
                problems.append(SettingProblem(f"{full} {wrong}", full, text[:_MAX_SHOWN], wrong))
            else:
                settings = _with(settings, setting.field, read)
        elif not name or name in _GROUPS:
            problems.append(SettingProblem(f"{full if name else 'the settings'} must be an object"))
        else:
            problems.append(SettingProblem(_unknown(name), unknown=True))
    return settings, problems


def _named_values(value: object, name: str = "") -> Iterator[tuple[str, object]]:
    """Yield every value in nested objects with its full, dotted name, without our section's."""
    if not name and isinstance(value, Mapping) and SECTION in value:
        value = value[SECTION]
    if (not name or name in _GROUPS) and isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _named_values(inner, f"{name}.{key}" if name else str(key))
    else:
        yield name, value


def _with(whole: Any, field: str, value: object) -> Any:  # noqa: ANN401 - any of our dataclasses
    first, _, rest = field.partition(".")
    return replace(whole, **{first: _with(getattr(whole, first), rest, value) if rest else value})


def _unknown(name: str) -> str:
    from difflib import get_close_matches

    lowered = {known.lower(): known for known in _BY_NAME}
    near = get_close_matches(name.lower(), lowered, 1)
    hint = f"; the nearest is “{SECTION}.{lowered[near[0]]}”" if near else ""
    return f"unknown setting “{SECTION}.{name}”{hint}"


class ClientSettings:
    """The settings as the client sends them; used by the event loop only.

    Besides values that are not allowed, it reports paths that do not exist and a system that is
    unavailable, which is known once papers are read. Clients that do not show the list itself get
    a message for each new problem.
    """

    def __init__(self, server: PinciteServer) -> None:
        self._server = server
        self._sent: dict[Source, dict[str, object]] = {}
        #: What is wrong with the values as they stand, and what was reported last.
        self._wrong: list[SettingProblem] = []
        self._reported: tuple[SettingProblem, ...] = ()
        #: Whether paths are being checked, and must be checked again.
        self._checking = self._outdated = False

    async def begin(self) -> None:
        """Start following the client's configuration, once it is initialized."""
        self.check()
        if self._server.session.client.follows_configuration:
            # Some clients report changes only on registration.
            options = types.DidChangeConfigurationRegistrationOptions(section=SECTION)
            method = types.WORKSPACE_DID_CHANGE_CONFIGURATION
            self._server.follow("pincite-settings", method, options)
        await self._ask()

    async def changed(self, params: types.DidChangeConfigurationParams) -> None:
        """Take what the client pushes, and ask it for what it has."""
        # Editors also send the settings of other servers: only our section matters.
        if isinstance(params.settings, Mapping) and SECTION in params.settings:
            self.configure("pushed", params.settings)
        await self._ask()

    async def _ask(self) -> None:
        if not self._server.session.client.returns_configuration:
            return
        params = types.ConfigurationParams([types.ConfigurationItem(section=SECTION)])
        with suppress(RequestError):
            answers = await self._server.connection.request(types.WORKSPACE_CONFIGURATION, params)
            self.configure("asked", answers[0] if isinstance(answers, list) and answers else None)

    def configure(self, source: Source, options: object) -> None:
        """Apply options of the client."""
        session = self._server.session
        self._sent[source] = dict(_named_values(options))
        sent = (self._sent.get(each, {}) for each in _SOURCES)
        merged = {name: v for each in sent for name, v in each.items() if v is not None}
        settings, self._wrong = read_settings(merged, session.documents.now.home)
        is_new, session.settings = settings != session.settings, settings
        if source != "initialize":
            if is_new:
                session.on_change()
            self.check()

    def check(self) -> None:
        """Check what can be used, and report it."""
        self._outdated = True
        if not self._checking:
            self._checking = True
            self._server.start(self._check())

    async def _check(self) -> None:
        unusable: list[SettingProblem] = []
        while self._outdated:
            self._outdated = False
            settings = self._server.session.settings
            # Off the event loop: a folder may be slow to answer.
            unusable = await asyncio.to_thread(self._found_unusable, settings)
        self._checking = False
        self._report(unusable)

    def _found_unusable(self, settings: Settings) -> list[SettingProblem]:
        systems = self._server.session.unavailable_systems()
        wrong = (wrong_value(name, value, f"cannot be used: {why}") for name, value, why in systems)
        return [*missing_paths(settings), *wrong]

    def _report(self, unusable: list[SettingProblem]) -> None:
        """Report what is wrong, if that has changed; each problem once until it is mended."""
        before, self._reported = self._reported, tuple(dict.fromkeys((*self._wrong, *unusable)))
        new = [problem for problem in self._reported if problem not in before]
        for problem in new:
            if problem.unknown:
                logger.warning("%s", problem.message)
        if self._server.session.client.shows_wrong_settings:
            listed = _listed(self._reported)
            if listed != _listed(before):
                self._server.connection.notify("pincite/wrongSettings", {"settings": listed})
            return
        wrong = [p.message for p in new if not p.unknown and p not in unusable]
        defaults = [f"{'; '.join(wrong)}. Defaults are used instead."] if wrong else []
        for message in (*defaults, *(f"{p.message}." for p in new if p in unusable)):
            self._server.show_message(message, types.MessageType.Warning)


def _listed(problems: Iterable[SettingProblem]) -> list[dict[str, str]]:
    return [
        {"setting": each.setting, "value": each.value, "problem": each.wrong}
        for each in problems
        if each.setting
    ]
