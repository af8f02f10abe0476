"""The protocol as specified: life cycle, errors, positions, edits, cancellation, progress."""

import asyncio
import json
import threading
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path

import pytest
from lsprotocol import types

from pincite.cancellation import CancelledError, cancelled_by, check
from pincite.lsp import session
from pincite.lsp.jsonrpc import RequestError
from pincite.lsp.server import Server
from pincite.project.workspace import Workspace
from protocol_client import ENCODINGS, TEXT, units

BIB = "@misc{one, title={Words}}\n"
PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602
NOT_INITIALIZED, CANCELLED = -32002, -32800


@pytest.fixture(name="start")
def clients(tmp_path, start_in):
    (tmp_path / "refs.bib").write_text(BIB)
    return partial(start_in, tmp_path)


def code(answer):
    return answer["error"]["code"]


def test_before_it_is_initialized_the_server_refuses_requests_and_drops_notifications(
    start, tmp_path
):
    client, draft = start(initialize=False), tmp_path / "main.tex"
    assert code(client.request("shutdown", None)) == NOT_INITIALIZED
    assert code(client.request("textDocument/completion", client.at(draft))) == NOT_INITIALIZED
    client.open(draft)
    assert code(client.request("initialize", {"capabilities": 5})) == INVALID_PARAMS
    client.initialize()
    assert client.labels(draft) is None
    client.open(draft)
    again = {**client.params, "rootUri": "file:///elsewhere"}
    assert code(client.request("initialize", again)) == INVALID_REQUEST
    assert client.labels(draft) == {"one"}
    # It has not asked for the shutdown.
    client.notify("exit", None)
    assert client.process.wait(timeout=30) == 1


def test_after_shutdown_requests_are_refused_until_exit(start, tmp_path):
    client = start()
    client.open(tmp_path / "main.tex")
    assert client.request("shutdown", None)["result"] is None
    for method in ("textDocument/completion", "shutdown", "initialize", "unknown"):
        assert code(client.request(method, client.at(tmp_path / "main.tex"))) == INVALID_REQUEST
    client.notify("textDocument/didSave", {})
    client.notify("exit", None)
    assert client.process.wait(timeout=30) == 0


def test_shutdown_is_answered_though_the_client_owes_an_answer(start):
    client = start(capabilities={"workspace": {"configuration": True}})
    client.wait_for("workspace/configuration")
    assert client.request("shutdown", None).get("result", "an error") is None
    client.notify("exit", None)
    assert client.process.wait(timeout=30) == 0


def test_exit_without_shutdown_is_a_failure_also_before_the_server_is_initialized(start):
    client = start(initialize=False)
    client.request("shutdown", None)
    client.notify("exit", None)
    assert client.process.wait(timeout=30) == 1


NO_MESSAGES = {
    b"{": PARSE_ERROR,
    b'{"jsonrpc": "2.0", "id": 1, "method": \xff}': PARSE_ERROR,
    b"[]": INVALID_REQUEST,
    b"5": INVALID_REQUEST,
    b"{}": INVALID_REQUEST,
    b'{"jsonrpc": "1.0"}': INVALID_REQUEST,
    b'{"jsonrpc": "2.0", "id": [1], "method": "shutdown"}': INVALID_REQUEST,
    b'{"jsonrpc": "2.0", "id": 1.5, "method": "shutdown"}': INVALID_REQUEST,
}
WRONG = [
    ({"method": 5}, INVALID_REQUEST),
    ({"method": None}, INVALID_REQUEST),
    ({}, INVALID_REQUEST),
    ({"method": "textDocument/unknown"}, METHOD_NOT_FOUND),
    ({"method": "$/unknown", "params": {}}, METHOD_NOT_FOUND),
    ({"method": "textDocument/hover"}, INVALID_PARAMS),
    ({"method": "textDocument/hover", "params": None}, INVALID_PARAMS),
    ({"method": "textDocument/hover", "params": [1, 2]}, INVALID_PARAMS),
    ({"method": "textDocument/hover", "params": {"position": {"line": -1}}}, INVALID_PARAMS),
    ({"method": "textDocument/completion", "params": {"textDocument": 3}}, INVALID_PARAMS),
    ({"method": "workspace/executeCommand", "params": {"command": "none"}}, INVALID_PARAMS),
]


