r"""From a key to its entry and back, links, hints and symbols: on projects as authors have them."""

import pytest
from lsprotocol import types

from markup import write_project
from pincite.lsp.features import links, navigation
from pincite.settings import EditorSettings, Settings

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


@pytest.fixture(name="editor")
def editor_on_a_project(editing):
    return editing(PROJECT)


def defined(editor, name, at):
    link = editor.ask(navigation.define, at, name)
    return link and editor.shown(link.target_uri, link.target_selection_range)


def references(editor, name, at, *, declared=False):
    context = types.ReferenceContext(declared)
    found = editor.ask(navigation.references, at, name, context=context)
    return found and [editor.shown(each.uri, each.range) for each in found]


def links_in(editor, name):
    here = editor.here(name)
    found = links.document_links(here) or ()
    return {here.lines.span(each.range).of(here.text): each.target for each in found}


def symbols(editor, query):
    found = navigation.symbols(editor.project, types.WorkspaceSymbolParams(query))
    return found and [(each.name.split(" · ")[0], each.container_name) for each in found]


@pytest.mark.parametrize(
    ("name", "at", "expected"),
    [
        ("main.tex", r"\cite{go|edel31}", "refs.bib:0:goedel31"),
        ("main.tex", r"[p.~3]{|turing,", "refs.bib:1:turing"),
        ("main.tex", r"\nocite{turing|}", "refs.bib:1:turing"),
        ("chapter.tex", r"\textcites{goedel31|}", "refs.bib:0:goedel31"),
        ("talk.tex", r"\cite{t|uring}", "refs.bib:1:turing"),
        ("other.tex", r"\cite{t|uring}", "elsewhere.bib:0:turing"),
        ("chapter.tex", r"{unde|fined}", None),
        ("main.tex", r"\ci|te{goedel31}", None),
        # To the parent of an entry; an entry is its own definition.
        ("refs.bib", "crossref={Tur|ing}", "refs.bib:1:turing"),
        ("refs.bib", "xdata={sh|ared}", "refs.bib:4:shared"),
        ("refs.bib", "@book{tur|ing", "refs.bib:1:turing"),
        ("refs.bib", "title={Wor|ks}", None),
    ],
)
def test_definition(editor, name, at, expected):
    assert defined(editor, name, at) == expected


def test_definition_marks_the_key_and_shows_the_whole_entry(editor):
    link = editor.ask(navigation.define, r"see][p.~3]{turing, goe|del31}")
    assert editor.shown(editor.uri("main.tex"), link.origin_selection_range) == (
        "main.tex:2:goedel31"
    )
    whole = editor.shown(link.target_uri, link.target_range)
    assert whole.startswith("refs.bib:0:@article{goedel31,")
    assert whole.endswith("year=1931}")


@pytest.mark.parametrize(
    ("at", "file"), [("{re|fs,", "refs.bib"), (",mo|re}", "more.bib"), ("\\bibli|ography", None)]
)
def test_the_definition_of_a_bibliography_is_its_file(editor, at, file):
    link = editor.ask(navigation.define, at)
    assert (link and editor.shown(link.target_uri, link.target_range)) == (file and f"{file}:0:")
    if link:
        own = editor.shown(editor.uri("main.tex"), link.origin_selection_range)
        assert own == f"main.tex:4:{file.removesuffix('.bib')}"


ITEMS = r"""
%! main.tex
\documentclass{article}\begin{document}\include{part}
\begin{thebibliography}{9}
\bibitem[K]{ knuth } The Art.
\end{thebibliography}\end{document}
%! part.tex
\cite{knuth}
"""
NO_DRAFT = "%! refs.bib\n@misc{a, crossref={B}}\n@misc{b, title={B}}\n"
NAMED_TWICE = r"""
%! main.tex
\documentclass{article}\addbibresource{refs.bib}\begin{document}
\cite{new} and \cite{old}, but not \cite{New}.
\end{document}
%! refs.bib
@misc{new, ids={old, older}}
"""
IN_ANY_CASE = r"""
%! main.tex
\documentclass{article}\begin{document}
\cite{KNUTH} and \cite{Knuth}
\bibliography{refs}\end{document}
%! refs.bib
@misc{knuth, title={Art}}
"""


