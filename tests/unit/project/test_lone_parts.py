"""A part among hundreds of files: its main file is found, and no request waits for it."""

import pytest

from pincite.lsp.documents import Documents
from pincite.lsp.session import Session
from pincite.project import project as projects
from pincite.project.workspace import Workspace

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
    session.documents.open((folder / "part.tex").as_uri(), PART)
    yield session
    session.stop()


def root_of(session, path):
    read = session.project().read_draft(path)
    session.look()
    return None if read is None else read.draft.root


def test_a_part_of_none_is_not_searched_for_ever(session, folder, monkeypatch):
    monkeypatch.setattr(projects, "_PATIENCE_SECONDS", -1.0)
    (folder / "zoo.tex").write_text(MAIN.format("Nothing."))
    assert root_of(session, folder / "part.tex") == folder / "part.tex"
    assert session.background.wait(60)
    assert not session.shared.caches.unsearched
    assert root_of(session, folder / "part.tex") == folder / "part.tex"


def test_a_part_has_the_main_file_that_comes_to_read_it(session, folder):
    """It is open and not saved, and was looked for in vain a moment ago."""
    main = folder / "zoo.tex"
    main.write_text(MAIN.format("Nothing."))
    assert root_of(session, folder / "part.tex") == folder / "part.tex"
    session.documents.open(main.as_uri(), MAIN.format("\\include{part}"))
    assert root_of(session, folder / "part.tex") == main


def test_without_an_editor_the_search_goes_to_its_end(folder):
    assert Workspace(folder).draft(folder / "part.tex").root == folder / "zoo.tex"


def test_other_main_files_are_found(folder):
    assert list(Workspace(folder).mains_with(folder / "part.tex")) == [folder / "zoo.tex"]
