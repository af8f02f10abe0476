"""Pincite beside a second LaTeX server in one client; the stand-in answers as texlab does."""

import asyncio
import re
import sys
from copy import copy
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from editor.documented import example_project
from editor.merging import merged_completions, merged_definitions, merged_hovers, preselected

STANDIN = Path(__file__).with_name("standin_texlab.py")
COHERENCE = "Which entities a text mentions in which role tells coherent texts from shuffled ones"
DRAFT = f"""\
\\documentclass{{article}}
\\begin{{document}}
{COHERENCE} \\citep[see][]{{|}}.
Cited before \\citet{{barzilay2008coherence, nosuchkey}}.
\\bibliography{{references}}
\\end{{document}}
"""
pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]


@pytest.fixture(scope="module", name="project")
def project_of_examples(tmp_path_factory):
    return example_project(tmp_path_factory.mktemp("beside"))


async def begin(client: LanguageClient, project: Path, options: object = None) -> None:
    @client.feature(types.CLIENT_REGISTER_CAPABILITY)
    def register(_params):
        return None

    capabilities = client_capabilities("visual_studio_code")
    folder = types.WorkspaceFolder(project.as_uri(), "project")
    info = types.ClientInfo("Visual Studio Code", "1.100.3")
    await client.initialize_session(
        types.InitializeParams(
            capabilities,
            client_info=info,
            root_uri=project.as_uri(),
            workspace_folders=[folder],
            initialization_options=options,
        )
    )


@pytest_lsp.fixture(
    scope="module",
    config=ClientServerConfig(server_command=[sys.executable, "-m", "pincite", "serve"]),
)
async def pincite(lsp_client: LanguageClient, project):
    await begin(lsp_client, project, {"peers": ["texlab"]})
    yield
    await lsp_client.shutdown_session()


@pytest_lsp.fixture(
    scope="module", config=ClientServerConfig(server_command=[sys.executable, str(STANDIN)])
)
async def texlab(lsp_client: LanguageClient, project):
    await begin(lsp_client, project)
    yield
    await lsp_client.shutdown_session()


class Editor:
    """One editor with two servers: what it asks, it asks both."""

    def __init__(
        self, project: Path, name: str, pincite: LanguageClient, texlab: LanguageClient
    ) -> None:
        self.uri = (project / name).as_uri()
        self.document = types.TextDocumentIdentifier(self.uri)
        self.servers = {"texlab": texlab, "pincite": pincite}

    def open(self, marked: str) -> types.Position:
        before, after = marked.split("|")
        item = types.TextDocumentItem(self.uri, "latex", 0, before + after)
        for server in self.servers.values():
            server.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return types.Position(before.count("\n"), len(before.rsplit("\n", 1)[-1]))

    async def ask(self, request: str, params: object) -> dict[str, object]:
        """Return the answer of each server to a request; they are asked at once."""
        asked = [getattr(server, f"{request}_async")(params) for server in self.servers.values()]
        return dict(zip(self.servers, await asyncio.gather(*asked), strict=True))

    async def completions(self, position: types.Position, typed: str):
        params = types.CompletionParams(self.document, position)
        answers = await self.ask("text_document_completion", params)
        return merged_completions(
            ((name, list_.items if list_ else ()) for name, list_ in answers.items()), typed
        )

    async def completions_once_indexed(self, position: types.Position, typed: str = ""):
        for _ in range(200):
            shown = await self.completions(position, typed)
            for one in [one for one in shown if one.server == "pincite"][:5]:
                resolved = await self.servers["pincite"].completion_item_resolve_async(
                    copy(one.item)
                )
                said = getattr(resolved.documentation, "value", resolved.documentation)
                if "full text" in (said or ""):
                    return shown
            await asyncio.sleep(0.1)
        raise AssertionError("the papers were never read")


@pytest.fixture(name="editor")
def editor_with_two_servers(request, project, pincite, texlab):
    name = re.sub(r"\W+", "-", request.node.name) + ".tex"
    return Editor(project, name, pincite, texlab)


