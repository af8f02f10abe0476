"""The main job with the clients of pytest-lsp, which check messages against the specification."""

import asyncio
import sys
from itertools import count

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from protocol_client import units
from where import EXAMPLES

HEAD = "\\documentclass{article}\n\\begin{document}\n"
TAIL = "\n\\bibliography{references}\n\\end{document}\n"
COHERENCE = "Which entities a text mentions in which role tells coherent texts from shuffled ones "


pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.filterwarnings("error::pytest_lsp.LspSpecificationWarning"),
]


@pytest_lsp.fixture(
    scope="module",
    params=["visual_studio_code", "neovim", "emacs"],
    config=ClientServerConfig(server_command=[sys.executable, "-m", "pincite", "serve"]),
)
async def client(request, lsp_client: LanguageClient):
    @lsp_client.feature(types.CLIENT_REGISTER_CAPABILITY)
    def register(_params):
        return None

    folder = types.WorkspaceFolder(EXAMPLES.as_uri(), "examples")
    capabilities = client_capabilities(request.param)
    params = types.InitializeParams(
        capabilities=capabilities, root_uri=EXAMPLES.as_uri(), workspace_folders=[folder]
    )
    result = await lsp_client.initialize_session(params)
    encoding = result.capabilities.position_encoding or types.PositionEncodingKind.Utf16
    lsp_client.position_encoding = str(getattr(encoding, "value", encoding))
    yield
    await lsp_client.shutdown_session()


class Editor:
    """An author at a text with ``|`` at the cursor, beside the examples but never written to disk."""

    drafts = count()

    def __init__(self, client: LanguageClient, marked: str, name: str = "") -> None:
        self.client, (before, after) = client, marked.split("|")
        self.uri = (EXAMPLES / (name or f"new-draft-{next(self.drafts)}.tex")).as_uri()
        item = types.TextDocumentItem(self.uri, "latex", 0, before + after)
        client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        *lines, last = before.split("\n")
        self.position = types.Position(len(lines), units(last, client.position_encoding))
        self.document = types.TextDocumentIdentifier(self.uri)

    def type(self, text: str) -> None:
        here = self.position
        change = types.TextDocumentContentChangePartial(types.Range(here, here), text)
        document = types.VersionedTextDocumentIdentifier(1, self.uri)
        params = types.DidChangeTextDocumentParams(document, [change])
        self.client.text_document_did_change(params)
        self.position = types.Position(here.line, here.character + len(text))

    async def complete(self) -> types.CompletionList | None:
        params = types.CompletionParams(self.document, self.position)
        return await self.client.text_document_completion_async(params)

    async def hover(self) -> types.Hover | None:
        params = types.HoverParams(self.document, self.position)
        return await self.client.text_document_hover_async(params)


async def once(ask, holds):
    """Ask until an answer holds, once papers are read."""
    for _ in range(200):
        if holds(found := await ask()):
            return found
        await asyncio.sleep(0.1)
    raise AssertionError("the papers were never read")


async def test_completion_ranks_by_the_text_around_the_cursor(client):
    editor = Editor(client, f"{HEAD}{COHERENCE}\\cite{{|}}.{TAIL}")
    found = await editor.complete()
    first = found.items[0]
    assert (first.label, first.preselect) == ("barzilay2008coherence", True)
    assert [item.sort_text for item in found.items] == sorted(i.sort_text for i in found.items)
    row = "Barzilay and Lapata 2008 · Modeling Local Coherence: An Entity-Based Approach"
    assert first.label_details.detail.strip() == row
    assert first.text_edit.range == types.Range(editor.position, editor.position)

    async def resolved():
        item = await client.completion_item_resolve_async(first)
        return getattr(item.documentation, "value", item.documentation)

    shown = await once(resolved, lambda shown: "By its full text" in shown)
    assert "shares: " in shown
    assert "coherent" in shown
    assert "Modeling Local Coherence" in shown
    assert "*" in shown.split("\n\n", 1)[1]


async def test_positions_count_in_the_clients_units(client):
    editor = Editor(client, f"{HEAD}Müller 😀😀 naïve {COHERENCE}\\cite{{|}} tail{TAIL}")
    start = editor.position
    editor.type("barz")
    found = await editor.complete()
    assert found.is_incomplete
    (item,) = found.items
    assert item.filter_text.startswith("barz")
    edit = types.TextEdit(types.Range(start, editor.position), "barzilay2008coherence")
    assert item.text_edit == edit


async def test_hover_shows_supporting_sentences_with_page(client):
    text = "The reference is hidden and the method gives it back from the paper's own list"
    line = f"{text} \\citep{{salton1975vsm, duma2014resolution}}."
    editor = Editor(client, f"{HEAD}{line.replace('2014', '2014|')}{TAIL}")
    found = await once(editor.hover, lambda found: "still being read" not in found.contents.value)
    value = found.contents.value
    assert "Duma and Klein 2014" in value
    assert "(PDF page 1)" in value
    if found.contents.kind == types.MarkupKind.Markdown:
        assert "duma-klein-2014.pdf#page=1" in value
    assert "*" in value.split("\n\n", 1)[1]
    assert line[found.range.start.character : found.range.end.character] == "duma2014resolution"


async def test_broken_input_leaves_the_server_alive(client):
    editor = Editor(
        client, "\\cite{\\cite[{$$\\begin{verbatim}\n\\input{|gone}\\bibliography{gone}"
    )
    editor.position = types.Position(0, 3)
    assert await editor.hover() is None
    editor.position = types.Position(500, 500)
    assert await editor.complete() is None


async def test_a_part_of_a_draft_uses_the_main_files_bibliography(client):
    found = await Editor(client, f"{COHERENCE}\\cite{{|}}.\n", "sections/embeddings.tex").complete()
    assert "barzilay2008coherence" in {item.label for item in found.items}
