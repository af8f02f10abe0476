"""Documents that are no files, with a client that reads what is beside them, or does not."""

import base64
from time import sleep
from urllib.parse import unquote, urlsplit

import pytest

from protocol_client import TEXT, eventually

OVERLEAF = "overleaf-workshop://www.overleaf.com/My%20thesis/{}?user%3D1%26project%3D2"
MAIN = OVERLEAF.format("main.tex")
ENTRY = "@misc{%s, title={Words}}\n"
READS = {"experimental": {"pinciteReadFiles": True}}
WATCHES = {"didChangeWatchedFiles": {"dynamicRegistration": True, "relativePatternSupport": True}}


class FileSystem:
    """What the client has under the paths of addresses, and what it was asked for."""

    def __init__(self, files):
        self.files = {name: self.bytes(content) for name, content in files.items()}
        self.asked = []
        self.replies = {
            "pincite/readFile": self._read,
            "pincite/readFolder": self._list,
            "client/registerCapability": lambda _params: None,
            "client/unregisterCapability": lambda _params: None,
            "workspace/applyEdit": lambda _params: {"applied": True},
        }

    @staticmethod
    def bytes(content):
        return content if isinstance(content, bytes) else content.encode()

    def _path(self, uri):
        self.asked.append(uri)
        return unquote(urlsplit(uri).path)

    def _read(self, params):
        found = self.files.get(self._path(params["uri"]))
        return None if found is None else {"base64": base64.b64encode(found).decode()}

    def _list(self, params):
        folder = self._path(params["uri"]).rstrip("/") + "/"
        below = [name.removeprefix(folder) for name in self.files if name.startswith(folder)]
        folders = {name.partition("/")[0] for name in below if "/" in name}
        files = [name for name in below if "/" not in name]
        return {"folders": sorted(folders), "files": files} if below else None


@pytest.fixture(name="start")
def clients(start_in):
    def start(files, *, capabilities=READS, folders=()):
        system = FileSystem(files)
        client = start_in(None, capabilities=capabilities, replies=system.replies)
        client.change_folders(added=folders)
        client.system = system
        return client

    return start


def in_thesis(files):
    return {f"/My thesis/{name}": text for name, text in files.items()}


def suggests(client, uri, keys, *place):
    eventually(lambda: client.labels(uri, *place) == keys, f"{keys} are suggested")


def problems(client, uri):
    return {item["code"] for item in client.problems(uri)}


DRAFTS = {
    "latex": ("main.tex", TEXT, (2, 12), "refs.bib"),
    "markdown": ("main.md", "---\nbibliography: lib/refs.bib\n---\nWords [@].\n", (3, 8), "lib/refs.bib"),
    "typst": ("main.typ", '#bibliography("refs.yml")\nWords @a', (1, 7), "refs.yml"),
}  # fmt: skip


@pytest.mark.parametrize("language", DRAFTS)
def test_what_a_draft_names_is_read_by_the_client(start, language):
    name, text, place, named = DRAFTS[language]
    entry = ENTRY % "alpha" if named.endswith(".bib") else "alpha:\n  type: book\n  title: Words\n"
    client, uri = start(in_thesis({name: text, named: entry})), OVERLEAF.format(name)
    client.open(uri, text, language)
    suggests(client, uri, {"alpha"}, *place)
    assert not problems(client, uri) - {"placeholder", "undefined-key"}
    # What is open is not asked for, and nothing is asked for twice.
    assert uri not in client.system.asked
    assert len(client.system.asked) == len(set(client.system.asked))


def test_a_part_in_a_folder_below_has_the_bibliography_of_its_main_file(start):
    main = TEXT.replace("Words \\cite{}", "\\input{parts/one}")
    files = {"main.tex": main, "parts/one.tex": "Words \\cite{}.\n", "refs.bib": ENTRY % "one"}
    folder = OVERLEAF.format("").replace("/?", "?")
    client, part = start(in_thesis(files), folders=[folder]), OVERLEAF.format("parts/one.tex")
    client.open(part, files["parts/one.tex"])
    suggests(client, part, {"one"}, 0, 12)
    status = client.request("pincite/status", client.about(part))["result"]
    assert status["main"] == MAIN


def test_without_a_bibliography_the_one_beside_is_used(start):
    client = start(in_thesis({"other.bib": ENTRY % "one", "notes.txt": "", "refs.yml": "a: b"}))
    text = TEXT.replace("\\bibliography{refs}\n", "")
    client.open(MAIN, text)
    suggests(client, MAIN, {"one"})
    assert {unquote(each).rpartition("/")[2].partition("?")[0] for each in client.system.asked} == {"My thesis", "other.bib"}  # fmt: skip


