from pathlib import Path

import pytest

from pincite.library.file_fields import as_path, missing_file, named_files


@pytest.mark.parametrize(
    ("field", "first"),
    [
        ("papers/smith.pdf", "papers/smith.pdf"),
        (":smith.pdf:PDF", "smith.pdf"),
        ("Full Text:papers/smith.pdf:application/pdf", "papers/smith.pdf"),
        (r":papers/a\:b.pdf:PDF", "papers/a:b.pdf"),
        (r"C\:\\Users\\me\\smith.pdf", r"C:\Users\me\smith.pdf"),
        (r":C\:\\Users\\me\\smith.pdf:PDF", r"C:\Users\me\smith.pdf"),
        (r"Paper:C\:/Users/me/smith.pdf:application/pdf", "C:/Users/me/smith.pdf"),
        ("/home/me/smith.pdf", "/home/me/smith.pdf"),
        ("~/papers/smith.pdf", "~/papers/smith.pdf"),
        ("{papers/smith.pdf}", "papers/smith.pdf"),
        ("smith.pdf:PDF", "smith.pdf"),
        (r"papers/with\_underscore.pdf", "papers/with_underscore.pdf"),
    ],
)
def test_the_forms_that_reference_managers_write(field, first):
    assert named_files(field)[0] == first


def test_several_files_are_all_named():
    assert named_files("a.pdf;notes/b.md") == ["a.pdf", "notes/b.md"]
    assert named_files(":a.pdf:PDF;:b.txt:Text")[0] == "a.pdf"
    assert "b.txt" in named_files(":a.pdf:PDF;:b.txt:Text")


def test_an_escaped_semicolon_is_part_of_the_name():
    assert named_files(r":a\;b.pdf:PDF")[0] == "a;b.pdf"


def test_mendeley_drops_the_first_slash():
    assert "/home/me/smith.pdf" in named_files(":home/me/smith.pdf:pdf")


@pytest.mark.parametrize("field", ["", ";", " ; ", "{}", "::"])
def test_nothing_is_named_by_nothing(field):
    assert all(Path(name) for name in named_files(field))


def test_a_path_with_backslashes_is_read_as_one():
    assert as_path(r"papers\smith.pdf") == Path("papers/smith.pdf")


def test_a_file_that_is_not_there_is_named(tmp_path):
    assert missing_file(":gone.pdf:PDF", tmp_path) == "gone.pdf"
    (tmp_path / "there.pdf").write_bytes(b"")
    assert missing_file(":there.pdf:PDF", tmp_path) is None
    assert missing_file("", tmp_path) is None
