"""Completion over the real server: what is suggested, in which order, and what choosing it does."""

import re
import threading
from dataclasses import replace

import pytest

from author import CAPABILITIES, applied, edits_of
from markup import write_project
from pincite.lsp.features import completion
from pincite.lsp.features.citing import addition
from pincite.lsp.session import Client as Capabilities
from pincite.model.problems import InputError
from pincite.project.global_library import GlobalLibrary
from pincite.project.open_draft import Progress
from pincite.settings import Settings
from protocol_client import eventually

REFS = r"""
%! refs.bib
@article{harris1954, author = {Harris, Zellig}, title = {Distributional structure}, year = 1954,
  abstract = {Words that occur in the same contexts tend to have similar meanings.}}
@article{mueller, author = {M{\"u}ller, J{\"o}rg and {\O}stergaard, S{\o}ren}, title = {Na{\"\i}ve grammars}, year = 1990}
@book{lewis2020rag, author = {Lewis, Patrick}, title = {Retrieval-augmented generation}, year = 2020}
@misc{frogs, author = {Frosch, Ann}, title = {Frogs of similar ponds}, year = 1954}
"""
MEANINGS = "Words in the same contexts have similar meanings"


def draft(marked, bibliography=r"\bibliography{refs}"):
    lines = [
        r"\documentclass{article}",
        r"\begin{document}",
        marked,
        bibliography,
        r"\end{document}",
    ]
    return "%! main.tex\n" + "\n".join(lines) + "\n"


def keys(author, marked, bib=REFS, bibliography=r"\bibliography{refs}"):
    author.begin(draft(marked, bibliography) + bib.lstrip())
    return author.suggested()


ALIASES = r"""
%! refs.bib
@article{coherence2008, title = {Entity grids}, ids = {barzilay2008, grids}}
@article{barzilay1999, title = {Information fusion}}
@article{other, title = {Barzilay's work}, author = {Other, A.}}
"""
BIBER = r"\usepackage{biblatex}\addbibresource{refs.bib}"


def test_aliases_are_chosen_where_they_are_typed_and_ranked_with_their_entries(author):
    assert keys(author, r"\cite{barzilay2008|}", ALIASES, BIBER) == [
        "barzilay2008",
        "coherence2008",
    ]
    (alias, _) = sorted(author.items(), key=lambda item: item["sortText"])
    assert alias["labelDetails"]["description"].startswith("alias of coherence2008")
    assert r"\cite{barzilay2008}" in author.accept("barzilay2008")
    resolved = author.client.request("completionItem/resolve", alias)["result"]
    assert "Entity grids" in str(resolved["documentation"])
    found = keys(author, r"\cite{barz|}", ALIASES, BIBER)
    assert found[-1] == "other"
    assert set(found[:-1]) == {"barzilay1999", "barzilay2008", "coherence2008"}
    assert found.index("coherence2008") == found.index("barzilay2008") + 1
    assert keys(author, r"\cite{coher|}", ALIASES, BIBER) == ["coherence2008"]
    # Nor is one suggested beside its alias.
    assert sorted(keys(author, r"\cite{grids, |}", ALIASES, BIBER)) == ["barzilay1999", "other"]
    # Where nothing is typed, no entry is there twice.
    untyped = keys(author, r"\cite{|}", ALIASES, BIBER)
    assert sorted(untyped) == ["barzilay1999", "coherence2008", "other"]


def test_bibtex_knows_no_aliases_so_that_they_only_find_their_entry(author):
    assert keys(author, r"\cite{grids|}", ALIASES) == ["coherence2008"]


@pytest.mark.parametrize("ranker", ["learned", "mixed"])
def test_where_nothing_is_typed_the_text_around_the_cursor_ranks(author, ranker):
    author.begin(draft(rf"{MEANINGS} \cite{{|}}.") + REFS.lstrip(), ranker=ranker)
    first = author.items()[0]
    assert first["label"] == "harris1954"
    assert first["labelDetails"] == {"detail": " Harris 1954 · Distributional structure"}
    item = author.client.request("completionItem/resolve", first)["result"]
    shown = item["documentation"]["value"]
    assert re.search(r"By its abstract; shares: .*contexts", shown)
    assert shown.startswith("**Harris 1954** · Distributional structure")
    assert "**contexts**" in shown


