"""Settings as clients give them: read, wrong, documented, and changed while the server runs."""

import json
import re
from dataclasses import replace
from functools import partial
from operator import attrgetter
from pathlib import Path

import pytest

from pincite.lsp.configuration import DEFAULTS, SETTINGS, read_settings
from pincite.lsp.server import Server
from pincite.settings import PEERS, EditorSettings
from protocol_client import eventually

DOCUMENTED = Path(__file__).resolve().parents[2] / "docs" / "reference" / "settings.md"
ASKS = {"workspace": {"configuration": True}}
SYMBOLS = {"bibliographies": ["more.bib"]}


def messages(problems):
    return [problem.message for problem in problems]


ARRIVES = {
    "library.folders": (["papers", "/srv/papers"], (Path("/home/papers"), Path("/srv/papers"))),
    "library.baseFolders": (["zotero"], (Path("/home/zotero"),)),
    "library.drafts": (["old"], (Path("/home/old"),)),
    "library.indexMegabytes": (7, 7),
    "bibliographies": (["more.bib"], (Path("/home/more.bib"),)),
    "globalBibliographies": (["all.bib"], (Path("/home/all.bib"),)),
    "zotero": ("off", "off"),
    "enrich": ("off", "off"),
    "searchLiterature": (True, True),
    "retractions": (__file__, Path(__file__)),
    "email": ("ada@example.org", "ada@example.org"),
    "ranker": ("mixed", "mixed"),
    "system": ("bm25", "bm25"),
    "vectors": (__file__, Path(__file__)),
    "model": ("trained", Path("/home/trained")),
    "suggestions.label": ("author-year", "author-year"),
    **dict.fromkeys(("definition", "references", "rename"), ("on", "on")),
    **dict.fromkeys(("workspaceSymbols", "documentHighlight", "diagnostics.enabled"), (False, "off")),
    **dict.fromkeys(("documentLinks", "inlayHints"), (True, "on")),
    **dict.fromkeys((f"diagnostics.{name}" for name in ("weakSupport", "missingCitations", "unusedEntries", "wrongReferences")), (True, True)),
    "peers": (["texlab", "digestif"], frozenset({"texlab", "digestif"})),
}  # fmt: skip


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_a_setting_arrives_in_its_field(setting):
    given, expected = ARRIVES[setting.name]
    group, _, name = setting.name.rpartition(".")
    for options in ({setting.name: given}, {group: {name: given}} if group else {name: given}):
        for wrapped in (options, {"pincite": options}):
            settings, problems = read_settings(wrapped, Path("/home"))
            assert (attrgetter(setting.field)(settings), problems) == (expected, [])
            assert settings != DEFAULTS


@pytest.mark.parametrize("options", [None, {}, {"pincite": None}, {"library": None, "system": "", "vectors": None}])  # fmt: skip
def test_what_is_left_out_has_its_default(options):
    assert read_settings(options) == (DEFAULTS, [])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (5, "the settings must be an object"),
        ([], "the settings must be an object"),
        ({"pincite": "x"}, "the settings must be an object"),
        ({"library": 3}, "pincite.library must be an object"),
        ({"library": {"folders": "papers"}}, "pincite.library.folders must be a list of paths"),
        ({"bibliographies": [1]}, "pincite.bibliographies must be a list of paths"),
        ({"bibliographies": ["a\0b"]}, "pincite.bibliographies must be a list of paths"),
        ({"globalBibliographies": {}}, "pincite.globalBibliographies must be a list of paths"),
        ({"vectors": "gone"}, "pincite.vectors must be a file that exists"),
        ({"vectors": "x" * 5000}, "pincite.vectors must be a file that exists"),
        ({"model": []}, "pincite.model must be a path"),
        ({"zotero": "on"}, 'pincite.zotero must be "auto" or "off"'),
        ({"zotero": ["off"]}, 'pincite.zotero must be "auto" or "off"'),
        ({"definition": "yes"}, 'pincite.definition must be "auto", "on" or "off"'),
        ({"rename": ["on"]}, 'pincite.rename must be "auto", "on" or "off"'),
        ({"inlayHints": "auto"}, 'pincite.inlayHints must be "on" or "off"'),
        ({"diagnostics": {"weakSupport": "on"}}, "pincite.diagnostics.weakSupport must be true or false"),
        ({"diagnostics": "off"}, "pincite.diagnostics must be an object"),
        ({"peers": ["texlab", "vimtex"]}, "pincite.peers must be a list with any of texlab, latex-workshop, digestif, quarto, pandoc-citer, tinymist"),
        ({"peers": [{}]}, "pincite.peers must be a list with any of texlab, latex-workshop, digestif, quarto, pandoc-citer, tinymist"),
    ],
)  # fmt: skip
def test_a_wrong_value_is_reported_and_replaced_by_its_default(options, message):
    assert messages(read_settings(options)[1]) == [message]
    assert read_settings(options)[0] == DEFAULTS


