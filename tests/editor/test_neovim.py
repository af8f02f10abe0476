"""Neovim's own LSP client with the configurations of docs/how-to/editors."""

import sys
import time
from pathlib import Path

import pytest

from editor.documented import configuration, example_project
from editor.neovim import MODERN, OLDER, Neovim
from protocol_client import eventually

pytestmark = pytest.mark.slow

SENTENCE = "Which entities a text mentions in which role tells coherent texts from shuffled ones"
KEY = "barzilay2008coherence"
CITED = f"{SENTENCE} \\cite{{barz|ilay2008coherence}}."
STANDIN = Path(__file__).with_name("standin_texlab.py")


def shortest_configuration() -> str:
    written = configuration("In five lines", "lua")
    assert len(written.strip().splitlines()) == 5
    return written


def started(which, folder, *programs):
    """Return a Neovim with configurations, each an answer to `init.lua`."""
    neovim = Neovim(which, folder, example_project(folder))
    for program in programs:
        neovim.lua(program)
    return neovim


@pytest.fixture(scope="module", params=[MODERN, OLDER])
def neovim(request, tmp_path_factory):
    heading = "0.11 and newer" if request.param == MODERN else "0.7 to 0.10"
    folder = tmp_path_factory.mktemp("neovim")
    programs = [configuration(heading, "lua")]
    if request.param == OLDER:
        programs.append(configuration("Typst", "lua"))
    running = started(request.param, folder, *programs)
    yield running
    running.quit()


@pytest.fixture(name="modern")
def neovim_that_is_modern(neovim):
    if not neovim.modern:
        pytest.skip("this Neovim cannot show it")
    return neovim


def written(neovim, marked, servers=("pincite",)):
    """Open the draft and write a line into it, with the cursor where it is marked."""
    neovim.open("survey.tex", servers)
    neovim.put(marked)


def suggestions_once_indexed(neovim):
    """The first list may come from titles alone; once the papers are read, it is right."""

    def first():
        items = neovim.suggestions()
        if items and items[0]["word"] != KEY:
            neovim.type("<C-e><C-x><C-o>")
            time.sleep(0.3)
            return None
        return items

    return eventually(first, "the right work is suggested first")


def hover_once_indexed(neovim):
    def hovered():
        text = neovim.hover()
        return (
            text if "Barzilay and Lapata 2008" in text and "still being read" not in text else None
        )

    return eventually(hovered, "the hover shows evidence")


def test_a_user_types_cites_and_hovers(tmp_path):
    """Five lines are enough."""
    neovim = started(MODERN, tmp_path, shortest_configuration())
    neovim.open("survey.tex")
    eventually(lambda: neovim.channel.eval("&omnifunc") != "", "completion is set")

    neovim.command("call search('\\\\label{sec:introduction}')")
    neovim.type(f"o{SENTENCE} \\cite{{<C-x><C-o>")
    assert len(suggestions_once_indexed(neovim)) > 10
    neovim.type("<C-e>barzi<C-x><C-o>")
    eventually(lambda: len(neovim.suggestions()) == 1, "typing filters")
    neovim.type("<C-n>")
    eventually(lambda: "Barzilay and Lapata 2008" in neovim.beside(), "the evidence is beside it")
    assert "coheren" in neovim.beside()
    neovim.type("<C-y>}.")
    eventually(lambda: neovim.line.endswith("}."), "the key is inserted")
    assert neovim.line == f"{SENTENCE} \\cite{{{KEY}}}."

    neovim.type("<Esc>F{l")
    assert "coheren" in hover_once_indexed(neovim)
    neovim.quit()


def test_suggestions_open_where_a_citation_is_typed(modern):
    modern.open("survey.tex")
    modern.command("call search('\\\\label{sec:introduction}')")
    modern.type(f"o{SENTENCE} \\cite{{")
    eventually(modern.suggestions, "the list opens by itself")
    suggestions_once_indexed(modern)


def test_the_list_can_be_asked_for(neovim):
    neovim.open("survey.tex")
    neovim.command("call search('\\\\label{sec:introduction}')")
    neovim.type(f"o{SENTENCE} \\cite{{<C-e><C-x><C-o>")
    assert len(suggestions_once_indexed(neovim)) > 10


