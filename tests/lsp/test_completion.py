"""Completion over the real server: what is suggested, in which order, and what choosing it does."""

import threading
from dataclasses import replace

import pytest

from author import CAPABILITIES, Author, applied, edits_of
from markup import parse_fixture, write_project
from pincite.lsp import client as clients
from pincite.lsp.documents import Documents
from pincite.lsp.features import completion
from pincite.lsp.features.citing import addition
from pincite.lsp.session import Session
from pincite.project.global_library import GlobalLibrary
from protocol_client import Client, eventually

REFS = r"""
%! refs.bib
@article{harris1954, author = {Harris, Zellig}, title = {Distributional structure}, year = 1954,
  abstract = {Words that occur in the same contexts tend to have similar meanings.}}
@article{mueller, author = {M{\"u}ller, J{\"o}rg and {\O}stergaard, S{\o}ren}, title = {Na{\"\i}ve grammars}, year = 1990}
@book{lewis2020rag, author = {Lewis, Patrick}, title = {Retrieval-augmented generation}, year = 2020}
@misc{frogs, author = {Frosch, Ann}, title = {Frogs of similar ponds}, year = 1954}
"""
MEANINGS = "Words in the same contexts have similar meanings"


@pytest.fixture(name="client", scope="module")
def client_of_the_module(tmp_path_factory):
    made = []

    def apply(params):
        made.append(params)
        return {"applied": True}

    client = Client(
        tmp_path_factory.mktemp("home"),
        capabilities=CAPABILITIES,
        replies={
            "workspace/applyEdit": apply,
            "client/registerCapability": lambda _: None,
        },
    )
    client.made = made
    yield client
    client.close()


@pytest.fixture(name="author")
def author_at_work(client, tmp_path):
    author = Author(client, tmp_path)
    client.made.clear()
    yield author
    author.end()


def draft(marked, bibliography=r"\bibliography{refs}"):
    lines = [
        r"\documentclass{article}",
        r"\begin{document}",
        marked,
        bibliography,
        r"\end{document}",
    ]
    return "%! main.tex\n" + "\n".join(lines) + "\n"


def keys(author, marked, bib=REFS):
    author.begin(draft(marked) + bib.lstrip())
    return author.suggested()


ALIASES = r"""
%! refs.bib
@article{coherence2008, title = {Entity grids}, ids = {barzilay2008, grids}}
@article{barzilay1999, title = {Information fusion}}
@article{other, title = {Barzilay's work}, author = {Other, A.}}
"""
BIBER = r"\usepackage{biblatex}\addbibresource{refs.bib}"


def listed(author, marked, bibliography=BIBER):
    author.begin(draft(marked, bibliography) + ALIASES.lstrip())
    return author.suggested()


# Aliases


def test_an_alias_can_be_chosen_where_it_is_typed(author):
    assert listed(author, r"\cite{barzilay2008|}") == ["barzilay2008", "coherence2008"]
    (alias, _) = sorted(author.items(), key=lambda item: item["sortText"])
    assert alias["labelDetails"]["description"].startswith("alias of coherence2008")
    assert r"\cite{barzilay2008}" in author.accept("barzilay2008")
    resolved = author.client.request("completionItem/resolve", alias)["result"]
    assert "Entity grids" in str(resolved["documentation"])


def test_aliases_are_ranked_with_their_entries(author):
    found = listed(author, r"\cite{barz|}")
    assert found[-1] == "other"
    assert set(found[:-1]) == {"barzilay1999", "barzilay2008", "coherence2008"}
    assert found.index("coherence2008") == found.index("barzilay2008") + 1
    assert listed(author, r"\cite{coher|}") == ["coherence2008"]


def test_where_nothing_is_typed_no_entry_is_there_twice(author):
    assert sorted(listed(author, r"\cite{|}")) == ["barzilay1999", "coherence2008", "other"]


def test_an_entry_that_is_cited_by_its_alias_is_not_suggested_beside_it(author):
    assert sorted(listed(author, r"\cite{grids, |}")) == ["barzilay1999", "other"]
    assert listed(author, r"\cite{coherence2008, gri|}") == []


