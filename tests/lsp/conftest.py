from __future__ import annotations

import pytest

from author import CAPABILITIES, Author
from editing import Editing
from metadata_services import serving
from protocol_client import Client

REPLIES = {
    "client/registerCapability": lambda _params: None,
    "client/unregisterCapability": lambda _params: None,
    "workspace/applyEdit": lambda _params: {"applied": True},
}


@pytest.fixture(scope="module", name="server")
def server_of_a_module(tmp_path_factory):
    """One server for the tests of a module; each opens a workspace folder of its own in it."""
    folder = tmp_path_factory.mktemp("bibinputs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BIBINPUTS", f"{folder}:")
        client = Client(None, capabilities=CAPABILITIES, replies=REPLIES)
    client.bibinputs = folder
    yield client
    client.close()


@pytest.fixture(name="start_in")
def clients_of_a_test():
    """Return a function that starts a client in a folder; all end with the test."""
    started = []

    def start(folder, **options):
        started.append(Client(folder, **options))
        return started[-1]

    yield start
    for client in started:
        client.close()


@pytest.fixture(name="author_with")
def authors_with_servers_of_their_own(tmp_path, start_in):
    """Return a function that starts a server for an author, whose editor makes all edits."""

    def begin(capabilities=CAPABILITIES, environment=None, **server):
        named = {"PINCITE_CACHE": "cache", "PINCITE_ZOTERO": "no-zotero"}
        folders = {name: str(tmp_path / folder) for name, folder in named.items()}
        environment = folders | (environment or {})
        client = start_in(
            None, capabilities=capabilities, replies=REPLIES, environment=environment, **server
        )
        return Author(client, tmp_path / "draft")

    return begin


@pytest.fixture(name="services")
def services_on_this_computer(request):
    """Serve the works of the module."""
    with serving(request.module.WORKS) as services:
        yield services


@pytest.fixture(name="author")
def author_with_a_folder(server, tmp_path):
    author = Author(server, tmp_path)
    yield author
    author.end()


@pytest.fixture(name="editing")
def sessions_of_a_test(tmp_path):
    """Return a function that opens a project in a session; all end with the test."""
    begun = []

    def begin(project, folder=tmp_path, **options):
        begun.append(Editing(folder, project, **options))
        return begun[-1]

    yield begin
    for each in begun:
        each.session.stop()
