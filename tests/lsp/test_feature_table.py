r"""What LaTeX writers already have for citations, row by row, and that they have it with us.

The rows are those of our comparison of texlab, LaTeX Workshop, digestif, VimTeX and
citation-langserver. What we do otherwise on purpose is in docs/editors.md, under "What Pincite
leaves to others".
"""

import re
import sys
from pathlib import Path

import pytest

from author import CAPABILITIES, Author, edits_of
from protocol_client import Client

ROWS = """
trigger characters; after a comma, past optional arguments; multi-line cite; commands; custom
commands; bib commands; tree and root; bibinputs; bibitem; completion order and filter;
label details; documentation and resolve; is incomplete; edit; hover; definition; references;
rename; pdf and doi links; undefined and duplicate keys; unused entries; code actions and inlay hints; workspace
symbols; file watching; progress; config prefix; multi-root; position encoding; sync; bad bib; crash
"""
BIB = """
@article{coherence, author={Barzilay, Regina and Lapata, Mirella}, title={Modeling Local Coherence},
  doi={10.1162/coli.2008.34.1.1}, abstract={Coherent texts mention their entities in patterns.}, year=2008}
@article{vectors, author={Salton, Gerard}, title={A Vector Space Model}, year=1975}
@book{grammar, author={Müller, Jörg}, title={Über Grammatik}, year=1999}
"""
ALL = {"coherence", "vectors", "grammar"}
LEFT_TO_OTHERS = Path(__file__).parents[2] / "docs" / "editors.md"


def project(text: str, bib: str = BIB) -> str:
    return f"{text}\n\\bibliography{{refs}}\n%! refs.bib\n{bib}"


def test_each_row_has_a_test():
    names = [name for name in vars(sys.modules[__name__]) if name.startswith("test_")]
    rows = ["_".join(re.findall(r"\w+", row)) for row in ROWS.split(";")]
    assert [row for row in rows if not any(name.startswith(f"test_{row}") for name in names)] == []


@pytest.mark.parametrize(
    "what",
    [
        "Reference formatted",
        "Unused entries of one draft",
        "Log files",
        "kpsewhich",
        "Roots",
        "Lists of citation commands",
        "Entry sets",
        "amsrefs",
        "Zotero",
    ],
)
def test_what_is_left_to_others_has_a_written_reason(what):
    section = LEFT_TO_OTHERS.read_text("utf-8").split("## What Pincite leaves to others")[1]
    assert f"**{what}" in section.split("\n## ")[0]


def test_trigger_characters(author):
    options = author.client.answer["result"]["capabilities"]["completionProvider"]
    assert set(options["triggerCharacters"]) == {"{", ",", "<", "@", "`"}
    # A space would ask at every word of the prose.


@pytest.mark.parametrize("citation", [r"\cite{vectors,|}", r"\citep[see][p.~3]{|}", r"\cite[a [b] c]{|}", r"\cite [x] {|}"])  # fmt: skip
def test_after_a_comma_past_optional_arguments(author, citation):
    author.begin(project(f"Texts {citation}."))
    assert "coherence" in author.suggested()


@pytest.mark.parametrize("citation", ["\\cite{vectors,\n  |}", "\\citep[see]\n  [3]{|}", "\\cite{%\n  vectors, % a remark\n  |\n}"])  # fmt: skip
def test_multi_line_cite(author, citation):
    author.begin(project(citation))
    assert "coherence" in author.suggested()


@pytest.mark.parametrize(
    "citation",
    [r"\Citet{|}", r"\citealt*{|}", r"\cites{vectors}{|}", r"\Textcites(see)[1]{vectors}[2]{|}", r"\volcite{2}{|}", r"\textcquote{|}{said}", r"\bibentry{|}", r"\nocite{|}", r"\citeauthor{|}", r"\footcite[1]{|}", r"\fullcite{|}"],
)  # fmt: skip
def test_commands(author, citation):
    author.begin(project(f"Texts {citation}."))
    assert "coherence" in author.suggested()


