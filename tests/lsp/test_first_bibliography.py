"""A draft without a bibliography, over the real server: what the author is offered, and gets."""

from __future__ import annotations

import pytest

from author import CAPABILITIES, CREATING
from protocol_client import eventually
from zotero_library import ZoteroLibrary

HEAD = "\\documentclass{article}\n\\begin{document}\n"
TAIL = "\n\\end{document}\n"
CREATE = "Create references.bib and name it"
FIRTH = "@misc{firth, author={Firth, J. R.}, title={A synopsis}, year=1957}\n"


@pytest.fixture(name="start")
def authors_by_what_their_editor_can_do(author_with):
    def start(workspace=CREATING, experimental=None, environment=None):
        capabilities = {**CAPABILITIES, "workspace": workspace, "experimental": experimental}
        return author_with(capabilities, environment)

    return start


@pytest.fixture(name="author")
def author_whose_editor_creates_files(start):
    return start()


def rows(author):
    return [item["label"] for item in author.items()]


def does(author, command):
    """Execute a command; return the files that the editor is asked to create, and all texts."""
    answer = author.client.run(command)
    assert "error" not in answer, answer
    made = author.client.sent("workspace/applyEdit")[-1]["edit"]["documentChanges"]
    created = [each["uri"].rsplit("/", 1)[1] for each in made if each.get("kind") == "create"]
    return created, {**dict.fromkeys(created, ""), **author.edited()}


def refused(author, command, **argument):
    return author.execute(command, {"uri": author.path.as_uri(), **argument})["error"]["message"]


@pytest.mark.parametrize(
    ("name", "text", "named"),
    [
        ("main.tex", f"{HEAD}Words \\citep{{har|{TAIL}", "\\bibliography{references}\n\\end"),
        ("paper.md", "Words [@|]\n", "---\nbibliography: references.bib\n---\n\nWords"),
        ("paper.md", "---\ntitle: W\n---\nWords @har|\n", "\nbibliography: references.bib\n---"),
        ("paper.typ", "Words #cite(<|", '\n#bibliography("references.bib")\n'),
        ("paper.typ", "#figure[x] <fig>\nSee @|\n", '\n#bibliography("references.bib")\n'),
    ],
)
def test_the_first_row_of_the_list_creates_one(author, name, text, named):
    author.begin(f"%! {name}\n{text}")
    (item,) = author.items()
    assert item["label"] == CREATE
    assert item["labelDetails"]["description"] == "no .bib yet"
    assert item["documentation"] == f"{name} names no bibliography."
    # Nothing is inserted, and the editor keeps the row whatever is typed.
    at = author.position()
    assert item["textEdit"] == {"range": {"start": at, "end": at}, "newText": ""}
    typed = "har" if "har" in text else ""
    assert item["filterText"].removeprefix("@").removeprefix("<").startswith(typed)
    created, texts = does(author, item["command"])
    assert created == ["references.bib"]
    assert texts["references.bib"] == ""
    assert named in texts[name]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("README.md", "# Tool\n\nThanks to [@|]\n"),
        ("notes.md", "# Tool\n\nThanks to @|\n"),
        ("notes.md", "Write to me@|\n"),
        ("paper.typ", "#figure[x] <fig>\nSee @fi|\n"),
        ("paper.md", "---\ntitle: W\n---\n`[@|]`\n"),
    ],
)
def test_where_nothing_is_cited_there_is_no_list(author, name, text):
    author.begin(f"%! {name}\n{text}")
    assert author.items() == []


def test_other_bibliographies_of_the_workspace_can_be_used(author):
    author.begin(f"%! paper/main.tex\n{HEAD}Words \\cite{{|}}.{TAIL}%! shared/all.bib\n{FIRTH}")
    author.path = author.folder / "paper" / "main.tex"
    first, second = author.items()
    assert [first["label"], second["label"]] == [CREATE, "Use ../shared/all.bib"]
    created, texts = does(author, second["command"])
    assert created == []
    assert "\\bibliography{../shared/all}\n\\end{document}" in texts["main.tex"]


ADD = "Add a work by DOI, arXiv id, title or clipboard…"
ADDING = {"pinciteAddWork": True, "pinciteSuggestHere": True}


def test_a_work_can_be_added_where_there_is_none_yet(start):
    author = start(experimental=ADDING)
    words = f"%! main.tex\n{HEAD}Words \\cite{{|}}.\n\\bibliography"
    author.begin(f"{words}{{gone}}{TAIL}")
    create, add = author.items()
    assert (create["label"], add["label"]) == ("Create gone.bib", ADD)
    assert does(author, create["command"]) == (["gone.bib"], {"gone.bib": ""})
    assert add["command"]["command"] == "pincite.addWork"
    assert add["command"]["arguments"] == [{"uri": author.path.as_uri()}]
    author.begin(f"{words}{{empty}}{TAIL}%! empty.bib\n")
    (add,) = author.items()
    assert (add["label"], add["documentation"]) == (ADD, "empty.bib has no entry yet.")
    author.save_elsewhere("empty.bib", FIRTH)
    assert rows(author) == ["firth"]
    assert "offers" not in author.ask("pincite/status")


