r"""From a key to its entry and back, links, hints and symbols: on projects as authors have them."""

import json
from pathlib import Path

import pytest
from lsprotocol import types

from markup import parse_fixture, write_project
from pincite.lsp.documents import Documents, Lines
from pincite.lsp.features import links, navigation
from pincite.lsp.session import Session
from pincite.settings import EditorSettings, Settings
from protocol_client import Client

PROJECT = r"""
%! main.tex
\documentclass{article}
\begin{document}
Gödel \cite{goedel31} and 𝔘 \citep[see][p.~3]{turing, goedel31}. \nocite{turing}
\input{chapter}
\bibliography{refs,more}
\end{document}
%! chapter.tex
As in \citet{turing} and \textcites{goedel31}[4]{undefined}.
% \cite{turing}
%! talk.tex
\documentclass{beamer}
\begin{document}\cite{turing}\bibliography{refs}\end{document}
%! other.tex
\documentclass{article}
\begin{document}\cite{turing}\bibliography{elsewhere}\end{document}
%! refs.bib
@article{goedel31, author={G{\"o}del, Kurt}, title={Über formal unentscheidbare Sätze}, year=1931}
@book{turing, author={Turing, Alan and Church, Alonzo and Post, Emil}, title={Works}, year=1992}
@misc{goedel31, title={The second of this key}}
@inbook{part, crossref={Turing}, title={Part}, xdata={shared}}
@xdata{shared, publisher={P}}
%! more.bib
@misc{turing, title={Shadowed by the other file}}
%! elsewhere.bib
@misc{turing, title={Another project}}
"""


class Editor:
    """An author's editor on a project; requests are made as the server's threads make them."""

    def __init__(self, folder: Path, project: str = PROJECT, **switches):
        fixture = parse_fixture(project)
        write_project(folder, fixture)
        self.folder, self.texts = folder, dict(fixture.files)
        self.documents = Documents()
        self.session = Session(self.documents)
        self.session.folders = (folder,)
        self.session.settings = Settings(editor=EditorSettings(**switches))

    def open(self, name: str, text: str | None = None) -> Lines:
        self.texts[name] = self.texts[name] if text is None else text
        uri = (self.folder / name).as_uri()
        self.documents.open(uri, self.texts[name])
        return self.documents.now.lines(uri)

    def ask(self, feature, name: str, at: str, **options):
        """Ask at the bar in `at`, which is text of the file."""
        before, after = at.split("|")
        lines = self.open(name)
        assert before + after in lines.text, at
        position = lines.position(lines.text.index(before + after) + len(before))
        return feature(self.session.project(), self.folder / name, lines, position, **options)

    def at(self, uri: str, place: types.Range) -> str:
        """Return a place as ``file:line:text``."""
        name = Path(uri).name
        lines = Lines(self.texts[name], self.documents.now.encoding)
        start, end = lines.offset(place.start), lines.offset(place.end)
        return f"{name}:{place.start.line}:{lines.text[start:end]}"

    def defined(self, name: str, at: str) -> str | None:
        link = self.ask(navigation.define, name, at)
        return link and self.at(link.target_uri, link.target_selection_range)

    def references(self, name: str, at: str, *, declared: bool = False) -> list[str] | None:
        found = self.ask(navigation.references, name, at, context=types.ReferenceContext(declared))
        return found and [self.at(each.uri, each.range) for each in found]

    def highlighted(self, name: str, at: str) -> list[str] | None:
        found = self.ask(navigation.highlight, name, at)
        uri = (self.folder / name).as_uri()
        return found and [f"{self.at(uri, e.range)}:{e.kind.name}" for e in found]

    def links(self, name: str) -> dict[str, str]:
        lines = self.open(name)
        found = links.document_links(self.session.project(), self.folder / name, lines)
        return {
            lines.text[lines.offset(each.range.start) : lines.offset(each.range.end)]: each.target
            for each in found or ()
        }

    def hints(self, name: str, first: int = 0, last: int = 99) -> list[tuple[str, str]] | None:
        lines = self.open(name)
        asked = types.Range(types.Position(first, 0), types.Position(last, 0))
        found = links.inlay_hints(self.session.project(), self.folder / name, lines, asked)
        if found is None:
            return None
        before = [lines.text[: lines.offset(hint.position)] for hint in found]
        return [
            (text.replace("{", ",").rsplit(",", 1)[1].strip(), hint.label)
            for text, hint in zip(before, found, strict=True)
        ]


