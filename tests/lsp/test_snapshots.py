"""Snapshots: what a request looks at does not change, and one thread reads for all of them."""

import threading
from concurrent.futures import Future

import pytest

from pincite.cancellation import CancelledError, acquire, cancelled_by, result_of
from pincite.lsp.documents import Documents
from pincite.lsp.session import Session
from pincite.project.workspace import Workspace
from pincite.settings import EditorSettings, Settings
from protocol_client import eventually

TEXT = (
    "\\documentclass{article}\\begin{document}Words \\cite{one}.\\bibliography{refs}\\end{document}"
)
ENTRY = "@misc{%s, title={One}}"


@pytest.fixture(name="session")
def session_in_a_folder(tmp_path):
    (tmp_path / "main.tex").write_text(TEXT)
    (tmp_path / "refs.bib").write_text(ENTRY % "one")
    session = Session(Documents())
    session.folders = (tmp_path,)
    yield session
    session.stop()


def entries(snapshot):
    read = snapshot.read_draft(snapshot.folders[0] / "main.tex")
    return set(read.bibliography.entries)


def test_it_is_the_same_until_something_changes(session, tmp_path):
    snapshot = session.snapshot()
    assert session.snapshot() is snapshot
    changes = [
        lambda: session.documents.open((tmp_path / "refs.bib").as_uri(), ENTRY % "two"),
        lambda: setattr(session, "settings", Settings(editor=EditorSettings(inlay_hints="on"))),
        lambda: setattr(session, "folders", (tmp_path, tmp_path / "other")),
        lambda: session.changed_on_disk([tmp_path / "refs.bib"]),
        lambda: session.documents.close((tmp_path / "refs.bib").as_uri()),
    ]
    for change in changes:
        before, snapshot = snapshot, None
        change()
        snapshot = session.snapshot()
        assert snapshot is not before
        assert snapshot.revision > before.revision


def test_what_is_read_of_an_earlier_one_is_what_it_was(session, tmp_path):
    before = session.snapshot()
    session.documents.open((tmp_path / "refs.bib").as_uri(), ENTRY % "two")
    assert entries(session.snapshot()) == {"two"}
    # Nobody had read it before, and it is read now.
    assert entries(before) == {"one"}
    assert entries(session.snapshot()) == {"two"}


def test_a_draft_is_read_once_for_all_requests_of_a_snapshot(session, tmp_path):
    main = tmp_path / "main.tex"
    snapshot = session.snapshot()
    assert snapshot.read_draft(main) is session.snapshot().read_draft(main)
    assert snapshot.open_draft(main).draft is snapshot.read_draft(main).draft


def test_settings_of_a_later_snapshot_stay_when_an_earlier_one_is_read(session, tmp_path):
    (tmp_path / "more.bib").write_text(ENTRY % "more")
    before = session.snapshot()
    session.settings = Settings(bibliographies=(tmp_path / "more.bib",))
    assert entries(session.snapshot()) == {"one", "more"}
    workspaces = dict(session._reader.workspaces)
    assert entries(before) >= {"one"}
    assert session._reader.workspaces == workspaces


def test_others_have_their_turn_between_the_parts_of_long_work(session, tmp_path, monkeypatch):
    for number in range(3):
        (tmp_path / f"other{number}.tex").write_text(TEXT)
    begun, go_on = threading.Event(), threading.Event()
    mains_with = Workspace.mains_with

    def slow(self, path):
        for main in mains_with(self, path):
            yield main
            begun.set()

    monkeypatch.setattr(Workspace, "mains_with", slow)
    snapshot, order = session.snapshot(), []

    def walk():
        # The second draft is looked for once another request has been answered.
        for main in snapshot._reader.mains_with(snapshot, tmp_path / "refs.bib", workspace):
            order.append(main.name)
            assert go_on.wait(20)

    workspace = snapshot.read_draft(tmp_path / "main.tex").workspace
    walking = threading.Thread(target=walk)
    walking.start()
    eventually(lambda: order, "a draft is found")
    assert entries(session.snapshot()) == {"one"}
    go_on.set()
    walking.join(20)
    assert len(order) == 4


def test_what_was_cancelled_while_it_waited_reads_nothing(session, tmp_path):
    snapshot = session.snapshot()
    with cancelled_by(lambda: True), pytest.raises(CancelledError):
        snapshot.read_draft(tmp_path / "main.tex")
    assert snapshot.drafts == {}
    assert snapshot.read_draft(tmp_path / "main.tex") is not None


def test_who_waits_when_the_server_stops_is_cancelled(session, tmp_path):
    begun, go_on = threading.Event(), threading.Event()

    def block():
        begun.set()
        assert go_on.wait(20)

    session._reader.submit(block)
    assert begun.wait(20)
    snapshot, ended = session.snapshot(), []

    def ask():
        with pytest.raises(CancelledError):
            snapshot.read_draft(tmp_path / "main.tex")
        ended.append(True)

    asking = threading.Thread(target=ask)
    asking.start()
    eventually(lambda: session._reader._thread._work_queue.qsize(), "it waits")
    session.stop()
    asking.join(20)
    go_on.set()
    assert ended
    with pytest.raises(CancelledError):
        snapshot.read_draft(tmp_path / "main.tex")


@pytest.mark.parametrize("wait", ["future", "lock"])
def test_who_waits_for_other_work_can_be_cancelled(wait):
    held, future = threading.Lock(), Future()
    waits = {"future": lambda: result_of(future), "lock": lambda: acquire(held)}
    cancelled, ended = threading.Event(), []

    def work():
        with cancelled_by(cancelled.is_set), pytest.raises(CancelledError):
            waits[wait]()
        ended.append(wait)

    with held:
        waiting = threading.Thread(target=work)
        waiting.start()
        assert not ended
        cancelled.set()
        waiting.join(60)
        assert ended == [wait]


def test_a_timeout_that_is_the_result_is_raised():
    future = Future()
    future.set_exception(TimeoutError("too slow"))
    with pytest.raises(TimeoutError, match="too slow"):
        result_of(future)