async def test_before_anything_is_typed_our_ranking_stands_first(editor):
    shown = await editor.completions_once_indexed(editor.open(DRAFT))
    ours = [one for one in shown if one.server == "pincite"]
    assert shown[0].item.label == "barzilay2008coherence"
    assert shown[: len(ours)] == ours
    assert len(ours) < len(shown), "the other server's suggestions are there, too"
    assert preselected(shown, "") == shown[0]


@pytest.mark.parametrize("typed", ["b", "bar", "Barz", "barzilay2008coherence", "2", "co", "te"])
async def test_while_a_key_is_typed_ours_stay_first(editor, typed):
    marked = DRAFT.replace("{|}", f"{{{typed}|}}")
    shown = await editor.completions_once_indexed(editor.open(marked), typed)
    ours = [one for one in shown if one.server == "pincite"]
    assert ours
    assert shown[: len(ours)] == ours
    assert preselected(shown, typed) == shown[0]


async def test_who_searches_an_author_finds_the_work_with_us(editor):
    """The other server looks at keys only."""
    shown = await editor.completions_once_indexed(
        editor.open(DRAFT.replace("{|}", "{lapata|}")), "lapata"
    )
    assert [(one.server, one.item.label) for one in shown] == [("pincite", "barzilay2008coherence")]


async def test_ours_are_told_apart_by_author_year_and_reason(editor):
    shown = await editor.completions_once_indexed(editor.open(DRAFT))
    first = shown[0].item.label_details
    assert first.detail.strip() == "Barzilay and Lapata 2008"
    assert "coherent" in first.description
    assert all(one.item.label_details is None for one in shown if one.server == "texlab")


async def test_one_hover_has_evidence_and_the_other_the_reference(editor):
    position = editor.open(DRAFT.replace("{|}", "{barz|ilay2008coherence}"))
    await editor.completions_once_indexed(editor.open(DRAFT))
    position = editor.open(DRAFT.replace("{|}", "{barz|ilay2008coherence}"))
    answers = await editor.ask("text_document_hover", types.HoverParams(editor.document, position))
    assert len(merged_hovers(answers.values())) == 2
    ours, theirs = answers["pincite"].contents.value, answers["texlab"].contents.value
    assert ours.count("Barzilay and Lapata 2008") == 1
    assert "coheren" in ours
    assert "> " not in theirs
    assert "Modeling Local Coherence: An Entity-Based Approach" in theirs


async def test_our_hover_repeats_nothing_of_the_reference(editor):
    position = editor.open(DRAFT.replace("{|}", "{barz|ilay2008coherence}"))
    answers = await editor.ask("text_document_hover", types.HoverParams(editor.document, position))
    said = answers["pincite"].contents.value
    for field in ("Modeling Local Coherence", "Computational Linguistics", "Regina", "Mirella"):
        assert field not in said


AT_KEY = DRAFT.replace("{|}", "{}").replace(
    "{barzilay2008coherence, no", "{barz|ilay2008coherence, no"
)


async def test_a_definition_is_one_jump_and_no_list(editor):
    position = editor.open(AT_KEY)
    answers = await editor.ask(
        "text_document_definition", types.DefinitionParams(editor.document, position)
    )
    ((uri, _),) = merged_definitions(answers.values())
    assert uri.endswith("references.bib")
    assert not answers["pincite"]


async def test_references_are_listed_once(editor):
    params = types.ReferenceParams(
        types.ReferenceContext(True), editor.document, editor.open(AT_KEY)
    )
    answers = await editor.ask("text_document_references", params)
    assert answers["texlab"]
    assert not answers["pincite"]


async def test_the_other_server_renames(editor):
    params = types.RenameParams(editor.document, editor.open(AT_KEY), "lapata2008")
    answers = await editor.ask("text_document_rename", params)
    assert answers["texlab"].changes
    assert answers["pincite"] is None


async def test_an_undefined_key_is_reported_once(editor):
    editor.open(DRAFT.replace("{|}", "{}|"))
    texlab = editor.servers["texlab"]
    while not texlab.diagnostics.get(editor.uri):
        await texlab.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    assert [found.message for found in texlab.diagnostics[editor.uri]] == ["Undefined reference"]
    pincite = editor.servers["pincite"]
    pulled = await pincite.text_document_diagnostic_async(
        types.DocumentDiagnosticParams(editor.document)
    )
    assert not pulled.items
    assert not pincite.diagnostics.get(editor.uri)