@pytest.mark.parametrize("system", ["bm-25", ["bm25"], 3])
def test_a_system_that_does_not_exist_is_reported_with_those_that_do(system):
    settings, problems = read_settings({"system": system, "rename": "off"})
    assert messages(problems)[0].startswith("pincite.system must be one of fused, ")
    assert settings == replace(DEFAULTS, editor=EditorSettings(rename="off"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"inlayhints": "on"}, "unknown setting “pincite.inlayhints”; the nearest is “pincite.inlayHints”"),
        ({"library": {"folder": []}}, "unknown setting “pincite.library.folder”; the nearest is “pincite.library.folders”"),
        ({"biblographies": []}, "unknown setting “pincite.biblographies”; the nearest is “pincite.bibliographies”"),
        ({"xyzzy": {"build": 1}}, "unknown setting “pincite.xyzzy”"),
    ],
)  # fmt: skip
def test_an_unknown_setting_is_reported_with_the_nearest_known_one(options, message):
    settings, (problem,) = read_settings(options)
    assert (settings, problem.message, problem.unknown) == (DEFAULTS, message, True)


async def test_the_last_word_counts_setting_by_setting():
    server = Server()
    configure = server.settings.configure
    configure("initialize", {"rename": "off", "diagnostics": {"weakSupport": True}})
    configure("asked", {"rename": "on", "diagnostics": {"enabled": "off"}})
    configure("pushed", {"pincite": {"rename": "auto", "definition": "off"}})
    expected = EditorSettings(rename="on", definition="off", diagnostics="off", weak_support=True)
    assert server.session.settings.editor == expected
    # What the client no longer sends, it no longer wants.
    configure("asked", None)
    assert server.session.settings.editor.rename == "auto"


def _rows(columns):
    lines = [line for line in DOCUMENTED.read_text().splitlines() if line.startswith("| `")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in rows if len(row) == columns]


def test_the_table_of_settings_is_that_of_the_code():
    rows = [(name.strip("`"), json.loads(default.strip("`"))) for name, _, default, _ in _rows(4)]
    assert rows == [(setting.name, setting.default) for setting in SETTINGS]
    for setting, (_, values, _, does) in zip(SETTINGS, _rows(4), strict=True):
        assert does
        if setting.name != "system":
            assert values == setting.expected


def test_the_table_of_peers_is_that_of_the_code():
    fields = {setting.name.removesuffix(".enabled"): setting.field for setting in SETTINGS}
    documented = {
        peer.strip("`"): {fields[name].removeprefix("editor.") for name in re.findall("`(.*?)`", does)}
        for peer, does in _rows(2)
    }  # fmt: skip
    assert documented == {name: provided for name, (_, provided) in PEERS.items()}


def test_the_example_of_the_documentation_has_nothing_wrong():
    (example,) = re.findall(r"```json\n(.*?)```", DOCUMENTED.read_text(), re.S)
    assert read_settings(json.loads(example))[1] == []


@pytest.fixture(name="start")
def clients(tmp_path, start_in):
    (tmp_path / "refs.bib").write_text("@misc{one, title={Words}}\n")
    (tmp_path / "more.bib").write_text("@misc{two, title={More words}}\n")
    return partial(start_in, tmp_path)


def push(client, settings):
    client.notify("workspace/didChangeConfiguration", {"settings": settings})


def shown(client):
    return [sent["message"] for sent in client.sent("window/showMessage")]


def test_what_is_pushed_takes_effect_without_a_restart(start, tmp_path):
    client, draft = start(options={"rename": "off"}), tmp_path / "main.tex"
    client.open(draft)
    assert client.labels(draft) == {"one"}
    client.configure(**SYMBOLS)
    assert client.labels(draft) == {"one", "two"}
    client.configure()
    assert client.labels(draft) == {"one"}


def test_the_settings_of_other_servers_are_none_of_our_business(start, tmp_path):
    client, draft = start(options=SYMBOLS), tmp_path / "main.tex"
    client.open(draft)
    for settings in (None, [], 5, {}, {"texlab": SYMBOLS}, SYMBOLS):
        push(client, settings)
        assert client.labels(draft) == {"one", "two"}
    assert shown(client) == []


def test_a_client_that_can_be_asked_is_asked_and_has_the_last_word(start, tmp_path):
    sent = [{"bibliographies": ["more.bib"], "peers": ["texlab"]}]
    client = start(
        options={"bibliographies": []},
        capabilities=ASKS,
        replies={"workspace/configuration": lambda _params: sent},
    )
    draft = tmp_path / "main.tex"
    client.open(draft)
    asked = client.wait_for("workspace/configuration")
    assert asked == {"items": [{"section": "pincite"}]}
    assert client.labels(draft) == {"one", "two"}
    sent[0] = {"bibliographies": []}
    push(client, None)
    client.wait_for("workspace/configuration")
    assert client.labels(draft) == {"one"}