def test_a_wrong_message_is_answered_with_what_is_wrong_and_the_server_goes_on(start, tmp_path):
    client, draft = start(), tmp_path / "main.tex"
    for body, expected in NO_MESSAGES.items():
        client.send_bytes(body)
        assert code(client.answer_to(None)) == expected, body
    for at, (message, expected) in enumerate(WRONG):
        for number in (100 + at, f"no. {at}"):
            client.send({"id": number, **message})
            assert code(client.answer_to(number)) == expected, message
    client.open(draft)
    assert client.labels(draft) == {"one"}
    assert "window/showMessage" not in client.methods()


def test_wrong_and_unknown_notifications_and_answers_are_dropped(start, tmp_path):
    client, draft = start(), tmp_path / "main.tex"
    for method, params in [
        ("$/unknown", {"x": 1}),
        ("$/setTrace", {"value": "verbose"}),
        ("$/cancelRequest", None),
        ("$/cancelRequest", {"id": 12345}),
        ("unknown", [1]),
        ("textDocument/didOpen", {}),
        ("textDocument/didChange", {"textDocument": {"uri": 3}}),
        ("workspace/didChangeConfiguration", 5),
        ("workspace/didChangeWatchedFiles", {"changes": [{"uri": "x"}]}),
        ("workspace/didChangeWorkspaceFolders", {}),
        ("window/workDoneProgress/cancel", {"token": "never heard of"}),
    ]:
        client.notify(method, params)
    client.send({"id": "no such request", "result": None})
    client.send({"id": 7, "error": {"code": 1, "message": "no"}})
    client.send({"id": None, "error": 3})
    client.open(draft)
    assert client.labels(draft) == {"one"}
    assert [m for m in client.seen if "error" in m] == []
    assert client.stop() == 0


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"jsonrpc": "2.0", "result": 1}, 1),
        ({"jsonrpc": "2.0", "result": 1, "error": None}, 1),
        ({"jsonrpc": "2.0"}, None),
        ({"jsonrpc": "2.0", "error": {"code": 1, "message": "No."}}, "No."),
        ({"jsonrpc": "2.0", "error": 5}, "5"),
        ({"result": 1}, "Not a JSON-RPC 2.0 message"),
    ],
)
async def test_whatever_answers_a_request_of_the_server_ends_it(answer, expected):
    connection, sent = Server().connection, []
    connection.write = lambda body: sent.append(json.loads(body))
    asked = connection.request("workspace/applyEdit")
    connection.handle({"id": sent[0]["id"], **answer})
    try:
        found = await asyncio.wait_for(asked, 5)
    except RequestError as error:
        found = str(error)
    assert found == expected
    assert len(sent) == 1


def test_latex_by_any_name_is_served_and_in_other_languages_is_no_draft(start, tmp_path):
    client = start()
    for name, language, keys in [
        *(("main.tex", "LaTeX", {"one"}), ("notes.tex", "plaintext", {"one"})),
        *(("package.dtx", "doctex", {"one"}), ("analysis.Rnw", "r", {"one"})),
        *(("no-suffix", "latex", {"one"}), ("r.bib", "bibtex", None)),
        *(("n.md", "markdown", None), ("p.typ", "typst", None)),
    ]:
        client.open(tmp_path / name, language=language)
        assert client.labels(tmp_path / name) == keys


def test_an_untitled_document_is_read_in_the_markup_of_its_language(start):
    client, name = start(), "untitled:Untitled-1"
    markdown = "---\nbibliography: refs.bib\n---\nWords [@] and \\cite{"
    for language in ("markdown", "quarto", "rmd"):
        client.open(name)
        assert client.labels(name) == {"one"}
        # What an editor sends when the author chooses another language.
        client.did("Close", name)
        client.open(name, markdown, language)
        assert client.labels(name, 3, 8) == {"one"}
        assert client.labels(name, 3, 20) is None
        here = {"line": 3, "character": 8}
        client.change(name, 2, {"range": {"start": here, "end": here}, "text": "on"})
        assert client.labels(name, 3, 10) == {"one"}
        client.did("Close", name)