def test_bibtex_knows_no_aliases_so_that_they_only_find_their_entry(author):
    assert listed(author, r"\cite{grids|}", r"\bibliography{refs}") == ["coherence2008"]


# The list


def test_where_nothing_is_typed_the_text_around_the_cursor_ranks(author):
    author.begin(draft(rf"{MEANINGS} \cite{{|}}.") + REFS.lstrip())
    first = author.items()[0]
    assert first["label"] == "harris1954"
    assert first["labelDetails"]["detail"].strip() == "Harris 1954"
    assert "matches: " in first["labelDetails"]["description"]
    assert "contexts" in first["labelDetails"]["description"]
    assert first["detail"] == "Distributional structure"


def test_the_mixed_ranker_names_what_it_ranked_by(author):
    author.begin(draft(rf"{MEANINGS} \cite{{|}}.") + REFS.lstrip(), ranker="mixed")
    first = author.items()[0]
    assert first["label"] == "harris1954"
    assert first["labelDetails"]["detail"].strip() == "Harris 1954"
    assert first["labelDetails"]["description"].startswith("abstract: ")
    assert "contexts" in first["labelDetails"]["description"]
    assert first["detail"] == "Distributional structure"


def test_where_nothing_is_typed_thirty_are_shown_at_most(author):
    bib = "%! refs.bib\n" + "".join(f"@misc{{key{n}, title = {{Title {n}}}}}\n" for n in range(50))
    assert len(keys(author, r"\cite{|}", bib)) == 30
    author.write(draft(r"\cite{key|}"))
    assert len(author.suggested()) == 50


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        # Key, author, title and year; also a second author and a first name.
        ("harr", ["harris1954"]),
        ("rag", ["lewis2020rag"]),
        ("patrick", ["lewis2020rag"]),
        ("oster", ["mueller"]),
        ("augmented", ["lewis2020rag"]),
        ("retrieval-aug", ["lewis2020rag"]),
        ("1954", ["harris1954", "frogs"]),
        ("lewis 2020", ["lewis2020rag"]),
        ("lewis 1954", []),
        ("nothing like it", []),
    ],
)
def test_find_by_author_or_title_not_key(author, typed, found):
    assert sorted(keys(author, rf"{MEANINGS} \cite{{{typed}|}}")) == sorted(found)


@pytest.mark.parametrize(
    "typed", ["müller", "muller", "mueller", "Mu\u0308ller", "MÜL", "jorg", "joerg", "jörg", "ostergaard", "østergaard", "soeren", "naive", "naïve"]
)  # fmt: skip
def test_accents_match_however_they_are_written_and_typed(author, typed):
    assert keys(author, rf"\cite{{{typed}|}}") == ["mueller"]


def test_better_ordering_what_is_meant_first_and_by_context_among_equals(author):
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
    assert sort_texts == sorted(sort_texts)
    # Before digits, which another server's items begin with.
    assert all(text.startswith("!") for text in sort_texts)
    assert [bool(item.get("preselect")) for item in items] == [True] + [False] * (len(items) - 1)
    author.write(draft(r"\cite{|}"))
    (item,) = (item for item in author.items() if item["label"] == "lewis2020rag")
    assert {"Lewis", "Retrieval-augmented"} <= set(item["filterText"].split())


def test_keys_already_in_the_command_are_left_out(author):
    assert set(keys(author, r"\cites{harris1954}{frogs,|}")) == {"mueller", "lewis2020rag"}


# Where a key can stand


