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
    assert "Nothing was written; add --write to change the files" in err
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
        "not merged: their fields differ", "  one.bib:1  salton", "  two.bib:1  salton1975",
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
    assert (status, "need --merge" in err) == (2, True)


@pytest.mark.parametrize("order", [1, -1])
def test_a_field_of_another_name_is_taken(thesis, run, order):
    names = ("journaltitle = {J. Otter Stud.}", "journal = {Journal of Otter Studies}")
    for file, field in zip(("one.bib", "two.bib"), names[::order], strict=True):
        text = (thesis / file).read_text("latin-1")
        (thesis / file).write_text(text.replace("year", f"{field}, year", 1), "latin-1")
    assert run("library", "thesis.tex", "--merge", "--write")[0] == 0
    name = names[::order][0].partition(" ")[0]
    assert f"{name} = {{Journal of Otter Studies}}" in (thesis / "one.bib").read_text("latin-1")


def test_numbers_and_layout_of_csl_json_stay(tmp_path, monkeypatch, run):
    monkeypatch.chdir(tmp_path)
    same = '"title": "How otters crack shells in cold water", "author": [{"family": "Hall"}]'
    one = f'{{"id": "hall", "custom": {{"score": 1.10}},\n   {same}}}'
    two = f'{{"id": "hall2", {same}, "rank": {{"at": [1.50, 2]}}, "volume": 7}}'
    (tmp_path / "refs.json").write_text(f"[{one},\n{two}]\n")
    (tmp_path / "main.md").write_text("---\nbibliography: refs.json\n---\nOtters [@hall].\n")
    assert run("library", "main.md", "--merge", "--write")[0] == 0
    assert (tmp_path / "main.md").read_text().endswith("Otters [@hall].\n")
    added = ', "rank": {"at": [1.50, 2]}, "volume": 7}'
    assert (tmp_path / "refs.json").read_text() == f"[{one[:-1]}{added}]\n"
