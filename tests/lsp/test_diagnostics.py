r"""Diagnostics over the real server: pulled and pushed, while the author types, and their fixes.

The second part asks the functions behind the requests, without the protocol.
"""

import json

import pytest
from lsprotocol import types

from author import applied
from markup import parse_fixture, write_project
from pincite.lsp.documents import Documents
from pincite.lsp.features import diagnostics
from pincite.lsp.session import Session
from pincite.settings import EditorSettings, MatchingSettings, Settings
from protocol_client import Client, eventually

ACTIONS = {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}}
PUSHED = {
    "textDocument": {
        "codeAction": ACTIONS,
        "publishDiagnostics": {
            "relatedInformation": True,
            "versionSupport": True,
            "tagSupport": {"valueSet": [1]},
        },
    }
}
PULLED = {
    "textDocument": {
        "codeAction": ACTIONS,
        "diagnostic": {},
        "publishDiagnostics": {"relatedInformation": True},
    },
    "workspace": {"diagnostics": {"refreshSupport": True}},
}
PROJECT = r"""
%! main.tex
\documentclass{article}
\begin{document}
Words \cite{one,nobody|} and \cite{}.
\bibliography{refs}
\end{document}
%! refs.bib
@misc{one, title={Words}}
@misc{two, title={More} year=2000}
@misc{one, title={Again}}
"""


class Editor:
    """An editor with a project; it keeps what the server publishes."""

    def __init__(self, folder, project=PROJECT, capabilities=PULLED, **options):
        self.folder, self.fixture = folder, parse_fixture(project)
        write_project(folder, self.fixture)
        self.client = Client(folder, capabilities=capabilities, options=options)
        self.texts, self.versions = {}, {}

    def open(self, name):
        self.texts[name], self.versions[name] = self.fixture.files[name], 1
        language = "bibtex" if name.endswith(".bib") else "latex"
        self.client.open(self.folder / name, self.texts[name], language)

    def close(self, name):
        self.notify("didClose", name)

    def save(self, name):
        (self.folder / name).write_text(self.texts[name])
        self.notify("didSave", name)

    def notify(self, method, name):
        document = {"uri": (self.folder / name).as_uri()}
        self.client.notify(f"textDocument/{method}", {"textDocument": document})

    def type(self, name, before, text, after=""):
        """Put a text behind the one piece that reads `before`, in place of `after`, as an edit."""
        old = self.texts[name]
        assert old.count(before + after) == 1
        start = old.index(before + after) + len(before)
        change = {"range": self.range(name, start, start + len(after)), "text": text}
        self.texts[name] = old[:start] + text + old[start + len(after) :]
        self.versions[name] += 1
        self.client.change(self.folder / name, self.versions[name], change)

    def range(self, name, start, end):
        def position(offset):
            before = self.texts[name][:offset]
            column = len(before.rsplit("\n", 1)[-1].encode("utf-16-le")) // 2
            return {"line": before.count("\n"), "character": column}

        return {"start": position(start), "end": position(end)}

    def pull(self, name, previous=None):
        params = {"textDocument": {"uri": (self.folder / name).as_uri()}}
        if previous is not None:
            params["previousResultId"] = previous
        return self.client.request("textDocument/diagnostic", params)["result"]

    def told(self, name):
        return [(item["code"], self.marked(name, item)) for item in self.pull(name)["items"]]

    def marked(self, name, item):
        lines = self.texts[name].split("\n")
        start, end = item["range"]["start"], item["range"]["end"]
        assert start["line"] == end["line"]
        units = lines[start["line"]].encode("utf-16-le")
        return units[2 * start["character"] : 2 * end["character"]].decode("utf-16-le")

    def published(self, name, wanted=lambda items: True):
        """Wait until what is published of a document is as wanted."""
        uri = (self.folder / name).as_uri()
        message = self.client.wait(
            lambda m: (
                m.get("method") == "textDocument/publishDiagnostics"
                and m["params"]["uri"] == uri
                and wanted(m["params"]["diagnostics"])
            )
        )
        return message["params"]

    def fixes(self, name, item):
        params = {
            "textDocument": {"uri": (self.folder / name).as_uri()},
            "range": item["range"],
            "context": {"diagnostics": [item], "only": ["quickfix"]},
        }
        return self.client.request("textDocument/codeAction", params)["result"] or []