@pytest.mark.parametrize(
    "citation",
    [
        r"\cite{|}",
        r"\cite{harris1954,|}",
        r"\cite{harris1954, |, mueller}",
        r"\cite{fro|gs}",
        r"\cite [x] {|}",
        r"\citep[see][p.~3]{|}",
        r"\textcites(see)(for more)[12]{harris1954}[3][4]{|}",
        r"\parencites{|}{harris1954}",
        r"\Citealt*{|}",
        r"\citeA{|}",
        r"\begin{displaycquote}[12]{|}",
        r"\foreignblockcquote{german}[12]{fro|",
        r"\usepackage{abntex2cite} \apud{harris1954}{|}",
        "\\cite{harris1954,\n  mueller,\n  |}",
        "\\cite{%\n  |\n}",
        r"\footnote{As \cite{| says.}",
        r"\cite<|>",
        r"\cite<fro|",
    ],
)
def test_suggested_wherever_a_key_can_stand(author, citation):
    assert "frogs" in keys(author, citation)


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
def test_choosing_one_leaves_what_the_author_meant(author, citation, chosen):
    author.begin(draft(citation) + REFS.lstrip())
    assert chosen in author.accept("frogs")
    for item in author.items():
        span = item["textEdit"]["range"]
        assert span["start"]["line"] == span["end"]["line"] == author.position()["line"]


# What an item says


def test_an_item_in_view_shows_the_work_why_it_is_there_and_what_supports_the_text(author):
    author.begin(draft(rf"{MEANINGS} \cite{{|}}.") + REFS.lstrip())
    item = author.client.request("completionItem/resolve", author.items()[0])["result"]
    shown = item["documentation"]["value"]
    assert "Harris 1954" in shown
    assert "Distributional structure" in shown
    assert "**contexts**" in shown
    assert "Ranked by its abstract: " in shown
    assert "matches: " in shown

    def shown_of_another():
        item = next(item for item in author.items() if item["label"] == "lewis2020rag")
        item = author.client.request("completionItem/resolve", item)["result"]
        return item["documentation"]["value"]

    # Before its papers are read, it says that instead.
    eventually(
        lambda: "Nothing that is known of it resembles" in shown_of_another(), "why it is there"
    )


def test_a_work_that_the_author_cited_in_a_like_context_says_so(author):
    other = "%! earlier.tex\n" + "\n".join(
        [r"\documentclass{article}", r"\begin{document}", r"Ponds were drained \cite{lewis2020rag}.",
         r"\bibliography{refs}", r"\end{document}"]
    )  # fmt: skip
    author.begin(draft(r"All ponds were drained \cite{|}.") + REFS.lstrip() + other, ranker="mixed")
    (reason,) = eventually(lambda: said_of(author, "similar context").values(), "it is told")
    assert reason.startswith("cited by you in a similar context: ")
    assert "drained" in reason


def said_of(author, part):
    """Return what is said of the entries of which this is said, by key."""
    reasons = {item["label"]: item["labelDetails"]["description"] for item in author.items()}
    return {key: reason for key, reason in reasons.items() if part in reason}


def test_only_of_a_work_with_contexts_the_learned_ranker_says_that_it_was_cited_in_like_ones(
    author,
):
    other = "%! earlier.tex\n" + "\n".join(
        [r"\documentclass{article}", r"\begin{document}", r"Ponds were drained \cite{lewis2020rag}.",
         r"\bibliography{refs}", r"\end{document}"]
    )  # fmt: skip
    author.begin(draft(r"All ponds were drained \cite{|}.") + REFS.lstrip() + other)
    found = eventually(lambda: said_of(author, "drained"), "the other draft is read")
    assert set(found) == {"lewis2020rag"}
    # Whatever speaks for an entry most, what is said of it is true.
    assert set(said_of(author, "similar context")) <= {"lewis2020rag"}
    assert not said_of(author, "cited before")
    assert not said_of(author, "cited in this")


def test_an_editor_without_label_details_says_the_same_in_the_detail(tmp_path):
    main = write_project(tmp_path, draft(rf"{MEANINGS} \cite{{}}.") + REFS.lstrip())
    client = Client(tmp_path, capabilities={})
    client.open(main, main.read_text())
    items = [client.complete(main, 2, len(MEANINGS) + 7)["result"]["items"][0]]
    mixed = {"settings": {"pincite": {"ranker": "mixed"}}}
    client.notify("workspace/didChangeConfiguration", mixed)
    items.append(client.complete(main, 2, len(MEANINGS) + 7)["result"]["items"][0])
    client.close()
    for item, expected in zip(items, ("matches: ", "abstract: "), strict=True):
        who, why, title = item["detail"].split(" · ")
        assert (who, title) == ("Harris 1954", "Distributional structure")
        assert expected in why

    assert isinstance(item["textEdit"]["newText"], str)


