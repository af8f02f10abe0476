"""Neovim, driven through its own channel as a user drives it: keys, and what is on the screen."""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from editor.documented import environment
from protocol_client import eventually

#: Neovim before it has `vim.lsp.config`, and after.
OLDER, MODERN = "older Neovim", "Neovim 0.11"


def executable(which: str) -> str:
    """Return a Neovim of that age, or skip the test."""
    candidates = [
        str(Path(sys.executable).with_name("nvim")),
        shutil.which("nvim"),
        "/usr/bin/nvim",
    ]
    for path in candidates:
        if path and Path(path).exists() and (version(path) >= (0, 11)) == (which == MODERN):
            return path
    return pytest.skip(f"{which} is not installed")


def version(path: str) -> tuple[int, ...]:
    out = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
    found = re.match(r"NVIM v(\d+)\.(\d+)", out)
    return tuple(map(int, found.groups())) if found else (0,)


class Neovim:
    """A running Neovim with a project as its current directory."""

    def __init__(self, which: str, folder: Path, project: Path) -> None:
        pynvim = pytest.importorskip("pynvim")
        self.modern = which == MODERN
        arguments = [executable(which), "--embed", "--headless", "--clean", "-n"]
        with pytest.MonkeyPatch.context() as patch:
            for name, value in environment(folder).items():
                patch.setenv(name, value)
            self.channel = pynvim.attach("child", argv=arguments)
        self.command(f"cd {project}")
        self.command("filetype on")
        beside = ",popup" if self.modern else ""
        self.command(f"set completeopt=menuone,noselect{beside} hidden")

    def command(self, command: str) -> None:
        self.channel.command(command)

    def lua(self, program: str, *arguments: object) -> object:
        return self.channel.exec_lua(program, *arguments)

    def type(self, keys: str) -> None:
        self.channel.input(keys)

    @property
    def line(self) -> str:
        return self.channel.current.line

    def open(self, name: str, servers: tuple[str, ...] = ("pincite",)) -> None:
        """Open a file as it is on disk, with no other one, and wait for the servers."""
        self.type("<Esc>")
        self.channel.funcs.setqflist([])
        self.command(f"cclose | silent! %bwipeout! | edit {name}")
        eventually(lambda: set(servers) <= set(self.attached()), f"{servers} are attached")

    def attached(self) -> list[str]:
        """Return the names of the servers of the current buffer that have answered, in order."""
        if self.modern:
            clients = "vim.lsp.get_clients({ bufnr = 0 })"
        else:
            clients = "vim.tbl_values(vim.lsp.buf_get_clients(0))"
        return self.lua(
            f"local names = {{}}; for _, c in ipairs({clients}) do"
            " if c.server_capabilities.hoverProvider then table.insert(names, c.name) end end;"
            " return names"
        )

    def put(self, marked: str) -> None:
        """Write a line under the introduction's heading, and put the cursor at the ``|``."""
        self.command("call cursor(1, 1) | call search('\\\\label{sec:introduction}')")
        before, after = marked.split("|")
        row = self.channel.funcs.line(".")
        self.channel.funcs.append(row, before + after)
        self.channel.funcs.cursor(row + 1, len(before.encode()) + 1)

    def suggestions(self) -> list[dict[str, str]]:
        return self.channel.funcs.complete_info(["items"])["items"]

    def beside(self) -> str:
        """Return what is shown beside the list of suggestions."""
        return self.lua(
            "local info = vim.fn.complete_info({ 'selected', 'preview_bufnr' });"
            " if not info.preview_bufnr then return '' end;"
            " local lines = vim.api.nvim_buf_get_lines(info.preview_bufnr, 0, -1, false);"
            " return table.concat(lines, '\\n')"
        )

    def hover(self) -> str:
        """Return what the float shows."""
        self.lua("vim.lsp.buf.hover()")
        time.sleep(0.3)
        # Where two hovers were asked for, the older float may close in between.
        text = """
            for _, window in ipairs(vim.api.nvim_list_wins()) do
              if vim.api.nvim_win_get_config(window).relative ~= '' then
                local lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false)
                vim.api.nvim_win_close(window, true)
                return table.concat(lines, '\\n')
              end
            end
            return ''
        """
        return self.lua(text)

    def ask(self, method: str, server: str = "pincite") -> object:
        """Return a server's answer to a request about the place of the cursor."""
        program = """
            local method, name = ...
            local params = vim.lsp.util.make_position_params(0, 'utf-16')
            params.range = { start = params.position, ['end'] = params.position }
            params.context = { diagnostics = {}, includeDeclaration = true }
            for id, answer in pairs(vim.lsp.buf_request_sync(0, method, params, 20000) or {}) do
              if vim.lsp.get_client_by_id(id).name == name then return answer.result end
            end
        """
        return self.lua(program, method, server)

    def quit(self) -> None:
        with contextlib.suppress(OSError, EOFError):
            self.command("qa!")