@pytest.fixture(name="edit")
def editors(tmp_path):
    begun = []

    def begin(project=PROJECT, **options):
        begun.append(Editor(tmp_path, project, **options))
        return begun[-1]

    yield begin
    for editor in begun:
        editor.client.close()


def codes(items):
    return [item["code"] for item in items]


# Pull


def test_a_client_that_asks_gets_what_is_wrong_and_nothing_is_published(edit):
    editor = edit()
    capabilities = editor.client.answer["result"]["capabilities"]
    assert capabilities["diagnosticProvider"] == {
        "interFileDependencies": True,
        "workspaceDiagnostics": False,
    }
    editor.open("main.tex")
    editor.open("refs.bib")
    assert editor.told("main.tex") == [("undefined-key", "nobody"), ("placeholder", r"\cite{}")]
    assert editor.told("refs.bib") == [("broken-entry", "}"), ("duplicate-key", "one")]
    key, gap = editor.pull("main.tex")["items"]
    assert (key["source"], key["severity"], gap["severity"]) == ("Pincite", 2, 3)
    assert key["message"] == "No entry of the bibliography has the key “nobody”."
    assert "textDocument/publishDiagnostics" not in editor.client.methods()


def test_what_has_not_changed_is_not_sent_again(edit):
    editor = edit()
    editor.open("main.tex")
    first = editor.pull("main.tex")
    assert first["kind"] == "full"
    again = editor.pull("main.tex", first["resultId"])
    assert again == {"kind": "unchanged", "resultId": first["resultId"]}
    editor.type("main.tex", "Words ", "of mine ")
    changed = editor.pull("main.tex", first["resultId"])
    assert (changed["kind"], len(changed["items"])) == ("full", 2)


def test_the_place_of_the_first_entry_comes_with_the_second(edit):
    editor = edit()
    editor.open("refs.bib")
    item = editor.pull("refs.bib")["items"][1]
    (first,) = item["relatedInformation"]
    assert first["location"]["uri"] == (editor.folder / "refs.bib").as_uri()
    assert first["location"]["range"]["start"] == {"line": 0, "character": 6}
    # It is not said to those that would not show it, nor are tags.
    assert "tags" not in item
    other = edit(capabilities={"textDocument": {"diagnostic": {}}})
    other.open("refs.bib")
    assert "relatedInformation" not in other.pull("refs.bib")["items"][1]


@pytest.mark.parametrize(
    ("named", "found"),
    [
        ("", ("unnamed-bibliography", r"\documentclass", 3, "No bibliography is named; name one with \\bibliography or \\addbibresource.")),
        (r"\bibliography{gone}", ("missing-bibliography", r"\bibliography{gone}", 2, "The bibliography “gone” does not exist; name one that can be read.")),
    ],
)  # fmt: skip
def test_which_bibliography_stands_in_is_told_and_nothing_of_keys(edit, named, found):
    editor = edit(PROJECT.replace(r"\bibliography{refs}", named))
    editor.open("main.tex")
    editor.open("refs.bib")
    told = next(item for item in editor.pull("main.tex")["items"] if item["code"] != "placeholder")
    code, marked, severity, message = found
    assert (told["code"], editor.marked("main.tex", told), told["severity"]) == (
        code,
        marked,
        severity,
    )
    until = "Until then refs.bib beside main.tex serves for suggestions and evidence."
    assert told["message"] == f"{message} {until}"
    assert len(editor.pull("main.tex")["items"]) == 2
    # What is wrong in the file itself is so for any draft.
    assert editor.told("refs.bib") == [("broken-entry", "}"), ("duplicate-key", "one")]
    line = editor.texts["main.tex"].split("\n").index(r"Words \cite{one,nobody} and \cite{}.")
    items = editor.client.complete(editor.folder / "main.tex", line, 12)["result"]["items"]
    assert [item["label"] for item in items] == ["two"]  # the other one is cited here already