@pytest.mark.parametrize(
    ("resolved", "documented"), [(["documentation"], 0), (["command"], 5), (None, 0)]
)
def test_an_editor_that_does_not_resolve_documentation_gets_it_with_the_first_items(
    tmp_path, resolved, documented
):
    bib = REFS + "".join(f"@misc{{m{n}, title = {{Contexts {n}}}}}\n" for n in range(6))
    main = write_project(tmp_path, draft(rf"{MEANINGS} \cite{{}}.") + bib.lstrip())
    item = {} if resolved is None else {"resolveSupport": {"properties": resolved}}
    client = Client(
        tmp_path, capabilities={"textDocument": {"completion": {"completionItem": item}}}
    )
    client.open(main, main.read_text())
    items = client.complete(main, 2, len(MEANINGS) + 7)["result"]["items"]
    assert [bool(each.get("documentation")) for each in items] == [
        at < documented for at in range(len(items))
    ]
    if documented:
        assert "Distributional structure" in items[0]["documentation"]
    client.close()


# From the whole library

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


def test_entries_of_the_library_come_after_the_drafts_best_and_are_marked(author):
    begin(author, rf"{MEANINGS} \cite{{|}}.")
    added = from_library(author)
    # Neither what has a key of the draft, nor the same work, nor what has nothing to do with it,
    # nor proceedings, which are there for their parts.
    assert [item["label"] for item in added] == ["firth1957", "part"]
    assert author.suggested()[0] == "harris1954"
    for item in added:
        assert item["labelDetails"]["description"].startswith("library · ")
    assert "matches: " in added[0]["labelDetails"]["description"]
    item = author.client.request("completionItem/resolve", added[0])["result"]
    assert "by their **contexts**" in item["documentation"]["value"]
    assert "It is in your library" in item["documentation"]["value"]


def test_entries_of_the_library_say_what_the_mixed_ranker_ranked_by(author):
    begin(author, rf"{MEANINGS} \cite{{|}}.", ranker="mixed")
    added = from_library(author)
    assert added[0]["label"] == "firth1957"
    assert added[0]["labelDetails"]["description"].startswith("library · abstract: ")
    assert added[-1]["labelDetails"]["description"].startswith("library · title: ")


def test_proceedings_of_the_library_are_found_by_what_is_typed(author):
    begin(author, r"\cite{proceed|}")
    assert [item["label"] for item in from_library(author)] == ["whole"]


BESIDE = "The frogs of these ponds sing at night"
FROGS = r"""
%! zotero/library.bib
@article{gerhardt, author = {Gerhardt, H. C.}, title = {How frogs sing at night in their ponds}, year = 1994}
@article{ryan, author = {Ryan, M. J.}, title = {A theory of prices}, year = 1985}
"""


@pytest.mark.parametrize("ranker", ["learned", "mixed"])
def test_one_of_the_library_that_fits_clearly_better_stands_among_the_first_five(author, ranker):
    own = "".join(
        f"@misc{{price{n}, author = {{Author{n}, A.}}, title = {{Prices of good number {n}}}}}\n"
        for n in range(12)
    )
    library = str(author.folder / "zotero" / "library.bib")
    project = draft(rf"{BESIDE} \cite{{|}}.") + f"%! refs.bib\n{own}" + FROGS.lstrip()
    author.begin(project, globalBibliographies=[library], ranker=ranker)
    (added,) = from_library(author)
    assert added["label"] == "gerhardt"
    # The first one is the draft's own. Cosines do not say how probable a citation is.
    assert author.suggested().index("gerhardt") == (1 if ranker == "learned" else 12)


def test_those_of_the_library_that_fit_no_better_stand_behind_the_drafts_own(author):
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
    assert [key for key in author.suggested()[:8] if key.startswith("own")] == author.suggested()[
        :8
    ]