def test_of_a_client_that_answers_nonsense_the_earlier_settings_stay(start, tmp_path):
    sent = [None]
    replies = {"workspace/configuration": lambda _: sent[0]}
    client = start(options=SYMBOLS, capabilities=ASKS, replies=replies)
    draft = tmp_path / "main.tex"
    client.open(draft)
    client.wait_for("workspace/configuration")
    for sent[0] in (None, [], [None], "x", {"pincite": 1}, [[1]]):
        push(client, None)
        client.wait_for("workspace/configuration")
        assert client.labels(draft) == {"one", "two"}


def test_a_client_that_never_answers_is_not_waited_for(start, tmp_path):
    client, draft = start(options=SYMBOLS, capabilities=ASKS), tmp_path / "main.tex"
    client.wait_for("workspace/configuration")
    client.open(draft)
    assert client.labels(draft) == {"one", "two"}


def test_a_client_that_reports_changes_only_when_asked_to_is_asked_to(start):
    capabilities = {"workspace": {"didChangeConfiguration": {"dynamicRegistration": True}}}
    client = start(capabilities=capabilities)
    (registration,) = client.wait_for("client/registerCapability")["registrations"]
    assert registration["method"] == "workspace/didChangeConfiguration"
    assert registration["registerOptions"] == {"section": "pincite"}


def test_wrong_settings_are_reported_once_however_often_they_are_sent(start, tmp_path):
    wrong = {"rename": "yes", "renames": "on", **SYMBOLS}
    client, draft = start(options=wrong), tmp_path / "main.tex"
    client.open(draft)
    client.configure(**wrong)
    assert client.labels(draft) == {"one", "two"}
    eventually(lambda: len(shown(client)) == 1, "the first is shown")
    client.configure(**wrong, definition=3)
    eventually(lambda: len(shown(client)) == 2, "the second is shown")
    assert shown(client) == [
        'Pincite: pincite.rename must be "auto", "on" or "off". Defaults are used instead.',
        'Pincite: pincite.definition must be "auto", "on" or "off". Defaults are used instead.',
    ]
    client.stop()
    log = client.process.stderr.read().decode()
    assert log.count("unknown setting “pincite.renames”; the nearest is “pincite.rename”") == 1


def test_a_client_shows_again_what_the_settings_change(start):
    refreshes = {"refreshSupport": True}
    client = start(capabilities={"workspace": {"inlayHint": refreshes, "diagnostics": refreshes}})
    client.configure(inlayHints="on")
    client.wait_for("workspace/inlayHint/refresh")
    client.wait_for("workspace/diagnostic/refresh")


def wrong(client):
    """Return the next settings that are reported as wrong."""
    return client.wait_for("pincite/wrongSettings")["settings"]


def test_clients_that_show_wrong_settings_get_all_of_them_and_no_messages(start, tmp_path):
    client = start(capabilities={"experimental": {"pinciteWrongSettings": True}})
    client.configure(library={"folders": ["gone"]}, rename="yes")
    gone = str(tmp_path / "gone")
    first, second = wrong(client)
    assert tuple(first.values()) == ("pincite.rename", "yes", 'must be "auto", "on" or "off"')
    assert second == {
        "setting": "pincite.library.folders",
        "value": gone,
        "problem": "does not exist",
    }
    client.configure(library={"folders": ["gone"]})
    assert wrong(client) == [second]
    (tmp_path / "gone").mkdir()
    client.report_changed(tmp_path / "gone", kind=1)
    assert wrong(client) == []
    assert shown(client) == []


def test_a_missing_system_is_reported_once_papers_are_read(start, tmp_path):
    client = start(capabilities={"experimental": {"pinciteWrongSettings": True}})
    client.configure(system="citret")
    client.open(tmp_path / "main.tex")
    # The papers may be read before the list is answered, so nothing waits for the answer.
    client.ask("textDocument/completion", client.at(tmp_path / "main.tex"))
    (problem,) = wrong(client)
    assert (problem["setting"], problem["value"]) == ("pincite.system", "citret")
    assert problem["problem"].startswith("cannot be used: ")
    client.configure()
    client.ask("textDocument/completion", client.at(tmp_path / "main.tex"))
    assert wrong(client) == []


def test_other_clients_get_a_message_for_each_path_that_does_not_exist(start, tmp_path):
    client = start(options={"library": {"folders": ["gone"]}})
    client.wait_for("window/showMessage")
    client.configure(library={"folders": ["gone"]})
    client.labels(tmp_path / "main.tex")
    assert shown(client) == [
        f"Pincite: pincite.library.folders: {tmp_path / 'gone'} does not exist."
    ]