def test_find_by_author_or_title_not_key(author):
    author.begin(draft(rf"{MEANINGS} \cite{{|}}") + REFS.lstrip())
    for typed, found in {
        # Key, author, title and year; also a second author and a first name.
        "harr": ["harris1954"],
        "rag": ["lewis2020rag"],
        "patrick": ["lewis2020rag"],
        "oster": ["mueller"],
        "augmented": ["lewis2020rag"],
        "retrieval-aug": ["lewis2020rag"],
        "1954": ["frogs", "harris1954"],
        "lewis 2020": ["lewis2020rag"],
        "lewis 1954": [],
        "nothing like it": [],
    }.items():
        author.write(draft(rf"{MEANINGS} \cite{{{typed}|}}"))
        assert sorted(author.suggested()) == found, typed


def test_accents_match_however_they_are_written_and_typed(author):
    author.begin(draft(r"\cite{|}") + REFS.lstrip())
    for typed in "müller muller mueller Mu\u0308ller MÜL jorg joerg ostergaard østergaard soeren naïve".split():
        author.write(draft(rf"\cite{{{typed}|}}"))
        assert author.suggested() == ["mueller"], typed


def test_better_ordering_exact_matches_first_and_by_context_among_equals(author):
    bib = r"""
%! refs.bib
@misc{zeta, title = {Nothing to do with it}}
@misc{zebra, title = {Words in contexts have meanings}}
@misc{zeb, title = {Of frogs}}
@misc{a, title = {A zebra and its contexts}}
@misc{b, title = {Of a zebra}}
@misc{c, title = {Szebedy of contexts}}
"""
    assert keys(author, rf"{MEANINGS} \cite{{zeb|}}", bib) == ["zeb", "zebra", "a", "b", "c"]


def test_an_editor_that_filters_and_sorts_keeps_our_order(author):
    author.begin(draft(rf"{MEANINGS} \cite{{le|}}") + REFS.lstrip())
    result = author.ask("textDocument/completion")
    items = result["items"]
    assert result["isIncomplete"]
    assert all(item["filterText"].startswith("le") for item in items)
    assert all(len(item["filterText"]) <= 128 for item in items)
    sort_texts = [item["sortText"] for item in items]
    # Before digits, which another server's items begin with.
    assert all(text.startswith("!") for text in sort_texts)
    assert sort_texts == sorted(sort_texts)
    assert [bool(item.get("preselect")) for item in items] == [True] + [False] * (len(items) - 1)
    author.write(draft(r"\cite{|}"))
    (item,) = (item for item in author.items() if item["label"] == "lewis2020rag")
    assert {"Lewis", "Retrieval-augmented"} <= set(item["filterText"].split())


@pytest.mark.parametrize(
    ("citation", "chosen"),
    [
        (r"See \cite{|} there", r"See \cite{frogs} there"),
        (r"See \cite{harris1954, po|nds}", r"See \cite{harris1954, frogs}"),
        (r"See \cite<|> there", r"See \cite{frogs} there"),
        (r"See \cite<fro|> there", r"See \cite{frogs} there"),
        ("😀 é \\cite{harris1954,\n  ponds|}", "😀 é \\cite{harris1954,\n  frogs}"),
    ],
)
def test_choosing_one_leaves_the_other_keys(author, citation, chosen):
    author.begin(draft(citation) + REFS.lstrip())
    assert chosen in author.accept("frogs")
    for item in author.items():
        span = item["textEdit"]["range"]
        assert span["start"]["line"] == span["end"]["line"] == author.position()["line"]


def test_an_item_in_view_may_have_nothing_that_speaks_for_it(author):
    author.begin(draft(rf"{MEANINGS} \cite{{|}}.") + REFS.lstrip())

    def shown_of_another():
        item = next(item for item in author.items() if item["label"] == "lewis2020rag")
        item = author.client.request("completionItem/resolve", item)["result"]
        return item["documentation"]["value"]

    # Before its papers are read, it reports that instead.
    eventually(lambda: "Nothing known about it resembles" in shown_of_another(), "why it is there")


EARLIER = draft(r"Ponds were drained \cite{lewis2020rag}.").replace("main.tex", "earlier.tex")


