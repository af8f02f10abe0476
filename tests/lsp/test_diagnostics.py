r"""Diagnostics over the real server: pulled and pushed, while the author types, and their fixes.

The second part asks the functions behind the requests, without the protocol.
"""

import json

import pytest
from lsprotocol import types

from author import Author, applied
from markup import parse_fixture, write_project
from pincite.cancellation import check
from pincite.lsp import publishing
from pincite.lsp.documents import Lines
from pincite.lsp.features import diagnostics
from pincite.lsp.server import Server
from pincite.settings import EditorSettings, MatchingSettings, Settings
from protocol_client import eventually

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


class Editor(Author):
    """An author who types edits; the client keeps what the server publishes."""

    def __init__(self, client, folder, fixture):
        super().__init__(client, folder)
        self.fixture, self.texts = fixture, {}

    def show(self, *names):
        for name in names:
            self.texts[name] = self.fixture.files[name]
            self.open(name, self.texts[name])

    def did(self, what, name):
        self.client.did(what, self.folder / name)

    def type(self, name, before, text, after=""):
        """Put a text after the one piece that reads `before`, in place of `after`, as an edit."""
        self.path, self.text = self.folder / name, self.texts[name]
        assert self.text.count(before + after) == 1
        start = self.text.index(before + after) + len(before)
        end = start + len(after)
        span = {"start": self.position(start), "end": self.position(end)}
        self.texts[name] = self.text[:start] + text + self.text[end:]
        self.client.change(self.path, 2, {"range": span, "text": text})

    def pull(self, name, **previous):
        params = self.client.about(self.folder / name, **previous)
        return self.client.request("textDocument/diagnostic", params)["result"]

    def reported(self, name):
        return [(item["code"], self.marked(name, item)) for item in self.problems(name)]

    def marked(self, name, item):
        lines = Lines(self.texts[name], "utf-16")
        start, end = (types.Position(**item["range"][end]) for end in ("start", "end"))
        return lines.span(types.Range(start, end)).of(lines.text)

    def published(self, name, wanted=lambda items: True):
        """Wait until what is published of a document is as wanted."""
        uri = (self.folder / name).as_uri()
        while True:
            params = self.client.wait_for("textDocument/publishDiagnostics")
            if params["uri"] == uri and wanted(params["diagnostics"]):
                return params

    def shown_codes(self, name, *expected):
        """Wait until these are the codes of what is published of a document."""
        self.published(name, lambda items: codes(items) == list(expected))

    def fixes(self, name, item):
        context = {"diagnostics": [item], "only": ["quickfix"]}
        asked = self.client.about(self.folder / name, range=item["range"], context=context)
        return self.client.request("textDocument/codeAction", asked)["result"] or []


@pytest.fixture(name="edit")
def editors(tmp_path, start_in):
    def begin(project=PROJECT, capabilities=PULLED, **options):
        fixture = parse_fixture(project)
        write_project(tmp_path, fixture)
        client = start_in(tmp_path, capabilities=capabilities, options=options)
        return Editor(client, tmp_path, fixture)

    return begin


def codes(items):
    return [item["code"] for item in items]


def test_a_client_that_asks_gets_what_is_wrong_and_nothing_is_published(edit):
    editor = edit()
    capabilities = editor.client.answer["result"]["capabilities"]
    assert capabilities["diagnosticProvider"] == {
        "interFileDependencies": True,
        "workspaceDiagnostics": False,
    }
    editor.show("main.tex", "refs.bib")
    assert editor.reported("main.tex") == [("undefined-key", "nobody"), ("placeholder", r"\cite{}")]
    assert editor.reported("refs.bib") == [("broken-entry", "}"), ("duplicate-key", "one")]
    key, gap = editor.problems("main.tex")
    assert (key["source"], key["severity"], gap["severity"]) == ("Pincite", 2, 3)
    assert key["message"] == "No entry of the bibliography has the key “nobody”."
    assert "textDocument/publishDiagnostics" not in editor.client.methods()
    # What has not changed is not sent again.
    first = editor.pull("main.tex")
    assert first["kind"] == "full"
    again = editor.pull("main.tex", previousResultId=first["resultId"])
    assert again == {"kind": "unchanged", "resultId": first["resultId"]}
    editor.type("main.tex", "Words ", "of mine ")
    changed = editor.pull("main.tex", previousResultId=first["resultId"])
    assert (changed["kind"], len(changed["items"])) == ("full", 2)