PARENT_ELSEWHERE = r"""
%! main.tex
\documentclass{article}\begin{document}\cite{child}\bibliography{a,b}\end{document}
%! a.bib
@inproceedings{child, crossref={whole}}
%! b.bib
@proceedings{whole, title={Whole}}
"""


@pytest.mark.parametrize(
    ("project", "name", "at", "entry", "places"),
    [
        (ITEMS, "part.tex", r"\cite{|knuth}", "main.tex:2:knuth", ["part.tex:0:knuth"]),
        (NO_DRAFT, "refs.bib", "crossref={B|}", "refs.bib:1:b", ["refs.bib:0:B"]),
        (PARENT_ELSEWHERE, "a.bib", "{wh|ole}", "b.bib:0:whole", ["a.bib:0:whole"]),
        (NAMED_TWICE, "main.tex", r"\cite{o|ld}", "refs.bib:0:new", ["main.tex:1:new", "main.tex:1:old"]),
        (IN_ANY_CASE, "main.tex", r"\cite{KN|UTH}", "refs.bib:0:knuth", ["main.tex:1:KNUTH", "main.tex:1:Knuth"]),
    ],
)  # fmt: skip
def test_what_a_key_means_elsewhere(editing, project, name, at, entry, places):
    editor = editing(project)
    assert defined(editor, name, at) == entry
    assert references(editor, name, at) == places


def test_a_bibliography_inside_the_draft(editing):
    editor = editing(
        r"""
        %! main.tex
        \begin{filecontents}{own.bib}
        @misc{one, title={One}}
        @misc{two, crossref={one}, doi={10.1000/2}}
        \end{filecontents}
        \documentclass{article}\begin{document}\cite{two,one}\bibliography{own}\end{document}
        """
    )
    assert defined(editor, "main.tex", r"two,o|ne}") == "main.tex:1:one"
    assert defined(editor, "main.tex", r"crossref={o|ne}") == "main.tex:1:one"
    found = references(editor, "main.tex", r"@misc{o|ne", declared=True)
    assert found == ["main.tex:1:one", "main.tex:2:one", "main.tex:4:one"]
    assert links_in(editor, "main.tex") == {"10.1000/2": "https://doi.org/10.1000/2"}


def test_unsaved_text_counts(editor):
    editor.open("refs.bib", "\n\n@misc{goedel31,\n  title={Typed}}\n")
    assert defined(editor, "main.tex", r"\cite{go|edel31}") == "refs.bib:2:goedel31"
    editor.open("new.tex", "\\documentclass{article}\n\\cite{goedel31}\\bibliography{refs}")
    assert "new.tex:1:goedel31" in references(editor, "refs.bib", "@misc{g|oedel31")


def test_references_in_a_draft_are_those_of_all_its_files(editor):
    expected = ["chapter.tex:0:turing", "main.tex:2:turing", "main.tex:2:turing", "refs.bib:3:Turing"]  # fmt: skip
    for name, at in [("main.tex", r"\nocite{tu|ring}"), ("chapter.tex", r"\citet{t|uring}")]:
        assert references(editor, name, at) == expected
        declared = [*expected[:3], "more.bib:0:turing", "refs.bib:1:turing", expected[3]]
        assert references(editor, name, at, declared=True) == declared
    assert references(editor, "chapter.tex", "{unde|fined}") == ["chapter.tex:0:undefined"]