def test_hover_shows_evidence(neovim):
    written(neovim, CITED)
    assert "coheren" in hover_once_indexed(neovim)


def test_definition_jumps_to_the_entry(neovim):
    written(neovim, CITED)
    neovim.lua("vim.lsp.buf.definition()")
    eventually(
        lambda: neovim.channel.current.buffer.name.endswith("references.bib"), "the .bib is shown"
    )
    assert KEY in neovim.line


def test_references_list_the_citations(neovim):
    written(neovim, CITED)
    neovim.lua("vim.lsp.buf.references()")
    found = eventually(lambda: neovim.channel.funcs.getqflist(), "the citations are listed")
    assert f"{SENTENCE} \\cite{{{KEY}}}." in [item["text"] for item in found]


def test_a_key_is_renamed_in_draft_and_bibliography(neovim):
    written(neovim, CITED)
    neovim.lua("vim.lsp.buf.rename('lapata2008')")
    eventually(lambda: "\\cite{lapata2008}" in neovim.line, "the citation is renamed")
    neovim.command("edit references.bib")
    text = neovim.channel.current.buffer[:]
    assert any("{lapata2008," in line for line in text)
    assert not any(f"{{{KEY}," in line for line in text)


def test_a_key_is_renamed_in_a_bibliography_in_latin_1_once_it_is_open(neovim):
    """Neovim finds out what a file is in that it opens, but makes no edit before that."""
    folder = Path(neovim.channel.funcs.getcwd())
    entry = "@book{agern, author = {Ägern, Jörg}, title = {Flüsse}}\n"
    (folder / "old.bib").write_bytes(entry.encode("latin-1"))
    (folder / "old.tex").write_text("Rivers \\cite{agern}.\n\\bibliography{old}\n")
    neovim.open("old.tex")
    neovim.command("call search('agern')")
    neovim.lua("vim.lsp.buf.rename('new1990')")
    eventually(
        lambda: "old.bib is not in UTF-8" in neovim.channel.command_output("messages"),
        "it is refused",
    )
    assert neovim.line == "Rivers \\cite{agern}."
    assert neovim.channel.funcs.bufexists("old.bib") == 0

    neovim.command("edit old.bib")
    eventually(lambda: "pincite" in neovim.attached(), "the server has the bibliography")
    neovim.command("buffer old.tex | call cursor(1, 1) | call search('agern')")
    neovim.lua("vim.lsp.buf.rename('new1990')")
    eventually(lambda: "\\cite{new1990}" in neovim.line, "the citation is renamed")
    neovim.command("wall")
    assert (folder / "old.bib").read_bytes() == entry.replace("agern", "new1990").encode("latin-1")
    for name in ("old.tex", "old.bib"):
        (folder / name).unlink()


def test_an_undefined_key_is_reported(neovim):
    written(neovim, "Nobody knows \\cite{nosuchkey|}.")
    messages = "return vim.tbl_map(function(d) return d.message end, vim.diagnostic.get(0))"
    eventually(lambda: any("nosuchkey" in one for one in neovim.lua(messages)), "it is reported")


def choose(neovim, title, done):
    """Take an action; the papers may still be read when it is first looked for."""

    def chosen():
        neovim.lua(
            "local title = ...; vim.lsp.buf.code_action({ apply = true,"
            " filter = function(action) return vim.startswith(action.title, title) end })",
            title,
        )
        time.sleep(0.3)
        return done()

    eventually(chosen, title)


def test_an_action_fills_a_placeholder(modern):
    written(modern, f"{SENTENCE} \\cite{{|}}.")
    choose(modern, "Cite Barzilay", lambda: KEY in modern.line)
    assert modern.line == f"{SENTENCE} \\cite{{{KEY}}}."


def test_an_action_pins_the_page_of_a_supporting_sentence(modern):
    text = "The reference is hidden and the method gives it back from the paper's own list"
    written(modern, f"{text} \\citep{{duma2014|resolution}}.")
    choose(modern, "Pin p. 361", lambda: "361" in modern.line)
    assert modern.line == f"{text} \\citep[p.~361]{{duma2014resolution}}."