def test_the_place_of_the_first_entry_comes_with_the_second(edit):
    editor = edit()
    editor.show("refs.bib")
    item = editor.problems("refs.bib")[1]
    (first,) = item["relatedInformation"]
    assert first["location"]["uri"] == (editor.folder / "refs.bib").as_uri()
    assert first["location"]["range"]["start"] == {"line": 0, "character": 6}
    assert "tags" not in item


def test_clients_are_not_sent_what_they_would_not_show(edit):
    editor = edit(capabilities={"textDocument": {"diagnostic": {}}})
    editor.show("refs.bib")
    assert not {"relatedInformation", "tags"} & editor.problems("refs.bib")[1].keys()


@pytest.mark.parametrize(
    ("named", "found"),
    [
        ("", ("unnamed-bibliography", r"\documentclass", 3, "No bibliography is named; name one with \\bibliography or \\addbibresource.")),
        (r"\bibliography{gone}", ("missing-bibliography", r"\bibliography{gone}", 2, "The bibliography “gone” does not exist; name one that can be read.")),
    ],
)  # fmt: skip
def test_which_bibliography_serves_instead_is_reported_and_no_keys(edit, named, found):
    editor = edit(PROJECT.replace(r"\bibliography{refs}", named))
    editor.show("main.tex", "refs.bib")
    item = next(item for item in editor.problems("main.tex") if item["code"] != "placeholder")
    *expected, message = found
    assert [item["code"], editor.marked("main.tex", item), item["severity"]] == expected
    until = "Until then refs.bib beside main.tex serves for suggestions and evidence."
    assert item["message"] == f"{message} {until}"
    assert len(editor.problems("main.tex")) == 2
    # What is wrong in the file itself is so for any draft.
    assert editor.reported("refs.bib") == [("broken-entry", "}"), ("duplicate-key", "one")]
    line = editor.texts["main.tex"].split("\n").index(r"Words \cite{one,nobody} and \cite{}.")
    # The other one is cited here already.
    assert editor.client.labels(editor.folder / "main.tex", line, 12) == {"two"}


@pytest.mark.parametrize(
    ("main", "named"),
    [
        ("main.tex", "Words \\cite{one}.\n\\bibliography{refs}\n"),
        ("main.tex", "Words \\cite{one}.\n\\addbibresource{./refs.bib}\n"),
        ("main.md", "---\nbibliography: refs.bib\n---\n\nWords [@one].\n"),
        ("main.typ", 'Words @one.\n#bibliography("refs.bib")\n'),
    ],
)
def test_that_a_bibliography_cannot_be_read_is_reported_where_it_is_named(edit, main, named):
    editor = edit(f"%! {main}\n{named}")
    refs = editor.folder / "refs.bib"
    refs.write_bytes(b"\0\1")
    editor.show(main)
    (found,) = editor.problems(main)
    assert (found["code"], found["severity"]) == ("missing-bibliography", 2)
    assert "refs" in editor.marked(main, found)
    assert found["message"].endswith(" is not used: this is a binary file, not text.")
    refs.write_text("@misc{one, title={Words}}")
    editor.client.report_changed(refs)
    assert editor.problems(main) == []


def test_without_a_library_of_the_settings_no_key_is_undefined(edit, tmp_path_factory):
    """It may be on a drive that is not connected just now."""
    library = tmp_path_factory.mktemp("drive") / "library.bib"
    library.write_text("@misc{nobody, title={Words}}")
    editor = edit(bibliographies=[str(library)])
    editor.show("main.tex")
    assert editor.reported("main.tex") == [("placeholder", r"\cite{}")]
    library.unlink()
    editor.client.report_changed(library)
    assert editor.reported("main.tex") == [("placeholder", r"\cite{}")]


def test_an_edit_of_the_bibliography_makes_the_client_ask_again(edit):
    editor = edit()
    editor.show("main.tex", "refs.bib")
    editor.client.wait_for("workspace/diagnostic/refresh")
    before = editor.texts["refs.bib"]
    editor.type("refs.bib", before, "@misc{nobody, title={New}}\n")
    editor.client.wait_for("workspace/diagnostic/refresh")
    assert editor.reported("main.tex") == [("placeholder", r"\cite{}")]


def test_a_half_typed_key_is_no_error(edit):
    editor = edit(PROJECT.replace("nobody|", ""))
    editor.show("main.tex")
    for letter in "ba":
        editor.type("main.tex", "{one," + "ba"[: "ba".index(letter)], letter)
        assert editor.reported("main.tex") == [("placeholder", r"\cite{}")]
    # The author goes on elsewhere.
    editor.type("main.tex", "Words", "!")
    assert editor.reported("main.tex")[0] == ("undefined-key", "ba")