def test_references_from_a_bibliography_are_those_of_all_drafts_that_use_it(editor):
    assert references(editor, "refs.bib", "@book{tu|ring") == [
        "chapter.tex:0:turing",
        "main.tex:2:turing",
        "main.tex:2:turing",
        "refs.bib:3:Turing",
        "talk.tex:1:turing",
    ]
    assert references(editor, "elsewhere.bib", "@misc{t|uring") == ["other.tex:1:turing"]


@pytest.mark.parametrize(
    ("name", "at", "expected"),
    [
        ("main.tex", r"\nocite{tur|ing}", ["main.tex:2:turing:Read", "main.tex:2:turing:Read"]),
        ("refs.bib", "@xdata{sh|ared", ["refs.bib:3:shared:Read", "refs.bib:4:shared:Write"]),
        ("refs.bib", "@misc{goe|del31", ["refs.bib:0:goedel31:Write", "refs.bib:2:goedel31:Write"]),
        ("main.tex", "Gö|del", None),
    ],
)
def test_highlight(editor, name, at, expected):
    found = editor.ask(navigation.highlight, at, name)
    shown = found and [f"{editor.shown(editor.uri(name), e.range)}:{e.kind.name}" for e in found]
    assert shown == expected


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


def test_links_in_a_bibliography(editing, tmp_path):
    assert links_in(editing(LINKED), "refs.bib") == {
        ":files/one.pdf:PDF": (tmp_path / "files/one.pdf").as_uri(),
        "10.1000/both": "https://doi.org/10.1000/both",
        "https://doi.org/10.1002/A<B>1": "https://doi.org/10.1002/a%3Cb%3E1",
        "https://example.org/a_(b)?q=ü": "https://example.org/a_(b)?q=%C3%BC",
        "1706.03762": "https://arxiv.org/abs/1706.03762",
        "12345": "https://pubmed.ncbi.nlm.nih.gov/12345/",
    }


def test_keys_are_links_only_for_authors_who_want_that(editing, tmp_path):
    assert links_in(editing(LINKED), "main.tex") == {}
    assert links_in(editing(LINKED, document_links="on"), "main.tex") == {
        "pdf": (tmp_path / "files/one.pdf").as_uri(),
        "doi": "https://doi.org/10.1002/a%3Cb%3E1",
        "arxiv": "https://arxiv.org/abs/1706.03762",
    }


def test_the_links_of_a_huge_bibliography_are_bounded(editing):
    entries = "".join(f"@misc{{k{n}, doi={{10.1000/{n}}}}}\n" for n in range(20_000))
    assert 1_000 < len(links_in(editing(f"%! refs.bib\n{entries}"), "refs.bib")) < 10_000


def test_hints_show_who_and_when_in_a_range_if_they_are_on(editing, editor):
    def hints(name, first=0, last=99, editor=editor):
        asked = types.Range(types.Position(first, 0), types.Position(last, 0))
        here = editor.here(name)
        found = links.inlay_hints(here, asked)
        return found and [
            (here.text[: here.lines.offset(each.position)].replace("{", ",").rsplit(",", 1)[1].strip(), each.label)
            for each in found
        ]  # fmt: skip

    assert hints("main.tex") is None
    editor.session.settings = Settings(editor=EditorSettings(inlay_hints="on"))
    goedel, turing = ("goedel31", "Gödel 1931"), ("turing", "Turing et al. 1992")
    assert hints("main.tex") == [goedel, turing, goedel, turing]
    assert hints("chapter.tex") == [turing, goedel]
    assert hints("chapter.tex", 1) == hints("main.tex", 0, 2) == []


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


def test_symbols_come_from_all_bibliographies_of_the_workspace_and_of_open_drafts(
    editing, tmp_path
):
    library = write_project(tmp_path / "library", "%! far.bib\n@misc{far, title={Turing again}}\n")
    editor = editing(PROJECT, tmp_path / "work")
    editor.open("new.tex", f"\\documentclass{{article}}\\cite{{far}}\\addbibresource{{{library}}}")
    # The part of a book has the author of the book.
    expected = {("turing", name) for name in ("elsewhere.bib", "more.bib", "refs.bib")}
    assert set(symbols(editor, "turing")) == {*expected, ("part", "refs.bib"), ("far", "far.bib")}
    (found,) = navigation.symbols(editor.project, types.WorkspaceSymbolParams("post works"))
    shown = found.name, found.location.range.start.line
    assert shown == ("turing · Turing, Church, Post · 1992 · Works", 1)


