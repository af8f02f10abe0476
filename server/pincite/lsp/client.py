"""The client's capabilities, from ``initialize``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

#: Returns what capabilities have at a dotted path.
_Get = Callable[[str], Any]


def _from(read: Callable[[_Get], Any], default: Any) -> Any:  # noqa: ANN401 - as `dataclasses.field`
    return field(default=default, metadata={"read": read})


def _has(*paths: str, default: bool = False) -> Any:  # noqa: ANN401
    """Return a field: whether there is anything at any of these paths."""
    return _from(lambda get: any(map(get, paths)), default)


def _lists(path: str, value: str) -> Any:  # noqa: ANN401
    """Return a field: whether a list has a value."""
    return _from(lambda get: isinstance(get(path), list) and value in get(path), False)


def _ours(name: str) -> Any:  # noqa: ANN401
    return _from(lambda get: get(f"experimental.{name}") is True, False)


_DOCUMENT = "textDocument"
_ITEM = f"{_DOCUMENT}.completion.completionItem"
_ACTION = f"{_DOCUMENT}.codeAction"
_WATCHED = "workspace.didChangeWatchedFiles"
# Declared for push or pull, properties of diagnostics apply to both.
_PUSHED, _PULLED = f"{_DOCUMENT}.publishDiagnostics", f"{_DOCUMENT}.diagnostic"


def _encoding(get: _Get) -> str:
    offered = get("general.positionEncodings")
    known = (each for each in offered or () if each in ("utf-8", "utf-16", "utf-32"))
    return next(known, "utf-16") if isinstance(offered, list) else "utf-16"


def _resolves_documentation(get: _Get) -> bool:
    # All did before there was a capability for it.
    support = get(f"{_ITEM}.resolveSupport")
    return support is None or "documentation" in (get(f"{_ITEM}.resolveSupport.properties") or ())


@dataclass(frozen=True, slots=True)
class Client:
    """What a client supports; the defaults hold until it sends its own."""

    #: How it counts positions: the first that it offers of those that we know.
    position_encoding: str = _from(_encoding, "utf-16")
    #: Where it shows Markdown.
    markdown_hovers: bool = _lists(f"{_DOCUMENT}.hover.contentFormat", "markdown")
    markdown_documentation: bool = _lists(f"{_ITEM}.documentationFormat", "markdown")
    #: Whether it shows label details, and resolves the documentation of completion items.
    label_details: bool = _has(f"{_ITEM}.labelDetailsSupport", default=True)
    resolves_documentation: bool = _from(_resolves_documentation, True)
    #: Whether it accepts code actions; older clients accept only lists of commands.
    code_actions: bool = _from(
        lambda get: get(f"{_ACTION}.codeActionLiteralSupport") is not None, True
    )
    resolves_edits: bool = _from(
        lambda get: (
            bool(get(f"{_ACTION}.dataSupport"))
            and "edit" in (get(f"{_ACTION}.resolveSupport.properties") or ())
        ),
        False,
    )
    disabled_actions: bool = _has(f"{_ACTION}.disabledSupport")
    definition_links: bool = _has(f"{_DOCUMENT}.definition.linkSupport")
    #: Whether it may ask where a rename is possible.
    prepares_rename: bool = _has(f"{_DOCUMENT}.rename.prepareSupport")
    #: Whether it applies edits at all, and edits to specified document versions only: it then
    #: refuses them if a document has changed.
    applies_edits: bool = _has("workspace.applyEdit")
    versioned_edits: bool = _has("workspace.workspaceEdit.documentChanges", default=True)
    #: Whether it pulls diagnostics, and the properties of them that it shows.
    pulls_diagnostics: bool = _from(lambda get: get(_PULLED) is not None, False)
    related_information: bool = _has(
        f"{_PUSHED}.relatedInformation", f"{_PULLED}.relatedInformation"
    )
    diagnostic_tags: bool = _has(f"{_PUSHED}.tagSupport", f"{_PULLED}.tagSupport")
    diagnostic_versions: bool = _has(f"{_PUSHED}.versionSupport")
    #: What it shows anew on request.
    refreshes_diagnostics: bool = _has("workspace.diagnostics.refreshSupport")
    refreshes_inlay_hints: bool = _has("workspace.inlayHint.refreshSupport")
    #: Whether it returns its configuration, and reports changes of it once asked to.
    returns_configuration: bool = _has("workspace.configuration")
    follows_configuration: bool = _has("workspace.didChangeConfiguration.dynamicRegistration")
    #: Whether it watches files on request, also those outside the workspace.
    watches_files: bool = _has(f"{_WATCHED}.dynamicRegistration")
    watches_outside: bool = _from(
        lambda get: all(
            get(f"{_WATCHED}.{name}") for name in ("dynamicRegistration", "relativePatternSupport")
        ),
        False,
    )
    shows_progress: bool = _has("window.workDoneProgress")
    #: Our experimental capabilities.
    opens_pdf: bool = _ours("pinciteOpenPdf")
    shows_evidence: bool = _ours("pinciteShowEvidence")
    suggests_here: bool = _ours("pinciteSuggestHere")
    follows_status: bool = _ours("pinciteStatus")
    shows_wrong_settings: bool = _ours("pinciteWrongSettings")
    announces_added_entries: bool = _ours("pinciteEntryAdded")

    @classmethod
    def of(cls, capabilities: Mapping[str, Any]) -> Client:
        """Read the JSON of a client's capabilities."""

        def get(path: str) -> Any:  # noqa: ANN401 - of any type
            value: Any = capabilities
            for name in path.split("."):
                value = value.get(name) if isinstance(value, dict) else None
            return value

        return cls(**{each.name: each.metadata["read"](get) for each in fields(cls)})