def test_addresses_go_back_as_they_came(start):
    bib = OVERLEAF.format("refs.bib")
    client = start(
        in_thesis({"refs.bib": ENTRY % "one"}),
        capabilities={**READS, "workspace": {"workspaceEdit": {"documentChanges": True}}},
    )
    client.open(MAIN, TEXT.replace("{}", "{one}", 1).replace("\\cite{}", "\\cite{one}"))
    found = lambda: client.request("textDocument/definition", client.at(MAIN))["result"]  # noqa: E731
    assert bib in str(eventually(found, "the bibliography is read"))
    asked = {**client.at(MAIN), "newName": "two"}
    edit = client.request("textDocument/rename", asked)["result"]
    changed = {each["textDocument"]["uri"]: each["textDocument"]["version"] for each in edit["documentChanges"]}  # fmt: skip
    assert changed == {MAIN: 1, bib: None}


def test_a_client_that_reads_nothing_is_asked_for_nothing(start):
    client = start(in_thesis({"refs.bib": ENTRY % "one"}), capabilities={})
    client.open(MAIN, TEXT.replace("\\cite{}", "\\cite{} \\cite{unknown}"))
    assert client.labels(MAIN) == set()
    # The bibliography may be there: nothing is called missing.
    assert problems(client, MAIN) == set()
    client.open(OVERLEAF.format("refs.bib"), ENTRY % "two", "bibtex")
    suggests(client, MAIN, {"two"})
    assert not client.system.asked


def test_what_is_open_beside_a_text_serves_it(start):
    client = start({}, capabilities={})
    text = TEXT.replace("\\bibliography{refs}\n", "")
    client.open(MAIN, text)
    client.open(OVERLEAF.format("any.bib"), ENTRY % "one", "bibtex")
    assert client.labels(MAIN) == {"one"}


def test_a_setting_may_name_a_bibliography_of_the_workspace(start):
    folder = OVERLEAF.format("").replace("/?", "?")
    client = start(in_thesis({"lists/more.bib": ENTRY % "one"}), folders=[folder])
    client.configure(bibliographies=["lists/more.bib"])
    client.open(MAIN)
    suggests(client, MAIN, {"one"})
    assert not client.sent("window/showMessage")


def test_what_is_open_counts_at_once(start):
    client, bib = start(in_thesis({"refs.bib": ENTRY % "one"})), OVERLEAF.format("refs.bib")
    client.open(MAIN)
    suggests(client, MAIN, {"one"})
    client.open(bib, ENTRY % "two", "bibtex")
    assert client.labels(MAIN) == {"two"}
    client.system.files["/My thesis/refs.bib"] = b"@misc{three, title={Words}}"
    client.did("Close", bib)
    suggests(client, MAIN, {"three"})


@pytest.mark.parametrize("how", ["saved", "opened", "watched"])
def test_what_is_closed_is_read_again(start, how):
    capabilities = {**READS, "workspace": WATCHES}
    client, bib = start(in_thesis({}), capabilities=capabilities), OVERLEAF.format("refs.bib")
    client.system.files["/My thesis/other.bib"] = b""
    client.open(MAIN)
    eventually(lambda: client.system.asked, "the folder is listed")
    client.system.files["/My thesis/refs.bib"] = FileSystem.bytes(ENTRY % "one")
    if how == "saved":
        client.did("Save", MAIN)
    elif how == "opened":
        client.open(OVERLEAF.format("other.bib"), "", "bibtex")
    else:
        client.report_changed(bib, kind=1)
    suggests(client, MAIN, {"one"})
    patterns = str(client.sent("client/registerCapability"))
    assert "pincite:" not in unquote(patterns)


HOSTILE = {
    "null": None,
    "wrong types": {"base64": 5, "folders": "a", "files": {"a": 1}},
    "no base64": {"base64": "@@@", "folders": [], "files": ["refs.bib"]},
    "binary": {"base64": base64.b64encode(b"\0\1").decode(), "folders": [], "files": ["refs.bib"]},
    "names of others": {"base64": "", "folders": ["..", "/", "a/b", ""], "files": ["../refs.bib", "\0", ".", "refs.bib"]},
    "many": {"base64": base64.b64encode(b"words").decode(), "folders": [f"{n}" for n in range(9_000)], "files": [f"{n}.bib" for n in range(9_000)]},
}  # fmt: skip


@pytest.mark.parametrize("answer", HOSTILE)
def test_whatever_the_client_answers_the_text_has_its_own_works(start_in, answer):
    text = TEXT.replace("\\end{d", "\\begin{thebibliography}{9}\\bibitem{own} Words.\\end{thebibliography}\\end{d")  # fmt: skip
    asked = []

    def reply(params):
        asked.append(params["uri"])
        return HOSTILE[answer]

    replies = dict.fromkeys(("pincite/readFile", "pincite/readFolder"), reply)
    client = start_in(None, capabilities=READS, replies=replies)
    client.open(MAIN, text)
    suggests(client, MAIN, {"own"})
    eventually(lambda: asked, "the client is asked")
    suggests(client, MAIN, {"own"})
    eventually(
        lambda: (before := len(asked)) and sleep(0.5) is None and len(asked) == before,
        "all is asked for",
    )
    suggests(client, MAIN, {"own"})
    assert len(asked) <= 300