@pytest.mark.parametrize("named", ["", r"\bibliography{gone}"])
def test_without_any_bibliography_the_keys_are_told_with_what_to_do(edit, named):
    project = PROJECT.split("%! refs.bib")[0].replace(r"\bibliography{refs}", named)
    editor = edit(project)
    editor.open("main.tex")
    told = [each for each in editor.told("main.tex") if each[0] != "missing-bibliography"]
    assert told == [
        ("undefined-key", "one"), ("undefined-key", "nobody"), ("placeholder", r"\cite{}"),
    ]  # fmt: skip
    item = next(i for i in editor.pull("main.tex")["items"] if i["code"] == "undefined-key")
    why = "“gone” does not exist" if named else "the draft names none"
    assert item["message"].startswith(
        f"No bibliography: {why} and no .bib file lies beside main.tex."
    )
    assert editor.fixes("main.tex", item) == []
    # With the first bibliography, its entries count.
    (editor.folder / "refs.bib").write_text("@misc{one, title={Words}}")
    editor.client.notify(
        "workspace/didChangeWatchedFiles",
        {"changes": [{"uri": (editor.folder / "refs.bib").as_uri(), "type": 1}]},
    )
    assert "undefined-key" not in [code for code, _ in editor.told("main.tex")]


def test_an_edit_of_the_bibliography_makes_the_client_ask_again(edit):
    editor = edit()
    editor.open("main.tex")
    editor.open("refs.bib")
    editor.client.wait_for("workspace/diagnostic/refresh")
    before = editor.texts["refs.bib"]
    editor.type("refs.bib", before, "@misc{nobody, title={New}}\n")
    editor.client.wait_for("workspace/diagnostic/refresh")
    assert editor.told("main.tex") == [("placeholder", r"\cite{}")]


def test_documents_that_are_not_open_and_other_files_have_nothing_wrong(edit):
    editor = edit()
    assert editor.pull("main.tex")["items"] == []
    editor.client.open(editor.folder / "notes.md", "\\cite{nobody}", "markdown")
    assert editor.pull("notes.md")["items"] == []


# Typing


def test_a_half_typed_key_is_no_error(edit):
    editor = edit(PROJECT.replace("nobody|", ""))
    editor.open("main.tex")
    for letter in "ba":
        editor.type("main.tex", "{one," + "ba"[: "ba".index(letter)], letter)
        assert editor.told("main.tex") == [("placeholder", r"\cite{}")]
    # The author goes on elsewhere.
    editor.type("main.tex", "Words", "!")
    assert editor.told("main.tex")[0] == ("undefined-key", "ba")


def test_a_key_that_is_saved_is_meant_so(edit):
    editor = edit(PROJECT.replace("nobody|", ""))
    editor.open("main.tex")
    editor.type("main.tex", "{one,", "ba")
    assert "undefined-key" not in dict(editor.told("main.tex"))
    editor.save("main.tex")
    editor.client.wait_for("workspace/diagnostic/refresh")
    assert editor.told("main.tex")[0] == ("undefined-key", "ba")


def test_a_citation_command_just_typed_is_no_placeholder_left_in_the_text(edit):
    editor = edit(PROJECT.replace("nobody|", ""))
    editor.open("main.tex")
    editor.type("main.tex", "Words", " \\cite{}")
    editor.type("main.tex", "Words \\cite{", "x")
    editor.type("main.tex", "Words \\cite{", "", "x")
    assert editor.told("main.tex") == [("placeholder", r"\cite{}")]
    assert editor.pull("main.tex")["items"][0]["range"]["start"]["character"] > 20


def test_an_entry_that_is_being_typed_is_not_broken(edit):
    editor = edit(PROJECT.replace(" year=2000", ""))
    editor.open("refs.bib")
    editor.type("refs.bib", "{Again}}\n", "@book{new,\n  title = {Half")
    assert editor.told("refs.bib") == [("duplicate-key", "one")]
    editor.save("refs.bib")
    assert ("broken-entry", "{Half") in editor.told("refs.bib")


