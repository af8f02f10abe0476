"""pincite discover, and recommend --discover: works that the author does not have."""

import shutil

import pytest

import pincite
from metadata_services import Work

pytest.importorskip("httpx", reason="httpx is not installed")

DRAFT = r"""\documentclass{article}
\title{How beavers change the water of ponds}
\begin{document}
Dams keep sediment \cite{dams}. Meadows grow on the sediment that is left when a dam breaks \cite{}.
\bibliography{refs}
\end{document}
"""
BIB = """@article{dams, title = {Dams that beavers build}, author = {Okafor, Ann}, year = 1999, doi = {10.1/dams}}
@article{rivers, title = {Sediment in rivers}, author = {Writer, Bo}, year = 2001, doi = {10.1/rivers}}
@misc{none, title = {Without any identifier}, author = {Nobody, No}, year = 1970}
"""
WORKS = [
    Work("10.1/dams", "Dams that beavers build", [("Okafor", "Ann")], 1999, cites=["10.2/meadows"]),
    Work(
        "10.2/meadows", "Meadows on old sediment", [("Elder", "Di")], 1950,
        "Meadows grow where a dam broke.",
    ),
    Work("10.2/frogs", "Frogs that sing at night", [("Zhou", "Li")], 1990, cites=["10.1/dams"]),
    Work("10.3/own", "How beavers change the water of ponds", [("Me", "My")], 2020, cites=["10.1/dams"]),
]  # fmt: skip
DISCOVER = ("discover", "main.tex", "--yes")
SEARCH = ("discover", "main.tex", "--at", "4:97")
WORDS = ("--yes", "--words", "old meadows sediment")


def test_works_around_are_discovered_and_suggested(services, project, run, run_json):
    status, out, err = run(*DISCOVER)
    assert status == 0, err
    assert "1 work, 1 with a DOI" in out
    assert "to OpenAlex (api.openalex.org): at most 1 DOI" in out
    assert "to Semantic Scholar (api.semanticscholar.org): at most 1 DOI" in out
    assert "OpenAlex and Semantic Scholar learn which works you cite" in " ".join(out.split())
    assert "3 works around yours" in out
    _, found, _ = run_json("recommend", "main.tex", "--discover")
    (place,) = found["placeholders"]
    # Not the author's own preprint.
    first, second = place["discovered"]
    assert (first["title"], second["title"]) == (WORKS[1].title, WORKS[2].title)
    assert first["reasons"][0] == "cited by a work you cite"
    assert (first["doi"], first["year"], first["authors"]) == ("10.2/meadows", "1950", ["Di Elder"])
    assert {each["key"] for each in place["entries"]} <= {"dams", "rivers", "none"}
    _, out, _ = run("recommend", "main.tex", "--discover")
    assert "works that you do not have:\n  1. Elder 1950 · Meadows on old sediment" in out


def test_where_no_entry_is_likely_works_around_are_suggested_without_asking(
    services, project, run, run_json
):
    assert run(*DISCOVER)[0] == 0
    _, found, _ = run_json("recommend", "main.tex")
    assert "discovered" not in found["placeholders"][0]
    subjects = ("bread", "ships", "trains", "stars", "cheese", "moss", "songs", "chess")
    entries = (
        f"@misc{{{each}, title = {{A history of {each}}}, year = 1980}}\n" for each in subjects
    )
    with (project / "refs.bib").open("a") as bibliography:
        bibliography.writelines(entries)
    draft = DRAFT.replace(DRAFT.splitlines()[3], r"Frogs sing in their ponds at night \cite{}.")
    (project / "main.tex").write_text(draft)
    assert pincite.open("main.tex").rank(pincite.open("main.tex").placeholders[0]).nothing_fits
    _, found, _ = run_json("recommend", "main.tex")
    assert found["placeholders"][0]["discovered"][0]["title"] == "Frogs that sing at night"
    assert "works that you do not have:\n  1. Zhou 1990" in run("recommend", "main.tex")[1]
    _, found, _ = run_json("recommend", "main.tex", "--all")
    assert not any("discovered" in each for each in found["placeholders"])


