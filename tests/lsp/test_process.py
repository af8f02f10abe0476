"""The server as a process: what it loads, where it listens."""

import json
import socket
import subprocess
import sys
import time


def test_the_server_answers_initialize_before_it_loads_numpy():
    program = (
        "import sys, pincite.lsp.server as s; s.create_server();"
        "print([m for m in ('numpy', 'scipy', 'sklearn', 'gensim', 'regex', 'rich') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout.replace("'", '"')) == []


def test_the_server_listens_on_a_port_of_this_machine():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
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
    finally:
        process.kill()
        process.wait()


def connect(port: int) -> socket.socket:
    for _ in range(200):
        try:
            return socket.create_connection(("127.0.0.1", port))
        except OSError:
            time.sleep(0.05)
    raise AssertionError("the server never listened")