def test_custom_commands(author):
    author.begin(project(r"\newcommand{\also}[2]{\citep[see #1][]{#2}} \also{here}{|}"))
    assert "coherence" in author.suggested()


@pytest.mark.parametrize(
    "command",
    [r"\bibliography{refs}", r"\addbibresource{refs.bib}", r"\addglobalbib{refs.bib}", r"\addsectionbib{refs.bib}", r"\nobibliography{refs}", r"\nobibliography*\bibliography{refs}", r"\begin{bibunit}\putbib[refs]\end{bibunit}", r"\bibliography{\jobname}", r"\bibliography{\subfix{refs}}", r"\bibliography{none,refs}", r"\addbibresource{r*.bib}"],
)  # fmt: skip
def test_bib_commands(author, command):
    author.begin(f"\\cite{{|}} {command}\n%! refs.bib\n{BIB}\n%! main.bib\n{BIB}")
    assert set(author.suggested()) == ALL


@pytest.mark.parametrize("part", ["% !TeX root = ../main.tex\n\\cite{|}", "\\documentclass[../main]{subfiles}\\cite{|}", "\\cite{|}"])  # fmt: skip
def test_tree_and_root(author, part):
    main = r"\documentclass{book}\begin{document}\input{parts/one}\bibliography{refs}\end{document}"
    author.begin(f"%! parts/one.tex\n{part}\n%! main.tex\n{main}\n%! refs.bib\n{BIB}")
    assert set(author.suggested()) == ALL


def test_bibinputs(author):
    (author.client.bibinputs / "shared.bib").write_text(BIB, "utf-8")
    author.begin(r"\cite{|}\bibliography{shared}")
    assert set(author.suggested()) == ALL


def test_bibitem(author):
    author.begin(
        "\\cite{|}\\begin{thebibliography}{9}\\bibitem{one} A. One. Texts. 2001.\\end{thebibliography}"
    )
    assert author.suggested() == ["one"]


def test_completion_order_and_filter(author):
    author.begin(project(r"Local coherence \cite{|}."))
    assert author.suggested()[0] == "coherence"
    assert all(item["sortText"].startswith("!") for item in author.items())
    author.write("A vector space \\cite{|}.\n\\bibliography{refs}")
    assert author.suggested()[0] == "vectors"
    author.write("A vector space \\cite{jorg|}.\n\\bibliography{refs}")
    assert author.suggested() == ["grammar"]


def test_label_details(author):
    author.begin(project(r"Modeling local coherence \cite{|}."))
    details = author.items()[0]["labelDetails"]
    assert details["detail"].strip() == "Barzilay and Lapata 2008"
    assert "coherence" in details["description"]


def test_documentation_and_resolve(author):
    author.begin(project(r"Coherent texts have patterns of entities \cite{|}."))
    item = next(item for item in author.items() if item["label"] == "coherence")
    assert "documentation" not in item
    resolved = author.client.request("completionItem/resolve", item)["result"]
    assert "mention their" in str(resolved["documentation"])


def test_is_incomplete(author):
    author.begin(project(r"Texts \cite{|}."))
    assert author.ask("textDocument/completion")["isIncomplete"] is True


@pytest.mark.parametrize(
    ("before", "after"),
    [(r"\cite{vec|}", r"\cite{coherence}"), (r"\cite{doe:2001-a|b}", r"\cite{coherence}"), (r"\cite<|>", r"\cite{coherence}"), (r"\cite{|", r"\cite{coherence")],
)  # fmt: skip
def test_edit(author, before, after):
    author.begin(
        project(f"Texts {before}", BIB.replace("{coherence,", "{coherence, note={vec doe:2001-a},"))
    )
    ranges = [item["textEdit"]["range"] for item in author.items()]
    assert all(each["start"]["line"] == each["end"]["line"] for each in ranges)
    if "coherence" in author.suggested():
        assert author.accept("coherence").startswith(f"Texts {after}")


def test_hover(author):
    author.begin(project(r"Coherent texts have patterns of entities \cite{coher|ence}."))
    assert "mention their" in author.hover()


