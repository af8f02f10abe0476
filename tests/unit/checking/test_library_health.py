"""The health of a library: what is known of entries, what is wrong, and what to do."""

from pathlib import Path

import pytest
from fpdf import FPDF

from markup import write_project
from pincite.checking.library_health import common_folder, library_health
from pincite.project.workspace import Workspace

PROJECT = r"""
%! main.tex
\documentclass{article}\begin{document}
Words \cite{read, both}. \bibliography{refs}
\end{document}
%! refs.bib
@article{read, title={Distributional Structure}, author={Harris, Z.}, year=1954}
@article{both, title={A Synopsis}, author={Firth, J.}, year=1957, abstract={A word is known.}}
@article{bare, title={Frogs}, author={Frog, A.}, year={in press}}
@article{undated, title={Ponds}, author={Pond, B.}}
@online{page, title={A Page}}
@article{gone, title={Rivers}, year=1960, file={:/home/ann/Zotero/storage/AB/rivers.pdf:application/pdf}}
@article{moved, title={Lakes}, year=1961, file={/home/ann/Zotero/storage/CD/lakes.pdf}}
@article{saved, title={Seas}, year=1961, file={/home/ann/Zotero/storage/EF/seas.html}}
@article{damaged, title={Oceans}, year=1962}
@article{again, title={Distributional structure}, author={Harris, Z.}, year=1954}
@article{both, title={Another}}
@article{broken, title={Brooks}, year=1963 note={x}}
%! papers/read.txt
Words in like contexts have like meanings. It was seen in many texts.
%! papers/damaged.pdf
%PDF-1.4 nothing
%! papers/other.pdf
no PDF
"""


class Checked:
    def __init__(self, folder: Path) -> None:
        self.workspace = Workspace(folder)
        self.draft = self.workspace.draft(write_project(folder, PROJECT))
        self.workspace.read_library(self.draft)

    def health(self, *, complete=True):
        recommender = self.workspace.recommender(self.draft, full_texts=complete)
        return library_health(
            self.draft,
            self.workspace.bibliography(self.draft).files,
            recommender.candidates,
            self.workspace.library(self.draft),
            self.workspace.read,
            complete=complete,
        )


@pytest.fixture(name="health", scope="module")
def health_of_project(tmp_path_factory):
    return Checked(tmp_path_factory.mktemp("project")).health()


def kinds(health):
    return {entry.key: [problem.kind for problem in entry.problems] for entry in health.entries}


def test_what_is_known_of_each_entry(health):
    known = {entry.key: entry for entry in health.entries}
    assert known["read"].basis == "full text"
    assert known["read"].file.name == "read.txt"
    assert (known["both"].basis, known["both"].file) == ("abstract", None)
    assert known["bare"].basis == "title"
    assert {key for key, entry in known.items() if entry.cited} == {"read", "both"}


def test_what_is_wrong_with_each_entry(health):
    assert kinds(health) == {
        "read": [],
        "both": ["repeated-key"],
        "bare": ["title-only"],
        "undated": ["no-year", "title-only"],
        "page": ["title-only"],
        "gone": ["missing-file"],
        "moved": ["missing-file"],
        # A saved web page is no text that could be read.
        "saved": ["title-only"],
        "damaged": ["unreadable"],
        "again": ["duplicate", "title-only"],
        "broken": ["broken-entry", "title-only"],
    }


def test_each_problem_states_what_is_wrong_and_what_to_do(health):
    what = {entry.key: entry.problems[0].message for entry in health.entries if entry.problems}
    assert what["gone"].startswith(
        "names a file that is not on this computer (/home/ann/Zotero/storage/AB/rivers.pdf): point"
    )
    assert "--base-folder" in what["gone"]
    assert what["again"].startswith("seems to be the same work as read: merge them")
    assert what["both"].startswith("a later entry with this key is ignored (refs.bib, line 11): ")
    assert "(refs.bib, line 12)" in what["broken"]
    assert what["damaged"].startswith("damaged.pdf: the PDF is damaged")


def test_files_of_no_entry_are_listed_separately(health):
    (other,) = health.others
    assert other.kind == "unreadable"
    assert other.what.startswith("other.pdf: ")


def test_the_counts(health):
    counts = health.counts
    assert (counts.entries, counts.cited) == (11, 2)
    assert (counts.full_text, counts.abstract, counts.title) == (1, 1, 9)
    assert (counts.named_files, counts.missing_files) == (2, 2)
    assert (counts.unreadable, counts.scanned, counts.encrypted) == (2, 0, 0)
    assert (counts.duplicates, counts.repeated_keys) == (1, 1)
    assert (counts.without_year, counts.broken) == (1, 1)
    assert health.common_folder.folder == "/home/ann/Zotero/storage"
    assert health.common_folder.shared == 2


def test_while_papers_are_read_texts_have_no_problems(tmp_path):
    health = Checked(tmp_path).health(complete=False)
    found = {kind for kinds_ in kinds(health).values() for kind in kinds_}
    assert found == {"missing-file", "duplicate", "repeated-key", "no-year", "broken-entry"}
    assert health.others == ()


@pytest.mark.parametrize(
    ("names", "folder", "shared"),
    [
        ([], None, 0),
        (["x.pdf", "y.pdf"], None, 0),
        (["/a/x.pdf", "/b/y.pdf"], None, 0),
        (["/home/ann/x.pdf"], "/home/ann", 1),
        (["files/1/x.pdf", "files/2/y.pdf"], "files", 2),
        ([r"C:\Users\ann\1\x.pdf", r"C:\Users\ann\2\y.pdf"], "C:/Users/ann", 2),
        # A few strays do not hide the folder of all others.
        ([*(f"/home/ann/storage/{n}/x.pdf" for n in range(9)), "/tmp/y.pdf"], "/home/ann/storage", 9),
    ],
)  # fmt: skip
def test_the_common_folder(names, folder, shared):
    found = common_folder(names)
    assert (found and found.folder, found.shared if found else 0) == (folder, shared)


@pytest.mark.parametrize("password", ["secret", None])
def test_encrypted_and_scanned_files_are_distinguished(tmp_path, password):
    pdf = FPDF()
    pdf.add_page()
    if password is not None:
        pdf.set_encryption(owner_password="owner", user_password=password)
    checked = Checked(tmp_path)
    pdf.output(str(tmp_path / "papers" / "bare.pdf"))
    checked.workspace.caches.check_libraries()
    checked.workspace.read_library(checked.draft)
    health = checked.health()
    expected = "scanned" if password is None else "encrypted"
    assert kinds(health)["bare"] == [expected]
    assert getattr(health.counts, expected) == 1