@pytest.fixture(name="editor")
def editor_on_a_project(tmp_path):
    editor = Editor(tmp_path)
    yield editor
    editor.session.stop()


# Definition


@pytest.mark.parametrize(
    ("name", "at", "defined"),
    [
        ("main.tex", r"\cite{go|edel31}", "refs.bib:0:goedel31"),
        ("main.tex", r"[p.~3]{|turing,", "refs.bib:1:turing"),
        ("main.tex", r"\nocite{turing|}", "refs.bib:1:turing"),
        ("chapter.tex", r"\textcites{goedel31|}", "refs.bib:0:goedel31"),
        ("talk.tex", r"\cite{t|uring}", "refs.bib:1:turing"),
        ("other.tex", r"\cite{t|uring}", "elsewhere.bib:0:turing"),
        ("chapter.tex", r"{unde|fined}", None),
        ("main.tex", r"\ci|te{goedel31}", None),
        ("main.tex", r"[p.~|3]", None),
        # To the parent of an entry; an entry is its own definition.
        ("refs.bib", "crossref={Tur|ing}", "refs.bib:1:turing"),
        ("refs.bib", "xdata={sh|ared}", "refs.bib:4:shared"),
        ("refs.bib", "@book{tur|ing", "refs.bib:1:turing"),
        ("refs.bib", "title={Wor|ks}", None),
    ],
)
def test_definition(editor, name, at, defined):
    assert editor.defined(name, at) == defined


def test_definition_marks_the_key_and_shows_the_whole_entry(editor):
    link = editor.ask(navigation.define, "main.tex", r"see][p.~3]{turing, goe|del31}")
    assert editor.at((editor.folder / "main.tex").as_uri(), link.origin_selection_range) == (
        "main.tex:2:goedel31"
    )
    whole = editor.at(link.target_uri, link.target_range)
    assert whole.startswith("refs.bib:0:@article{goedel31,")
    assert whole.endswith("year=1931}")


@pytest.mark.parametrize(
    ("at", "file"), [("{re|fs,", "refs.bib"), (",mo|re}", "more.bib"), ("\\bibli|ography", None)]
)
def test_the_definition_of_a_bibliography_is_its_file(editor, at, file):
    link = editor.ask(navigation.define, "main.tex", at)
    assert (link and editor.at(link.target_uri, link.target_range)) == (file and f"{file}:0:")
    if link:
        uri = (editor.folder / "main.tex").as_uri()
        own = editor.at(uri, link.origin_selection_range)
        assert own == f"main.tex:4:{file.removesuffix('.bib')}"


def test_definition_of_a_bibitem(tmp_path):
    editor = Editor(
        tmp_path,
        r"""
        %! main.tex
        \documentclass{article}\begin{document}\include{part}
        \begin{thebibliography}{9}
        \bibitem[K]{ knuth } The Art.
        \end{thebibliography}\end{document}
        %! part.tex
        \cite{knuth}
        """,
    )
    assert editor.defined("part.tex", r"\cite{|knuth}") == "main.tex:2:knuth"
    assert editor.references("main.tex", r"{ kn|uth }") == ["part.tex:0:knuth"]


EMBEDDED = r"""
%! main.tex
\begin{filecontents}{own.bib}
@misc{one, title={One}}
@misc{two, crossref={one}, doi={10.1000/2}}
\end{filecontents}
\documentclass{article}\begin{document}\cite{two,one}\bibliography{own}\end{document}
"""


def test_a_bibliography_inside_the_draft(tmp_path):
    editor = Editor(tmp_path, EMBEDDED)
    assert editor.defined("main.tex", r"two,o|ne}") == "main.tex:1:one"
    assert editor.defined("main.tex", r"crossref={o|ne}") == "main.tex:1:one"
    assert editor.references("main.tex", r"@misc{o|ne", declared=True) == [
        "main.tex:1:one",
        "main.tex:2:one",
        "main.tex:4:one",
    ]
    assert editor.links("main.tex") == {"10.1000/2": "https://doi.org/10.1000/2"}


def test_definition_in_a_bibliography_that_no_draft_uses(tmp_path):
    editor = Editor(tmp_path, "%! refs.bib\n@misc{a, crossref={B}}\n@misc{b, title={B}}\n")
    assert editor.defined("refs.bib", "crossref={B|}") == "refs.bib:1:b"
    assert editor.references("refs.bib", "@misc{|b", declared=True) == [
        "refs.bib:0:B",
        "refs.bib:1:b",
    ]