# Push


def test_other_clients_are_told_after_a_pause(edit):
    editor = edit(capabilities=PUSHED)
    editor.open("main.tex")
    told = editor.published("main.tex")
    assert codes(told["diagnostics"]) == ["undefined-key", "placeholder"]
    assert told["version"] == 1
    editor.type("main.tex", "one,", "two", "nobody")
    told = editor.published("main.tex")
    assert (codes(told["diagnostics"]), told["version"]) == (["placeholder"], 2)
    editor.close("main.tex")
    assert editor.published("main.tex")["diagnostics"] == []


def test_an_edit_of_the_bibliography_is_told_in_the_draft(edit):
    editor = edit(capabilities=PUSHED)
    editor.open("main.tex")
    editor.published("main.tex")
    editor.open("refs.bib")
    shown = editor.published("refs.bib")["diagnostics"]
    assert codes(shown) == ["broken-entry", "duplicate-key"]
    assert shown[1]["tags"] == [1]
    editor.type("refs.bib", "@misc{", "nobody", "two")
    assert codes(editor.published("main.tex")["diagnostics"]) == ["placeholder"]
    # It counts as it stands in the editor, and no longer once it is closed.
    editor.close("refs.bib")
    editor.published("refs.bib", lambda items: codes(items) == ["broken-entry"])
    assert codes(editor.published("main.tex")["diagnostics"]) == ["undefined-key", "placeholder"]


def test_a_bibliography_that_another_program_writes_is_told_in_the_draft(edit):
    editor = edit(capabilities=PUSHED)
    editor.open("main.tex")
    editor.published("main.tex")
    path = editor.folder / "refs.bib"
    path.write_text("@misc{one, title={W}}\n@misc{nobody, title={N}}\n")
    changes = [{"uri": path.as_uri(), "type": 2}]
    editor.client.notify("workspace/didChangeWatchedFiles", {"changes": changes})
    assert codes(editor.published("main.tex")["diagnostics"]) == ["placeholder"]


def test_diagnostics_that_are_switched_off_go_away(edit):
    editor = edit(capabilities=PUSHED)
    editor.open("main.tex")
    editor.published("main.tex")
    off = {"pincite": {"diagnostics": {"enabled": "off"}}}
    editor.client.notify("workspace/didChangeConfiguration", {"settings": off})
    assert editor.published("main.tex")["diagnostics"] == []
    assert editor.pull("main.tex")["items"] == []


def test_texlab_beside_us_tells_the_same_so_that_we_do_not(edit):
    editor = edit(peers=["texlab"])
    editor.open("main.tex")
    assert editor.pull("main.tex")["items"] == []


# Fixes


def fixed(editor, name, action):
    (edits,) = action["edit"]["changes"].values()
    return applied(editor.texts[name], edits)


def test_an_undefined_key_is_changed_to_one_that_looks_like_it(edit):
    editor = edit(PROJECT.replace("nobody|", "knuht1984").replace("two", "knuth1984"))
    editor.open("main.tex")
    (item, _) = editor.pull("main.tex")["items"]
    actions = [a for a in editor.fixes("main.tex", item) if a["title"].startswith("Change to")]
    assert actions[0]["title"] == "Change to knuth1984"
    assert actions[0]["isPreferred"]
    assert actions[0]["kind"] == "quickfix"
    assert actions[0]["diagnostics"] == [item]
    assert "\\cite{one,knuth1984}" in fixed(editor, "main.tex", actions[0])


def test_a_broken_entry_and_a_repeated_key_are_mended(edit):
    editor = edit()
    editor.open("refs.bib")
    comma, key = editor.pull("refs.bib")["items"]
    (insert,) = editor.fixes("refs.bib", comma)
    assert insert["title"] == "Insert the missing comma"
    assert "title={More}, year=2000" in fixed(editor, "refs.bib", insert)
    (rename,) = editor.fixes("refs.bib", key)
    assert rename["title"] == "Change this key to onea"
    assert "@misc{onea, title={Again}}" in fixed(editor, "refs.bib", rename)


