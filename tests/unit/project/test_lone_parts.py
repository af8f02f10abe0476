"""A part among thousands of files: its main file is searched for without making others wait."""

import pytest

from pincite.lsp.documents import Documents
from pincite.lsp.session import Session
from pincite.project import workspace as workspaces
from pincite.project.workspace import Workspace
from protocol_client import eventually

PART = "\\section{A part}\nAs \\cite{tern2001} says.\n"
MAIN = "\\documentclass{{article}}\n\\begin{{document}}\n{}\n\\bibliography{{refs}}\n\\end{{document}}\n"


@pytest.fixture(name="folder")
def folder_with_many_files(tmp_path):
    for number in range(300):
        (tmp_path / f"main{number:03}.tex").write_text(MAIN.format("Nothing."))
    (tmp_path / "part.tex").write_text(PART)
    (tmp_path / "zoo.tex").write_text(MAIN.format("\\input{part}"))
    (tmp_path / "refs.bib").write_text("@misc{tern2001, title={Seals}}\n")
    return tmp_path


@pytest.fixture(name="session")
def session_in_a_folder(folder):
    session = Session(Documents())
    session.folders = (folder,)
    yield session
    session.stop()


def root_of(session, path):
    read = session.snapshot().read_draft(path)
    return None if read is None else read.draft.root


def test_others_have_their_turn_before_all_files_are_searched(session, folder, monkeypatch):
    looked_at = []
    starts_document = Workspace._starts_document

    def noted(self, path):
        if not looked_at:
            session._reader.submit(lambda: looked_at.append("another request"))
        looked_at.append(path)
        return starts_document(self, path)

    monkeypatch.setattr(Workspace, "_starts_document", noted)
    session.documents.open((folder / "part.tex").as_uri(), PART)
    session.snapshot().read_draft(folder / "part.tex")
    eventually(lambda: root_of(session, folder / "part.tex") == folder / "zoo.tex", "its main file")
    assert len(looked_at) > 300
    assert looked_at.index("another request") <= 2 * workspaces._MOST_SEARCHED


def test_a_part_of_none_is_not_searched_for_ever(session, folder):
    (folder / "zoo.tex").write_text(MAIN.format("Nothing."))
    session.documents.open((folder / "part.tex").as_uri(), PART)
    session.snapshot().read_draft(folder / "part.tex")
    (workspace,) = session._reader.workspaces.values()
    eventually(lambda: not workspace._searches, "an end")
    assert not workspace.knows_root_of(folder / "part.tex")


def test_without_an_editor_the_search_goes_to_its_end(folder):
    assert Workspace(folder).draft(folder / "part.tex").root == folder / "zoo.tex"


def test_other_main_files_are_found_in_turns(folder):
    found = list(Workspace(folder).mains_with(folder / "part.tex"))
    assert [each for each in found if each is not None] == [folder / "zoo.tex"]
    assert found.count(None) >= 300 // workspaces._MOST_SEARCHED
