"""Read and validate a client's settings, and collect problems to report.

Clients send options when they start the server, when these change, and when the server asks for
them. If two sources disagree, the later one in `Source` wins. `SETTINGS` lists all settings.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import msgspec

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


def _switch(value: bool | str, _home: Path | None) -> str:
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else value


def _one_of(names: Iterable[str]) -> Any:  # noqa: ANN401 - a type
    return Literal.__getitem__(tuple(names))


class Values(NamedTuple):
    """The values that a setting may have, in words and as the type of their JSON.

    `read` makes the value of a field of them and of the folder that relative paths are resolved
    against; it raises `ValueError` for those that are still wrong.
    """

    expected: str
    type: Any
    read: Callable[[Any, Path | None], object] = lambda value, _home: value


PATHS = Values(
    "a list of paths", list[str], lambda names, home: tuple(_path(name, home) for name in names)
)
PATH = Values("a path", str, _path)
FILE = Values("a file that exists", str, _file)
SWITCH = Values('"auto", "on" or "off"', bool | Switch, _switch)
ON_OR_OFF = Values('"on" or "off"', bool | Literal["on", "off"], _switch)
TRUTH = Values("true or false", bool)
MEGABYTES = Values("a number of megabytes", Annotated[int, msgspec.Meta(ge=1)])
SYSTEM = Values(f"one of {', '.join(SYSTEM_NAMES)}", _one_of(SYSTEM_NAMES))
RANKER = Values(f"one of {', '.join(RANKER_NAMES)}", _one_of(RANKER_NAMES))
LABEL = Values('"key" or "author-year"', Label)
ZOTERO = Values('"auto" or "off"', Zotero)
ENRICH = Values('"ask" or "off"', Enrich)
ADDRESS = Values(
    "an e-mail address", Annotated[str, msgspec.Meta(pattern=rf"\A(?:{EMAIL.pattern})\Z")]
)
SOME_PEERS = Values(f"a list with any of {', '.join(PEERS)}", frozenset[_one_of(PEERS)])  # type: ignore[misc]


class Setting(NamedTuple):
    """A setting: its name in clients, its field in `Settings`, and its possible values."""

    name: str
    field: str
    values: Values

    @property
    def default(self) -> object:
        """The default in the form that clients use."""
        value = reduce(getattr, self.field.split("."), DEFAULTS)
        return list(value) if isinstance(value, tuple | frozenset) else value


SETTINGS = (
    Setting("library.folders", "library.folders", PATHS),
    Setting("library.baseFolders", "library.base_folders", PATHS),
    Setting("library.drafts", "library.draft_folders", PATHS),
    Setting("library.indexMegabytes", "library.index_megabytes", MEGABYTES),
    Setting("bibliographies", "bibliographies", PATHS),
    Setting("globalBibliographies", "global_bibliographies", PATHS),
    Setting("zotero", "zotero", ZOTERO),
    Setting("enrich", "enrich", ENRICH),
    Setting("email", "email", ADDRESS),
    Setting("ranker", "ranking.ranker", RANKER),
    Setting("system", "matching.system", SYSTEM),
    Setting("vectors", "matching.vectors", FILE),
    Setting("model", "matching.model", PATH),
    Setting("suggestions.label", "editor.label", LABEL),
    Setting("definition", "editor.definition", SWITCH),
    Setting("references", "editor.references", SWITCH),
    Setting("rename", "editor.rename", SWITCH),
    Setting("workspaceSymbols", "editor.workspace_symbols", SWITCH),
    Setting("documentHighlight", "editor.document_highlight", SWITCH),
    Setting("documentLinks", "editor.document_links", SWITCH),
    Setting("inlayHints", "editor.inlay_hints", ON_OR_OFF),
    Setting("diagnostics.enabled", "editor.diagnostics", SWITCH),
    Setting("diagnostics.weakSupport", "editor.weak_support", TRUTH),
    Setting("diagnostics.missingCitations", "editor.missing_citations", TRUTH),
    Setting("diagnostics.unusedEntries", "editor.unused_entries", TRUTH),
    Setting("peers", "editor.peers", SOME_PEERS),
)
_BY_NAME = {setting.name: setting for setting in SETTINGS}
_GROUPS = frozenset(name.rpartition(".")[0] for name in _BY_NAME) - {""}


@dataclass(frozen=True, slots=True)
class SettingProblem:
    """A problem with a setting; an `unknown` one may belong to another program.

    `value` is as the client wrote it, and `wrong` what is wrong with it.
    """

    message: str
    unknown: bool = False
    setting: str = ""
    value: str = ""
    wrong: str = ""


def wrong_value(name: str, value: str, wrong: str) -> SettingProblem:
    """Return the problem with a value that a setting may have, but that cannot be used."""
    full = f"{SECTION}.{name}"
    return SettingProblem(f"{full}: {value} {wrong}", False, full, value, wrong)


def missing_paths(settings: Settings) -> Iterator[SettingProblem]:
    """Yield the folders and files that settings name and that do not exist."""
    for setting in SETTINGS:
        if setting.values is not PATHS:
            continue
        paths: Any = reduce(getattr, setting.field.split("."), settings)
        for path in paths:
            with suppress(OSError):
                if not path.exists():
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
    for name, value in _named_values(_unwrapped(options)):
        full = f"{SECTION}.{name}"
        if value is None or value == "":
            continue
        if (setting := _BY_NAME.get(name)) is not None:
            values = setting.values
            try:
                read = values.read(msgspec.convert(value, values.type), home)
            except (msgspec.ValidationError, ValueError, OSError):
                wrong = f"must be {values.expected}"
                text = value if isinstance(value, str) else json.dumps(value, default=str)
                shown = text[:_MAX_SHOWN]
                problems.append(SettingProblem(f"{full} {wrong}", False, full, shown, wrong))
            else:
                settings = _with(settings, setting.field, read)
        elif not name or name in _GROUPS:
            what = full if name else "the settings"
            problems.append(SettingProblem(f"{what} must be an object"))
        else:
            problems.append(SettingProblem(_unknown(name), unknown=True))
    return settings, problems


def _unwrapped(options: object) -> object:
    return options[SECTION] if isinstance(options, Mapping) and SECTION in options else options


def _named_values(value: object, name: str = "") -> Iterator[tuple[str, object]]:
    """Yield every value in nested objects with its full, dotted name."""
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


class Configuration:
    """The options that a client has sent so far, and the problems reported for them."""

    def __init__(self) -> None:
        self._sent: dict[Source, object] = {}
        #: What is wrong with the values as they stand.
        self.problems: tuple[SettingProblem, ...] = ()

    def take(
        self, source: Source, options: object, home: Path | None = None
    ) -> tuple[Settings, list[SettingProblem]]:
        """Store options; return the resulting settings and the problems not yet reported."""
        sent = _unwrapped(options)
        self._sent[source] = sent if isinstance(sent, Mapping) else None
        merged = reduce(_merged, map(self._sent.get, _SOURCES), None)
        settings, problems = read_settings(merged, home)
        if not isinstance(sent, Mapping):
            # Merging skips what is not an object, so its problem would be missed.
            problems += read_settings(sent)[1]
        before, self.problems = self.problems, tuple(dict.fromkeys(problems))
        return settings, [problem for problem in self.problems if problem not in before]


def _merged(earlier: object, later: object) -> object:
    """Return options overridden by those that `later` sets."""
    if not isinstance(earlier, Mapping) or not isinstance(later, Mapping):
        return earlier if later is None else later
    return {
        key: _merged(earlier.get(key), later.get(key)) for key in dict.fromkeys((*earlier, *later))
    }