def test_documents_that_are_not_the_authors_are_passed_over(start, tmp_path):
    client, draft = start(), tmp_path / "main.tex"
    client.open(draft)
    others = (
        "git:%s?ref=HEAD",
        "vscode-notebook-cell:%s#cell",
        "https:%s",
        "file://[",
        "file://[%s",
    )
    for uri in (each.replace("%s", draft.as_uri().removeprefix("file:")) for each in others):
        client.open(uri, text="nothing")
        client.change(uri, 2, {"text": ""})
        assert client.labels(uri) is None
        client.did("Close", uri)
        assert client.labels(draft) == {"one"}


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_edits_of_parts_of_a_text_leave_what_the_author_sees(start, tmp_path, ends):
    client, draft = start(), tmp_path / "main.tex"
    client.open(draft, TEXT.replace("\n", ends))
    first, beyond = {"line": 2, "character": 0}, {"line": 2, "character": 999}
    client.change(
        draft,
        2,
        {"range": {"start": first, "end": first}, "text": f"Another line{ends}"},
        # Beyond the end of a line is its end, and beyond the last line is that of the text.
        {"range": {"start": beyond, "end": beyond}, "text": f"{ends}A third \\cite{{o"},
        {"range": {"start": {"line": 99, "character": 0}, "end": {"line": 99, "character": 9}}, "text": "%"},
    )  # fmt: skip
    found = client.complete(draft, 3, 15)["result"]
    (edit,) = [item["textEdit"] for item in found["items"]]
    assert edit["range"] == {"start": {"line": 3, "character": 14}, "end": {"line": 3, "character": 15}}  # fmt: skip
    assert client.labels(draft, 4, 12) == {"one"}
    # The whole text, as other clients send it.
    client.change(draft, 3, {"text": TEXT})
    assert client.labels(draft) == {"one"}


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        (None, "utf-16"),
        ([], "utf-16"),
        (["utf-7"], "utf-16"),
        (["utf-7", "utf-8"], "utf-8"),
        (["utf-32", "utf-8", "utf-16"], "utf-32"),
        (["utf-16", "utf-8"], "utf-16"),
        (["utf-8"], "utf-8"),
    ],
)
def test_of_the_offered_position_encodings_the_first_known_one_is_taken(offered, chosen):
    general = {} if offered is None else {"general": {"positionEncodings": offered}}
    assert session.Client.of(general).position_encoding == chosen


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_positions_beyond_the_basic_plane(start, tmp_path, encoding):
    """Completion, hover and edits behind characters of one to four bytes."""
    length = partial(units, encoding=encoding)
    client = start(capabilities={"general": {"positionEncodings": [encoding]}})
    assert client.answer["result"]["capabilities"]["positionEncoding"] == encoding
    draft = tmp_path / "main.tex"
    head, tail = TEXT.split("Words \\cite{}.")
    before = "𝔛 naïve 漢字 😀😀 \\cite{"
    client.open(draft, f"{head}{before}o}} 😀.{tail}")
    found = client.complete(draft, 2, length(before) + 1)["result"]
    (edit,) = [item["textEdit"] for item in found["items"]]
    start_of_key = {"line": 2, "character": length(before)}
    assert edit["range"] == {"start": start_of_key, "end": {"line": 2, "character": length(before) + 1}}  # fmt: skip
    # The author takes it, and types one more 😀 in front of the others.
    client.change(draft, 2, {"range": edit["range"], "text": edit["newText"]})
    place = {"line": 2, "character": length("𝔛 naïve 漢字 ")}
    client.change(draft, 3, {"range": {"start": place, "end": place}, "text": "😀"})
    start_of_key = length("😀" + before)
    hovered = client.request("textDocument/hover", client.at(draft, 2, start_of_key + 1))["result"]
    assert hovered["range"] == {
        "start": {"line": 2, "character": start_of_key},
        "end": {"line": 2, "character": start_of_key + 3},
    }


@pytest.fixture(name="answering")
async def server_without_a_process():
    """Return a server that is initialized, and the messages that it sends."""
    server, sent = Server(), []
    server.connection.send, server.connection.initialized = sent.append, True
    yield server, sent
    server.session.stop()


