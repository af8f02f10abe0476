"""What the client can do, as it says in ``initialize``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lsprotocol import types


@dataclass(frozen=True, slots=True)
class Client:
    """What a client supports; the defaults serve until it has said so."""

    #: Where it shows Markdown.
    markdown_hovers: bool = False
    markdown_documentation: bool = False
    #: Whether it shows label details, and resolves the documentation of completion items.
    label_details: bool = True
    resolves_documentation: bool = True
    #: Whether it accepts code actions; older clients accept only lists of commands.
    code_actions: bool = True
    resolves_edits: bool = False
    disabled_actions: bool = False
    definition_links: bool = False
    #: Whether it applies edits at all, and edits to specified document versions only: it then
    #: refuses them if a document has changed.
    applies_edits: bool = False
    versioned_edits: bool = True
    #: Whether it pulls diagnostics, and the properties of them that it shows.
    pulls_diagnostics: bool = False
    related_information: bool = False
    diagnostic_tags: bool = False
    diagnostic_versions: bool = False
    #: What it shows anew on request.
    refreshes_diagnostics: bool = False
    refreshes_inlay_hints: bool = False
    #: Whether it returns its configuration, and reports changes of it once asked to.
    returns_configuration: bool = False
    follows_configuration: bool = False
    #: Whether it watches files on request, also those outside the workspace.
    watches_files: bool = False
    watches_outside: bool = False
    shows_progress: bool = False
    #: Our experimental capabilities.
    opens_pdf: bool = False
    shows_evidence: bool = False
    suggests_here: bool = False
    follows_status: bool = False
    shows_wrong_settings: bool = False
    tells_added_entries: bool = False

    @classmethod
    def of(cls, capabilities: types.ClientCapabilities) -> Client:
        """Read a client's capabilities."""

        def said(path: str) -> Any:  # noqa: ANN401 - of any type
            value: Any = capabilities
            for name in path.split("."):
                value = value and getattr(value, name)
            return value

        def has(path: str) -> bool:
            return bool(said(path))

        def has_ours(name: str) -> bool:
            ours = capabilities.experimental
            return isinstance(ours, Mapping) and ours.get(name) is True

        markdown = types.MarkupKind.Markdown
        item = "text_document.completion.completion_item"
        documented = said(f"{item}.resolve_support")
        action = "text_document.code_action"
        resolved = said(f"{action}.resolve_support")
        # Declared for push or pull, properties of diagnostics apply to both.
        pushed, pulled = "text_document.publish_diagnostics", "text_document.diagnostic"
        watched = "workspace.did_change_watched_files"
        watches = has(f"{watched}.dynamic_registration")
        return cls(
            markdown_hovers=markdown in (said("text_document.hover.content_format") or ()),
            markdown_documentation=markdown in (said(f"{item}.documentation_format") or ()),
            label_details=has(f"{item}.label_details_support"),
            # All did before they could say so.
            resolves_documentation=not documented or "documentation" in documented.properties,
            code_actions=said(f"{action}.code_action_literal_support") is not None,
            resolves_edits=has(f"{action}.data_support")
            and resolved is not None
            and "edit" in resolved.properties,
            disabled_actions=has(f"{action}.disabled_support"),
            definition_links=has("text_document.definition.link_support"),
            applies_edits=has("workspace.apply_edit"),
            versioned_edits=has("workspace.workspace_edit.document_changes"),
            pulls_diagnostics=said(pulled) is not None,
            related_information=has(f"{pushed}.related_information")
            or has(f"{pulled}.related_information"),
            diagnostic_tags=has(f"{pushed}.tag_support") or has(f"{pulled}.tag_support"),
            diagnostic_versions=has(f"{pushed}.version_support"),
            refreshes_diagnostics=has("workspace.diagnostics.refresh_support"),
            refreshes_inlay_hints=has("workspace.inlay_hint.refresh_support"),
            returns_configuration=has("workspace.configuration"),
            follows_configuration=has("workspace.did_change_configuration.dynamic_registration"),
            watches_files=watches,
            watches_outside=watches and has(f"{watched}.relative_pattern_support"),
            shows_progress=has("window.work_done_progress"),
            opens_pdf=has_ours("pinciteOpenPdf"),
            shows_evidence=has_ours("pinciteShowEvidence"),
            suggests_here=has_ours("pinciteSuggestHere"),
            follows_status=has_ours("pinciteStatus"),
            shows_wrong_settings=has_ours("pinciteWrongSettings"),
            tells_added_entries=has_ours("pinciteEntryAdded"),
        )