@pytest.mark.parametrize(
    ("source", "name", "line"),
    [("notes.qmd", "paper.md", "$"), ("notes.typ", "notes.typ", "/= What can be compared")],
)
def test_in_other_markups_a_key_is_completed_and_the_list_opens_at_the_sign(
    neovim, source, name, line
):
    project = Path(neovim.channel.funcs.getcwd())
    (project / name).write_text((project / source).read_text("utf-8"), "utf-8")
    neovim.open(name)
    before = "How far one document is from another is measured by"
    neovim.command(line)
    neovim.type(f"o<CR>{before} @kus<C-e><C-x><C-o>")
    wanted = ["kusner2015wmd"]
    eventually(
        lambda: [i["word"].lstrip("@") for i in neovim.suggestions()] == wanted, "it is found"
    )
    neovim.type("<C-n><C-y><Esc>")
    eventually(lambda: neovim.line == f"{before} @kusner2015wmd", "the key is inserted")
    if neovim.modern:
        neovim.type("o<CR>Words travel, as measured by @")
        eventually(lambda: len(neovim.suggestions()) > 10, "the list opens by itself")


def test_the_server_ends_as_asked(tmp_path):
    status = tmp_path / "status"
    noted = (
        "vim.lsp.config('pincite', { on_exit = function(...) local file = "
        f"io.open('{status}', 'w'); file:write(table.concat({{ ... }}, ' ', 1, 2)); file:close() end }})"
    )
    neovim = started(MODERN, tmp_path, configuration("0.11 and newer", "lua"), noted)
    neovim.open("survey.tex")
    neovim.lua("vim.lsp.stop_client(vim.lsp.get_clients())")
    assert (
        eventually(lambda: status.exists() and status.read_text(), "the server has ended") == "0 0"
    )
    neovim.quit()


def beside_a_server(name, folder):
    """Return a Neovim with the page's configuration for both; the stand-in takes the other's place."""
    standin = (
        f"vim.lsp.config('{name}', {{ cmd = {{ '{sys.executable}', '{STANDIN}' }},"
        " filetypes = { 'tex', 'bib' }, root_markers = { '.git' } })"
    )
    first = configuration("0.11 and newer", "lua")
    both = configuration("0.11 and newer", "lua", about=f"peers = {{ '{name}' }}")
    return started(MODERN, folder, standin, first, both)


def servers_of_suggestions(neovim):
    """Return whose suggestions are in the list, from the top."""
    neovim.command("call search('\\\\label{sec:introduction}')")
    neovim.type(f"o{SENTENCE} \\cite{{<C-e><C-x><C-o>")
    suggestions_once_indexed(neovim)
    clients = [item["user_data"]["nvim"]["lsp"]["client_id"] for item in neovim.suggestions()]
    return [neovim.lua("return vim.lsp.get_client_by_id(...).name", client) for client in clients]


@pytest.mark.parametrize("name", ["texlab", "digestif"])
def test_beside_another_server_our_suggestions_come_first(tmp_path, name):
    neovim = beside_a_server(name, tmp_path)
    neovim.open("survey.tex", ("pincite", name))
    servers = servers_of_suggestions(neovim)
    ours = servers.count("pincite")
    assert servers == ["pincite"] * ours + [name] * (len(servers) - ours)
    assert 10 < ours < len(servers) - 10
    neovim.quit()


BOTH = ("pincite", "texlab")


@pytest.fixture(scope="module", name="beside")
def neovim_with_a_second_server(tmp_path_factory):
    running = beside_a_server("texlab", tmp_path_factory.mktemp("beside"))
    yield running
    running.quit()


def test_beside_texlab_one_hover_has_evidence(beside):
    written(beside, CITED, BOTH)
    text = hover_once_indexed(beside)
    assert text.count("Barzilay and Lapata 2008") == 1
    assert text.count("Modeling Local Coherence") == 1, "the title is the other server's to show"


def test_beside_texlab_a_definition_is_one_jump(beside):
    written(beside, CITED, BOTH)
    beside.lua("vim.lsp.buf.definition()")
    eventually(
        lambda: beside.channel.current.buffer.name.endswith("references.bib"), "the .bib is shown"
    )
    assert beside.channel.funcs.getqflist() == []