def test_definition(author):
    author.begin(project(r"Texts \cite{coher|ence}."))
    place = author.ask("textDocument/definition")
    assert place["uri"] == (author.folder / "refs.bib").as_uri()
    assert place["range"]["start"] == {"line": 1, "character": len("@article{")}


def test_references(author):
    author.begin(
        project("Texts \\cite{coher|ence}.\\input{part}")
        + "%! part.tex\nMore \\citet{vectors,coherence}.\n"
    )
    found = author.ask("textDocument/references", context={"includeDeclaration": False})
    assert sorted(Path(place["uri"]).name for place in found) == ["main.tex", "part.tex"]


def test_rename(author):
    author.begin(
        project("Texts \\cite{coher|ence}.\\input{part}")
        + "%! part.tex\nMore \\citet{vectors,coherence}.\n"
    )
    edits = edits_of(author.ask("textDocument/rename", newName="lapata2008"))
    assert set(edits) == {"main.tex", "part.tex", "refs.bib"}
    assert {edit["newText"] for each in edits.values() for edit in each} == {"lapata2008"}


def test_pdf_and_doi_links(author):
    author.begin(project(r"Texts \cite{coher|ence}."))
    assert "https://doi.org/10.1162/coli.2008.34.1.1" in author.hover()
    author.open("refs.bib", (author.folder / "refs.bib").read_text("utf-8"))
    targets = [link["target"] for link in author.ask("textDocument/documentLink")]
    assert "https://doi.org/10.1162/coli.2008.34.1.1" in targets


def test_undefined_and_duplicate_keys(author):
    twice = BIB + "@misc{vectors, title={Again}}\n"
    author.begin(project(r"|Texts \cite{nowhere}.", twice))
    assert "undefined-key" in {found["code"] for found in author.problems()}
    author.open("refs.bib", (author.folder / "refs.bib").read_text("utf-8"))
    assert "duplicate-key" in {found["code"] for found in author.problems()}


def test_unused_entries(author):
    text = r"\documentclass{article}|\cite{grammar}"
    author.begin(project(text), diagnostics={"unusedEntries": True})
    author.open("refs.bib", (author.folder / "refs.bib").read_text("utf-8"))
    unused = [found for found in author.problems() if found["code"] == "unused-entry"]
    assert [found["data"]["key"] for found in unused] == ["coherence", "vectors"]


def test_code_actions_and_inlay_hints(author):
    author.begin(
        project(r"Modeling local coherence \cite{|}. Also \cite{vectors}."), inlayHints="on"
    )
    assert any(
        action["title"].startswith("Cite Barzilay and Lapata 2008") for action in author.actions()
    )
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}}
    assert "Salton 1975" in str(author.ask("textDocument/inlayHint", range=whole))


def test_workspace_symbols(author):
    author.begin(project(r"Texts \cite{|}."))
    found = author.ask("workspace/symbol", query="lapata coherence")
    assert [symbol["name"].split()[0] for symbol in found] == ["coherence"]


def test_file_watching(author):
    author.begin(project(r"Texts \cite{|}."))
    author.client.methods()
    asked = [
        m["params"] for m in author.client.seen if m.get("method") == "client/registerCapability"
    ]
    assert "workspace/didChangeWatchedFiles" in str(asked)
    author.save_elsewhere("refs.bib", "@misc{pulled, title={Texts}}")
    assert author.suggested() == ["pulled"]


def test_progress(tmp_path):
    """What takes long is shown; reading these papers takes longer than the test."""
    entries = "".join(f"@misc{{p{n}, title={{Paper {n}}}}}\n" for n in range(200))
    (tmp_path / "refs.bib").write_text(entries)
    (tmp_path / "papers").mkdir()
    for number in range(200):
        (tmp_path / "papers" / f"p{number}.txt").write_text(
            f"Sentence {number} has words. " * 8_000
        )
    client = Client(tmp_path)
    client.open(tmp_path / "main.tex")
    created = client.wait(lambda m: m.get("method") == "window/workDoneProgress/create")
    client.send({"id": created["id"], "result": None})
    assert client.wait_for("$/progress")["value"]["title"] == "Pincite: reading papers"
    client.close()


