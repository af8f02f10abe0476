"""pincite discover, and recommend --discover: works that the author does not have."""

import json
import shutil
import subprocess
import sys

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
#: Runs a command of ours, and says with whom it connects, and what it looks up or sends otherwise.
AUDITED = """
import sys

def say(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto", "socket.sendmsg"):
        to = arguments[1] if event.startswith(("socket.connect", "socket.send")) else arguments[:2]
        if not (event == "socket.getaddrinfo" and to[0] == "127.0.0.1"):
            print(event, *to, file=sys.stderr)

sys.addaudithook(say)
sys.argv[0] = "pincite"
from pincite.cli.app import main
main()
"""


def run(*arguments):
    command = [sys.executable, "-m", "pincite", *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
    )


def test_works_around_are_discovered_and_suggested(services, project):
    done = run("discover", "main.tex", "--yes")
    assert done.returncode == 0, done.stderr
    assert "1 work, 1 with a DOI" in done.stdout
    assert "to OpenAlex (api.openalex.org): at most 1 DOI" in done.stdout
    assert "to Semantic Scholar (api.semanticscholar.org): at most 1 DOI" in done.stdout
    shown = " ".join(done.stdout.split())
    assert "OpenAlex and Semantic Scholar learn which works you cite" in shown
    assert "3 works around yours" in done.stdout
    done = run("recommend", "main.tex", "--discover", "--format", "json")
    (place,) = json.loads(done.stdout)["placeholders"]
    titles = [each["title"] for each in place["discovered"]]
    # Not the author's own preprint.
    assert titles == ["Meadows on old sediment", "Frogs that sing at night"]
    first = place["discovered"][0]
    assert first["reasons"][0] == "cited by a work you cite"
    assert (first["doi"], first["year"], first["authors"]) == ("10.2/meadows", "1950", ["Di Elder"])
    assert {each["key"] for each in place["entries"]} <= {"dams", "rivers", "none"}
    shown = run("recommend", "main.tex", "--discover").stdout
    assert "works that you do not have:\n  1. Elder 1950 · Meadows on old sediment" in shown


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


def test_all_works_of_the_bibliography_are_asked_about_on_request(services, project):
    done = run("discover", "main.tex", "--show", "--uncited", "--format", "json")
    sent = {each["host"]: each["dois"] for each in json.loads(done.stdout)["sent"]}
    dois = ["10.1/dams", "10.1/rivers"]
    assert sent == {"api.openalex.org": dois, "api.semanticscholar.org": dois}
    shown = run("discover", "main.tex", "--show", "--uncited").stdout
    assert "not asked about, because they have neither: none" in shown
    assert not services.requests


def test_nothing_is_sent_without_consent(services, project):
    done = run("discover", "main.tex")
    assert done.returncode == 2
    assert "nothing was sent" in done.stderr
    assert not services.requests


