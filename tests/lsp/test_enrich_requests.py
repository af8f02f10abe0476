"""Fetching through the real server: what is shown first, what is sent then, who can forbid it."""

import time

import pytest

from metadata_services import Work
from protocol_client import eventually

pytest.importorskip("httpx", reason="httpx is not installed")

PROJECT = r"""
%! main.tex
\documentclass{article}
\begin{document}
Beavers keep secret sediment in rivers \cite{naiman|}.
\bibliography{refs}
\end{document}
%! refs.bib
@article{naiman, author = {Naiman, Robert}, title = {Engineers of the north}, year = 1986}
@article{ryan, author = {Ryan, M. J.}, title = {A theory of prices}, year = 1985,
  doi = {10.1000/engineers}, abstract = {Mine.}}
"""
WORKS = [
    Work(
        "10.1000/engineers",
        "Engineers of the north",
        [("Naiman", "Robert")],
        1986,
        "Sediment stays behind dams in rivers.",
        [("Rivers in winter", ["Sediment is kept by dams of beavers (Naiman, 1986)."])],
    )
]
CANCELLED = -32800


@pytest.fixture(name="author")
def author_who_may_fetch(services, author_with):
    environment = {"PINCITE_SERVICES": services.address, "OPENALEX_API_KEY": "k3y"}
    return author_with(environment=environment)


def test_what_is_missing_is_fetched_once_the_author_has_agreed_to_what_is_sent(author, services):
    author.begin(PROJECT)
    missing = author.ask("pincite/missing")
    assert (missing["draft"], missing["entries"], missing["withoutAbstract"]) == ("main.tex", 2, 1)
    assert [(each["service"], each["dois"], each["titles"]) for each in missing["sent"]] == [
        ("OpenAlex", [], ["Engineers of the north"]),
        ("Crossref", [], ["Engineers of the north"]),
        (
            "Semantic Scholar",
            ["10.1000/engineers"],
            ["Engineers of the north", "A theory of prices"],
        ),
    ]
    assert services.requests == []
    fetched = author.ask("pincite/fetch", plan=missing["plan"], workDoneToken="t")
    assert fetched["found"] == [
        {"service": "Crossref", "abstracts": 1, "sentences": 0},
        {"service": "Semantic Scholar", "abstracts": 0, "sentences": 1},
    ]
    (wrong,) = fetched["wrongDois"]
    assert wrong["key"] == "ryan"
    assert "10.1000/engineers belongs to “Engineers of the north”" in wrong["message"]
    assert wrong["entry"]["range"]["start"] == {"line": 1, "character": 9}
    assert not any("secret" in str(request) for request in services.requests)
    kinds = [
        message["params"]["value"]["kind"]
        for message in author.client.seen
        if message.get("method") == "$/progress" and message["params"]["token"] == "t"
    ]
    assert (kinds[0], kinds[-1]) == ("begin", "end")

    def supported():
        return author.ask("pincite/evidence")["works"][0]["supporting"]

    sentence = eventually(supported, "what was fetched serves")[0]
    assert sentence["text"] == "Sediment stays behind dams in rivers."
    assert sentence["section"] == "Abstract from Crossref"
    number = len(services.requests)
    missing = author.ask("pincite/missing")
    assert (missing["unanswered"], missing["sent"]) == (0, [])
    assert len(services.requests) == number


def test_abstracts_or_citing_sentences_alone_are_looked_for(author, services):
    author.begin(PROJECT)
    abstracts = author.ask("pincite/missing", only="abstracts")
    assert abstracts["unanswered"] == 1
    assert {title for each in abstracts["sent"] for title in each["titles"]} == {
        "Engineers of the north"
    }
    citing = author.ask("pincite/missing", only="citing")
    assert citing["unanswered"] == 2
    assert {each["service"] for each in citing["sent"]} == {"Semantic Scholar"}
    # The author has agreed to one, and the other is asked for.
    other = author.ask("pincite/fetch", plan=abstracts["plan"], only="citing")
    assert other["changed"] is True
    assert services.requests == []
    found = author.ask("pincite/fetch", plan=citing["plan"], only="citing")["found"]
    assert found == [{"service": "Semantic Scholar", "abstracts": 0, "sentences": 1}]
    assert {path.split("/")[1] for path, *_ in services.requests} == {"graph"}


def test_the_setting_forbids_it(author, services):
    author.begin(PROJECT, enrich="off")
    missing = author.ask("pincite/missing")
    assert "`pincite.enrich` is off" in missing["problem"]
    assert author.refused("pincite/fetch", plan=missing["plan"]) == missing["problem"]
    assert services.requests == []
    author.configure(enrich="ask")
    assert "problem" not in author.ask("pincite/missing")


def test_what_came_before_it_was_cancelled_is_stored(author, services):
    author.begin(PROJECT)
    plan = author.ask("pincite/missing")["plan"]
    answer, waits = services.answer, []

    def slow_with_the_second(path, parameters):
        if "theory" in str(parameters) or "10.1000" in path:
            waits.append(path)
            time.sleep(2)
        return answer(path, parameters)

    services.answer = slow_with_the_second
    asked = author.client.ask("pincite/fetch", author.params(plan=plan))
    eventually(lambda: waits, "the second work is asked for")
    author.client.notify("$/cancelRequest", {"id": asked})
    assert author.client.answer_to(asked)["error"]["code"] == CANCELLED
    folder = author.folder.parent / "cache" / "fetched"
    assert list((folder / "answers").iterdir())


def test_nothing_is_sent_for_another_plan(author, services):
    author.begin(PROJECT)
    plan = author.ask("pincite/missing")["plan"]
    bib = author.folder / "refs.bib"
    author.client.open(bib, bib.read_text().replace("Engineers", "Builders"), "bibtex")
    assert author.ask("pincite/fetch", plan=plan)["changed"] is True
    assert services.requests == []