@pytest.mark.parametrize(
    "files",
    [
        {"main.tex": DRAFT.replace("\\title", "\\newcommand{\\x}{y}\n" * 400 + "\\title")},
        {
            "main.tex": DRAFT.replace("\\title{How beavers change the water of ponds}", "%" * 9_000 + "\n\\input{title}"),
            "title.tex": "% A page.\n" * 900 + "\\thesistitle[Beavers]{How Beavers Change\\\\ the Water of Ponds}",
        },
        {"main.md": f"---\n{'# x' * 2_000}\ntitle: How beavers change the water of ponds\n---\n\nDams [@dams].\n"},
    ],
    ids=["long preamble", "a file of its own", "metadata"],
)  # fmt: skip
def test_the_draft_itself_is_left_out_wherever_its_title_is(services, project, files):
    for name, text in files.items():
        (project / name).write_text(text)
    opened = pincite.open(next(iter(files)))
    pincite.discover(pincite.plan_discovery(opened))
    titles = {each.entry.title for each in opened.discover(opened.citations[0].place)}
    assert titles == {"Meadows on old sediment", "Frogs that sing at night"}


def test_all_works_of_the_bibliography_are_asked_about_on_request(services, project, run, run_json):
    command = ("discover", "main.tex", "--show", "--uncited")
    sent = {each["host"]: each["dois"] for each in run_json(*command)[1]["sent"]}
    dois = ["10.1/dams", "10.1/rivers"]
    assert sent == {"api.openalex.org": dois, "api.semanticscholar.org": dois}
    assert "not asked about, because they have neither: none" in run(*command)[1]
    assert not services.requests


def test_nothing_is_sent_without_consent(services, project, run):
    for command in (("discover", "main.tex"), SEARCH):
        status, _, err = run(*command)
        assert (status, "nothing was sent" in err) == (2, True)
    assert not services.requests


def test_nothing_but_identifiers_leaves(services, project, sockets):
    opened, status = sockets(*DISCOVER, "--email", "ann@example.org")
    assert status == 0
    # All that leaves goes to the services.
    leaving = ("socket.connect", "socket.send", "socket.getaddrinfo")
    left = {each for each in opened if each.startswith(leaving)}
    port = services.address.rpartition(":")[2]
    assert f"socket.connect ('127.0.0.1', {port})" in left
    assert all("127.0.0.1" in each and port in each for each in left)
    for asked in services.requests:
        sent = str(asked).lower()
        assert not any(w in sent for w in ("beaver", "sediment", "meadow", "main.tex", "refs.bib"))


def test_no_socket_is_opened_without_consent_nor_to_suggest_works(services, project, run, sockets):
    assert sockets("discover", "main.tex", "--show") == ([], 0)
    assert sockets("discover", "main.tex") == ([], 2)
    assert run(*DISCOVER)[0] == 0
    assert sockets("recommend", "main.tex", "--discover") == ([], 0)


def test_a_service_that_fails_is_reported_and_asked_again_later(services, project, run):
    services.faults += [(403, {}, b"")]
    status, out, err = run(*DISCOVER)
    assert status == 2
    assert "OpenAlex cannot be asked now: status 403; run the command again later" in err
    # What the other one knows is used.
    assert "3 works around yours" in out
    assert "unknown there" not in out
    assert run(*DISCOVER)[0] == 0


def test_what_was_found_before_stays_where_a_service_fails(services, project, run):
    assert run(*DISCOVER)[0] == 0
    shutil.rmtree(project.parent / "cache" / "fetched")
    services.works = services.works[:2]
    services.faults += [(403, {}, b"")]
    assert "3 works around yours" in run(*DISCOVER)[1]
    # Once all answer, what they know by now replaces it.
    assert "1 work around yours" in run(*DISCOVER)[1]


def test_two_entries_with_one_doi_both_have_an_identifier(services, project):
    again = BIB.partition("\n")[0].replace("{dams,", "{again,")
    (project / "refs.bib").write_text(BIB + again)
    plan = pincite.plan_discovery(pincite.open("main.tex"), cited_only=False)
    assert (plan.entries, plan.unidentified) == (4, ("none",))


def test_one_service_is_asked_where_the_author_chooses_it(services, project, run):
    status, out, err = run(*DISCOVER, "--source", "semantic-scholar")
    assert status == 0, err
    assert "Semantic Scholar learns which works you cite" in " ".join(out.split())
    assert {path for path, *_ in services.requests} == {"/graph/v1/paper/batch"}
    status, _, err = run(*DISCOVER, "--source", "crossref")
    assert status == 2
    assert "unknown source 'crossref'; choose from openalex, semantic-scholar" in err


def test_where_there_is_nothing_to_ask_or_to_suggest_that_is_reported(project, run):
    assert "no works around yours are known" in run("recommend", "main.tex", "--discover")[1]
    (project / "refs.bib").write_text("@misc{dams, title = {Without any identifier}}")
    status, _, err = run(*DISCOVER)
    assert status == 2
    assert "none of the works has a DOI or an arXiv identifier" in err