def test_a_work_that_the_author_cited_in_a_like_context_shows_it(author):
    author.begin(
        draft(r"All ponds were drained \cite{|}.") + REFS.lstrip() + EARLIER, ranker="mixed"
    )
    (reason,) = eventually(lambda: reasons_with(author, "cite it so").values(), "it is shown")
    assert "\n\nYou cite it so: “Ponds were drained.”; shares: drained, ponds\n\n" in reason


def reasons_with(author, part):
    """Return the documentation of the entries that contains this, by key."""
    reasons = {}
    for item in author.items():
        resolved = author.client.request("completionItem/resolve", item)["result"]
        reasons[item["label"]] = resolved["documentation"]["value"]
    return {key: reason for key, reason in reasons.items() if part in reason}


@pytest.mark.parametrize(
    ("resolved", "documented"), [(["documentation"], 0), (["command"], 5), (None, 0)]
)
def test_an_editor_that_does_not_resolve_documentation_gets_it_with_the_first_items(
    tmp_path, start_in, resolved, documented
):
    bib = REFS + "".join(f"@misc{{m{n}, title = {{Contexts {n}}}}}\n" for n in range(6))
    main = write_project(tmp_path, draft(rf"{MEANINGS} \cite{{}}.") + bib.lstrip())
    item = {} if resolved is None else {"resolveSupport": {"properties": resolved}}
    capabilities = {"textDocument": {"completion": {"completionItem": item}}}
    client = start_in(tmp_path, capabilities=capabilities)
    client.open(main, main.read_text())
    items = client.complete(main, 2, len(MEANINGS) + 7)["result"]["items"]
    shown = [each["documentation"] for each in items if each.get("documentation")]
    assert len(shown) == documented
    # Nor does it show label details.
    assert items[0]["label"] == "harris1954"
    assert items[0]["detail"] == "Harris 1954 · Distributional structure"
    assert all("Distributional structure" in each for each in shown[:1])


ZOTERO = r"""
%! zotero/library.bib
@string{ling = "Linguistics"}
@article{firth1957, author = {Firth, J. R.}, title = {A synopsis of meanings in contexts},
   journal = ling, year = 1957, abstract = {You shall know words by their contexts.}}
@article{harris1954, title = {The same key}}
@article{h54, author = {Harris, Zellig}, title = {Distributional structure}, year = 1954}
@inproceedings{part, title = {Meanings of parts}, crossref = {whole}}
@misc{far, title = {Something else entirely}}
@proceedings{whole, title = {Proceedings of meanings}}
"""


def from_library(author):
    items = eventually(
        lambda: (found := author.items()) and any(item.get("command") for item in found) and found,
        "the library is read",
    )
    return [item for item in items if item.get("command")]


def begin(author, marked, bibliography=r"\bibliography{refs}", bib=REFS, **settings):
    library = str(author.folder / "zotero" / "library.bib")
    project = draft(marked, bibliography) + bib.lstrip() + ZOTERO.lstrip()
    author.begin(project, globalBibliographies=[library], **settings)


@pytest.mark.parametrize("ranker", ["learned", "mixed"])
def test_entries_of_the_library_come_after_the_drafts_best_and_are_marked(author, ranker):
    begin(author, rf"{MEANINGS} \cite{{|}}.", ranker=ranker)
    added = from_library(author)
    # Neither what has a key of the draft, nor the same work, nor what has nothing to do with it,
    # nor proceedings, which are there for their parts.
    assert [item["label"] for item in added] == ["firth1957", "part"]
    assert author.suggested()[0] == "harris1954"
    for item in added:
        assert item["labelDetails"]["description"] == "library"
    item = author.client.request("completionItem/resolve", added[0])["result"]
    assert "hares: " in item["documentation"]["value"]
    assert "by their **contexts**" in item["documentation"]["value"]
    assert "It is in your library" in item["documentation"]["value"]


BESIDE = "The frogs of these ponds sing at night"
FROGS = r"""
%! zotero/library.bib
@article{gerhardt, author = {Gerhardt, H. C.}, title = {How frogs sing at night in their ponds}, year = 1994}
@article{ryan, author = {Ryan, M. J.}, title = {A theory of prices}, year = 1985}
"""