def test_positions_of_fixes_count_in_the_clients_units(edit):
    editor = edit(PROJECT.replace("Words \\cite{one,nobody|}", "Wörter 😀 \\cite{onee}"))
    editor.open("main.tex")
    assert editor.told("main.tex")[0] == ("undefined-key", "onee")
    item = editor.pull("main.tex")["items"][0]
    assert "😀 \\cite{one}" in fixed(editor, "main.tex", editor.fixes("main.tex", item)[0])


def test_the_whole_library_has_the_key(edit, tmp_path_factory):
    library = tmp_path_factory.mktemp("zotero") / "all.bib"
    library.write_text("@misc{nobody, title={Somebody after all}}\n")
    editor = edit(globalBibliographies=[str(library)])
    editor.open("main.tex")
    item = editor.pull("main.tex")["items"][0]
    # The library is read in the background, and nobody waits for it.
    (add,) = eventually(
        lambda: [a for a in editor.fixes("main.tex", item) if a["title"].startswith("Add")],
        "the library is read",
    )
    assert add["title"] == "Add nobody to refs.bib"
    number = editor.client.ask("workspace/executeCommand", {"command": add["command"]["command"], "arguments": add["command"]["arguments"]})  # fmt: skip
    assert "result" in editor.client.answer_to(number)


# Opinions


SUPPORTED = r"""
%! main.tex
\documentclass{article}
\begin{document}
Coherent texts mention their entities in prominent syntactic roles of adjacent sentences \cite{one}.
Frogs of the northern mountains breathe through their skins during long winters \cite{two}.

Recent studies look at green frogs only.
\bibliography{refs}
\end{document}
%! refs.bib
@misc{one, title={Coherence}}
@misc{two, title={Parsing}}
%! papers/two.txt
Head-driven grammars use typed features.
%! papers/one.txt
Coherent texts mention their entities in prominent syntactic roles of adjacent sentences. Grids show them.
"""


@pytest.mark.parametrize("capabilities", [PULLED, PUSHED], ids=["pulled", "pushed"])
def test_opinions_are_given_to_those_who_want_them(edit, capabilities):
    wanted = {"weakSupport": True, "missingCitations": True}
    editor = edit(SUPPORTED, capabilities=capabilities, diagnostics=wanted)
    editor.open("main.tex")
    if capabilities is PUSHED:
        shown = editor.published("main.tex", lambda items: len(items) == 2)["diagnostics"]
    else:
        # Matching takes its time: the client hears when there is more to be had.
        while len(shown := editor.pull("main.tex")["items"]) < 2:
            editor.client.wait_for("workspace/diagnostic/refresh")
    assert codes(shown) == ["weak-support", "missing-citation"]
    assert shown[0]["range"]["start"]["line"] == 3
    assert [item["severity"] for item in shown] == [3, 3]
    assert editor.fixes("main.tex", shown[0]) == []


UNUSED = r"""
%! main.tex
\documentclass{article}
Words \cite{one}.
\bibliography{refs}
%! refs.bib
@misc{one, title={Words}}
@misc{two, title={More}}
"""


def test_unused_entries_are_faint_hints_for_those_who_want_them(edit):
    editor = edit(UNUSED, diagnostics={"unusedEntries": True}, capabilities=PUSHED)
    editor.open("main.tex")
    editor.open("refs.bib")
    (hint,) = editor.published("refs.bib", lambda items: len(items) == 1)["diagnostics"]
    assert (hint["code"], hint["severity"], hint["tags"]) == ("unused-entry", 4, [1])
    assert hint["message"] == "No draft that reads this bibliography cites “two”."
    assert editor.marked("refs.bib", hint) == "two"
    editor.type("main.tex", "{one", ",two")
    assert editor.published("refs.bib", lambda items: not items)["diagnostics"] == []