def test_zotero_is_offered_where_it_is_found(start, tmp_path):
    ZoteroLibrary(tmp_path / "Zotero").close()
    environment = {"PINCITE_ZOTERO": str(tmp_path / "Zotero")}
    author = start(experimental=ADDING, environment=environment)
    author.begin("%! notes.md\n# Words\n\nSee [@|]\n")
    assert rows(author) == [CREATE, "Use my Zotero library", ADD]
    author.configure(zotero="off")
    assert rows(author) == [CREATE, ADD]


def test_a_file_that_is_there_is_named_and_not_created(author):
    author.begin(f"%! main.tex\n{HEAD}Words \\cite{{|}}.{TAIL}%! references.bib\n% mine\n")
    (item,) = author.items()
    assert item["label"] == "Use references.bib"
    command = {
        "command": "pincite.createBibliography",
        "arguments": [{"uri": author.path.as_uri()}],
    }
    created, texts = does(author, command)
    assert created == []
    assert "\\bibliography{references}" in texts["main.tex"]
    assert "references.bib" not in texts


@pytest.mark.parametrize(
    ("names", "new", "named"),
    [
        ("\n\\bibliography{gone}", "gone.bib", ""),
        ("", "references.bib", "\\bibliography{references}"),
    ],
)
def test_the_first_entry_of_the_library_begins_the_bibliography(author, names, new, named):
    library = "zotero/library.bib"
    author.begin(
        f"%! main.tex\n{HEAD}A synopsis of words \\cite{{|}}.{names}{TAIL}%! {library}\n{FIRTH}",
        globalBibliographies=[str(author.folder / library)],
    )
    eventually(lambda: "firth" in rows(author), "the library is read")
    item, *_ = author.items()
    created, texts = does(author, item["command"])
    assert created == [new]
    assert texts[new].strip() == FIRTH.strip()
    assert ("main.tex" in texts) == bool(named)
    assert named in texts.get("main.tex", "")


def fixes(author):
    actions = author.ask(
        "textDocument/codeAction",
        range={"start": author.position(), "end": author.position()},
        context={"diagnostics": author.problems(), "only": ["quickfix"]},
    )
    return {each["title"]: each for each in actions}


@pytest.mark.parametrize(
    ("text", "code", "titles"),
    [
        (f"{HEAD}Words \\cite{{a}}.\n\\bibliography{{go|ne}}{TAIL}", "missing-bibliography", ["Create gone.bib"]),
        (f"{HEAD}Words \\cite{{a|}}.{TAIL}", "undefined-key", [CREATE]),
        (f"\\document|class{{article}}\n\\begin{{document}}\\cite{{firth}}{TAIL}%! mine.bib\n{FIRTH}", "unnamed-bibliography", [CREATE, "Use mine.bib"]),
    ],
)  # fmt: skip
def test_the_findings_have_the_same_as_fixes(author, text, code, titles):
    author.begin(f"%! main.tex\n{text}")
    found = fixes(author)
    assert [title for title in found if not title.startswith(("Search", "Suggest"))] == titles
    fix = found[titles[0]]
    assert [each["code"] for each in fix["diagnostics"]] == [code]
    assert fix["command"]["command"] == "pincite.createBibliography"


def test_with_an_editor_that_creates_no_files_the_message_states_what_to_do(start):
    author = start(CAPABILITIES["workspace"])
    author.begin(f"%! main.tex\n{HEAD}Words \\cite{{|}}.{TAIL}")
    assert author.items() == []
    message = refused(author, "createBibliography")
    assert "does not let a server create it" in message
    assert f"Create it in {author.folder}" in message


def test_an_editor_that_takes_no_edits_is_offered_none(start):
    author = start({"workspaceFolders": True})
    author.begin(f"%! main.tex\n{HEAD}Words \\cite{{|}}.{TAIL}%! sub/all.bib\n{FIRTH}")
    assert author.items() == []


def test_what_cannot_be_done_is_refused_with_the_reason(author):
    author.begin(f"%! main.tex\n{HEAD}\\cite{{|}}\\bibliography{{refs}}{TAIL}%! refs.bib\n{FIRTH}")
    named = "main.tex names a bibliography already."
    refs = str(author.folder / "refs.bib")
    assert refused(author, "createBibliography") == named
    assert refused(author, "nameBibliography", path=refs) == named
    gone = str(author.folder / "gone.bib")
    assert "is not an existing file" in refused(author, "nameBibliography", path=gone)
    main = str(author.path)
    assert "is not a bibliography" in refused(author, "nameBibliography", path=main)
    author.open("part.tex", "A part \\cite{", 13)
    message = refused(author, "createBibliography")
    assert message.endswith("name it there with \\bibliography or \\addbibresource.")


@pytest.mark.parametrize("name", ["main.tex", "notes.md", "README.md"])
def test_the_status_of_a_draft_without_a_bibliography_shows_what_to_do(author, name):
    text = f"{HEAD}Moves{TAIL}" if name == "main.tex" else "# Notes\n\nMoves [@]\n"
    author.begin(f"%! {name}\n{text}")
    found = author.ask("pincite/status").get("offers", [])
    expected = (CREATE, f"{name} names no bibliography.")
    assert [(each["title"], each["why"]) for each in found] == [expected] * (name != "README.md")