@pytest.mark.parametrize(
    ("own", "marked", "ranker", "ranks"),
    [
        # The first one is the draft's own. Cosines do not show how probable a citation is.
        ("Prices of good number {}", BESIDE, "learned", [1]),
        ("Prices of good number {}", BESIDE, "mixed", [12]),
        # What is of another subject and shares a word comes after the draft's own.
        ("Oxygen reduction on electrodes of type {}", "Oxygen is reduced at night at electrodes", "learned", range(5, 13)),
    ],
)  # fmt: skip
def test_one_of_the_library_is_among_the_first_only_if_it_fits_clearly_better(
    author, own, marked, ranker, ranks
):
    entries = "".join(
        f"@misc{{own{n}, author = {{Author{n}, A.}}, title = {{{own.format(n)}}}}}\n"
        for n in range(12)
    )
    library = str(author.folder / "zotero" / "library.bib")
    project = draft(rf"{marked} \cite{{|}}.") + f"%! refs.bib\n{entries}" + FROGS.lstrip()
    author.begin(project, globalBibliographies=[library], ranker=ranker)
    assert next(item["label"] for item in from_library(author)) == "gerhardt"
    assert author.suggested().index("gerhardt") in ranks


def test_those_of_the_library_that_fit_no_better_come_after_the_drafts_own(author):
    def songs(name):
        return "".join(
            f"@article{{{name}{n}, author = {{Author{n}, A.}}, "
            f"title = {{How frogs sing at night}}, year = {1990 + n}}}\n"
            for n in range(8)
        )

    library = str(author.folder / "zotero" / "library.bib")
    bibs = f"%! refs.bib\n{songs('own')}%! zotero/library.bib\n{songs('other').replace('Author', 'Other')}"
    author.begin(draft(rf"{BESIDE} \cite{{|}}.") + bibs, globalBibliographies=[library])
    from_library(author)
    assert all(key.startswith("own") for key in author.suggested()[:8])


def test_with_the_library_a_long_list_stays_as_short_and_has_both(author):
    bib = "%! refs.bib\n" + "".join(f"@misc{{key{n}, title = {{Title {n}}}}}\n" for n in range(90))
    begin(author, rf"{MEANINGS} \cite{{|}}.", bib=bib)
    added = from_library(author)
    assert {"firth1957", "part"} == {item["label"] for item in added}
    assert len(author.items()) == 30
    # Where something is typed, more are shown.
    author.write(draft(r"\cite{key|}"))
    assert len([item for item in author.items() if not item.get("command")]) == 50


# Proceedings are found by what is typed, too.
@pytest.mark.parametrize(("typed", "key"), [("entire", "far"), ("proceed", "whole")])
def test_the_library_is_searched_for_what_is_typed(author, typed, key):
    begin(author, rf"\cite{{{typed}|}}")
    assert [item["label"] for item in from_library(author)] == [key]
    assert not any(item.get("preselect") for item in author.items())


def edits_made(author):
    """Return the edits that the client was asked to make of the author's files."""
    edits = author.client.sent("workspace/applyEdit")
    return [each for each in edits if author.folder.as_uri() in str(each["edit"])]


def choose(author, key):
    """Do what an editor does when an item is chosen."""
    item = next(item for item in from_library(author) if item["label"] == key)
    assert "error" not in author.client.run(item["command"])
    return applied(author.text, [item["textEdit"]])


def test_choosing_one_of_the_library_also_adds_its_entry_to_the_drafts_bibliography(author):
    begin(author, rf"{MEANINGS} \cite{{|}}.")
    item = from_library(author)[0]
    (given,) = item["command"]["arguments"]
    assert given["cited"] == item["textEdit"]["newText"] == "firth1957"
    result = author.client.run(item["command"])["result"]
    assert r"\cite{firth1957}" in applied(author.text, [item["textEdit"]])
    (made,) = edits_made(author)
    assert made["label"] == "Add firth1957 to refs.bib"
    assert list(author.edited()) == ["refs.bib"]
    before = author.fixture.files["refs.bib"]
    assert author.edited()["refs.bib"] == before.rstrip("\n") + (
        "\n@article{firth1957, author = {Firth, J. R.}, title = {A synopsis of meanings in "
        "contexts},\n   journal = {Linguistics}, year = 1957, "
        "abstract = {You shall know words by their contexts.}}\n"
    )
    # It is shown, and the client learns what was added.
    assert messages_to(author)[-1] == "Pincite: Added firth1957 to refs.bib."
    bibliography = (author.folder / "refs.bib").as_uri()
    assert result == {"key": "firth1957", "uri": bibliography, "text": author.put_into("refs.bib")}


