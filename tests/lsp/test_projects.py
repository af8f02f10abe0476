"""Projects: what a request sees does not change, whatever changes meanwhile."""

import threading

import pytest

from pincite.cancellation import CancelledError, Turns, cancelled_by
from pincite.settings import EditorSettings, Settings

PROJECT = r"""
%! main.tex
\documentclass{article}\begin{document}Words \cite{one}.\bibliography{refs}\end{document}
%! refs.bib
@misc{one, title={One}}
"""
TYPED = "@misc{two, title={One}}"


def entries(project):
    return set(project.read_draft(project.folders[0] / "main.tex").bibliography.entries)


def test_it_is_the_same_until_something_changes(editing):
    author = editing(PROJECT)
    session, bib = author.session, author.folder / "refs.bib"
    project = session.project()
    assert session.project() is project
    changes = [
        lambda: author.open("refs.bib", TYPED),
        lambda: setattr(session, "settings", Settings(editor=EditorSettings(inlay_hints="on"))),
        lambda: setattr(session, "folders", (author.folder, author.folder / "other")),
        lambda: session.changed_on_disk([bib]),
        lambda: author.documents.close(bib.as_uri()),
    ]
    for change in changes:
        before = project
        change()
        project = session.project()
        assert project is not before
        assert project.revision > before.revision


def test_what_is_read_of_an_earlier_one_is_what_it_was(editing):
    author = editing(PROJECT)
    before = author.project
    author.open("refs.bib", TYPED)
    assert entries(author.project) == {"two"}
    # Nobody had read it before, and it is read now.
    assert entries(before) == {"one"}
    assert entries(author.project) == {"two"}


def test_what_was_cancelled_reads_nothing(editing):
    author = editing(PROJECT)
    project = author.project
    with cancelled_by(lambda: True), pytest.raises(CancelledError):
        project.read_draft(author.main)
    assert project.read_draft(author.main) is not None


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
