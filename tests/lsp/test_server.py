"""The main job over the protocol: a real server process, on the examples."""

import asyncio
import sys
from itertools import count
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
HEAD = "\\documentclass{article}\n\\begin{document}\n"
TAIL = "\n\\bibliography{references}\n\\end{document}\n"
COHERENCE = "Which entities a text mentions in which role tells coherent texts from shuffled ones "
UNITS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


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

    result = await lsp_client.initialize_session(
        types.InitializeParams(
            capabilities=client_capabilities(request.param),
            root_uri=EXAMPLES.as_uri(),
            workspace_folders=[types.WorkspaceFolder(EXAMPLES.as_uri(), "examples")],
        )
    )
    encoding = result.capabilities.position_encoding or types.PositionEncodingKind.Utf16
    lsp_client.position_encoding = str(getattr(encoding, "value", encoding))
    yield
    await lsp_client.shutdown_session()


class Editor:
    """What a person does: open a text, type, ask for suggestions, point at something.

    The document lies beside the examples but is never written to disk. Texts are written as
    LaTeX with ``|`` where the cursor is.
    """

    drafts = count()

    def __init__(self, client: LanguageClient, name: str = "") -> None:
        self.client = client
        self.uri = (EXAMPLES / (name or f"new-draft-{next(self.drafts)}.tex")).as_uri()
        self.version = 0

    def open(self, marked: str) -> types.Position:
        before, after = marked.split("|")
        item = types.TextDocumentItem(self.uri, "latex", self.version, before + after)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return self._position(before)

    def type(self, position: types.Position, text: str) -> types.Position:
        self.version += 1
        change = types.TextDocumentContentChangePartial(types.Range(position, position), text)
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(self.version, self.uri), [change]
            )
        )
        return types.Position(position.line, position.character + len(text))

    async def complete(self, position: types.Position) -> types.CompletionList | None:
        document = types.TextDocumentIdentifier(self.uri)
        return await self.client.text_document_completion_async(
            types.CompletionParams(document, position)
        )

    async def complete_when_indexed(self, position: types.Position) -> types.CompletionList:
        """Ask until the papers are read, which the reasons given with the items show."""
        for _ in range(200):
            found = await self.complete(position)
            assert found is not None
            if any("full text" in (item.label_details.description or "") for item in found.items):
                return found
            await asyncio.sleep(0.1)
        raise AssertionError("the index was never complete")

    async def hover(self, position: types.Position) -> types.Hover | None:
        document = types.TextDocumentIdentifier(self.uri)
        return await self.client.text_document_hover_async(types.HoverParams(document, position))

    async def hover_when_read(self, position: types.Position) -> types.Hover:
        for _ in range(200):
            found = await self.hover(position)
            if "still being read" not in found.contents.value:
                return found
            await asyncio.sleep(0.1)
        raise AssertionError("the papers were never read")

    def _position(self, before: str) -> types.Position:
        line = before.count("\n")
        last = before.rsplit("\n", 1)[-1]
        codec, width = UNITS[self.client.position_encoding]
        return types.Position(line, len(last.encode(codec)) // width)


@pytest.fixture(name="editor")
def editor_on_examples(client):
    return Editor(client)


async def test_completion_ranks_by_the_text_around_the_cursor(editor):
    position = editor.open(f"{HEAD}{COHERENCE}\\cite{{|}}.{TAIL}")
    found = await editor.complete_when_indexed(position)
    assert found.items[0].label == "barzilay2008coherence"
    assert found.items[0].preselect
    assert [item.sort_text for item in found.items] == sorted(i.sort_text for i in found.items)
    assert found.items[0].label_details.detail.strip() == "Barzilay and Lapata 2008"
    assert "coherent" in found.items[0].label_details.description
    assert found.items[0].text_edit.range == types.Range(position, position)


@pytest.mark.parametrize("typed", ["entity-based"])
async def test_typing_filters_by_key_author_title_and_year(editor, typed):
    position = editor.open(f"{HEAD}{COHERENCE}\\cite{{|}}.{TAIL}")
    end = editor.type(position, typed)
    found = await editor.complete(end)
    item = next(item for item in found.items if item.label == "barzilay2008coherence")
    assert found.is_incomplete
    assert item.filter_text.startswith(typed)
    assert item.text_edit == types.TextEdit(types.Range(position, end), "barzilay2008coherence")
    assert "salton1975vsm" not in {item.label for item in found.items}


async def test_positions_count_in_the_clients_units(editor):
    position = editor.open(f"{HEAD}Müller 😀😀 naïve {COHERENCE}\\cite{{|}} tail{TAIL}")
    end = editor.type(position, "barz")
    found = await editor.complete(end)
    assert [item.label for item in found.items] == ["barzilay2008coherence"]
    assert found.items[0].text_edit.range == types.Range(position, end)


async def test_resolving_an_item_shows_the_work_and_its_supporting_sentences(editor, client):
    position = editor.open(f"{HEAD}{COHERENCE}\\cite{{|}}.{TAIL}")
    found = await editor.complete_when_indexed(position)
    item = await editor.client.completion_item_resolve_async(found.items[0])
    shown = getattr(item.documentation, "value", item.documentation)
    assert "Modeling Local Coherence" in shown
    assert "*" in shown.split("\n\n", 1)[1]


async def test_hover_shows_supporting_sentences_with_page(editor):
    text = "The reference is hidden and the method gives it back from the paper's own list"
    position = editor.open(f"{HEAD}{text} \\citep{{salton1975vsm, duma2014|resolution}}.{TAIL}")
    found = await editor.hover_when_read(position)
    value = found.contents.value
    assert "Duma and Klein 2014" in value
    assert "(PDF page 1)" in value
    if found.contents.kind == types.MarkupKind.Markdown:
        assert "duma-klein-2014.pdf#page=1" in value
    assert "*" in value.split("\n\n", 1)[1]
    line = f"{text} \\citep{{salton1975vsm, duma2014resolution}}."
    marked = line[found.range.start.character : found.range.end.character]
    assert marked == "duma2014resolution"


async def test_a_part_of_a_draft_uses_the_main_files_bibliography(client):
    editor = Editor(client, "sections/embeddings.tex")
    position = editor.open(f"{COHERENCE}\\cite{{|}}.\n")
    found = await editor.complete(position)
    assert "barzilay2008coherence" in {item.label for item in found.items}


async def test_broken_input_leaves_the_server_alive(editor):
    editor.open("\\cite{\\cite[{$$\\begin{verbatim}\n\\input{|gone}\\bibliography{gone}")
    assert await editor.hover(types.Position(0, 3)) is None
    assert await editor.complete(types.Position(500, 500)) is None
