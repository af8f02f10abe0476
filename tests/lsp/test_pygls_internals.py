"""pygls still has what `pincite.lsp.pygls_internals` rests on."""

import inspect

import pytest
from pygls.lsp.server import LanguageServer
from pygls.protocol import JsonRPCProtocol, LanguageServerProtocol


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