def test_a_client_that_fails_or_does_not_answer_delays_nobody(start_in):
    client = start_in(None, capabilities=READS)
    client.open(MAIN)
    asked = client.wait(lambda message: message.get("method") == "pincite/readFolder")
    assert client.labels(MAIN) == set()
    assert problems(client, MAIN) == set()
    client.send({"id": asked["id"], "error": {"code": -32000, "message": "the network is down"}})
    assert client.labels(MAIN) == set()
    assert problems(client, MAIN) == set()
    # It is asked again when the author saves.
    client.did("Save", MAIN)
    client.wait(lambda message: message.get("method") == "pincite/readFolder")


def test_works_are_added_to_a_bibliography_that_only_the_client_can_write(start):
    edits = {**READS, "workspace": {"applyEdit": True}}
    client = start(in_thesis({"refs.bib": ENTRY % "one"}), capabilities=edits)
    client.open(MAIN, TEXT)
    suggests(client, MAIN, {"one"})
    added = client.request("pincite/addWork", client.about(MAIN, entries=[ENTRY % "two"]))["result"]
    assert (added["keys"], added["uri"]) == (["two"], OVERLEAF.format("refs.bib"))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_other_encodings_are_read_and_not_destroyed(start, encoding):
    entry = "@misc{müller, title={Wörter über Wörter}}\n"
    client = start(in_thesis({"refs.bib": entry.encode(encoding)}))
    client.open(MAIN, TEXT.replace("\\cite{}", "\\cite{müller}"))
    hover = lambda: str(client.request("textDocument/hover", client.at(MAIN)))  # noqa: E731
    eventually(lambda: "Wörter" in hover(), "the bibliography is read")
    answer = client.request("textDocument/rename", {**client.at(MAIN), "newName": "mueller"})
    assert ("error" in answer) == (encoding != "utf-8-sig")


def test_names_lead_to_no_folder_above(start):
    files = {"/other/refs.bib": ENTRY % "one", "/My thesis/own.bib": ENTRY % "two"}
    client = start(files)
    names = "../other/refs,/other/refs,../../vscode-vfs%3A%2F%2Fgithub/refs,own"
    client.open(MAIN, TEXT.replace("{refs}", f"{{{names}}}"))
    suggests(client, MAIN, {"two"})
    assert all(urlsplit(each).path.startswith("/My%20thesis") for each in client.system.asked)
    assert {urlsplit(each).scheme for each in client.system.asked} == {"overleaf-workshop"}


def test_projects_of_one_server_are_apart(start):
    client, other = start(in_thesis({})), MAIN.replace("project%3D2", "project%3D3")
    client.open(MAIN)
    client.open(OVERLEAF.format("refs.bib"), ENTRY % "one", "bibtex")
    client.open(other)
    suggests(client, MAIN, {"one"})
    assert client.labels(other) == set()


def test_an_earlier_version_has_hovers_and_no_problems(start, tmp_path):
    draft = tmp_path / "main.tex"
    text = TEXT.replace("\\cite{}", "\\cite{one} \\cite{gone}")
    client = start({f"{tmp_path}/refs.bib": ENTRY % "one", str(draft): text})
    earlier = f"git:{draft}?%7B%22path%22%3A%22main.tex%22%2C%22ref%22%3A%22~%22%7D"
    client.open(earlier, text)
    eventually(
        lambda: client.request("textDocument/hover", client.at(earlier))["result"], "a hover"
    )
    assert problems(client, earlier) == set()
    assert client.system.asked == [tmp_path.as_uri(), (tmp_path / "refs.bib").as_uri()]
    found = client.request("textDocument/definition", client.at(earlier))["result"]
    assert (tmp_path / "refs.bib").as_uri() in str(found)


def test_an_unsaved_document_without_a_folder_has_what_is_open(start):
    client, draft = start({}), "untitled:Untitled-1"
    client.open(draft)
    assert client.labels(draft) == set()
    assert problems(client, draft) == set()
    client.open("untitled:refs.bib", ENTRY % "one", "bibtex")
    assert client.labels(draft) == {"one"}
    assert not client.system.asked
    status = client.request("pincite/status", client.about(draft))["result"]
    assert "Create" not in str(status)


def test_decisions_are_not_written_where_there_are_no_files(start):
    client = start(in_thesis({"refs.bib": ENTRY % "one"}))
    client.open(MAIN)
    suggests(client, MAIN, {"one"})
    finding = {"id": "a", "kind": "placeholder", "key": "", "work": "", "about": "Words"}
    answer = client.request("pincite/decide", client.about(MAIN, findings=[finding]))
    assert "is not a file" in answer["error"]["message"]
