"""The server as a process: what it loads, where it listens, how it ends."""

import contextlib
import json
import os
import signal
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pincite.lsp.server import _LOOK_FOR_CLIENT_SECONDS
from protocol_client import Client, eventually


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
    for number in range(100):
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
    late = "numpy scipy sklearn gensim regex rich snowballstemmer pincite_evaluation.baselines.systems".split()
    program = (
        "import sys, pincite.lsp.server as s; s.Server();"
        f"print([m for m in {late} if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout.replace("'", '"')) == []


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="of the GNU C library")
def test_all_threads_share_one_heap(client, tmp_path):
    client.open(tmp_path / "main.tex")
    client.complete(tmp_path / "main.tex")
    heap = 64 << 20  # that of another thread begins and ends at a multiple of this
    spans, kinds = [], []
    for line in Path(f"/proc/{client.process.pid}/maps").read_text().splitlines():
        span, kind, *_ = line.split()
        spans.append([int(end, 16) for end in span.split("-")])
        kinds.append(kind)
    others = [
        start
        for (start, middle), (begin, end), used, unused in zip(
            spans, spans[1:], kinds, kinds[1:], strict=False
        )
        if (used, unused) == ("rw-p", "---p") and middle == begin
        if start % heap == 0 and end - start == heap
    ]
    assert others == []


def test_papers_are_read_with_progress_in_the_background_and_can_be_cancelled(busy, tmp_path):
    assert len(busy.complete(tmp_path / "main.tex")["result"]["items"]) == 30
    begun, *others = busy.sent("$/progress")
    assert begun["value"]["title"] == "Pincite: reading papers"
    assert "end" not in [sent["value"]["kind"] for sent in others]
    assert begun["value"]["cancellable"]
    busy.notify("window/workDoneProgress/cancel", {"token": begun["token"]})
    while busy.wait_for("$/progress")["value"]["kind"] != "end":
        pass
    hovered = busy.request("textDocument/hover", busy.at(tmp_path / "main.tex", 2, 13))
    assert "still being read" not in str(hovered)


def test_a_client_that_never_reads_the_log_is_answered(client):
    for _ in range(2_000):
        client.ask("pincite/evidence", {"textDocument": "a reason to log"})
    assert client.request("pincite/status", {})["result"]["state"]
    assert client.stop() == 0


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


@pytest.mark.parametrize(("shuts_down", "exits"), [(True, True), (True, False), (False, False)])
def test_the_server_ends_at_once_while_papers_are_read(busy, shuts_down, exits):
    if shuts_down:
        busy.request("shutdown", None)
    if exits:
        busy.notify("exit", None)
    else:
        busy.process.stdin.close()
    assert busy.process.wait(timeout=60) == (0 if shuts_down else 1)
    assert b"Traceback" not in busy.process.stderr.read()


@pytest.mark.skipif(os.name == "nt", reason="no such signal")
@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_ends_the_server(client):
    client.process.send_signal(signal.SIGINT)
    client.process.wait(timeout=5)


def test_a_refused_progress_token_is_not_used(busy, tmp_path):
    client = Client(tmp_path)
    client.open(tmp_path / "main.tex")
    created = client.wait(lambda m: m.get("method") == "window/workDoneProgress/create")
    client.send({"id": created["id"], "error": {"code": -32603, "message": "no"}})
    # What the server sends next comes after anything it would have sent about this.
    assert "result" in client.complete(tmp_path / "main.tex")
    assert "$/progress" not in client.methods()
    client.close()


def test_a_server_without_a_folder_answers_too(tmp_path):
    (tmp_path / "refs.bib").write_text("@misc{one, title={Words}}\n")
    client = Client(None, capabilities={})
    client.open(tmp_path / "main.tex")
    assert client.labels(tmp_path / "main.tex") == {"one"}
    client.close()


def test_a_burst_of_typing_is_completed_for_the_text_of_each_request(client, tmp_path):
    """Requests overlap the typing; each is answered for the text that it was sent behind."""
    (tmp_path / "refs.bib").write_text("@misc{abcdefgh, title={Words}}\n@misc{zzz, title={Z}}\n")
    draft = tmp_path / "main.tex"
    client.open(draft)
    numbers = {}
    for index, letter in enumerate("abcdefgh"):
        here = {"line": 2, "character": 12 + index}
        client.change(draft, index + 2, {"range": {"start": here, "end": here}, "text": letter})
        params = client.at(draft, 2, 13 + index)
        numbers[client.ask("textDocument/completion", params)] = params["position"]
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