def test_an_entry_that_is_being_typed_is_not_broken(edit):
    editor = edit(PROJECT.replace(" year=2000", ""))
    editor.show("refs.bib")
    editor.type("refs.bib", "{Again}}\n", "@book{new,\n  title = {Half")
    assert editor.reported("refs.bib") == [("duplicate-key", "one")]
    editor.did("Save", "refs.bib")
    assert ("broken-entry", "{Half") in editor.reported("refs.bib")


def test_other_clients_get_findings_after_a_pause_also_after_edits_of_the_bibliography(edit):
    editor = edit(capabilities=PUSHED)
    editor.show("main.tex")
    sent = editor.published("main.tex")
    assert (codes(sent["diagnostics"]), sent["version"]) == (["undefined-key", "placeholder"], 1)
    editor.type("main.tex", "one,", "two", "nobody")
    sent = editor.published("main.tex")
    assert (codes(sent["diagnostics"]), sent["version"]) == (["placeholder"], 2)
    editor.did("Close", "main.tex")
    editor.shown_codes("main.tex")
    editor.show("main.tex")
    editor.shown_codes("main.tex", "undefined-key", "placeholder")
    editor.show("refs.bib")
    shown = editor.published("refs.bib")["diagnostics"]
    assert (codes(shown), shown[1]["tags"]) == (["broken-entry", "duplicate-key"], [1])
    editor.type("refs.bib", "@misc{", "nobody", "two")
    editor.shown_codes("main.tex", "placeholder")
    # The editor's text counts, and no longer once it is closed.
    editor.did("Close", "refs.bib")
    editor.shown_codes("refs.bib", "broken-entry")
    editor.shown_codes("main.tex", "undefined-key", "placeholder")
    # Another program writes it.
    editor.save_elsewhere("refs.bib", "@misc{one, title={W}}\n@misc{nobody, title={N}}\n")
    editor.shown_codes("main.tex", "placeholder")
    editor.configure(diagnostics={"enabled": "off"})
    editor.shown_codes("main.tex")
    assert editor.problems("main.tex") == []


def test_what_texlab_beside_us_reports_we_do_not(edit):
    editor = edit(peers=["texlab"])
    editor.show("main.tex")
    assert editor.problems("main.tex") == []


def fixed(editor, name, action):
    (edits,) = action["edit"]["changes"].values()
    return applied(editor.texts[name], edits)


def test_a_broken_entry_and_a_repeated_key_are_mended(edit):
    editor = edit()
    editor.show("refs.bib")
    comma, key = editor.problems("refs.bib")
    (insert,) = editor.fixes("refs.bib", comma)
    assert insert["title"] == "Insert the missing comma"
    assert "title={More}, year=2000" in fixed(editor, "refs.bib", insert)
    (rename,) = editor.fixes("refs.bib", key)
    assert rename["title"] == "Change this key to onea"
    assert "@misc{onea, title={Again}}" in fixed(editor, "refs.bib", rename)


def test_the_whole_library_has_the_key(edit, tmp_path_factory):
    library = tmp_path_factory.mktemp("zotero") / "all.bib"
    library.write_text("@misc{nobody, title={Somebody after all}}\n")
    editor = edit(globalBibliographies=[str(library)])
    editor.show("main.tex")
    item = editor.problems("main.tex")[0]
    # The library is read in the background, and nobody waits for it.
    (add,) = eventually(
        lambda: [a for a in editor.fixes("main.tex", item) if a["title"].startswith("Add")],
        "the library is read",
    )
    assert add["title"] == "Add nobody to refs.bib"
    assert "result" in editor.client.run(add["command"])


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
    editor.show("main.tex")
    if capabilities is PUSHED:
        shown = editor.published("main.tex", lambda items: len(items) == 2)["diagnostics"]
    else:
        # Matching takes its time: the client is notified when there is more.
        while len(shown := editor.problems("main.tex")) < 2:
            editor.client.wait_for("workspace/diagnostic/refresh")
    assert codes(shown) == ["weak-support", "missing-citation"]
    assert shown[0]["range"]["start"]["line"] == 3
    assert [item["severity"] for item in shown] == [3, 3]
    assert editor.fixes("main.tex", shown[0]) == []