def test_a_damaged_file_of_neighbours_is_no_failure(services, project, run):
    assert run(*DISCOVER)[0] == 0
    (path,) = (project.parent / "cache" / "discovered").iterdir()
    path.write_bytes(path.read_bytes()[:300] + b"\xff\0{{{")
    assert run("recommend", "main.tex", "--discover")[0] == 0


def test_the_literature_is_searched_by_words_that_were_shown(services, project, run_json):
    proposed = run_json(*SEARCH, "--show")[1]["words"]
    assert {"meadows", "grow", "breaks"} <= set(proposed.lower().split())
    assert not {"the", "that", "when"} & set(proposed.split())
    assert not services.requests
    status, found, err = run_json(*SEARCH, *WORDS)
    assert status == 0, err
    (work,) = found["works"]
    assert work["title"] == "Meadows on old sediment"
    assert work["reasons"][0] == "found by OpenAlex, Crossref, Semantic Scholar"
    assert work["doi"] == "10.2/meadows"
    # "query", "search" and "query.bibliographic" of three services; arXiv has each word.
    sent = [p for _, parameters, _ in services.requests for p in parameters.values()]
    assert sent.count("old meadows sediment") == len(services.requests) - 1 == 3
    assert sent.count("all:old OR all:meadows OR all:sediment") == 1
    assert not any("Dams keep" in value or "Meadows grow" in value for value in sent)


def test_what_several_services_find_is_listed_once_and_arxiv_has_its_preprints(
    services, project, run_json
):
    title = "Old sediment in the meadows of beavers"
    services.works.append(
        Work("10.48550/arxiv.2101.00007", title, [("Ice", "Ida")], 2021, "Sediment is old.")
    )
    (work,) = run_json(*SEARCH, *WORDS, "--source", "arxiv")[1]["works"]
    assert (work["title"], work["year"], work["authors"]) == (title, "2021", ["Ida Ice"])
    assert work["reasons"][0] == "found by arXiv"
    works = run_json(*SEARCH, *WORDS)[1]["works"]
    found = {each["title"]: each["reasons"][0] for each in works}
    assert found[title] == "found by OpenAlex, Crossref, Semantic Scholar, arXiv"
    assert len(found) == 2


def test_a_retracted_work_that_is_found_by_words_is_marked(services, project, run_json):
    title = "RETRACTED: Meadows on old sediment"
    services.works[1] = Work("10.2/meadows", title, [("Elder", "Di")], 1950)
    (work,) = run_json(*SEARCH, *WORDS)[1]["works"]
    assert work["reasons"][0].endswith("; retracted")


def test_address_and_keys_that_go_along_are_shown(services, project, run, run_json, monkeypatch):
    monkeypatch.setenv("OPENALEX_API_KEY", "k456")
    monkeypatch.setenv("SEMANTIC_SCHOLAR_API_KEY", "k123")
    email = ("--email", "me@uni.example", "--show")
    words = (*SEARCH, "--words", "old meadows", *email)
    assert run(*words)[1].splitlines()[:4] == [
        "  to OpenAlex (api.openalex.org): “old meadows”, your address me@uni.example, your key",
        "  to Crossref (api.crossref.org): “old meadows”, your address me@uni.example",
        "  to Semantic Scholar (api.semanticscholar.org): “old meadows”, your key",
        "  to arXiv (export.arxiv.org): “old meadows”",
    ]
    crossref = {"service": "Crossref", "host": "api.crossref.org"}
    sent = [crossref | {"with_email": True, "with_key": False}]
    found = run_json(*words, "--source", "crossref")[1]
    assert found == {"words": "old meadows", "sent": sent}
    semantic = {"service": "Semantic Scholar", "host": "api.semanticscholar.org"}
    sent = [semantic | {"with_email": False, "with_key": True, "dois": ["10.1/dams"]}]
    found = run_json("discover", "main.tex", "--source", "semantic-scholar", *email)[1]
    assert found["sent"] == sent
    assert not services.requests


def test_services_that_fail_are_named_and_the_others_count(services, project, run):
    services.faults += [(403, {}, b""), (200, {}, b"[]")]
    status, out, err = run(*DISCOVER, "--words", "old meadows sediment")
    assert status == 2
    assert "OpenAlex cannot be asked now: status 403" in err
    assert "Crossref sent an answer in an unexpected form" in err
    assert "Elder 1950 · Meadows on old sediment" in out


def test_retracted_works_are_never_first(services, project, run):
    services.works[1].more = {"is_retracted": True}
    assert run(*DISCOVER)[0] == 0
    opened = pincite.open("main.tex")
    found = opened.discover(opened.placeholders[0])
    assert [each.entry.title for each in found] == [WORKS[2].title, WORKS[1].title]
    assert "retracted" in found[1].reasons[0]
    assert found[0].probability is None