def test_with_the_library_a_long_list_stays_as_short_and_has_both(author):
    bib = "%! refs.bib\n" + "".join(f"@misc{{key{n}, title = {{Title {n}}}}}\n" for n in range(90))
    begin(author, rf"{MEANINGS} \cite{{|}}.", bib=bib)
    added = from_library(author)
    assert {"firth1957", "part"} == {item["label"] for item in added}
    assert len(author.items()) == 30


def test_the_library_is_searched_for_what_is_typed(author):
    begin(author, r"\cite{entire|}")
    assert [item["label"] for item in from_library(author)] == ["far"]
    assert not any(item.get("preselect") for item in author.items())


def choose(author, key):
    """Do what an editor does when an item is chosen."""
    item = next(item for item in from_library(author) if item["label"] == key)
    command = item["command"]
    params = {"command": command["command"], "arguments": command["arguments"]}
    answer = author.client.request("workspace/executeCommand", params)
    assert "error" not in answer
    return applied(author.text, [item["textEdit"]])


def test_choosing_one_of_the_library_also_adds_its_entry_to_the_drafts_bibliography(author):
    begin(author, rf"{MEANINGS} \cite{{|}}.")
    assert r"\cite{firth1957}" in choose(author, "firth1957")
    (made,) = author.client.made
    assert made["label"] == "Add firth1957 to refs.bib"
    edits = edits_of(made["edit"])
    assert list(edits) == ["refs.bib"]
    before = author.fixture.files["refs.bib"]
    assert applied(before, edits["refs.bib"]) == before.rstrip("\n") + (
        "\n@article{firth1957, author = {Firth, J. R.}, title = {A synopsis of meanings in "
        "contexts},\n   journal = {Linguistics}, year = 1957, "
        "abstract = {You shall know words by their contexts.}}\n"
    )


def said(author):
    """Return what the author was told since the server started."""
    author.client.methods()
    return [
        message["params"]["message"]
        for message in author.client.seen
        if message.get("method") == "window/showMessage"
    ]


def test_that_an_entry_was_added_is_said_and_the_client_learns_what(author):
    begin(author, rf"{MEANINGS} \cite{{|}}.")
    item = from_library(author)[0]
    (given,) = item["command"]["arguments"]
    assert given["cited"] == item["textEdit"]["newText"] == "firth1957"
    params = {"command": item["command"]["command"], "arguments": [given]}
    result = author.client.request("workspace/executeCommand", params)["result"]
    (edit,) = edits_of(author.client.made[-1]["edit"])["refs.bib"]
    bibliography = (author.folder / "refs.bib").as_uri()
    assert result == {"key": "firth1957", "uri": bibliography, "text": edit["newText"]}
    assert said(author)[-1] == "Pincite: Added firth1957 to refs.bib."


def test_a_client_that_says_itself_what_was_added_is_not_told(tmp_path):
    write_project(tmp_path, draft(r"\cite{|}") + REFS.lstrip() + ZOTERO.lstrip())
    library = tmp_path / "zotero" / "library.bib"
    client = Client(
        tmp_path,
        capabilities={**CAPABILITIES, "experimental": {"pinciteEntryAdded": True}},
        replies={"workspace/applyEdit": lambda _: {"applied": True}},
    )
    settings = {"pincite": {"globalBibliographies": [str(library)]}}
    client.notify("workspace/didChangeConfiguration", {"settings": settings})
    main = tmp_path / "main.tex"
    client.open(main, main.read_text())
    given = {"path": str(main), "key": "firth1957"}
    params = {"command": "pincite.addEntry", "arguments": [given]}
    assert client.request("workspace/executeCommand", params)["result"]["key"] == "firth1957"
    assert "window/showMessage" not in client.methods()
    client.close()


