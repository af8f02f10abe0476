"""The root of the file system is no project, whatever address leads there."""

import os
from pathlib import Path

import pytest

from pincite.lsp import server as servers
from pincite.lsp.documents import Documents, path_of
from pincite.lsp.session import Session
from pincite.parsing import disk as disks
from pincite.parsing.disk import Disk
from protocol_client import TEXT


@pytest.fixture(name="listed")
def listed_folders(monkeypatch):
    """Return the folders that were listed."""
    listed = []
    list_folder = disks.list_folder

    def noted(folder):
        listed.append(folder)
        return list_folder(folder)

    monkeypatch.setattr(disks, "list_folder", noted)
    monkeypatch.setattr("pincite.project.disk.list_folder", noted)
    return listed


@pytest.mark.parametrize(
    "address", ["file:///", "file:///x/..", "file:///%2e%2e/", "file:////", "file:///."]
)
def test_it_is_no_folder_of_a_workspace(address):
    session = Session(Documents())
    servers._set_folders(session, [path_of(address)])
    assert session.folders == ()


@pytest.mark.parametrize(
    "address", ["file:///pincite-lone.tex", "file:///", "file:///../pincite-lone.tex"]
)
def test_a_document_in_it_is_read_without_what_is_below(listed, address):
    session = Session(Documents())
    documents = session.documents
    documents.open(address, TEXT, language="latex")
    path = documents.now.path(address)
    session.project().open_draft(path)
    assert session.project().drafts_with(path) is not None
    session.stop()
    assert {Path(each) for each in listed} <= {Path(path.anchor)}


def test_a_link_to_it_is_not_walked(listed, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(Path(tmp_path.anchor))
    assert list(Disk().draft_files(link)) == list(Disk().draft_files(Path(tmp_path.anchor)))
    assert Disk().matching(link, "**/*.bib", [link]) == []
    assert set(listed) <= {str(link), tmp_path.anchor}


@pytest.mark.parametrize(
    "address", ["file:///%00/x.tex", "file:///x%00.tex", "untitled:%00", "file:///%00"]
)
def test_an_address_that_no_file_can_have_is_no_file(address, listed):
    documents = Documents()
    documents.open(address, TEXT, language="latex")
    path = documents.now.path(address)
    assert "\0" not in str(path)
    assert not path.is_absolute()
    session = Session(documents)
    assert session.project().open_draft(path) is None
    session.stop()
    assert not os.path.exists(path)  # noqa: PTH110