async def test_positions_refer_to_the_text_at_the_time_of_the_request(answering, tmp_path, monkeypatch):  # fmt: skip
    """Not to what the author types while a rename looks at the files."""
    server, sent = answering
    path, documents = tmp_path / "main.tex", server.session.documents
    documents.open(path.as_uri(), "\\cite{one}")

    async def look():
        documents.change(path.as_uri(), [types.TextDocumentContentChangeWholeDocument("typed")])

    monkeypatch.setattr(server, "look_at_files", look)
    monkeypatch.setattr(session, "function_of", lambda _name: lambda here: here.text)
    position = {"line": 0, "character": 7}
    params = {"textDocument": {"uri": path.as_uri()}, "position": position, "newName": "two"}
    server.connection.handle(
        {"jsonrpc": "2.0", "id": 1, "method": "textDocument/rename", "params": params}
    )
    while not sent:
        await asyncio.sleep(0.01)
    assert sent == [{"id": 1, "result": "\\cite{one}"}]


async def test_a_cancelled_request_ends_its_work_and_others_go_on(answering):
    server, sent = answering
    began, ended = threading.Event(), threading.Event()

    def works_for_ever(_project):
        began.set()
        try:
            while True:
                check()
        finally:
            ended.set()

    async def answer(_params):
        return await server.answer(works_for_ever)

    connection = server.connection
    connection.handlers["test/forever"] = answer
    connection.handle({"jsonrpc": "2.0", "id": 1, "method": "test/forever"})
    assert await asyncio.to_thread(began.wait, 60)
    connection.handle({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 1}})
    assert await asyncio.to_thread(ended.wait, 60)
    assert [(answer["id"], answer["error"]["code"]) for answer in sent] == [(1, CANCELLED)]
    assert await server.answer(lambda _project: check() or "done") == "done"


def test_work_of_a_request_looks_whether_it_is_cancelled(tmp_path):
    entries = "".join(f"@misc{{k{n}, title={{Words {n}}}}}\n" for n in range(5_000))
    (tmp_path / "refs.bib").write_text(entries + "@misc{full, abstract={Some words.}}\n")
    (tmp_path / "main.tex").write_text(TEXT)
    workspace = Workspace(tmp_path)
    draft = workspace.draft(tmp_path / "main.tex")
    recommender = workspace.recommender(draft)
    context = recommender.context(draft, draft.files[0], TEXT.index("\\cite"))
    for do in (
        lambda: [(each.key, each.score) for each in recommender.rank(context)],
        lambda: recommender.supporting(context, "full"),
    ):
        before = do()
        # Not only at the beginning, but also in between.
        for number in range(2):
            asked = count()
            is_cancelled = lambda at=number, asked=asked: next(asked) >= at  # noqa: E731
            with cancelled_by(is_cancelled), pytest.raises(CancelledError):
                do()
        assert do() == before


def test_cancelled_requests_get_an_error_and_the_next_one_an_answer(start, tmp_path):
    entries = "".join(f"@misc{{k{n}, title={{Words {n} of many}}}}\n" for n in range(4_000))
    client, draft = start(), tmp_path / "main.tex"
    (tmp_path / "refs.bib").write_text(BIB + entries)
    client.open(draft)
    # More than there are threads: the last ones still wait when they are cancelled.
    numbers = [client.ask("textDocument/completion", client.at(draft)) for _ in range(24)]
    for number in reversed(numbers):
        client.notify("$/cancelRequest", {"id": number})
    answers = [client.wait(lambda m: m.get("id") in numbers and "method" not in m) for _ in numbers]
    codes = {answer["id"]: code(answer) for answer in answers if "error" in answer}
    assert set(codes.values()) == {CANCELLED}
    assert codes[numbers[-1]] == CANCELLED
    assert len(client.labels(draft)) == 30
    assert client.stop() == 0
    assert b"Traceback" not in client.process.stderr.read()


def test_folders_are_added_and_removed(start, tmp_path, tmp_path_factory):
    other: Path = tmp_path_factory.mktemp("other")
    (other / "refs.bib").write_text("@misc{two, title={More words}}\n")
    (other / "main.tex").write_text("\\documentclass{article}\n\\input{sections/part}" + TEXT[24:])
    part = other / "sections" / "part.tex"
    part.parent.mkdir()
    (part.parent / "latexmkrc").touch()  # where looking for its main file ends
    client = start()
    part.write_text("Words\n\nWords \\cite{}")
    client.open(part, "Words\n\nWords \\cite{}")
    assert client.labels(part) == set()
    added, removed = [other], []
    for expected in ({"two"}, set(), {"two"}):
        client.change_folders(added, removed)
        assert client.labels(part) == expected
        added, removed = removed, added