def test_what_the_entry_inherits_from_is_added_with_it(author):
    begin(author, rf"{MEANINGS} \cite{{|}}.")
    choose(author, "part")
    (made,) = author.client.made
    (edit,) = edits_of(made["edit"])["refs.bib"]
    assert edit["newText"] == (
        "\n@inproceedings{part, title = {Meanings of parts}, crossref = {whole}}"
        "\n@proceedings{whole, title = {Proceedings of meanings}}"
    )


def test_unsaved_text_of_the_bibliography_counts_when_an_entry_is_added(author):
    begin(author, rf"{MEANINGS} \cite{{|}}.")
    from_library(author)
    main, offset = author.text, author.offset
    author.open("refs.bib", "@misc{unsaved}\n\n@misc{too}")
    author.open("main.tex", main, offset)
    choose(author, "firth1957")
    (edit,) = edits_of(author.client.made[-1]["edit"])["refs.bib"]
    assert edit["range"]["start"] == {"line": 2, "character": 10}
    assert edit["newText"].startswith("\n\n@article{firth1957,")


def test_an_entry_that_arrived_meanwhile_is_not_added_twice(author):
    begin(author, rf"{MEANINGS} \cite{{|}}.")
    item = from_library(author)[0]
    main, offset = author.text, author.offset
    author.open("refs.bib", "@misc{firth1957}")
    author.open("main.tex", main, offset)
    params = {"command": item["command"]["command"], "arguments": item["command"]["arguments"]}
    assert author.client.request("workspace/executeCommand", params)["result"] is None
    assert author.client.made == []


def test_a_draft_without_a_bib_file_is_told_once_that_only_the_key_is_inserted(author):
    items = r"\begin{thebibliography}{9}\bibitem{own} Own words.\end{thebibliography}"
    begin(author, rf"{MEANINGS} \cite{{|}}.", bibliography=items, bib="")
    for _ in range(2):
        assert r"\cite{firth1957}" in choose(author, "firth1957")
    assert author.client.made == []
    author.client.methods()
    shown = [message for message in said(author) if "Added" not in message]
    assert shown == ["Pincite: main.tex names no bibliography, so add what you cite by hand."]


@pytest.mark.parametrize(
    "arguments", [None, [], [5], [{}], [{"path": "x", "key": "y"}], ["a", "b"]]
)
def test_the_command_does_nothing_with_what_it_does_not_know(author, arguments):
    params = {"command": "pincite.addEntry", "arguments": arguments}
    assert "error" not in author.client.request("workspace/executeCommand", params)
    assert author.client.made == []


# The session alone, whose background work can be held up


class Writer:
    """An author's session on a project, without a server around it."""

    def __init__(self, folder, project):
        self.path = write_project(folder, project)
        self.fixture = parse_fixture(project)
        self.session = Session(Documents())
        self.session.client = clients.Client(versioned_edits=False)
        self.session.folders = (folder,)
        self.session.documents.open(self.path.as_uri(), self.fixture.text)

    def complete(self):
        lines = self.session.documents.now.lines(self.path.as_uri())
        _, offset = self.fixture.cursor
        return completion.complete(self.session.project(), self.path, lines, lines.position(offset))

    def suggested(self):
        return [item.label for item in self.complete().items]


def huge(number):
    entries = (
        f"@misc{{k{n:06}, author = {{Name{n}}}, title = {{Title {n}}}}}" for n in range(number)
    )
    return "%! refs.bib\n" + "\n".join(entries) + "\n"


@pytest.mark.parametrize("typed", ["", "name2345"])
def test_the_first_list_of_a_huge_bibliography_does_not_wait_to_be_ranked(tmp_path, typed):
    writer = Writer(tmp_path, draft(rf"Title 2345 \cite{{{typed}|}}") + huge(2500))
    block = threading.Event()
    writer.session.background.do("block", lambda: block.wait(30))
    found = writer.suggested()
    assert found == ["k002345"] if typed else found[0] == "k002345"
    found = writer.complete()
    assert found.is_incomplete
    resolved = completion.resolve(writer.session.project(), found.items[0])
    assert "Papers are still being read" in resolved.documentation
    block.set()
    assert writer.session.wait_until_built(writer.path, 60)
    assert writer.suggested()[0] == "k002345"
    writer.session.stop()


