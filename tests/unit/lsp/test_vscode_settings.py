"""The VS Code extension offers the settings that the server reads, and no others."""

import json

import pytest

from pincite import __version__
from pincite.lsp.configuration import SETTINGS, Setting, read_settings
from pincite.settings import PEERS, SYSTEM_NAMES
from where import ROOT

MANIFEST = ROOT / "client-vscode" / "package.json"
#: What the extension keeps to itself.
OF_THE_EXTENSION = {"serverCommand", "interpreter", "pdfViewer", "agents", "trace.server"}
#: Where VS Code shows what other clients may not.
OTHER_DEFAULTS = {"suggestions.label": "author-year"}

pytestmark = pytest.mark.skipif(not MANIFEST.is_file(), reason="client-vscode is not here")


def _manifest():
    return json.loads(MANIFEST.read_text(encoding="utf-8"))


def _offered():
    groups = _manifest()["contributes"]["configuration"]
    named = [item for group in groups for item in group["properties"].items()]
    assert len(named) == len(dict(named)), "a setting is offered twice"
    return {name.removeprefix("pincite."): schema for name, schema in named}


def test_names_are_those_of_the_server():
    assert set(_offered()) - OF_THE_EXTENSION == {setting.name for setting in SETTINGS}
    assert set(_offered()) >= OF_THE_EXTENSION


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_defaults_are_those_of_the_server(setting: Setting):
    assert _offered()[setting.name]["default"] == OTHER_DEFAULTS.get(setting.name, setting.default)


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_values_to_choose_from_are_those_the_server_takes(setting: Setting):
    schema = _offered()[setting.name]
    of_lists = schema["type"] == "array"
    for value in schema.get("enum", schema.get("items", {}).get("enum", ())):
        assert read_settings({setting.name: [value] if of_lists else value})[1] == []
    if "enum" in schema:
        texts = schema.get("markdownEnumDescriptions")
        assert texts is None or len(texts) == len(schema["enum"])
        assert read_settings({setting.name: "none of these"})[1] != []
        missing = {"auto", "on", "off"} - set(schema["enum"])
        assert all(read_settings({setting.name: value})[1] for value in missing)


def test_closed_lists_are_complete():
    offered = _offered()
    assert offered["system"]["enum"] == list(SYSTEM_NAMES)
    assert offered["peers"]["items"]["enum"] == list(PEERS)


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_a_setting_has_a_kind_of_value_that_the_server_reads(setting: Setting, tmp_path):
    schema = _offered()[setting.name]
    (tmp_path / "there").touch()
    text = "ada@example.org" if setting.name == "email" else str(tmp_path / "there")
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    examples = {
        "boolean": True,
        "integer": 7,
        "null": None,
        "string": schema.get("enum", [text])[0],
        "array": [],
    }
    for kind in kinds:
        assert read_settings({setting.name: examples[kind]})[1] == []


def test_the_extension_and_the_server_it_carries_have_one_version():
    assert _manifest()["version"] == __version__