def messages_to(author):
    """Return what the author was shown since the server started."""
    return [params["message"] for params in author.client.sent("window/showMessage")]


def test_a_client_that_shows_itself_what_was_added_gets_no_message(tmp_path, start_in):
    write_project(tmp_path, draft(r"\cite{|}") + REFS.lstrip() + ZOTERO.lstrip())
    library = tmp_path / "zotero" / "library.bib"
    capabilities = {**CAPABILITIES, "experimental": {"pinciteEntryAdded": True}}
    replies = {"workspace/applyEdit": lambda _: {"applied": True}}
    client = start_in(tmp_path, capabilities=capabilities, replies=replies)
    client.configure(globalBibliographies=[str(library)])
    main = tmp_path / "main.tex"
    client.open(main, main.read_text())
    given = {"path": str(main), "key": "firth1957"}
    asked = {"command": "pincite.addEntry", "arguments": [given]}
    assert client.run(asked)["result"]["key"] == "firth1957"
    assert "window/showMessage" not in client.methods()


def test_unsaved_text_of_the_bibliography_counts_when_an_entry_is_added(author):
    begin(author, rf"{MEANINGS} \cite{{|}}.")
    from_library(author)
    main, offset = author.text, author.offset
    author.open("refs.bib", "@misc{unsaved}\n\n@misc{too}")
    author.open("main.tex", main, offset)
    choose(author, "firth1957")
    (edit,) = edits_of(edits_made(author)[-1]["edit"])["refs.bib"]
    assert edit["range"]["start"] == {"line": 2, "character": 10}
    assert edit["newText"].startswith("\n\n@article{firth1957,")


def test_an_entry_that_arrived_meanwhile_is_not_added_twice(author):
    begin(author, rf"{MEANINGS} \cite{{|}}.")
    item, main, offset = from_library(author)[0], author.text, author.offset
    author.open("refs.bib", "@misc{firth1957}")
    author.open("main.tex", main, offset)
    assert author.client.run(item["command"])["result"] is None
    assert edits_made(author) == []


def test_for_a_draft_without_a_bib_file_it_is_shown_once_that_only_the_key_is_inserted(author):
    items = r"\begin{thebibliography}{9}\bibitem{own} Own words.\end{thebibliography}"
    begin(author, rf"{MEANINGS} \cite{{|}}.", bibliography=items, bib="")
    for _ in range(2):
        item = next(item for item in from_library(author) if item["label"] == "firth1957")
        assert "error" not in author.client.run(item["command"])
    assert edits_made(author) == []
    author.client.methods()
    shown = [message for message in messages_to(author) if "Added" not in message]
    assert shown == ["Pincite: main.tex names no bibliography: name one in it, then try again."]


@pytest.mark.parametrize(
    "arguments", [None, [], [5], [{}], [{"path": "x", "key": "y"}], ["a", "b"]]
)
def test_the_command_does_nothing_with_what_it_does_not_know(author, arguments):
    asked = {"command": "pincite.addEntry", "arguments": arguments}
    assert "error" not in author.client.run(asked)
    assert edits_made(author) == []


def completed(writer):
    name, offset = writer.fixture.cursor
    return completion.complete(writer.here(name), offset)


def keys_for(writer):
    return [item.label for item in completed(writer).items]


def with_library(editing, project, *paths):
    """Open a project whose global bibliographies are these, read."""
    writer = editing(project)
    writer.session.client = Capabilities(versioned_edits=False)
    paths = paths or ("zotero/library.bib",)
    libraries = tuple(writer.folder / path for path in paths)
    writer.session.settings = Settings(global_bibliographies=libraries)
    read_library(writer)
    return writer


def read_library(writer):
    writer.project.global_library.recommender()
    writer.session.background.wait(30)


def huge(number):
    entries = (
        f"@misc{{k{n:06}, author = {{Name{n}}}, title = {{Title {n}}}}}" for n in range(number)
    )
    return "%! refs.bib\n" + "\n".join(entries) + "\n"