def test_config_prefix(author):
    """Ours is `pincite`; what is meant for other servers is none of our business."""
    author.begin(project(r"Texts \cite{vectors|}."))
    author.client.notify(
        "workspace/didChangeConfiguration", {"settings": {"texlab": {"inlayHints": "on"}}}
    )
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}}
    assert not author.ask("textDocument/inlayHint", range=whole)
    author.configure(inlayHints="on")
    assert author.ask("textDocument/inlayHint", range=whole)


def test_multi_root(author, server, tmp_path_factory):
    other = Author(server, tmp_path_factory.mktemp("other"))
    author.begin(project(r"Texts \cite{|}."))
    other.begin(project(r"Texts \cite{|}.", "@misc{other, title={Texts}}"))
    assert set(author.suggested()) == ALL
    assert other.suggested() == ["other"]
    other.end()
    assert set(author.suggested()) == ALL


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32", None])
def test_position_encoding(tmp_path, encoding):
    offered = {"general": {"positionEncodings": [encoding]}} if encoding else {}
    client = Client(tmp_path, capabilities={**CAPABILITIES, **offered})
    assert client.answer["result"]["capabilities"].get("positionEncoding", "utf-16") == (
        encoding or "utf-16"
    )
    (tmp_path / "refs.bib").write_text(BIB, "utf-8")
    line = "Müller 😀😀 naïve \\cite{"
    client.open(tmp_path / "main.tex", f"{line}}} tail\n\\bibliography{{refs}}\n")
    name, width = {"utf-8": ("utf-8", 1), "utf-32": ("utf-32-le", 4)}.get(
        encoding, ("utf-16-le", 2)
    )
    column = len(line.encode(name)) // width
    assert client.labels(tmp_path / "main.tex", 0, column) == ALL
    assert client.labels(tmp_path / "main.tex", 0, column - 1) is None
    client.close()


def test_sync(author):
    """Only what changed is sent; unsaved text counts, that of bibliographies as well."""
    assert author.client.answer["result"]["capabilities"]["textDocumentSync"]["change"] == 2
    author.begin(project(r"Texts \cite{|}."))
    here = author.position()
    author.client.change(author.path, 2, {"range": {"start": here, "end": here}, "text": "salton"})
    author.offset += len("salton")
    author.text = author.text.replace("{}", "{salton}")
    assert author.suggested() == ["vectors"]
    draft, text, offset = author.path.name, author.text, author.offset
    author.open("refs.bib", "@misc{unsaved, author={Salton, G.}, title={Unsaved}}")
    author.path, author.text, author.offset = author.folder / draft, text, offset
    assert author.suggested() == ["unsaved"]


@pytest.mark.parametrize(
    "broken", ["@article{open, title={Never closed", "@article{", "@@@{{{", "@string{x = "]
)
def test_bad_bib(author, broken):
    author.begin(project(r"Texts \cite{|}.", f"{broken}\n{BIB}"))
    assert set(author.suggested()) >= ALL


def test_crash(author):
    """Whatever is asked of whatever text, the next request is answered."""
    author.begin(
        "\\cite{\\cite[{$$\\begin{verbatim}\n\\input{|gone}\\bibliography{gone}\\newcommand\\x{\\x}\\x"
    )
    for method in (
        "completion",
        "hover",
        "definition",
        "documentHighlight",
        "documentLink",
        "inlayHint",
    ):
        everything = {"start": {"line": 0, "character": 0}, "end": {"line": 900, "character": 0}}
        place = {"position": {"line": 700, "character": 70}, "range": everything}
        params = {"textDocument": {"uri": author.path.as_uri()}, **place}
        author.client.request(f"textDocument/{method}", params)
    author.write(
        "Texts \\cite{|}.\n\\begin{thebibliography}{1}\\bibitem{one} One.\\end{thebibliography}"
    )
    assert author.suggested() == ["one"]