def test_symbols_are_bounded_and_keys_that_begin_so_come_first(editing):
    entries = "".join(f"@misc{{k{n}, title={{Zebra}}}}\n" for n in range(500))
    editor = editing(f"%! refs.bib\n{entries}@misc{{zebra, title={{Last}}}}\n")
    found = symbols(editor, "zebra")
    assert (len(found), found[0]) == (200, ("zebra", "refs.bib"))
    assert len(symbols(editor, "")) == 200


@pytest.mark.parametrize("off", [{"peers": frozenset(["texlab"])}, "off"])
def test_what_a_peer_does_is_left_to_it(editing, off):
    names = "definition references workspace_symbols document_highlight document_links".split()
    editor = editing(PROJECT, **(dict.fromkeys(names, "off") if off == "off" else off))
    at = r"\cite{go|edel31}"
    assert defined(editor, "main.tex", at) is None
    assert references(editor, "main.tex", at) is None
    assert symbols(editor, "turing") is None
    # texlab has these for no keys.
    assert (editor.ask(navigation.highlight, at) is None) == (off == "off")
    switches = EditorSettings(definition="on", peers=frozenset(["texlab"]))
    editor.session.settings = Settings(editor=switches)
    assert defined(editor, "main.tex", at) == "refs.bib:0:goedel31"


def test_over_the_protocol(tmp_path, start_in):
    write_project(tmp_path, PROJECT)
    main, refs = tmp_path / "main.tex", tmp_path / "refs.bib"
    capabilities = {"textDocument": {"definition": {"linkSupport": True}}}
    client = start_in(tmp_path, capabilities=capabilities, options={"inlayHints": "on"})
    client.open(main, main.read_text("utf-8"))
    provided = client.answer["result"]["capabilities"]
    features = "definition references documentHighlight documentLink inlayHint workspaceSymbol"
    for feature in features.split():
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
    client.open(tmp_path / "new.bib", "@misc{a, doi={10.1000/1}}\n", language="bibtex")
    links = client.request("textDocument/documentLink", {"textDocument": {"uri": (tmp_path / "new.bib").as_uri()}})  # fmt: skip
    (link,) = links["result"]
    assert link["target"] == "https://doi.org/10.1000/1"
    assert link["range"]["start"] == {"line": 0, "character": 14}


def test_a_client_without_links_gets_the_place_of_the_key(tmp_path, start_in):
    write_project(tmp_path, PROJECT)
    client = start_in(tmp_path, capabilities={})
    client.open(tmp_path / "talk.tex", (tmp_path / "talk.tex").read_text("utf-8"))
    found = client.request("textDocument/definition", client.at(tmp_path / "talk.tex", 1, 24))
    assert found["result"] == {
        "uri": (tmp_path / "refs.bib").as_uri(),
        "range": {"start": {"line": 1, "character": 6}, "end": {"line": 1, "character": 12}},
    }


@pytest.mark.parametrize("name", ["main.tex", "refs.bib", "untitled.md"])
@pytest.mark.parametrize("text", ["", "\\cite{", "@misc{", "@misc{a, crossref={", "\\cite{a}\r@x(", "{{{", "@\0\ud800"])  # fmt: skip
def test_half_typed_text_harms_nothing(editor, name, text):
    editor.open(name, text)
    here = editor.here(name)
    for offset in range(len(text) + 1):
        navigation.define(here, offset)
        navigation.references(here, offset, types.ReferenceContext(True))
        navigation.highlight(here, offset)
    links.document_links(here)