def test_a_parent_in_another_file_is_found(tmp_path):
    editor = Editor(
        tmp_path,
        r"""
        %! main.tex
        \documentclass{article}\begin{document}\cite{child}\bibliography{a,b}\end{document}
        %! a.bib
        @inproceedings{child, crossref={whole}}
        %! b.bib
        @proceedings{whole, title={Whole}}
        """,
    )
    assert editor.defined("a.bib", "{wh|ole}") == "b.bib:0:whole"


def test_unsaved_text_counts(editor):
    editor.open("refs.bib", "\n\n@misc{goedel31,\n  title={Typed}}\n")
    assert editor.defined("main.tex", r"\cite{go|edel31}") == "refs.bib:2:goedel31"
    editor.open("new.tex", "\\documentclass{article}\n\\cite{goedel31}\\bibliography{refs}")
    assert "new.tex:1:goedel31" in editor.references("refs.bib", "@misc{g|oedel31")


# References


def test_references_in_a_draft_are_those_of_all_its_files(editor):
    expected = ["chapter.tex:0:turing", "main.tex:2:turing", "main.tex:2:turing", "refs.bib:3:Turing"]  # fmt: skip
    for name, at in [("main.tex", r"\nocite{tu|ring}"), ("chapter.tex", r"\citet{t|uring}")]:
        assert editor.references(name, at) == expected
        assert editor.references(name, at, declared=True) == [
            *expected[:3],
            "more.bib:0:turing",
            "refs.bib:1:turing",
            expected[3],
        ]


def test_references_from_a_bibliography_are_those_of_all_drafts_that_use_it(editor):
    assert editor.references("refs.bib", "@book{tu|ring") == [
        "chapter.tex:0:turing",
        "main.tex:2:turing",
        "main.tex:2:turing",
        "refs.bib:3:Turing",
        "talk.tex:1:turing",
    ]
    assert editor.references("elsewhere.bib", "@misc{t|uring") == ["other.tex:1:turing"]


def test_references_of_an_undefined_key(editor):
    assert editor.references("chapter.tex", "{unde|fined}") == ["chapter.tex:0:undefined"]


def test_references_go_by_all_names_of_an_entry(tmp_path):
    editor = Editor(
        tmp_path,
        r"""
        %! main.tex
        \documentclass{article}\addbibresource{refs.bib}\begin{document}
        \cite{new} and \cite{old}, but not \cite{New}.
        \end{document}
        %! refs.bib
        @misc{new, ids={old, older}}
        """,
    )
    assert editor.references("main.tex", r"\cite{o|ld}") == ["main.tex:1:new", "main.tex:1:old"]


def test_bibtex_takes_keys_in_any_case(tmp_path):
    editor = Editor(
        tmp_path,
        r"""
        %! main.tex
        \documentclass{article}\begin{document}
        \cite{KNUTH} and \cite{Knuth}
        \bibliography{refs}\end{document}
        %! refs.bib
        @misc{knuth, title={Art}}
        """,
    )
    assert editor.references("refs.bib", "{kn|uth") == ["main.tex:1:KNUTH", "main.tex:1:Knuth"]
    assert editor.defined("main.tex", r"\cite{KN|UTH}") == "refs.bib:0:knuth"


# Highlight


def test_highlight(editor):
    assert editor.highlighted("main.tex", r"\nocite{tur|ing}") == [
        "main.tex:2:turing:Read",
        "main.tex:2:turing:Read",
    ]
    assert editor.highlighted("refs.bib", "@xdata{sh|ared") == [
        "refs.bib:3:shared:Read",
        "refs.bib:4:shared:Write",
    ]
    assert editor.highlighted("refs.bib", "@misc{goe|del31") == [
        "refs.bib:0:goedel31:Write",
        "refs.bib:2:goedel31:Write",
    ]
    assert editor.highlighted("main.tex", "Gö|del") is None


# Links

LINKED = r"""
%! main.tex
\documentclass{article}
\begin{document}\cite{pdf,doi,arxiv,none}\bibliography{refs}\end{document}
%! refs.bib
@misc{pdf, file = {:files/one.pdf:PDF;gone.pdf}, doi = {10.1000/both}}
@misc{doi, doi = "https://doi.org/10.1002/A<B>1", url = { https://example.org/a_(b)?q=ü }}
@misc{arxiv, eprint = {1706.03762}, archiveprefix = {arXiv}}
@misc{archive, eprint = {12345}, eprinttype = {pubmed}, file = {gone.pdf}}
@misc{none, url = {see the web}, doi = {unknown}, eprint = {none}, note = {10.1000/no}}
@misc{made, doi = {10.1000/} # {two}}
%! files/one.pdf
%PDF-
"""