def test_the_support_of_all_open_documents_is_judged(monkeypatch):
    server, judged = Server(), set()

    def judge(uri):
        check()
        judged.add(uri)
        yield False

    monkeypatch.setattr(
        publishing, "on_document", lambda _work, path, _lines: lambda _: judge(path.name)
    )
    names = {"one.tex", "two.tex"}
    for name in names:
        server.session.documents.open(f"file:///x/{name}", "Words.")

    def ask_at_once():
        for name in names:
            uri = f"file:///x/{name}"
            server.publisher._judge_soon(uri, server.session.documents.now.lines(uri))

    server.session.background.do("ask", ask_at_once)
    assert server.session.background.wait(20)
    assert judged == names
    server.session.stop()


UNUSED = r"""
%! main.tex
\documentclass{article}
Words \cite{one}.
\bibliography{refs}
%! refs.bib
@misc{one, title={Words}}
@misc{two, title={More}}
"""


def test_unused_entries_are_faint_hints_for_those_who_want_them_unless_just_typed(edit):
    editor = edit(UNUSED, diagnostics={"unusedEntries": True}, capabilities=PUSHED)
    editor.show("main.tex", "refs.bib")
    (hint,) = editor.published("refs.bib", lambda items: len(items) == 1)["diagnostics"]
    assert (hint["code"], hint["severity"], hint["tags"]) == ("unused-entry", 4, [1])
    assert hint["message"] == "No draft that reads this bibliography cites “two”."
    assert editor.marked("refs.bib", hint) == "two"
    editor.type("main.tex", "{one", ",two")
    assert editor.published("refs.bib", lambda items: not items)["diagnostics"] == []
    editor.type("main.tex", "{one", "", ",two")
    assert editor.reported("refs.bib") == [("unused-entry", "two")]
    editor.type("refs.bib", "title={More}", ", note={}")
    assert editor.reported("refs.bib") == []


@pytest.mark.parametrize(("project", "name"), [(UNUSED, "refs.bib"), (SUPPORTED, "main.tex")])
def test_opinions_are_off_by_default(edit, project, name):
    editor = edit(project)
    editor.show(name)
    assert editor.reported(name) == []


def judged(author, **settings):
    """Return the codes of what is found in the first file, everything judged, and whether it was."""
    matching = settings.pop("matching", MatchingSettings())
    author.session.settings = Settings(editor=EditorSettings(**settings), matching=matching)
    author.indexed()
    news = any([*diagnostics.judge_support(author.here())])
    found = diagnostics.diagnostics(author.here())
    assert not [*diagnostics.judge_support(author.here())]
    return [item.code for item in found], news


def test_only_full_texts_are_judged_once_whatever_finds_their_sentences(editing, tmp_path):
    abstract = SUPPORTED.replace("title={Coherence}", "abstract={Grids show them.}").replace("papers/", "elsewhere/")  # fmt: skip
    assert judged(editing(abstract, tmp_path / "abstract"), weak_support=True) == ([], False)
    author = editing(SUPPORTED, tmp_path / "full")
    assert judged(author, weak_support=True) == (["weak-support"], True)
    assert judged(author, weak_support=True, diagnostics="off") == ([], False)
    bm25 = MatchingSettings(system="bm25")
    assert judged(author, weak_support=True, matching=bm25) == (["weak-support"], True)


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
def test_anything_may_be_checked_and_fixed(editing, name, text):
    author = editing("%! refs.bib\n@misc{b, title={B}\n", weak_support=True, missing_citations=True)
    author.open(name, text)
    here = author.here(name)
    found = diagnostics.diagnostics(here)
    json.dumps([item.message for item in found])
    everything = types.Range(types.Position(0, 0), types.Position(999, 0))
    diagnostics.fixes(here, everything, found)
    diagnostics.judge_support(here)


def test_an_undefined_key_is_changed_to_one_that_looks_like_it_in_the_clients_units(edit):
    editor = edit(PROJECT.replace("Words \\cite{one,nobody|}", "Wörter 😀 \\cite{onee}"))
    editor.show("main.tex")
    assert editor.reported("main.tex")[0] == ("undefined-key", "onee")
    item = editor.problems("main.tex")[0]
    action = editor.fixes("main.tex", item)[0]
    assert (action["title"], action["isPreferred"]) == ("Change to one", True)
    assert (action["kind"], action["diagnostics"]) == ("quickfix", [item])
    assert "😀 \\cite{one}" in fixed(editor, "main.tex", action)