@pytest.mark.parametrize("typed", ["", "name2345"])
def test_the_first_list_of_a_huge_bibliography_does_not_wait_to_be_ranked(editing, typed):
    writer = editing(draft(rf"Title 2345 \cite{{{typed}|}}") + huge(2500))
    block = threading.Event()
    writer.session.background.do("block", lambda: block.wait(30))
    found = keys_for(writer)
    assert found == ["k002345"] if typed else found[0] == "k002345"
    found = completed(writer)
    assert found.is_incomplete
    resolved = completion.resolve(writer.project, found.items[0])
    assert "because papers are still being read" in resolved.documentation
    block.set()
    assert keys_for(writer.indexed())[0] == "k002345"


OWN = draft(rf"{MEANINGS} \cite{{|}}") + REFS.lstrip()


def test_completion_does_not_wait_for_the_library(editing, monkeypatch):
    block, read = threading.Event(), GlobalLibrary._read

    def read_late(*arguments):
        block.wait(30)
        read(*arguments)

    monkeypatch.setattr(GlobalLibrary, "_read", read_late)
    writer = editing(OWN + ZOTERO.lstrip())
    library = writer.folder / "zotero" / "library.bib"
    writer.session.settings = Settings(global_bibliographies=(library,))
    assert len(keys_for(writer)) == 4
    block.set()
    read_library(writer)
    assert len(keys_for(writer)) == 6


def test_unsaved_text_of_a_global_bibliography_counts(editing):
    writer = with_library(editing, OWN + ZOTERO.lstrip())
    writer.open("zotero/library.bib", "@misc{unsaved, title = {Meanings of words}}")
    read_library(writer)
    assert "unsaved" in keys_for(writer)
    assert "firth1957" not in keys_for(writer)
    (added,) = addition(writer.project, writer.main, "unsaved")
    assert "@misc{unsaved, title = {Meanings of words}}" in added.text


def test_a_global_bibliography_that_is_gone_or_broken_does_not_affect_others(editing):
    broken = "%! zotero/broken.bib\n@misc{cut, title = {Meanings of words"
    names = ("zotero/gone.bib", "zotero/library.bib", "zotero/broken.bib")
    writer = with_library(editing, OWN + ZOTERO.lstrip() + broken, *names)
    assert {"harris1954", "firth1957", "cut"} <= set(keys_for(writer))
    with pytest.raises(
        InputError, match=r"^Not added to refs.bib: cut is not closed \(line 1\)\.$"
    ):
        addition(writer.project, writer.main, "cut")


def test_a_file_of_macros_is_not_where_entries_are_added(editing):
    project = draft(r"\cite{|}", r"\bibliography{macros,refs}") + REFS.lstrip() + ZOTERO.lstrip()
    writer = with_library(editing, project + "%! macros.bib\n@string{ling = {Linguistics}}\n")
    (added,) = addition(writer.project, writer.main, "firth1957")
    assert added.path.name == "refs.bib"
    assert "journal = ling," in added.text


def test_suggested_wherever_a_key_can_be(author):
    author.begin(draft(r"\cite{|}") + REFS.lstrip())
    for citation in (
        r"\cite{|}",
        r"\cite [x] {|}",
        r"\textcites(see)(for more)[12]{harris1954}[3][4]{|}",
        r"\citeA{|}",
        r"\shortciteNP{|}",
        r"\begin{displaycquote}[12]{|}",
        r"\foreignblockcquote{german}[12]{fro|",
        r"\usepackage{abntex2cite} \apud{harris1954}{|}",
        "\\cite{harris1954,\n  mueller,\n  |}",
        "\\cite{%\n  |\n}",
        r"\footnote{As \cite{| says.}",
        r"\cite<|>",
        r"\cite<fro|",
    ):
        author.write(draft(citation))
        assert "frogs" in author.suggested(), citation


def test_papers_that_the_index_has_are_not_being_read(editing):
    writer = editing(draft(r"Title 3 \cite{|}") + huge(5))
    opened = writer.project.open_draft(writer.main)
    while_read = replace(opened, complete=False, reading=Progress(1, 2))
    assert while_read.reads_papers
    for known in (Progress(2, 2), Progress(0, 0), None):
        assert not replace(while_read, reading=known).reads_papers
