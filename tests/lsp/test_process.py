"""The server as a process: what it loads, where it listens, how it ends."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time

import pytest

from pincite.lsp.server import _LOOK_FOR_CLIENT_SECONDS
from protocol_client import Client


@pytest.fixture(name="client")
def client_of_a_project(tmp_path):
    (tmp_path / "refs.bib").write_text("@misc{one, title={Words}}\n")
    client = Client(tmp_path)
    yield client
    client.close()


@pytest.fixture(name="busy")
def client_of_a_project_with_many_papers(tmp_path):
    """A project whose papers take far longer to read than any test."""
    entries = "".join(f"@misc{{p{n}, title={{Paper {n}}}}}\n" for n in range(400))
    (tmp_path / "refs.bib").write_text(entries)
    (tmp_path / "papers").mkdir()
    for number in range(400):
        text = f"Sentence {number} has words. " * 8_000
        (tmp_path / "papers" / f"p{number}.txt").write_text(text)
    client = Client(tmp_path)
    client.open(tmp_path / "main.tex")
    created = client.wait(lambda m: m.get("method") == "window/workDoneProgress/create")
    client.send({"id": created["id"], "result": None})
    client.wait(lambda m: m.get("method") == "$/progress")
    yield client
    client.close()


def test_the_server_answers_initialize_before_it_loads_numpy():
    late = "numpy scipy sklearn gensim regex rich snowballstemmer pincite.baselines.systems".split()
    program = (
        "import sys, pincite.lsp.server as s; s.create_server();"
        f"print([m for m in {late} if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout.replace("'", '"')) == []


def test_objects_of_the_protocol_show_their_values():
    program = (
        "import pincite.lsp.server, attrs; from lsprotocol import types as t\n"
        "print(t.Diagnostic(t.Range(t.Position(1, 2), t.Position(3, 4)), 'x', code='c'))\n"
        "print(attrs.define is attrs.mutable)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    shown, is_left_as_it_was = done.stdout.splitlines()
    assert shown.startswith("Diagnostic(range=1:2-3:4, message='x', severity=None, code='c', ")
    assert is_left_as_it_was == "True"


def test_papers_are_read_in_sight_and_requests_do_not_wait_for_them(busy, tmp_path):
    found = busy.complete(tmp_path / "main.tex")
    assert len(found["result"]["items"]) == 30
    values = [m["params"]["value"] for m in busy.seen if m.get("method") == "$/progress"]
    assert values[0]["kind"] == "begin"
    assert values[0]["title"] == "Pincite: reading papers"
    assert "end" not in [value["kind"] for value in values]


def test_the_server_ends_at_once_while_papers_are_read(busy):
    busy.request("shutdown", None)
    busy.notify("exit", None)
    assert busy.process.wait(timeout=60) == 0
    assert b"Traceback" not in busy.process.stderr.read()


def test_the_server_ends_with_an_editor_that_crashes(busy):
    busy.process.stdin.close()
    assert busy.process.wait(timeout=60) == 1
    assert b"Traceback" not in busy.process.stderr.read()


def test_an_exit_without_shutdown_is_told_by_the_status(client):
    client.notify("exit", None)
    assert client.process.wait(timeout=5) == 1


@pytest.fixture(name="other")
def another_process():
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    yield process
    process.kill()
    process.wait()


@pytest.mark.skipif(os.name == "nt", reason="no such signal")
@pytest.mark.parametrize("goodbye", [True, False])
def test_the_server_ends_with_its_client_though_the_pipe_is_open(tmp_path, other, goodbye):
    client = Client(tmp_path, process_id=other.pid)
    if goodbye:
        client.request("shutdown", None)
    other.kill()
    other.wait()
    assert client.process.wait(timeout=60) == (0 if goodbye else 1)
    assert b"Traceback" not in client.process.stderr.read()


def test_a_client_behind_a_network_is_not_taken_for_gone(tmp_path, other):
    other.kill()
    other.wait()
    client = Client(tmp_path, process_id=other.pid)
    time.sleep(_LOOK_FOR_CLIENT_SECONDS + 0.5)
    assert client.stop() == 0
    client.close()


@pytest.mark.parametrize("method", ["shutdown", None])
def test_the_server_ends_at_once_when_its_input_does(client, method):
    if method:
        client.request(method, None)
    client.process.stdin.close()
    assert client.process.wait(timeout=30) == (0 if method else 1)


@pytest.mark.skipif(os.name == "nt", reason="no such signal")
def test_an_interrupt_ends_the_server(client):
    client.process.send_signal(signal.SIGINT)
    client.process.wait(timeout=5)


def test_a_refused_progress_token_is_not_used(busy, tmp_path):
    client = Client(tmp_path)
    client.open(tmp_path / "main.tex")
    created = client.wait(lambda m: m.get("method") == "window/workDoneProgress/create")
    client.send({"id": created["id"], "error": {"code": -32603, "message": "no"}})
    # What the server says next comes behind whatever it would have said of this.
    assert "result" in client.complete(tmp_path / "main.tex")
    assert "$/progress" not in client.methods()
    client.close()


def test_what_the_server_does_not_know_is_passed_over_in_silence(client, tmp_path):
    client.notify("workspace/didChangeConfiguration", {"settings": {"texlab": {"x": [1]}}})
    client.notify("workspace/didChangeConfiguration", {"settings": None})
    client.notify("$/somethingNew", {"x": 1})
    client.notify("textDocument/didSave", {"textDocument": {"uri": "file:///nowhere.tex"}})
    client.notify("textDocument/didClose", {"textDocument": {"uri": "file:///nowhere.tex"}})
    client.notify("$/cancelRequest", {"id": 12345})
    assert "error" in client.request("pincite/unknown", {})
    draft = tmp_path / "main.tex"
    client.open(draft)
    first = client.ask(
        "textDocument/completion",
        {"textDocument": {"uri": draft.as_uri()}, "position": {"line": 2, "character": 12}},
    )
    client.notify("$/cancelRequest", {"id": first})
    assert [i["label"] for i in client.complete(draft)["result"]["items"]] == ["one"]
    assert "window/showMessage" not in client.methods()
    client.process.stdin.close()
    assert b"Traceback" not in client.process.stderr.read()


def test_wrong_options_are_told_once(tmp_path):
    client = Client(tmp_path, options={"library": 1, "bibliographies": "x"})
    assert "capabilities" in client.answer["result"]
    assert client.methods().count("window/showMessage") == 1
    client.close()


def test_a_server_without_a_folder_answers_too(tmp_path):
    (tmp_path / "refs.bib").write_text("@misc{one, title={Words}}\n")
    client = Client(None, capabilities={})
    client.open(tmp_path / "main.tex")
    found = client.complete(tmp_path / "main.tex")
    assert [item["label"] for item in found["result"]["items"]] == ["one"]
    client.close()


def test_a_burst_of_typing_is_completed_as_it_stands_at_each_request(client, tmp_path):
    """Requests overlap the typing; each is answered for the text that it was sent behind."""
    (tmp_path / "refs.bib").write_text("@misc{abcdefgh, title={Words}}\n@misc{zzz, title={Z}}\n")
    draft = tmp_path / "main.tex"
    client.open(draft)
    document = {"uri": draft.as_uri()}
    numbers = {}
    for index, letter in enumerate("abcdefgh"):
        position = {"line": 2, "character": 12 + index}
        change = {"range": {"start": position, "end": position}, "text": letter}
        client.notify(
            "textDocument/didChange",
            {"textDocument": {**document, "version": index + 2}, "contentChanges": [change]},
        )
        after = {"line": 2, "character": 13 + index}
        params = {"textDocument": document, "position": after}
        numbers[client.ask("textDocument/completion", params)] = after
    for _ in range(len(numbers)):
        found = client.wait(lambda m: m.get("id") in numbers and "method" not in m)
        (item,) = found["result"]["items"]
        assert item["label"] == "abcdefgh"
        after = numbers[found["id"]]
        assert item["textEdit"]["range"] == {"start": {"line": 2, "character": 12}, "end": after}


def test_nothing_but_the_protocol_reaches_stdout():
    program = (
        "import os, sys\n"
        "from pincite.lsp.server import _stdout_for_the_protocol\n"
        "stream = _stdout_for_the_protocol()\n"
        "print('chatter', flush=True); os.write(1, b'from a library')\n"
        "stream.write(b'protocol'); stream.flush()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout == b"protocol"
    assert b"chatter" in done.stderr
    assert b"from a library" in done.stderr


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def test_the_server_listens_on_a_port_of_this_machine():
    port = free_port()
    command = [sys.executable, "-m", "pincite", "serve", "--tcp", str(port)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    try:
        connection = connect(port)
        body = json.dumps(
            {
                "jsonrpc": "2.0",
                "id": 1,
                "method": "initialize",
                "params": {"processId": None, "rootUri": None, "capabilities": {}},
            }
        )
        connection.sendall(f"Content-Length: {len(body)}\r\n\r\n{body}".encode())
        connection.settimeout(20)
        assert b"completionProvider" in connection.recv(65536)
        connection.close()
        process.wait(timeout=5)
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        process.wait()


def test_a_port_in_use_is_told_in_one_line():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        command = [sys.executable, "-m", "pincite", "serve", "--tcp", str(taken.getsockname()[1])]
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("pincite: cannot listen on 127.0.0.1:")
    assert done.stderr.count("\n") == 1


def connect(port: int) -> socket.socket:
    for _ in range(200):
        try:
            return socket.create_connection(("127.0.0.1", port))
        except OSError:
            time.sleep(0.05)
    raise AssertionError("the server never listened")
