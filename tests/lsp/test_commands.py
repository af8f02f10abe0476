"""Commands over the real server: what they ask the client to change, and what they refuse."""

import os

import pytest
from test_requests import check

TAIL = "\\bibliography{refs}\n\\end{document}\n"
HEAD = "\\documentclass{article}\n\\begin{document}\n"
BIB = """%! refs.bib
@misc{harris, author={Harris, Zellig}, title={Distributional structure}, year=1954}
@misc{firth, author={Firth, J. R.}, title={A synopsis}, year=1957}
"""
WORKING_ON = "Words in like contexts have like meanings"


@pytest.fixture(name="at")
def author_at(author, author_with):
    """Return a function that opens a draft, in another editor if `workspace` is what that can do."""

    def open_at(marked, **workspace):
        working = author_with({"workspace": workspace}) if workspace else author
        working.begin(f"%! main.tex\n{HEAD}{marked}\n{TAIL}{BIB}")
        return working

    return open_at


def does(author, command, **more):
    """Execute a command at the cursor; return the body of the document after it."""
    answer = author.execute(command, author.here(**more))
    assert answer.get("result") is True, answer
    return author.edited()["main.tex"].removeprefix(HEAD).removesuffix(TAIL).strip()


def edits(author):
    made = author.client.sent("workspace/applyEdit")
    return [each for each in made if author.folder.as_uri() in str(each)]


@pytest.mark.parametrize(
    ("marked", "cited"),
    [
        ("Words \\cite{|}.", "Words \\cite{harris}."),
        ("Words \\cite{fir|th}.", "Words \\cite{firth,harris}."),
        ("Words \\cite<|>.", "Words \\cite{harris}."),
        ("Words \\cite{har|", "Words \\cite{harris"),
        (f"{WORKING_ON}| and more. Next.", f"{WORKING_ON} and more~\\cite{{harris}}. Next."),
        ("\\item Otters|", "\\item Otters~\\cite{harris}"),
        ("\\item Otters\n\\item |", "\\item Otters\n\\item \\cite{harris}"),
        ("Otters eat \\gls{fish}|", "Otters eat \\gls{fish}~\\cite{harris}"),
    ],
)
def test_a_citation_goes_where_it_belongs(at, marked, cited):
    assert does(at(marked), "insertCitation", key="harris") == cited


def test_at_the_cursor_of_a_part_the_macros_of_the_main_file_are_known(author):
    own = "\\newcommand{\\own}{\\citep}\n"
    main = f"{own}{HEAD}A~\\own{{firth}}. B~\\own{{firth}}.\n\\input{{part}}\n{TAIL}"
    author.begin(f"%! part.tex\nOtters eat \\gls{{fish}}|\n%! main.tex\n{main}{BIB}")
    assert author.execute("insertCitation", author.here(key="harris"))["result"]
    assert author.edited()["part.tex"].strip() == "Otters eat \\gls{fish}~\\own{harris}"


def test_an_entry_of_the_library_comes_along_in_one_edit(at, tmp_path):
    library = tmp_path / "zotero" / "all.bib"
    library.parent.mkdir()
    library.write_text("@misc{quine, author={Quine, W.}, title={Like contexts}, year=1960}\n")
    working = at(f"{WORKING_ON} \\cite{{|}}.")
    working.configure(globalBibliographies=[str(library)])
    # The first place is always the draft's own, although nothing speaks for its entries. Until they
    # have been read, the library follows all of them.
    marked: dict = {}
    while not marked.get("fromLibrary"):
        first, marked, *_ = working.execute("recommend", working.here())["result"]["items"]
    assert ("fromLibrary" in first, marked["key"]) == (False, "quine")
    (shown,) = working.execute("evidence", working.here(key="quine"))["result"]["works"]
    assert (shown["authorYear"], shown["fromLibrary"]) == ("Quine 1960", True)
    working.cite("quine")
    assert len(edits(working)) == 1
    assert working.put_into("main.tex") == "quine"
    assert "@misc{quine, author={Quine, W.}" in working.put_into("refs.bib")


def test_a_key_that_is_replaced_makes_room(at):
    working = at("Words \\cite{firth,zzz|1999}.")
    found = does(working, "insertCitation", key="harris", replaces="zzz1999")
    assert found == "Words \\cite{firth,harris}."


def test_an_edit_has_a_name_and_the_version_that_it_is_for(at):
    working = at("Words \\cite{|}.")
    does(working, "insertCitation", key="harris")
    (edit,) = edits(working)
    assert edit["label"] == "Cite harris"
    assert edit["edit"]["documentChanges"][0]["textDocument"]["version"] == 1


def test_an_edit_is_plain_where_the_client_has_no_versions(at):
    working = at("Words \\cite{|}.", applyEdit=True)
    assert "\\cite{harris}" in does(working, "insertCitation", key="harris")
    assert "changes" in edits(working)[0]["edit"]


