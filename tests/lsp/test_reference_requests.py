"""Findings about entries in the claim check, and decisions about findings, as clients ask for them."""

import pytest

from author import CAPABILITIES
from markup import write_project
from metadata_services import Work

pytest.importorskip("httpx", reason="httpx is not installed")

PROJECT = r"""
%! main.tex
\documentclass{article}
\begin{document}
Beavers keep sediment in rivers behind their dams \cite{naiman}.
Frogs are loud at night \cite{gerhardt} \cite{}.
\bibliography{refs}
\end{document}
%! refs.bib
@article{naiman, title = {Dams that beavers build in northern rivers}, year = 1996,
  author = {Naiman, Robert J.}, doi = {10.1000/beavers}}
@article{gerhardt, title = {How frogs sing at night in shallow ponds}, year = 1994,
  author = {Gerhardt, Carl}, doi = {10.1000/beavers}}
"""
RETRACTION = {"type": "retraction", "DOI": "10.1000/notice", "updated": {"date-time": "2020-05-04"}}
WORKS = [
    Work(
        "10.1000/beavers", "Dams that beavers build in northern rivers", [("Naiman", "R.")], 1996,
        crossref={"updated-by": [RETRACTION]},
    ),
    Work("10.1000/frogs", "How frogs sing at night in shallow ponds", [("Gerhardt", "C.")], 1994),
]  # fmt: skip
KINDS = {"kinds": ["placeholder", "retracted", "wrong-identifier"]}


@pytest.fixture(name="client")
def client_of_a_draft(services, tmp_path, start_in):
    main = write_project(tmp_path / "draft", PROJECT)
    environment = {"PINCITE_SERVICES": services.address, "PINCITE_CACHE": str(tmp_path / "cache")}
    client = start_in(main.parent, capabilities=CAPABILITIES, environment=environment)
    client.open(main, main.read_text("utf-8"))
    client.main, client.services = main, services
    return client


def ask(client, method, **more):
    return client.request(method, client.about(client.main, **more))["result"]


def fetch(client):
    planned = ask(client, "pincite/missing", only="references")
    ask(client, "pincite/fetch", plan=planned["plan"], only="references")
    return planned


def kinds(found):
    return [(each["kind"], each["key"]) for each in found["findings"]]


ALL = [("placeholder", ""), ("retracted", "naiman"), ("wrong-identifier", "gerhardt")]


def test_entries_are_checked_once_the_author_has_agreed(client):
    assert kinds(ask(client, "pincite/check", **KINDS)) == ALL[:1]
    planned = ask(client, "pincite/missing", only="references")
    assert client.services.requests == []
    assert {value for each in planned["sent"] for value in each["dois"]} == {"10.1000/beavers"}
    ask(client, "pincite/fetch", plan=planned["plan"], only="references")
    number = len(client.services.requests)
    found = ask(client, "pincite/check", **KINDS)
    assert (kinds(found), len(client.services.requests)) == (ALL, number)
    retracted, wrong = found["findings"][1:]
    assert retracted["notice"] == "https://doi.org/10.1000/notice"
    assert retracted["location"]["uri"].endswith("refs.bib")
    assert wrong["values"] == {"doi": "10.1000/frogs"}


def test_what_is_accepted_is_written_beside_the_draft_and_taken_back(client):
    (finding,) = ask(client, "pincite/check", kinds=["placeholder"])["findings"]
    about = {name: finding[name] for name in ("id", "kind", "key", "work", "about")}
    decided = ask(client, "pincite/decide", findings=[about], note="later")
    file = client.main.with_name("pincite.decisions.toml")
    assert decided == {"file": file.as_uri()}
    assert 'note = "later"' in file.read_text("utf-8")
    (again,) = ask(client, "pincite/check", kinds=["placeholder"])["findings"]
    assert again["accepted"]["note"] == "later"
    ask(client, "pincite/decide", findings=[about], accepted=False)
    (again,) = ask(client, "pincite/check", kinds=["placeholder"])["findings"]
    assert "accepted" not in again


def test_entries_are_mended_and_marked_if_the_author_wants_it(client):
    bib = client.main.with_name("refs.bib")
    fetch(client)
    client.open(bib, bib.read_text("utf-8"))
    assert client.problems(bib) == []
    # Anywhere in the entry.
    at = {"line": 3, "character": 12}
    asked = client.about(bib, range={"start": at, "end": at}, context={"diagnostics": []})
    (action,) = client.request("textDocument/codeAction", asked)["result"]
    assert action["title"] == "Change doi from 10.1000/beavers to 10.1000/frogs"
    ((change,),) = [each["edits"] for each in action["edit"]["documentChanges"]]
    assert change["newText"] == "{10.1000/frogs}"
    assert change["range"]["start"]["line"] == 3
    client.configure(diagnostics={"wrongReferences": True})
    retracted, wrong = client.problems(bib)
    assert (retracted["code"], wrong["code"]) == ("retracted", "wrong-identifier")
    assert retracted["codeDescription"] == {"href": "https://doi.org/10.1000/notice"}
    asked = client.about(bib, range=wrong["range"], context={"diagnostics": [wrong]})
    titles = [each["title"] for each in client.request("textDocument/codeAction", asked)["result"]]
    assert action["title"] in titles


def test_the_library_has_what_is_wrong_with_entries(client):
    assert ask(client, "pincite/library")["findings"] == []
    fetch(client)
    found = ask(client, "pincite/library")
    assert kinds(found) == ALL[1:]
    assert found["findings"][0]["notice"] == "https://doi.org/10.1000/notice"
    client.main.with_name("pincite.decisions.toml").write_text("<<<<<<< ours\n", "utf-8")
    assert "is a conflict marker" in ask(client, "pincite/library")["problems"][0]


def test_a_file_of_retractions_that_cannot_be_used_hides_no_other_finding(client, tmp_path):
    fetch(client)
    file = tmp_path / "rw.csv"
    file.write_text("Title\n", encoding="utf-8")
    client.configure(retractions=str(file))
    for found in (ask(client, "pincite/check", **KINDS), ask(client, "pincite/library")):
        assert kinds(found)[-2:] == ALL[1:]
        assert "has no column RetractionNature" in found["problems"][0]


def test_a_conflict_is_reported_and_never_rewritten(client):
    file = client.main.with_name("pincite.decisions.toml")
    file.write_text("<<<<<<< ours\n", encoding="utf-8")
    found = ask(client, "pincite/check", kinds=["placeholder"])
    assert "is a conflict marker" in found["problems"][0]
    (finding,) = found["findings"]
    about = {name: finding[name] for name in ("id", "kind", "key", "work", "about")}
    assert "error" in client.request("pincite/decide", client.about(client.main, findings=[about]))
    assert file.read_text("utf-8") == "<<<<<<< ours\n"
