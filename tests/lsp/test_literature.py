"""The literature, searched by words through the real server: opted in, seen, sent, ranked, cited."""

from functools import partial

import pytest
from test_requests import check

from metadata_services import Work
from protocol_client import eventually

pytest.importorskip("httpx", reason="httpx is not installed")

PROJECT = r"""
%! main.tex
\documentclass{article}
\begin{document}
Dams keep sediment \cite{okafor1999dams}. Meadows grow on the sediment that is left when a dam breaks|.
\bibliography{refs}
\end{document}
%! refs.bib
@article{okafor1999dams, author = {Okafor, Ann}, title = {Dams that keep old sediment}, year = 1999, doi = {10.1/dams}}
"""
WORKS = [
    Work("10.1/dams", "Dams that keep old sediment", [("Okafor", "Ann")], 1999),
    Work("10.2/ice", "Ice on old meadows", [("Berg", "Ed")], 1960),
    Work(
        "10.2/meadows", "Meadows on old sediment", [("Elder", "Di")], 1950,
        "Meadows grow on sediment where a dam breaks.", journal="Journal of Meadows",
    ),
]  # fmt: skip
SEARCHED = "old meadows sediment"
#: The server, which ends if it connects to anything.
AUDITED = """
import os, sys
sys.addaudithook(lambda event, _: os._exit(9) if event == "socket.connect" else None)
sys.argv[1:] = ["serve"]
from pincite.cli.app import main
main()
"""


@pytest.fixture(name="start")
def authors_with_services(services, author_with):
    environment = {"PINCITE_SERVICES": services.address, "OPENALEX_API_KEY": "k3y"}
    return partial(author_with, environment=environment)


@pytest.fixture(name="author")
def author_of_a_draft(start):
    return start()


def begin(author, project=PROJECT, **settings):
    author.begin(project, searchLiterature=True, **settings)
    eventually(lambda: "problem" not in author.ask("pincite/literature"), "the setting holds")


def refused(author):
    return author.refused("pincite/searchLiterature", words=SEARCHED)


def test_rare_words_are_proposed_and_nothing_is_sent(author, services):
    begin(author, email="ann@example.org")
    found = check("Literature", author.ask("pincite/literature"))
    assert {"Meadows", "grow", "breaks"} <= set(found["words"].split())
    assert not {"the", "that", "when"} & set(found["words"].split())
    assert found["email"] == "ann@example.org"
    assert [(each["host"], each["hasEmail"], each["hasKey"]) for each in found["sent"]] == [
        ("api.openalex.org", True, True),
        ("api.crossref.org", True, False),
        ("api.semanticscholar.org", False, False),
        ("export.arxiv.org", False, False),
    ]
    assert not services.requests


def test_without_the_setting_nothing_is_sent(author, services):
    author.begin(PROJECT)
    found = author.ask("pincite/literature")
    assert found["problem"] == "The setting `pincite.searchLiterature` is off: nothing is sent."
    assert refused(author) == found["problem"]
    # Nor where nothing may be fetched at all.
    author.configure(searchLiterature=True, enrich="off")
    forbidden = "The setting `pincite.enrich` is off: nothing is sent."
    eventually(
        lambda: author.ask("pincite/literature")["problem"] == forbidden, "the setting holds"
    )
    assert refused(author) == forbidden
    assert not services.requests


def test_no_connection_is_made_before_the_words_are_sent(start):
    author = start(server=("-c", AUDITED))
    author.begin(PROJECT)
    assert refused(author)
    author.configure(searchLiterature=True)
    eventually(lambda: "problem" not in author.ask("pincite/literature"), "the setting holds")
    assert author.client.process.poll() is None
    author.client.ask("pincite/searchLiterature", author.params(words=SEARCHED))
    assert author.client.process.wait(timeout=30) == 9


def test_works_are_found_ranked_and_cited_with_their_entry_by_one_edit(author, services):
    begin(author)
    found = check("FoundLiterature", author.ask("pincite/searchLiterature", words=f" {SEARCHED}\n"))
    assert found["failures"] == []
    # Once each, without what the author has; the one that fits the place is first.
    first, second = found["items"]
    assert (first["title"], second["title"]) == ("Meadows on old sediment", "Ice on old meadows")
    assert (first["key"], first["authorYear"]) == ("elder1950meadows", "Elder 1950")
    assert (first["venue"], "venue" in second) == ("Journal of Meadows", False)
    assert first["reason"].startswith("found by OpenAlex, Crossref, Semantic Scholar")
    assert first["supporting"][0]["text"] == "Meadows grow on sediment where a dam breaks."
    assert author.ask("pincite/searchLiterature", words=SEARCHED, limit=1)["items"] == [first]
    assert author.cite(first["key"], entry=first["bibtex"])["result"] is True
    assert "dam breaks \\cite{elder1950meadows}." in author.edited()["main.tex"]
    written = author.put_into("refs.bib")
    assert "@article{elder1950meadows," in written
    assert "journal = {Journal of Meadows}" in written
    assert "doi = {10.2/meadows}" in written
    assert not {"abstract", "found-by"} & {line.split(" ")[2] for line in written.split("\n") if "=" in line}  # fmt: skip
    # The author has it by now.
    author.client.open(author.folder / "refs.bib", author.fixture.files["refs.bib"] + written)
    error = author.cite(first["key"], entry=first["bibtex"])["error"]
    assert error["message"] == "elder1950meadows is in the bibliography already."


def test_nothing_but_the_words_leaves(author, services):
    begin(author, email="ann@example.org")
    author.ask("pincite/searchLiterature", words=SEARCHED)
    assert [path for path, *_ in services.requests] == [
        "/works", "/works", "/graph/v1/paper/search", "/api/query",
    ]  # fmt: skip
    for path, parameters, headers in services.requests:
        written = {SEARCHED, "all:old OR all:meadows OR all:sediment"}
        assert len(written.intersection(parameters.values())) == 1
        rest = {name: value for name, value in parameters.items() if value not in written}
        assert rest.keys() <= {
            "per_page", "select", "api_key", "rows", "limit", "fields", "max_results",
        }  # fmt: skip
        sent = f"{path} {rest} {headers}".lower()
        private = ("meadow", "sediment", "dam", "okafor", "breaks", "main.tex", "refs", "draft")
        assert not any(word in sent for word in private)