def header(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


PARAMS = {"processId": None, "rootUri": None, "capabilities": {}}
INITIALIZE = header(
    json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": PARAMS}).encode()
)


@pytest.fixture(name="listening")
def server_on_a_socket(tmp_path):
    if not hasattr(socket, "AF_UNIX"):
        pytest.skip("no Unix sockets here")
    path = tmp_path / "s"
    command = [sys.executable, "-m", "pincite", "serve", "--socket", str(path)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    eventually(path.exists, "the server listens")
    yield path, process
    with contextlib.suppress(ProcessLookupError):
        process.kill()
    process.wait()


def connect(path) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(60)

    def try_it() -> bool:
        with contextlib.suppress(ConnectionRefusedError):
            connection.connect(str(path))
            return True
        return False

    eventually(try_it, "the server accepts")
    return connection


def test_the_server_listens_on_a_socket_that_only_the_user_can_open(listening):
    path, process = listening
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    connection = connect(path)
    connection.sendall(INITIALIZE)
    assert b"completionProvider" in connection.recv(65536)
    # One client only, whose socket is gone.
    eventually(lambda: not path.exists(), "the socket is taken away")
    connection.close()
    process.wait(timeout=60)


@pytest.mark.parametrize(
    "start", [b"POST / HTTP/1.1\r\nHost: x\r\n", b"Origin: http://x\r\n", b"x" * 5000]
)
def test_a_socket_is_closed_to_anything_but_the_protocol(listening, start):
    path, process = listening
    connection = connect(path)
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        connection.sendall(start + INITIALIZE)
        assert connection.recv(65536) == b""
    process.wait(timeout=60)


def test_a_socket_that_cannot_be_opened_is_reported_in_one_line(tmp_path):
    (tmp_path / "taken").write_text("a file")
    command = [sys.executable, "-m", "pincite", "serve", "--socket", str(tmp_path / "taken")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(f"pincite: cannot listen on {tmp_path / 'taken'}: ")
    assert done.stderr.count("\n") == 1
    assert (tmp_path / "taken").read_text() == "a file"


@pytest.mark.parametrize(
    "sent",
    [
        b"Content-Length: 100000000000000\r\n\r\n",
        b"Content-Length: %b\r\n\r\n" % (b"9" * 4000),
        b"Content-Length: -5\r\n\r\n",
        b"X-Line: y\r\n" * 100 + b"\r\n",
        b"z" * 100_000,
        b"\r\n\r\n",
    ],
)
def test_what_is_no_message_is_refused_and_the_next_one_answered(client, sent):
    client.process.stdin.write(sent)
    client.process.stdin.flush()
    number = client.ask("pincite/status", {})
    answers = [client.wait(lambda m: "method" not in m)]
    while answers[-1].get("id") != number:
        answers.append(client.wait(lambda m: "method" not in m))
    assert all(answer["error"]["code"] == -32700 for answer in answers[:-1])


def test_a_message_nested_too_deep_is_answered(client):
    deep = b"[" * 200_000 + b"]" * 200_000
    client.send_bytes(b'{"jsonrpc":"2.0","id":77,"method":"x","params":%b}' % deep)
    assert client.answer_to(77)["error"] == {"code": -32700, "message": "Nested too deep"}
    assert "result" in client.request("pincite/status", {})


def test_a_position_beyond_all_numbers_does_not_lose_the_edit(client, tmp_path):
    draft = tmp_path / "main.tex"
    client.open(draft)
    whole = {"start": {"line": 0, "character": -1}, "end": {"line": 2**40, "character": 2**70}}
    text = "\\bibliography{refs} A word \\cite{}"
    client.change(draft, 2, {"range": whole, "text": text})
    assert client.labels(draft, 0, len(text) - 1) == {"one"}


@pytest.mark.skipif(os.name == "nt", reason="pipes are of another kind")
def test_a_client_that_does_not_read_can_go_on_sending(tmp_path):
    client = Client(tmp_path, reads=False)
    numbers = [client.ask("pincite/unknown", {"x": "y"}) for _ in range(2_000)]
    # Each answer is longer than a request, and all requests are more than a pipe holds.
    client.begin_to_read()
    for number in numbers:
        assert client.answer_to(number)["error"]["message"] == "Not initialized yet"
    client.close()


def test_the_server_ends_when_nobody_can_read_its_answers(tmp_path):
    client = Client(tmp_path, reads=False)
    client.process.stdout.close()
    with contextlib.suppress(BrokenPipeError):
        for _ in range(100):
            client.ask("pincite/status", {})
    assert client.process.wait(timeout=60) == 1
    assert b"Traceback" not in client.process.stderr.read()


def test_a_refused_request_is_one_line_in_the_log(client, tmp_path):
    draft = tmp_path / "main.tex"
    client.open(draft)
    for _ in range(3):
        wrong = {**client.at(draft), "limit": "many"}
        refused = client.request("pincite/recommendations", wrong)
        assert "error" in refused
    client.process.stdin.close()
    log = client.process.stderr.read().decode()
    assert "Traceback" not in log
    assert log.count("\n") <= 3
