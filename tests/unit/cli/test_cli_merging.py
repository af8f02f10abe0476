"""``pincite library --merge`` as an author calls it."""

import json

import pytest

FIELDS = "author = {Gärtner, A.}, title = {A vector space model for indexing}, year = 1975"
ONE = f"@article{{salton, {FIELDS}, volume = 18}}\n"
TWO = (
    f"@article{{salton1975, {FIELDS}, doi = {{10.1145/361219}}}}\n@misc{{last, title = {{Löst}}}}\n"
)


@pytest.fixture(name="thesis")
def thesis_with_duplicates(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.bib").write_bytes(ONE.replace("\n", "\r\n").encode("latin-1"))
    (tmp_path / "two.bib").write_bytes(b"\xef\xbb\xbf" + TWO.encode())
    (tmp_path / "thesis.tex").write_text(
        "\\documentclass{book}\n\\begin{document}\nWords \\cite{salton}, \\cite{salton}.\n"
        "\\input{part}\\bibliography{one,two}\\end{document}\n"
    )
    (tmp_path / "part.tex").write_text("More \\cite{salton1975,last}.\n")
    return tmp_path


def test_the_diff_is_shown_and_nothing_written(thesis, run):
    before = {path.name: path.read_bytes() for path in thesis.iterdir()}
    status, out, err = run("library", "thesis.tex", "--merge")
    assert status == 0
    lines = out.splitlines()
    assert "-More \\cite{salton1975,last}." in lines
    assert "+More \\cite{salton,last}." in lines
    assert "1 work merged, 1 entry deleted, 0 works left" in err
    assert "Nothing was written; --write does it" in err
    assert {path.name: path.read_bytes() for path in thesis.iterdir()} == before


@pytest.mark.parametrize("name", ["thesis.tex", "part.tex"])
def test_the_files_keep_their_encodings(thesis, run, name):
    status, _, err = run("library", name, "--merge", "--write")
    assert (status, "3 files changed" in err) == (0, True)
    one = (thesis / "one.bib").read_bytes()
    assert one == ONE.replace("salton, ", "salton, doi = {10.1145/361219}, ").replace(
        "\n", "\r\n"
    ).encode("latin-1")
    assert (thesis / "two.bib").read_bytes() == b"\xef\xbb\xbf" + TWO.splitlines(keepends=True)[
        1
    ].encode()
    assert (thesis / "part.tex").read_text() == "More \\cite{salton,last}.\n"
    _, _, err = run("library", name, "--merge", "--write")
    assert "no duplicates to merge" in err


def test_what_cannot_be_united_is_reported(thesis, run, run_json):
    two = (thesis / "two.bib").read_text("utf-8-sig")
    (thesis / "two.bib").write_text(two.replace("doi", "note = {Mine}, doi"))
    one = (thesis / "one.bib").read_text("latin-1")
    (thesis / "one.bib").write_text(one.replace("volume", "note = {Yours}, volume"))
    status, out, err = run("library", "thesis.tex", "--merge", "--write")
    assert status == 0
    assert out.splitlines() == [
        "not merged: they differ", "  one.bib:1  salton", "  two.bib:1  salton1975",
        "    note = {Yours}", "    note = {Mine}",
    ]  # fmt: skip
    assert "no duplicates to merge, 1 left as they are" in err
    _, found, _ = run_json("library", "thesis.tex", "--merge")
    (left,) = found["unmerged"]
    assert left["fields"] == [{"field": "note", "values": ["Yours", "Mine"]}]
    assert json.dumps(found)


def test_a_file_that_cannot_be_written(thesis, run):
    (thesis / "two.bib").rename(thesis / "real.bib")
    (thesis / "two.bib").mkdir()
    status, _, _ = run("library", "thesis.tex", "--merge", "--write")
    assert status == 0
    status, _, err = run("library", "thesis.tex", "--write")
    assert (status, "go with --merge" in err) == (2, True)
