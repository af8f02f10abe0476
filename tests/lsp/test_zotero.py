"""Zotero on this computer through the real server: suggested works, what is inserted, evidence."""

import pytest

from pdf_pages import Page
from protocol_client import eventually
from zotero_library import GROUP, ME, ZoteroLibrary

PROJECT = r"""
%! main.tex
\documentclass{article}
\begin{document}
The frogs of these ponds sing at night \cite{|}.
\bibliography{refs}
\end{document}
%! refs.bib
@article{prices, author = {Ryan, M. J.}, title = {A theory of prices}, year = 1985}
"""


@pytest.fixture(name="zotero")
def library(tmp_path):
    zotero = ZoteroLibrary(tmp_path / "Zotero")
    frogs = zotero.work(
        by=[("Gerhardt", "H. C.")],
        title="How frogs sing at night in their ponds",
        date="1994-00-00 1994",
        publicationTitle="Frogs & Toads",
        abstractNote="Frogs sing at night in ponds.",
        DOI="10.1000/frogs",
    )
    file = zotero.stored(frogs, "a.md", "# How frogs sing\n\nThe frogs of ponds sing at night.\n")
    zotero.highlight(file, "The frogs of ponds sing at night.", "for *2*")
    zotero.note(frogs, "<p>Read again</p>")
    zotero.work(title="How they sing", DOI="10.1000/FROGS", library=GROUP)
    prices = zotero.work(by=[("Ryan", "M. J.")], title="A theory of prices", date="1985")
    for work, added in ((frogs, "2026-03-08 14:05:31"), (prices, "2026-03-09 09:00:00")):
        zotero.added(work, added)
    zotero.close()
    return zotero


@pytest.fixture(name="author")
def author_with_zotero(zotero, author_with):
    return author_with(environment={"PINCITE_ZOTERO": str(zotero.folder)})


def added(author):
    items = eventually(
        lambda: (found := author.items()) and any(item.get("command") for item in found) and found,
        "Zotero is read",
    )
    return [item for item in items if item.get("command")]


def test_a_work_of_zotero_is_suggested_once_and_inserted_in_a_plain_form(author):
    author.begin(PROJECT)
    (item,) = added(author)
    assert item["label"] == "gerhardt1994how"
    assert item["labelDetails"]["description"] == "library"
    author.client.run(item["command"])
    assert author.put_into("refs.bib").strip() == "\n".join(
        (
            "@article{gerhardt1994how,",
            "  author = {Gerhardt, H. C.},",
            "  title = {How frogs sing at night in their ponds},",
            "  journal = {Frogs \\& Toads},",
            "  year = {1994},",
            "  doi = {10.1000/frogs},",
            "}",
        )
    )


def test_zotero_is_off_where_the_setting_is(author, tmp_path):
    author.begin(PROJECT, zotero="off")
    eventually(lambda: author.ask("pincite/status")["state"] == "ready", "all is read")
    assert not any(item.get("command") for item in author.items())
    assert not (tmp_path / "cache" / "zotero").exists()
    author.configure(zotero="auto")
    assert added(author)
    author.configure(zotero="off")
    assert not any(item.get("command") for item in author.items())


def test_only_works_of_zotero_are_searched_where_that_is_asked_for(author):
    author.begin(PROJECT)

    def searched(**options):
        found = author.ask("pincite/recommendations", only="zotero", **options)
        return found if found["complete"] else None

    found = eventually(searched, "Zotero is read")["items"]
    shown = [(work["title"], work["key"], work.get("fromLibrary", False)) for work in found]
    assert shown[0][0] == "How frogs sing at night in their ponds"
    # What the draft has is its own entry; what Zotero has twice is shown once.
    assert ("A theory of prices", "prices", False) in shown
    assert [is_new for _, _, is_new in shown] == [True, False]
    assert [work["key"] for work in searched(typed="theory prices")["items"]] == ["prices"]
    assert [work["title"] for work in searched(newest=True)["items"]] == [shown[1][0], shown[0][0]]
    author.configure(zotero="off")
    assert searched()["items"] == []


def test_a_highlighted_sentence_is_marked_where_a_key_is_hovered_over(author):
    cited = "%! refs.bib\n@misc{frogs, title = {How frogs sing at night in their ponds}, doi = {10.1000/frogs}}"
    author.begin(PROJECT.partition("%! refs.bib")[0].replace("{|}", "{fr|ogs}") + cited + "\n")

    def hovered():
        value = author.ask("textDocument/hover")["contents"]["value"]
        return value if "full text" in value else None

    assert "you highlighted this: “for \\*2\\*”" in eventually(
        hovered, "the file of Zotero is read"
    )


@pytest.mark.parametrize("library", [1, GROUP])
def test_a_sentence_of_a_stored_pdf_has_its_address_in_zotero(tmp_path, author_with, library):
    zotero = ZoteroLibrary(tmp_path / "Zotero")
    toads = zotero.work(
        title="How toads dig in the dry season", DOI="10.1000/toads", library=library
    )
    file = zotero.stored(toads, "toads.pdf", "")
    page = Page(zotero.folder / "storage" / zotero.key(file) / "toads.pdf")
    page.text(
        72, 72, ["How toads dig", "", "Toads dig deep burrows in the dry season.", "Sand is warm."]
    )
    page.save()
    highlight = zotero.highlight(file, "Toads dig deep burrows in the dry season.")
    zotero.made_by(highlight, ME)
    key, highlight = map(zotero.key, (file, highlight))
    zotero.close()
    author = author_with(environment={"PINCITE_ZOTERO": str(zotero.folder)})
    author.begin(
        "%! main.tex\n\\documentclass{article}\\begin{document}\n"
        "Toads dig burrows in the dry season \\cite{to|ads}.\n\\bibliography{refs}\\end{document}\n"
        "%! refs.bib\n@misc{toads, title = {How toads dig in the dry season}, doi = {10.1000/toads}}\n"
    )

    def supporting():
        (work,) = author.ask("pincite/evidence")["works"]
        return work["supporting"]

    (first, *_) = eventually(supporting, "the file of Zotero is read")
    place = "library" if library == 1 else "groups/77"
    assert first["zotero"] == f"zotero://open-pdf/{place}/items/{key}?page=1&annotation={highlight}"