@pytest.mark.parametrize(
    ("marked", "label", "pinned"),
    [
        ("Words \\cite{har|ris}.", {"pageLabel": "361"}, "Words \\cite[p.~361]{harris}."),
        # Without a printed number, that of the page in the PDF.
        ("Words \\ci|te{harris}.", {}, "Words \\cite[p.~7]{harris}."),
    ],
)
def test_a_page_goes_into_the_note_after_the_key(at, marked, label, pinned):
    assert does(at(marked), "pinCitation", key="harris", page=7, **label) == pinned


@pytest.mark.parametrize(
    ("marked", "command", "more", "message"),
    [
        ("Words \\cite{|}.", "insertCitation", {"key": "nobody"}, "has the key nobody"),
        ("Words \\cite{har|ris}.", "insertCitation", {"key": "harris"}, "cited here already"),
        ("\\section{Wo|rds}", "insertCitation", {"key": "harris"}, "cannot be inserted here"),
        ("Words \\cite{fir|th}.", "pinCitation", {"key": "harris", "page": 7}, "no citation of harris"),
        ("Words|.", "pinCitation", {"key": "harris", "page": 7}, "no citation of harris"),
        ("Words \\cite[p.~7]{har|ris}.", "pinCitation", {"key": "harris", "page": 7}, "already there"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_reported(at, marked, command, more, message):
    working = at(marked)
    error = working.execute(command, working.here(**more))["error"]
    assert error["code"] == -32803
    assert message in error["message"]
    assert edits(working) == []


def test_an_editor_that_takes_no_edits_is_asked_for_none(at):
    working = at("Words \\cite{|}.", applyEdit=False)
    error = working.cite("harris")["error"]
    assert "does not accept edits" in error["message"]
    assert edits(working) == []


def test_wrong_arguments_are_reported_and_the_server_goes_on(at):
    working = at("Words \\cite{|}.")
    here, pin = working.here(), working.here(key="harris")
    wrong = {
        "one argument is expected, not 0": ("recommend", []),
        "one argument is expected, not 2": ("evidence", [here, here]),
        "an object is expected": ("insertCitation", ["harris"]),
        "missing required field `key`": ("insertCitation", [here]),
        "Expected `int`, got `str` - at `$.page`": ("pinCitation", [{**pin, "page": "7"}]),
        "Expected `int` >= 1 - at `$.page`": ("pinCitation", [{**pin, "page": 0}]),
        "at `$.limit`": ("recommend", [{**here, "limit": 1.5}]),
        "at `$.uri`": ("reindex", [{"uri": ["x"]}]),
        "file:///nowhere.tex is not a draft": ("reindex", [{"uri": "file:///nowhere.tex"}]),
        "is not open": ("insertCitation", [{**here, "uri": "file:///no.tex", "key": "harris"}]),
        "not defined": ("nothing", []),
    }
    for message, (command, arguments) in wrong.items():
        error = working.execute(command, *arguments)["error"]
        assert (error["code"], message in error["message"]) == (-32602, True), error
    assert working.client.run({"command": "pincite.recommend"})["error"]["code"] == -32602
    assert "\\cite{harris}" in does(working, "insertCitation", key="harris")


def test_recommend_and_evidence_answer_as_the_requests_do(at):
    working = at(f"{WORKING_ON} \\cite{{|}}.")
    for command, method, name in (
        ("recommend", "pincite/recommendations", "Recommendations"),
        ("evidence", "pincite/evidence", "Evidence"),
    ):
        working.execute("reindex")
        found = working.execute(command, working.here())["result"]
        assert check(name, found) == working.ask(method)


def test_reindexing_reads_papers_again_that_seem_unchanged(at, tmp_path):
    paper = tmp_path / "papers" / "harris.txt"
    paper.parent.mkdir()
    long_ago = (1_500_000_000, 1_500_000_000)
    paper.write_text("Words that stand in like contexts have like meanings.")
    os.utime(paper, long_ago)
    working = at(f"{WORKING_ON} \\cite{{har|ris}}.")

    def sentences():
        (work,) = working.execute("evidence", working.here())["result"]["works"]
        return [sentence["text"] for sentence in work["supporting"]]

    first = check("Status", working.execute("reindex")["result"])
    known = {"entries": 2, "fullTexts": 1, "abstracts": 0, "titles": 1, "broken": 0}
    assert first == {"state": "ready", **known}
    before = paper.read_text()
    assert sentences() == [before]
    paper.write_text(before.replace("stand", "occur"))
    os.utime(paper, long_ago)
    working.execute("evidence", working.here())
    assert sentences() == [before]
    working.execute("reindex", {"uri": working.path.as_uri()})
    assert sentences() == [before.replace("stand", "occur")]