def test_a_client_that_asks_does_so_again_where_unused_entries_may_be_others(edit):
    editor = edit(UNUSED, diagnostics={"unusedEntries": True})
    editor.open("main.tex")
    editor.open("refs.bib")
    assert editor.told("refs.bib") == [("unused-entry", "two")]
    editor.type("main.tex", "{one", ",two")
    editor.client.wait(lambda m: m.get("method") == "workspace/diagnostic/refresh")
    assert editor.told("refs.bib") == []


def test_an_entry_that_was_just_typed_is_not_called_unused(edit):
    editor = edit(UNUSED, diagnostics={"unusedEntries": True})
    editor.open("refs.bib")
    editor.type("refs.bib", "title={More}", ", note={}")
    assert editor.told("refs.bib") == []


def test_unused_entries_are_nobodys_business_by_default(edit):
    editor = edit(UNUSED)
    editor.open("refs.bib")
    assert editor.told("refs.bib") == []


def test_opinions_are_kept_back_from_all_others(edit):
    editor = edit(SUPPORTED)
    editor.open("main.tex")
    assert editor.pull("main.tex")["items"] == []


# Behind the protocol


def asked(folder, project, **settings):
    """Return the codes told of the first file, everything judged, with these editor settings."""
    path = write_project(folder, project)
    session = Session(Documents())
    session.folders = (folder,)
    matching = settings.pop("matching", MatchingSettings())
    session.settings = Settings(editor=EditorSettings(**settings), matching=matching)
    text = path.read_text()
    session.documents.open(path.as_uri(), text)
    try:
        assert session.wait_until_built(path, 60)
        lines = session.project().lines(path)
        news = diagnostics.judge_support(session.project(), path, lines)
        found = diagnostics.diagnostics(session.project(), path, lines)
        assert not diagnostics.judge_support(session.project(), path, lines)
        return [item.code for item in found], news
    finally:
        session.stop()


def test_support_is_judged_once(tmp_path):
    assert asked(tmp_path, SUPPORTED, weak_support=True) == (["weak-support"], True)


def test_only_full_texts_are_judged_whatever_finds_their_sentences(tmp_path):
    abstract = SUPPORTED.replace("title={Coherence}", "abstract={Grids show them.}").replace("papers/", "elsewhere/")  # fmt: skip
    (tmp_path / "abstract").mkdir()
    assert asked(tmp_path / "abstract", abstract, weak_support=True) == ([], False)
    bm25 = MatchingSettings(system="bm25")
    assert asked(tmp_path, SUPPORTED, weak_support=True, matching=bm25) == (["weak-support"], True)
    assert asked(tmp_path, SUPPORTED, weak_support=True, diagnostics="off") == ([], False)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("refs.bib", "@" * 50),
        ("refs.bib", "@misc{a, title={" * 30),
        ("refs.bib", "@misc{a}\n@misc{a\n@misc{a,,,=}}}}"),
        ("refs.bib", ""),
        ("main.tex", "\\cite{\\cite[{$$\\bibliography{gone}\\cite{a,,b}\\bibitem{\\bibitem{}"),
        ("main.tex", "\\cite{a}\r\r\n\x0c\u2028\\bibliography{refs}"),
        ("untitled", "\\cite{a}"),
    ],
)
def test_anything_may_be_checked_and_fixed(tmp_path, name, text):
    session = Session(Documents())
    session.folders = (tmp_path,)
    session.settings = Settings(editor=EditorSettings(weak_support=True, missing_citations=True))
    (tmp_path / "refs.bib").write_text("@misc{b, title={B}\n")
    path = tmp_path / name
    session.documents.open(path.as_uri(), text)
    lines = session.documents.now.lines(path.as_uri())
    found = diagnostics.diagnostics(session.project(), path, lines)
    json.dumps([item.message for item in found])
    everything = types.Range(types.Position(0, 0), types.Position(999, 0))
    diagnostics.fixes(session.project(), path, lines, everything, found)
    diagnostics.judge_support(session.project(), path, lines)
    session.stop()
