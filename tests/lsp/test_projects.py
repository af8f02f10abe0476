"""Projects: what a request sees does not change, whatever changes meanwhile."""

import threading

import pytest

from pincite.cancellation import CancelledError, Turns, cancelled_by
from pincite.lsp.documents import Documents
from pincite.lsp.session import Session
from pincite.settings import EditorSettings, Settings

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


def entries(project):
    read = project.read_draft(project.folders[0] / "main.tex")
    return set(read.bibliography.entries)


def test_it_is_the_same_until_something_changes(session, tmp_path):
    project = session.project()
    assert session.project() is project
    changes = [
        lambda: session.documents.open((tmp_path / "refs.bib").as_uri(), ENTRY % "two"),
        lambda: setattr(session, "settings", Settings(editor=EditorSettings(inlay_hints="on"))),
        lambda: setattr(session, "folders", (tmp_path, tmp_path / "other")),
        lambda: session.changed_on_disk([tmp_path / "refs.bib"]),
        lambda: session.documents.close((tmp_path / "refs.bib").as_uri()),
    ]
    for change in changes:
        before = project
        change()
        project = session.project()
        assert project is not before
        assert project.revision > before.revision


def test_what_is_read_of_an_earlier_one_is_what_it_was(session, tmp_path):
    before = session.project()
    session.documents.open((tmp_path / "refs.bib").as_uri(), ENTRY % "two")
    assert entries(session.project()) == {"two"}
    # Nobody had read it before, and it is read now.
    assert entries(before) == {"one"}
    assert entries(session.project()) == {"two"}


def test_what_was_cancelled_reads_nothing(session, tmp_path):
    project = session.project()
    with cancelled_by(lambda: True), pytest.raises(CancelledError):
        project.read_draft(tmp_path / "main.tex")
    assert project.read_draft(tmp_path / "main.tex") is not None


def test_who_waits_for_a_lock_can_be_cancelled():
    held, cancelled, ended = Turns(), threading.Event(), []

    def work():
        with cancelled_by(cancelled.is_set), pytest.raises(CancelledError), held:
            pass
        ended.append(True)

    with held:
        waiting = threading.Thread(target=work)
        waiting.start()
        assert not ended
        cancelled.set()
        waiting.join(60)
        assert ended
