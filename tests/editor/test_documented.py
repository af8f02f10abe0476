"""The configurations of docs/how-to/editors for editors that do not run here: form, and our settings."""

import json
import sys

import pytest

from editor.documented import configuration
from pincite.lsp.configuration import read_settings

pytestmark = pytest.mark.slow

if sys.version_info >= (3, 11):
    import tomllib
else:
    tomllib = pytest.importorskip("tomli")


def from_json(heading, *names):
    """Return the content of the block of an editor under some names, one in the other."""
    value = json.loads(configuration(heading, "json"))
    for name in names:
        value = value[name]
    return value


def helix():
    return tomllib.loads(configuration("Helix", "toml"))


def test_helix_starts_the_server_first_for_drafts_and_bibliographies():
    server = helix()["language-server"]["pincite"]
    assert (server["command"], server["args"]) == ("pincite", ["serve"])
    names = [language["name"] for language in helix()["language"]]
    assert names == ["latex", "bibtex", "markdown", "typst"]
    assert all(language["language-servers"][0] == "pincite" for language in helix()["language"])


@pytest.mark.parametrize(
    ("heading", "names"),
    [("Sublime Text", ("clients", "pincite")), ("Kate", ("servers", "latex"))],
)
def test_sublime_text_and_kate_start_the_server(heading, names):
    assert from_json(heading, *names)["command"] == ["pincite", "serve"]


@pytest.mark.parametrize(
    "options",
    [
        helix()["language-server"]["pincite"]["config"],
        from_json("VS Code"),
        from_json("Sublime Text", "clients", "pincite", "initializationOptions"),
        from_json("Kate", "servers", "latex", "initializationOptions"),
    ],
    ids=["Helix", "VS Code", "Sublime Text", "Kate"],
)
def test_the_server_knows_the_options(options):
    _, problems = read_settings(options)
    assert options
    assert problems == []