def test_nothing_but_identifiers_leaves(services, project):
    arguments = ("discover", "main.tex", "--yes", "--email", "ann@example.org")
    done = subprocess.run(
        [sys.executable, "-c", AUDITED, *arguments],
        capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    # All that leaves goes to the services.
    connected = [line for line in done.stderr.splitlines() if line.startswith("socket.")]
    port = services.address.rpartition(":")[2]
    assert {*connected} == {f"socket.connect 127.0.0.1 {port}"}
    assert {path for path, *_ in services.requests} == {"/works", "/graph/v1/paper/batch"}
    asked = set()
    for path, parameters, headers in services.requests:
        sent = f"{path} {parameters} {headers}".lower()
        assert not any(
            word in sent for word in ("beaver", "sediment", "meadow", "main.tex", "refs")
        )
        kind, _, values = parameters.get("filter", "ids:" + parameters.get("ids", "")).partition(
            ":"
        )
        assert kind in ("doi", "cites", "openalex", "ids")
        asked.update(values.split("|"))
        rest = parameters.keys() - {"filter", "ids"}
        assert rest <= {"fields", "per_page", "select", "sort", "page"}
    own = {"10.1/dams", "DOI:10.1/dams"}
    assert own <= asked
    assert all(each[1:].isdecimal() or bytes.fromhex(each) for each in asked - own)


def test_no_socket_is_opened_without_consent_nor_to_suggest_works(services, project, opens_socket):
    assert opens_socket("discover", "main.tex", "--show") == (False, 0)
    assert opens_socket("discover", "main.tex") == (False, 2)
    assert opens_socket("discover", "main.tex", "--yes")[0]
    assert run("discover", "main.tex", "--yes").returncode == 0
    assert opens_socket("recommend", "main.tex", "--discover") == (False, 0)


def test_a_service_that_fails_is_reported_and_asked_again_later(services, project):
    services.faults += [(403, {}, b"")]
    done = run("discover", "main.tex", "--yes")
    assert done.returncode == 2
    assert "OpenAlex cannot be asked now: status 403; run the command again later" in done.stderr
    assert "Traceback" not in done.stderr
    # What the other one knows is used.
    assert "3 works around yours" in done.stdout
    assert "unknown there" not in done.stdout
    assert run("discover", "main.tex", "--yes").returncode == 0


def test_what_was_found_before_stays_where_a_service_fails(services, project):
    assert run("discover", "main.tex", "--yes").returncode == 0
    shutil.rmtree(project.parent / "cache" / "fetched")
    services.works = services.works[:2]
    services.faults += [(403, {}, b"")]
    assert "3 works around yours" in run("discover", "main.tex", "--yes").stdout
    # Once all answer, what they know by now replaces it.
    assert "1 work around yours" in run("discover", "main.tex", "--yes").stdout


def test_two_entries_with_one_doi_both_have_an_identifier(services, project):
    again = BIB.partition("\n")[0].replace("{dams,", "{again,")
    (project / "refs.bib").write_text(BIB + again)
    plan = pincite.plan_discovery(pincite.open("main.tex"), cited_only=False)
    assert (plan.entries, plan.unidentified) == (4, ("none",))


def test_one_service_is_asked_where_the_author_chooses_it(services, project):
    done = run("discover", "main.tex", "--yes", "--source", "semantic-scholar")
    assert done.returncode == 0, done.stderr
    assert "Semantic Scholar learns which works you cite" in " ".join(done.stdout.split())
    assert {path for path, *_ in services.requests} == {"/graph/v1/paper/batch"}
    done = run("discover", "main.tex", "--yes", "--source", "crossref")
    assert done.returncode == 2
    assert "unknown source 'crossref'; choose from openalex, semantic-scholar" in done.stderr


def test_without_identifiers_there_is_nothing_to_ask(project):
    (project / "refs.bib").write_text("@misc{dams, title = {Without any identifier}}")
    done = run("discover", "main.tex", "--yes")
    assert done.returncode == 2
    assert "none of the works has a DOI or an arXiv identifier" in done.stderr


def test_without_neighbours_recommend_says_so(project):
    assert "no works around yours are known" in run("recommend", "main.tex", "--discover").stdout


def test_a_damaged_file_of_neighbours_is_no_failure(services, project):
    assert run("discover", "main.tex", "--yes").returncode == 0
    (path,) = (project.parent / "cache" / "discovered").iterdir()
    path.write_bytes(path.read_bytes()[:300] + b"\xff\0{{{")
    done = run("recommend", "main.tex", "--discover")
    assert done.returncode == 0, done.stderr


def test_the_literature_is_searched_by_words_that_were_shown(services, project):
    place = ("discover", "main.tex", "--at", "4:97")
    shown = run(*place, "--show", "--format", "json")
    proposed = json.loads(shown.stdout)["words"]
    assert {"meadows", "grow", "breaks"} <= set(proposed.lower().split())
    assert not {"the", "that", "when"} & set(proposed.split())
    assert run(*place).returncode == 2
    assert not services.requests
    done = run(*place, "--yes", "--words", "old meadows sediment", "--format", "json")
    assert done.returncode == 0, done.stderr
    (work,) = json.loads(done.stdout)["works"]
    assert work["title"] == "Meadows on old sediment"
    assert work["reasons"][0] == "found by OpenAlex, Crossref, Semantic Scholar"
    assert work["doi"] == "10.2/meadows"
    # "query", "search" and "query.bibliographic" of three services; arXiv has each word.
    sent = [p for _, parameters, _ in services.requests for p in parameters.values()]
    assert sent.count("old meadows sediment") == len(services.requests) - 1 == 3
    assert sent.count("all:old OR all:meadows OR all:sediment") == 1
    assert not any("Dams keep" in value or "Meadows grow" in value for value in sent)


def test_what_several_services_find_is_listed_once_and_arxiv_has_its_preprints(services, project):
    services.works.append(
        Work(
            "10.48550/arxiv.2101.00007", "Old sediment in the meadows of beavers",
            [("Ice", "Ida")], 2021, "Sediment is old.",
        )
    )  # fmt: skip
    words = ("--yes", "--words", "old meadows sediment", "--format", "json")
    done = run("discover", "main.tex", "--at", "4:97", *words, "--source", "arxiv")
    (work,) = json.loads(done.stdout)["works"]
    assert work["title"] == "Old sediment in the meadows of beavers"
    assert (work["year"], work["authors"]) == ("2021", ["Ida Ice"])
    assert work["reasons"][0] == "found by arXiv"
    done = run("discover", "main.tex", "--at", "4:97", *words)
    found = {each["title"]: each["reasons"][0] for each in json.loads(done.stdout)["works"]}
    every = "found by OpenAlex, Crossref, Semantic Scholar, arXiv"
    assert found["Old sediment in the meadows of beavers"] == every
    assert len(found) == 2


def test_a_retracted_work_that_is_found_by_words_is_marked(services, project):
    title = "RETRACTED: Meadows on old sediment"
    services.works[1] = Work("10.2/meadows", title, [("Elder", "Di")], 1950)
    words = ("--yes", "--words", "old meadows sediment", "--format", "json")
    done = run("discover", "main.tex", "--at", "4:97", *words)
    (work,) = json.loads(done.stdout)["works"]
    assert work["reasons"][0].endswith("; retracted")


def test_address_and_keys_that_go_along_are_shown(services, project, monkeypatch):
    monkeypatch.setenv("OPENALEX_API_KEY", "k456")
    monkeypatch.setenv("SEMANTIC_SCHOLAR_API_KEY", "k123")
    email = ("--email", "me@uni.example", "--show")
    words = ("discover", "main.tex", "--at", "4:97", "--words", "old meadows", *email)
    lines = run(*words).stdout.splitlines()
    assert lines[:4] == [
        "  to OpenAlex (api.openalex.org): “old meadows”, your address me@uni.example, your key",
        "  to Crossref (api.crossref.org): “old meadows”, your address me@uni.example",
        "  to Semantic Scholar (api.semanticscholar.org): “old meadows”, your key",
        "  to arXiv (export.arxiv.org): “old meadows”",
    ]
    found = json.loads(run(*words, "--source", "crossref", "--format", "json").stdout)
    crossref = {"service": "Crossref", "host": "api.crossref.org"}
    shared = {"with_email": True, "with_key": False}
    assert found == {"words": "old meadows", "sent": [crossref | shared]}
    (sent,) = json.loads(
        run(
            "discover", "main.tex", "--source", "semantic-scholar", *email, "--format", "json"
        ).stdout
    )["sent"]
    semantic = {"service": "Semantic Scholar", "host": "api.semanticscholar.org"}
    shared = {"with_email": False, "with_key": True}
    assert sent == semantic | shared | {"dois": ["10.1/dams"]}
    assert not services.requests


def test_services_that_fail_are_named_and_the_others_count(services, project):
    services.faults += [(403, {}, b""), (200, {}, b"[]")]
    done = run("discover", "main.tex", "--yes", "--words", "old meadows sediment")
    assert done.returncode == 2
    assert "OpenAlex cannot be asked now: status 403" in done.stderr
    assert "Crossref sent an answer in an unexpected form" in done.stderr
    assert "Elder 1950 · Meadows on old sediment" in done.stdout


def test_retracted_works_are_never_first(services, project):
    services.works[1].more = {"is_retracted": True}
    assert run("discover", "main.tex", "--yes").returncode == 0
    opened = pincite.open("main.tex")
    found = opened.discover(opened.placeholders[0])
    assert [each.entry.title for each in found] == [
        "Frogs that sing at night",
        "Meadows on old sediment",
    ]
    assert "retracted" in found[1].reasons[0]
    assert found[0].probability is None