def test_completion_does_not_wait_for_the_library(tmp_path, monkeypatch):
    writer = Writer(tmp_path, draft(rf"{MEANINGS} \cite{{|}}") + REFS.lstrip() + ZOTERO.lstrip())
    session, library = writer.session, tmp_path / "zotero" / "library.bib"
    session.settings = replace(session.settings, global_bibliographies=(library,))
    block, read = threading.Event(), GlobalLibrary._read

    def read_late(*arguments):
        block.wait(30)
        read(*arguments)

    monkeypatch.setattr(GlobalLibrary, "_read", read_late)
    assert len(writer.suggested()) == 4
    block.set()
    session.project().global_library.recommender()
    session.background.wait(30)
    assert len(writer.suggested()) == 6
    session.stop()


@pytest.fixture(name="writer")
def writer_with_a_library(tmp_path):
    writer = Writer(tmp_path, draft(rf"{MEANINGS} \cite{{|}}") + REFS.lstrip() + ZOTERO.lstrip())
    session, library = writer.session, tmp_path / "zotero" / "library.bib"
    session.settings = replace(session.settings, global_bibliographies=(library,))
    session.project().global_library.recommender()
    session.background.wait(30)
    yield writer
    session.stop()


def test_unsaved_text_of_a_global_bibliography_counts(writer):
    library, session = writer.path.parent / "zotero" / "library.bib", writer.session
    session.documents.open(library.as_uri(), "@misc{unsaved, title = {Meanings of words}}")
    session.project().global_library.recommender()
    session.background.wait(30)
    assert "unsaved" in writer.suggested()
    assert "firth1957" not in writer.suggested()
    added = addition(session.project(), writer.path, "unsaved")
    (edits,) = added.edit.changes.values()
    assert "@misc{unsaved, title = {Meanings of words}}" in edits[0].new_text


def test_a_request_from_before_the_settings_changed_does_not_ask_for_its_library(
    writer, monkeypatch
):
    session, settings = writer.session, writer.session.settings
    session.settings = replace(settings, global_bibliographies=(), zotero="auto")
    older = session.project()
    session.settings = settings
    begun = []
    monkeypatch.setattr(GlobalLibrary, "_read", lambda *given: begun.append(given))
    session.prepare(older, writer.path)
    assert "firth1957" in session.project().global_library.recommender().candidates
    assert not begun


def test_a_global_bibliography_that_is_gone_or_broken_costs_only_itself(writer):
    session = writer.session
    (library,) = session.settings.global_bibliographies
    (library.parent / "broken.bib").write_text("@misc{cut, title = {Meanings of words")
    paths = (library.parent / "gone.bib", library, library.parent / "broken.bib")
    session.settings = replace(session.settings, global_bibliographies=paths)
    session.project().global_library.recommender()
    session.background.wait(30)
    assert {"harris1954", "firth1957", "cut"} <= set(writer.suggested())
    refused = addition(session.project(), writer.path, "cut")
    assert refused.edit is None
    assert refused.message == "Not added to refs.bib: cut is not closed (line 1)."


def test_a_file_of_macros_is_not_where_entries_are_added(tmp_path):
    project = draft(r"\cite{|}", r"\bibliography{macros,refs}") + REFS.lstrip() + ZOTERO.lstrip()
    writer = Writer(tmp_path, project + "%! macros.bib\n@string{ling = {Linguistics}}\n")
    library = tmp_path / "zotero" / "library.bib"
    session = writer.session
    session.settings = replace(session.settings, global_bibliographies=(library,))
    added = addition(session.project(), writer.path, "firth1957")
    assert added.label == "Add firth1957 to refs.bib"
    (edits,) = added.edit.changes.values()
    assert "journal = ling," in edits[0].new_text
    session.stop()


def test_without_a_library_nothing_is_read_for_one(writer):
    writer.session.settings = replace(writer.session.settings, global_bibliographies=())
    assert writer.suggested() == ["harris1954", "frogs", "lewis2020rag", "mueller"]
