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
from typing import Any, Literal

from ..settings import EMAIL, ENRICH, LABELS, PEERS, RANKER_NAMES, SYSTEM_NAMES, ZOTERO, Settings

#: The name of our section in every client's settings.
SECTION = "pincite"
#: Sources of options, in order of increasing precedence.
Source = Literal["initialize", "pushed", "asked"]
_MOST_SHOWN = 200
_SOURCES: tuple[Source, ...] = ("initialize", "pushed", "asked")
#: The settings of a client that sets nothing.
DEFAULTS = Settings(zotero="auto")


@dataclass(frozen=True, slots=True)
class Values:
    """The values that a setting may have; `read` raises `ValueError` for others.

    `read` also takes the folder that relative paths are resolved against.
    """

    expected: str
    read: Callable[[Any, Path | None], object]


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting: its name in clients, its field in `Settings`, and its possible values."""

    name: str
    field: str
    values: Values

    @property
    def default(self) -> object:
        """The default in the form that clients use."""
        value = reduce(getattr, self.field.split("."), DEFAULTS)
        return list(value) if isinstance(value, tuple | frozenset) else value


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


def _accept(fits: bool) -> None:
    if not fits:
        raise ValueError


def _path(name: object, home: Path | None) -> Path:
    _accept(isinstance(name, str) and "\0" not in name)
    path = Path(str(name))
    # Without a known home folder, ~ stays as it is.
    with suppress(RuntimeError):
        path = path.expanduser()
    return (path if home is None else home / path).absolute()


def _file(name: object, home: Path | None) -> Path:
    path = _path(name, home)
    _accept(path.is_file())
    return path


def _paths(names: object, home: Path | None) -> tuple[Path, ...]:
    _accept(isinstance(names, list | tuple))
    return tuple(_path(name, home) for name in names)  # type: ignore[attr-defined]


def _switch(value: object, _home: Path | None) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    _accept(value in ("auto", "on", "off"))
    return str(value)


def _on_or_off(value: object, home: Path | None) -> str:
    _accept(value != "auto")
    return _switch(value, home)


def _truth(value: object, _home: Path | None) -> bool:
    _accept(isinstance(value, bool))
    return bool(value)


def _megabytes(value: object, _home: Path | None) -> int:
    _accept(isinstance(value, int) and not isinstance(value, bool) and value >= 1)
    return int(value)  # type: ignore[call-overload, no-any-return]


def _one_of(names: Iterable[str]) -> Callable[[object, Path | None], str]:
    def read(value: object, _home: Path | None) -> str:
        _accept(value in list(names))
        return str(value)

    return read


def _email(value: object, _home: Path | None) -> str:
    _accept(isinstance(value, str) and (not value or EMAIL.fullmatch(value) is not None))
    return str(value)


def _peers(value: object, _home: Path | None) -> frozenset[str]:
    _accept(isinstance(value, list | tuple) and all(peer in list(PEERS) for peer in value))
    return frozenset(value)  # type: ignore[call-overload, no-any-return]


PATHS = Values("a list of paths", _paths)
PATH = Values("a path", _path)
FILE = Values("a file that exists", _file)
SWITCH = Values('"auto", "on" or "off"', _switch)
ON_OR_OFF = Values('"on" or "off"', _on_or_off)
TRUTH = Values("true or false", _truth)
MEGABYTES = Values("a number of megabytes", _megabytes)
SYSTEM = Values(f"one of {', '.join(SYSTEM_NAMES)}", _one_of(SYSTEM_NAMES))
RANKER = Values(f"one of {', '.join(RANKER_NAMES)}", _one_of(RANKER_NAMES))
LABEL = Values('"key" or "author-year"', _one_of(LABELS))
ZOTERO_VALUE = Values('"auto" or "off"', _one_of(ZOTERO))
ENRICH_VALUE = Values('"ask" or "off"', _one_of(ENRICH))
EMAIL_ADDRESS = Values("an e-mail address", _email)
SOME_PEERS = Values(f"a list with any of {', '.join(PEERS)}", _peers)

SETTINGS = (
    Setting("library.folders", "library.folders", PATHS),
    Setting("library.baseFolders", "library.base_folders", PATHS),
    Setting("library.drafts", "library.draft_folders", PATHS),
    Setting("library.indexMegabytes", "library.index_megabytes", MEGABYTES),
    Setting("bibliographies", "bibliographies", PATHS),
    Setting("globalBibliographies", "global_bibliographies", PATHS),
    Setting("zotero", "zotero", ZOTERO_VALUE),
    Setting("enrich", "enrich", ENRICH_VALUE),
    Setting("email", "email", EMAIL_ADDRESS),
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


def wrong_value(name: str, value: str, wrong: str) -> SettingProblem:
    """Return the problem with a value that a setting may have, but that cannot be used."""
    return SettingProblem(f"{_full(name)}: {value} {wrong}", False, _full(name), value, wrong)


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
        setting = _BY_NAME.get(name)
        if value is None or value == "":
            continue
        if setting is not None:
            try:
                settings = _with(settings, setting.field, setting.values.read(value, home))
            except (ValueError, OSError):
                wrong = f"must be {setting.values.expected}"
                shown = value if isinstance(value, str) else json.dumps(value, default=str)
                problems.append(
                    SettingProblem(
                        f"{_full(name)} {wrong}", False, _full(name), shown[:_MOST_SHOWN], wrong
                    )
                )
        elif not name or name in _GROUPS:
            what = _full(name) if name else "the settings"
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
    hint = f"; the nearest is “{_full(lowered[near[0]])}”" if near else ""
    return f"unknown setting “{_full(name)}”{hint}"


def _full(name: str) -> str:
    """Return the name of a setting with the prefix of our section."""
    return f"{SECTION}.{name}"


class Configuration:
    """The options that a client has sent so far, and the problems reported for them."""

    def __init__(self) -> None:
        self._said: dict[Source, object] = {}
        self._told: set[SettingProblem] = set()
        #: What is wrong with the values as they stand.
        self.problems: tuple[SettingProblem, ...] = ()

    def take(
        self, source: Source, options: object, home: Path | None = None
    ) -> tuple[Settings, list[SettingProblem]]:
        """Store options; return the resulting settings and the problems not yet reported."""
        said = _unwrapped(options)
        self._said[source] = said if isinstance(said, Mapping) else None
        merged = reduce(_merged, map(self._said.get, _SOURCES), None)
        settings, problems = read_settings(merged, home)
        if not isinstance(said, Mapping):
            # Merging skips what is not an object, so its problem would be missed.
            problems += read_settings(said)[1]
        self.problems = tuple(dict.fromkeys(problems))
        new = [problem for problem in self.problems if problem not in self._told]
        # What is mended and wrong again is told again.
        self._told = set(self.problems)
        return settings, new


def _merged(earlier: object, later: object) -> object:
    """Return options overridden by those that `later` sets."""
    if not isinstance(earlier, Mapping) or not isinstance(later, Mapping):
        return earlier if later is None else later
    return {
        key: _merged(earlier.get(key), later.get(key)) for key in dict.fromkeys((*earlier, *later))
    }
