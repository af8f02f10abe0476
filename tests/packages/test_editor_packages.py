"""What `packaging/` has for editors: run in Neovim and Emacs, elsewhere its form and our settings."""

import json
import shutil
import subprocess
import sys

import pytest

from editor.documented import example_project
from editor.emacs import answers_of
from editor.neovim import MODERN, Neovim
from pincite.lsp.configuration import read_settings
from protocol_client import eventually
from where import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PACKAGING = ROOT / "packaging"
EMACS_PACKAGE = PACKAGING / "emacs" / "pincite.el"
SERVED = {"latex", "bibtex", "markdown", "quarto", "rmd", "typst"}
SESSIONS = ROOT / "tests" / "editor"
IN_EMACS = f"""
(setq pincite-options '(:library (:drafts [])))
(load "{EMACS_PACKAGE}")
(pincite-NAME-setup)
(dolist (hook '(latex-mode-hook LaTeX-mode-hook markdown-mode-hook typst-ts-mode-hook))
  (add-hook hook #'ENSURE))
(add-to-list 'auto-mode-alist '("\\\\.[qR]md\\\\'" . markdown-mode))
"""


@pytest.mark.slow
def test_neovim_finds_the_server_on_its_path(tmp_path):
    neovim = Neovim(MODERN, tmp_path, example_project(tmp_path))
    neovim.command(f"set runtimepath^={PACKAGING / 'nvim-lspconfig'}")
    neovim.lua("vim.lsp.enable('pincite')")
    neovim.open("survey.tex")
    eventually(lambda: "Duma and Klein" in over_a_citation(neovim), "the hover shows the work")
    neovim.quit()


def over_a_citation(neovim):
    neovim.command("call search('duma2014resolution')")
    return neovim.hover()


@pytest.mark.slow
def test_emacs_compiles_the_package_without_warnings(tmp_path):
    if (emacs := shutil.which("emacs")) is None:
        pytest.skip("Emacs is not installed")
    copy = shutil.copy(EMACS_PACKAGE, tmp_path)
    strict = "(setq byte-compile-error-on-warn t)"
    done = subprocess.run(
        [emacs, "--batch", "-Q", "--eval", strict, "-f", "batch-byte-compile", copy],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
def test_eglot_starts_what_the_package_names(tmp_path):
    configuration = IN_EMACS.replace("NAME", "eglot").replace("ENSURE", "eglot-ensure")
    answers = answers_of(SESSIONS / "eglot_session.el", configuration, "eglot", tmp_path)
    assert answers["connected"] is True
    assert answers["candidates"][0] == "barzilay2008coherence"


@pytest.mark.slow
def test_lsp_mode_starts_what_the_package_names(tmp_path):
    configuration = IN_EMACS.replace("NAME", "lsp").replace("ENSURE", "lsp-deferred")
    answers = answers_of(SESSIONS / "lsp_mode_session.el", configuration, "lsp-mode", tmp_path)
    assert (answers["servers"], answers["typst servers"]) == (["pincite"], ["pincite"])
    assert answers["candidates"][0][0] == "barzilay2008coherence"


def test_helix_gets_a_server_and_four_languages():
    written = tomllib.loads((PACKAGING / "helix/languages.toml").read_text("utf-8"))
    server = written["language-server"]["pincite"]
    assert (server["command"], server["args"]) == ("pincite", ["serve"])
    languages = {each["name"]: each["language-servers"][0] for each in written["language"]}
    assert languages == dict.fromkeys(("latex", "bibtex", "markdown", "typst"), "pincite")


@pytest.mark.parametrize(
    ("name", "group"),
    [
        ("sublime-text/LSP-pincite.sublime-settings", "initializationOptions"),
        ("lsp4ij/pincite/settings.json", "pincite"),
    ],
)
def test_the_server_knows_the_settings(name, group):
    settings = json.loads((PACKAGING / name).read_text("utf-8"))[group]
    assert settings
    assert read_settings(settings)[1] == []


def test_zed_gets_every_language_of_the_server():
    extension = tomllib.loads((PACKAGING / "zed/extension.toml").read_text("utf-8"))
    server = extension["language_servers"]["pincite"]
    assert set(server["language_ids"]) == set(server["languages"])
    assert set(server["language_ids"].values()) == SERVED
    assert '"serve"' in (PACKAGING / "zed/src/lib.rs").read_text("utf-8")


def test_jetbrains_gets_every_language_of_the_server():
    template = json.loads((PACKAGING / "lsp4ij/pincite/template.json").read_text("utf-8"))
    assert "pincite serve" in template["programArgs"]["default"]
    languages = {each["languageId"] for each in template["fileTypeMappings"]}
    assert languages == SERVED