AT = {"textDocument": {"uri": "file:///x/main.tex"}, "position": {"line": 0, "character": 0}}
ITEM = {"label": "one"}
BY_ITSELF = [
    ("textDocument/hover", AT, None),
    ("textDocument/completion", AT, None),
    ("completionItem/resolve", ITEM, ITEM),
    ("textDocument/inlayHint", {**AT, "range": {"start": AT["position"], "end": AT["position"]}}, None),
    ("textDocument/documentHighlight", AT, None),
    ("textDocument/documentLink", AT, None),
]  # fmt: skip
ASKED = [
    ("textDocument/rename", {**AT, "newName": "x"}),
    ("textDocument/prepareRename", AT),
    ("textDocument/codeAction", {**AT, "range": BY_ITSELF[3][1]["range"], "context": {"diagnostics": []}}),
    ("codeAction/resolve", {"title": "x"}),
    ("textDocument/definition", AT),
    ("textDocument/references", {**AT, "context": {"includeDeclaration": True}}),
    ("workspace/symbol", {"query": "x"}),
    *((f"pincite/{name}", AT) for name in ("recommendations", "evidence", "status", "library", "check", "missing")),
    ("pincite/fetch", {**AT, "plan": "x"}),
    *(
        ("workspace/executeCommand", {"command": f"pincite.{name}", "arguments": [{"uri": AT["textDocument"]["uri"], "position": AT["position"], "key": "x", "page": 1}]})
        for name in ("insertCitation", "pinCitation", "evidence")
    ),
]  # fmt: skip
INTERNAL_ERROR = -32603
NUMBERS = count()


@pytest.fixture(name="fails")
async def server_whose_work_fails(answering):
    """Return a function that sends a request to a server that fails in it, and returns the answer."""
    (server, sent), number = answering, next(NUMBERS)

    def project():
        # Each error is logged once.
        raise AttributeError(f"no such thing {number}")

    server.session.project = project
    server.session.look_now = lambda: None
    server.session.documents.open("file:///x/main.tex", "x")
    server.session.client = replace(server.session.client, code_actions=True, applies_edits=True)

    async def fails(method, params):
        server.connection.handle({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        while not (answers := [each for each in sent if each.get("id") == 1]):
            await asyncio.sleep(0)
        sent.clear()
        return answers[0]

    return fails


@pytest.mark.parametrize(
    ("method", "params", "empty"), BY_ITSELF, ids=[each[0] for each in BY_ITSELF]
)
async def test_what_the_editor_asks_by_itself_is_answered_with_nothing(
    fails, caplog, method, params, empty
):
    for _ in range(3):
        assert (await fails(method, params))["result"] == empty
    (logged,) = [each.message for each in caplog.records if "no such thing" in each.message]
    assert "Traceback" in logged


@pytest.mark.parametrize(("method", "params"), ASKED)
async def test_what_the_author_asks_for_is_answered_with_an_error(fails, caplog, method, params):
    error = (await fails(method, params))["error"]
    assert error["code"] == INTERNAL_ERROR
    assert error["message"].startswith("Pincite failed (AttributeError: no such thing")
    assert error["message"].endswith("). Its log says where.")
    assert len([each for each in caplog.records if "Traceback" in each.message]) == 1


async def test_nothing_is_remembered_of_what_was_answered(answering):
    connection = answering[0].connection
    for number in range(20):
        connection.handle({"jsonrpc": "2.0", "id": number, "method": "pincite/status"})
        connection.handle({"jsonrpc": "2.0", "method": "$/progress"})
    while connection._running:
        await asyncio.sleep(0.01)
    connection.request("workspace/codeLens/refresh").cancel()
    connection.handle({"jsonrpc": "2.0", "id": "pincite-1", "result": None})
    assert (connection._running, connection._asked) == ({}, {})