def test_links_in_a_bibliography(tmp_path):
    editor = Editor(tmp_path, LINKED)
    assert editor.links("refs.bib") == {
        ":files/one.pdf:PDF": (tmp_path / "files/one.pdf").as_uri(),
        "10.1000/both": "https://doi.org/10.1000/both",
        "https://doi.org/10.1002/A<B>1": "https://doi.org/10.1002/a%3Cb%3E1",
        "https://example.org/a_(b)?q=ü": "https://example.org/a_(b)?q=%C3%BC",
        "1706.03762": "https://arxiv.org/abs/1706.03762",
        "12345": "https://pubmed.ncbi.nlm.nih.gov/12345/",
    }


def test_keys_are_links_only_for_authors_who_want_that(tmp_path):
    assert Editor(tmp_path, LINKED).links("main.tex") == {}
    assert Editor(tmp_path, LINKED, document_links="on").links("main.tex") == {
        "pdf": (tmp_path / "files/one.pdf").as_uri(),
        "doi": "https://doi.org/10.1002/a%3Cb%3E1",
        "arxiv": "https://arxiv.org/abs/1706.03762",
    }


def test_the_links_of_a_huge_bibliography_are_bounded(tmp_path):
    entries = "".join(f"@misc{{k{n}, doi={{10.1000/{n}}}}}\n" for n in range(20_000))
    editor = Editor(tmp_path, f"%! refs.bib\n{entries}")
    assert 1_000 < len(editor.links("refs.bib")) < 10_000


# Hints


def test_hints_say_who_and_when(tmp_path):
    editor = Editor(tmp_path, inlay_hints="on")
    goedel, turing = ("goedel31", "Gödel 1931"), ("turing", "Turing et al. 1992")
    assert editor.hints("main.tex") == [goedel, turing, goedel, turing]
    assert editor.hints("chapter.tex") == [turing, goedel]
    assert editor.hints("chapter.tex", 1) == []
    assert editor.hints("main.tex", 0, 2) == []


def test_hints_are_off_by_default(editor):
    assert editor.hints("main.tex") is None


# Symbols


def symbols(editor, query):
    found = navigation.symbols(editor.session.project(), types.WorkspaceSymbolParams(query))
    return found and [(each.name.split(" · ")[0], each.container_name) for each in found]


@pytest.mark.parametrize(
    ("query", "keys"),
    [
        ("goedel31", {"goedel31"}), ("godel", {"goedel31"}), ("GÖDEL 1931", {"goedel31"}),
        ("uber satze", {"goedel31"}), ("post works 1992", {"turing"}), ("church 1931", set()),
        ("edel", {"goedel31"}), ("another", {"turing"}),
    ],
)  # fmt: skip
def test_symbols_are_found_by_key_author_title_and_year(editor, query, keys):
    assert {key for key, _ in symbols(editor, query)} == keys


def test_symbols_come_from_all_bibliographies_of_the_workspace_and_of_open_drafts(tmp_path):
    library = write_project(tmp_path / "library", "%! far.bib\n@misc{far, title={Turing again}}\n")
    editor = Editor(tmp_path / "work")
    editor.open("new.tex", f"\\documentclass{{article}}\\cite{{far}}\\addbibresource{{{library}}}")
    # The part of a book has the author of the book.
    expected = {("turing", name) for name in ("elsewhere.bib", "more.bib", "refs.bib")}
    assert set(symbols(editor, "turing")) == {*expected, ("part", "refs.bib"), ("far", "far.bib")}
    found = navigation.symbols(editor.session.project(), types.WorkspaceSymbolParams("post works"))
    assert [(each.name, each.location.range.start.line) for each in found] == [
        ("turing · Turing, Church, Post · 1992 · Works", 1)
    ]


def test_symbols_are_bounded_and_keys_that_begin_so_come_first(tmp_path):
    entries = "".join(f"@misc{{k{n}, title={{Zebra}}}}\n" for n in range(500))
    editor = Editor(tmp_path, f"%! refs.bib\n{entries}@misc{{zebra, title={{Last}}}}\n")
    found = symbols(editor, "zebra")
    assert len(found) == 200
    assert found[0] == ("zebra", "refs.bib")
    assert len(symbols(editor, "")) == 200


# Switches


