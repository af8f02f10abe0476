"""pygls still has what `pincite.lsp.pygls_internals` rests on."""

import asyncio
import inspect
import io
import json

import pytest
from pygls.lsp.server import LanguageServer
from pygls.protocol import JsonRPCProtocol, LanguageServerProtocol

from pincite.lsp.server import create_server

PLACE = {"line": 0, "character": 0}


@pytest.fixture(name="server")
def a_server_of_pygls():
    return LanguageServer("pygls", "0")


def test_the_private_attributes_are_there(server):
    assert server.protocol._shutdown is False
    assert server.protocol._request_futures == {}
    assert list(inspect.signature(server.protocol._send_response).parameters)[:2] == ["msg_id", "result"]  # fmt: skip
    assert "error" in inspect.signature(server.protocol._send_response).parameters
    assert hasattr(server.protocol, "writer")


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("get_message_type", ["method"]),
        ("handle_message", ["message"]),
        ("_execute_handler", ["msg_id", "handler", "callback", "args", "kwargs"]),
        ("_send_handler_result", ["future", "msg_id"]),
        ("lsp_initialize", ["params"]),
        ("lsp_shutdown", ["args"]),
        ("lsp_text_document__did_change", ["params"]),
        ("lsp_workspace__execute_command", ["params"]),
    ],
)
def test_the_methods_that_are_overridden_are_called_so(server, name, parameters):
    for kind in (JsonRPCProtocol, LanguageServerProtocol):
        if hasattr(kind, name):
            break
    else:
        pytest.fail(f"pygls has no {name}")
    found = inspect.signature(getattr(server.protocol, name)).parameters
    assert list(found) == parameters


def test_nothing_is_kept_of_notifications_and_answered_requests(tmp_path):
    """pygls kept a future for each keystroke."""
    draft = (tmp_path / "main.tex").as_uri()
    change = {"range": {"start": PLACE, "end": PLACE}, "text": "x"}
    messages = [
        {"id": 1, "method": "initialize", "params": {"processId": None, "capabilities": {}}},
        {"method": "initialized", "params": {}},
        {
            "method": "textDocument/didOpen",
            "params": {
                "textDocument": {"uri": draft, "languageId": "latex", "version": 1, "text": "Words"}
            },
        },
        *(
            {
                "method": "textDocument/didChange",
                "params": {
                    "textDocument": {"uri": draft, "version": version},
                    "contentChanges": [change],
                },
            }
            for version in range(2, 202)
        ),
        {"id": 2, "method": "pincite/status", "params": {}},
    ]

    async def handled() -> int:
        server = create_server()
        server.protocol.set_writer(io.BytesIO())
        for message in messages:
            server.protocol.handle_body(json.dumps({"jsonrpc": "2.0", **message}).encode())
        while 2 in server.protocol._request_futures:
            await asyncio.sleep(0.01)
        # What was done is forgotten at the next turn of the loop.
        await asyncio.sleep(0)
        server.session.stop()
        return len(server.protocol._request_futures)

    # The server's own requests (settings, watching) may wait for their answers.
    assert asyncio.run(handled()) <= 3
