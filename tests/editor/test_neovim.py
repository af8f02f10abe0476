"""Neovim's own LSP client with the configuration that the README gives, typed in by a user."""

import contextlib
import os
import re
import shutil
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
SENTENCE = "Which entities a text mentions in which role tells coherent texts from shuffled ones"


def neovim() -> str:
    beside = Path(sys.executable).with_name("nvim")
    found = str(beside) if beside.exists() else shutil.which("nvim")
    if not found:
        pytest.skip("Neovim is not installed")
    return found


def readme_configuration() -> str:
    blocks = re.findall(r"```lua\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    assert len(blocks) == 1, "the README gives one configuration for Neovim"
    assert len(blocks[0].strip().splitlines()) == 5
    return blocks[0]


def eventually(condition, what):
    for _ in range(600):
        if result := condition():
            return result
        time.sleep(0.05)
    raise AssertionError(f"never happened: {what}")


@pytest.fixture(name="nvim")
def running_neovim(tmp_path, monkeypatch):
    pynvim = pytest.importorskip("pynvim")
    bin_folder = str(Path(sys.executable).parent)
    monkeypatch.setenv("PATH", os.pathsep.join([bin_folder, os.environ["PATH"]]))
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "PINCITE_CACHE"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    shutil.copytree(EXAMPLES, tmp_path / "project")
    (tmp_path / "project" / ".git").mkdir()
    command = [neovim(), "--embed", "--headless", "--clean", "-n"]
    nvim = pynvim.attach("child", argv=command)
    yield nvim
    with contextlib.suppress(OSError, EOFError):
        nvim.command("qa!")


def configure(nvim) -> bool:
    """Apply the README's configuration; Neovim before 0.11 gets the same by hand."""
    modern = nvim.funcs.has("nvim-0.11") == 1
    nvim.command("filetype on")
    nvim.command("set completeopt=menuone,noselect")
    if modern:
        nvim.exec_lua(readme_configuration())
    return modern


def attach(nvim, modern: bool) -> None:
    if not modern:
        nvim.exec_lua(
            "vim.bo.omnifunc = 'v:lua.vim.lsp.omnifunc'\n"
            "local id = vim.lsp.start_client({ name = 'pincite', cmd = { 'pincite', 'serve' },"
            " root_dir = vim.fn.getcwd() })\n"
            "vim.lsp.buf_attach_client(0, id)"
        )
    clients = "vim.lsp.get_clients" if modern else "vim.lsp.get_active_clients"
    ready = (
        f"local c = {clients}()[1]; return c ~= nil and c.server_capabilities.hoverProvider ~= nil"
    )
    eventually(lambda: nvim.exec_lua(ready), "the server is attached")
    eventually(lambda: nvim.eval("&omnifunc") != "", "completion is set")


def test_a_user_types_cites_and_hovers(nvim, tmp_path):
    nvim.command(f"cd {tmp_path / 'project'}")
    modern = configure(nvim)
    nvim.command("edit survey.tex")
    assert nvim.eval("&filetype") in ("tex", "plaintex")
    attach(nvim, modern)

    # Completion: open a line after the introduction's heading and type a citation there.
    nvim.command("call search('\\\\label{sec:introduction}')")
    nvim.input(f"o{SENTENCE} \\cite{{<C-x><C-o>")

    def first_suggestion():
        """The first list may come from titles alone; once the papers are read, it is right."""
        items = nvim.funcs.complete_info(["items"])["items"]
        if items and items[0]["word"] != "barzilay2008coherence":
            nvim.input("<C-e><C-x><C-o>")
            time.sleep(0.3)
            return None
        return items

    menu = eventually(first_suggestion, "the right work is suggested first")
    assert len(menu) > 10
    nvim.input("<C-e>barzi<C-x><C-o>")
    eventually(lambda: len(nvim.funcs.complete_info(["items"])["items"]) == 1, "typing filters")
    nvim.input("<C-n><C-y>}.")
    eventually(lambda: nvim.current.line.endswith("}."), "the key is inserted")
    assert nvim.current.line == f"{SENTENCE} \\cite{{barzilay2008coherence}}."

    # Hover: on the key just inserted.
    nvim.input("<Esc>F{l")

    def hovered():
        nvim.exec_lua("vim.lsp.buf.hover()")
        time.sleep(0.3)
        floats = [w for w in nvim.windows if nvim.api.win_get_config(w)["relative"]]
        text = "\n".join(nvim.api.win_get_buf(floats[0])[:]) if floats else ""
        return (
            text if "Barzilay and Lapata 2008" in text and "still being read" not in text else None
        )

    text = eventually(hovered, "the hover shows evidence")
    assert "Modeling Local Coherence" in text
    assert "coheren" in text