@pytest.mark.parametrize("off", [{"peers": frozenset(["texlab"])}, "off"])
def test_what_a_peer_does_is_left_to_it(tmp_path, off):
    names = (
        "definition",
        "references",
        "workspace_symbols",
        "document_highlight",
        "document_links",
    )
    editor = Editor(tmp_path, **(dict.fromkeys(names, "off") if off == "off" else off))
    assert editor.defined("main.tex", r"\cite{go|edel31}") is None
    assert editor.references("main.tex", r"\cite{go|edel31}") is None
    assert symbols(editor, "turing") is None
    # texlab has these for no keys.
    assert (editor.highlighted("main.tex", r"\cite{go|edel31}") is None) == (off == "off")
    editor.session.settings = Settings(
        editor=EditorSettings(definition="on", peers=frozenset(["texlab"]))
    )
    assert editor.defined("main.tex", r"\cite{go|edel31}") == "refs.bib:0:goedel31"


# Any text


@pytest.mark.parametrize("name", ["main.tex", "refs.bib", "untitled.md"])
@pytest.mark.parametrize("text", ["", "\\cite{", "@misc{", "@misc{a, crossref={", "\\cite{a}\r@x(", "{{{", "@\0\ud800"])  # fmt: skip
def test_half_typed_text_harms_nothing(editor, name, text):
    editor.texts[name] = ""
    lines = editor.open(name, text)
    path = editor.folder / name
    for offset in range(len(text) + 1):
        position = lines.position(offset)
        navigation.define(editor.session.project(), path, lines, position)
        navigation.references(
            editor.session.project(), path, lines, position, types.ReferenceContext(True)
        )
        navigation.highlight(editor.session.project(), path, lines, position)
    editor.links(name)


# Over the real server


@pytest.fixture(name="client")
def client_of_the_project(tmp_path):
    write_project(tmp_path, PROJECT)
    client = Client(
        tmp_path,
        capabilities={"textDocument": {"definition": {"linkSupport": True}}},
        options={"inlayHints": "on"},
    )
    client.open(tmp_path / "main.tex", (tmp_path / "main.tex").read_text("utf-8"))
    yield client
    client.close()


def test_over_the_protocol(client, tmp_path):
    main, refs = tmp_path / "main.tex", tmp_path / "refs.bib"
    provided = client.answer["result"]["capabilities"]
    for (
        feature
    ) in "definition references documentHighlight documentLink inlayHint workspaceSymbol".split():
        assert provided.get(f"{feature}Provider") not in (None, False), feature
    # In UTF-16 the 𝔘 before this key is two units.
    place = client.at(main, 2, 48)
    (link,) = client.request("textDocument/definition", place)["result"]
    assert link["targetUri"] == refs.as_uri()
    assert link["originSelectionRange"]["start"] == {"line": 2, "character": 47}
    assert link["targetSelectionRange"]["start"] == {"line": 1, "character": 6}
    found = client.request("textDocument/references", {**place, "context": {"includeDeclaration": True}})  # fmt: skip
    assert len(found["result"]) == 6
    assert len(client.request("textDocument/documentHighlight", place)["result"]) == 2
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}
    hints = client.request("textDocument/inlayHint", {"textDocument": place["textDocument"], "range": whole})  # fmt: skip
    assert [hint["label"] for hint in hints["result"]][:2] == ["Gödel 1931", "Turing et al. 1992"]
    symbols = client.request("workspace/symbol", {"query": "godel"})["result"]
    assert [symbol["location"]["uri"] for symbol in symbols] == [refs.as_uri()]
    text = "@misc{a, doi={10.1000/1}}\n"
    client.open(tmp_path / "new.bib", text, language="bibtex")
    links = client.request("textDocument/documentLink", {"textDocument": {"uri": (tmp_path / "new.bib").as_uri()}})  # fmt: skip
    assert [link["target"] for link in links["result"]] == ["https://doi.org/10.1000/1"]
    assert json.dumps(links["result"][0]["range"]["start"]) == '{"line": 0, "character": 14}'


def test_a_client_without_links_gets_the_place_of_the_key(tmp_path):
    write_project(tmp_path, PROJECT)
    client = Client(tmp_path, capabilities={})
    client.open(tmp_path / "talk.tex", (tmp_path / "talk.tex").read_text("utf-8"))
    found = client.request("textDocument/definition", client.at(tmp_path / "talk.tex", 1, 24))
    assert found["result"] == {
        "uri": (tmp_path / "refs.bib").as_uri(),
        "range": {"start": {"line": 1, "character": 6}, "end": {"line": 1, "character": 12}},
    }
    client.close()
