"""``pincite check --references``: what is sent, after whose consent, and what is found."""

import json
import subprocess

import pytest

from metadata_services import Work

pytest.importorskip("httpx", reason="httpx is not installed")

DRAFT = r"""\documentclass{article}
\begin{document}
Beavers keep sediment in rivers behind their dams \cite{naiman}.
Frogs are loud at night \cite{gerhardt}. Toads are not \cite{ryan}.
Whales sing in frozen lakes \cite{smith}.
\bibliography{refs}
\end{document}
"""
BIB = """@article{unused, title = {A work that nobody has cited here}, author = {Poe, Edgar}, year = 1999}
@article{naiman, title = {Dams that beavers build in northern rivers}, year = 1996,
  author = {Naiman, Robert J.}, doi = {10.1000/beavers}}
@article{gerhardt, title = {How frogs sing at night in shallow ponds}, year = 1994,
  author = {Gerhardt, Carl}, doi = {10.1000/toads}}
@article{ryan, title = {What toads eat in winter and in spring}, year = 1985,
  author = {Ryan, Michael J.}, doi = {10.1000/toads}}
@article{smith, title = {Songs that whales never sang in frozen lakes}, year = 2021,
  author = {Smith, Anna and Jones, Peter}}
"""
RETRACTION = {"type": "retraction", "DOI": "10.1000/notice", "updated": {"date-time": "2020-05-04"}}
WORKS = [
    Work(
        "10.1000/beavers", "Dams that beavers build in northern rivers", [("Naiman", "R.")], 1996,
        crossref={"updated-by": [RETRACTION]},
    ),
    Work("10.1000/frogs", "How frogs sing at night in shallow ponds", [("Gerhardt", "C.")], 1994),
    Work("10.1000/toads", "What toads eat in winter and in spring", [("Ryan", "M. J.")], 1985),
    Work("10.1000/poe", "A work that nobody has cited here", [("Poe", "Edgar")], 1999),
    Work(
        "10.48550/arxiv.2401.00001", "How otters crack shells in cold water", [("Hall", "K.")], 2024,
        openalex={"locations": [{
            "version": "publishedVersion", "source": {"type": "journal"},
            "landing_page_url": "https://doi.org/10.1000/otters",
        }]},
    ),
    Work(
        "10.1000/otters", "How otters crack shells in cold water", [("Hall", "K.")], 2025,
        journal="Journal of Otters", volume="7", page="12-20",
    ),
]  # fmt: skip
PREPRINT = """@misc{hall, title = {How otters crack shells in cold water}, author = {Hall, K.}, year = 2024,
  eprint = {2401.00001}, archiveprefix = {arXiv}, keywords = {otters}}
"""


CHECK = ("check", "main.tex", "--kind", "placeholder", "--references", "--zotero", "off")


def kinds(found):
    return [(each["kind"], each["key"]) for each in found["findings"]]


ALL = [("retracted", "naiman"), ("wrong-identifier", "gerhardt"), ("not-found", "smith")]


def test_what_is_wrong_with_entries_is_found_once_the_author_agrees(services, project, run_json):
    status, found, err = run_json(*CHECK, "--yes")
    assert status == 1
    assert kinds(found) == ALL
    retracted, wrong, missing = found["findings"]
    assert (retracted["file"], retracted["line"], retracted["column"]) == ("refs.bib", 2, 1)
    assert retracted["notice"] == "https://doi.org/10.1000/notice"
    assert "was retracted on 2020-05-04, according to Crossref (" in retracted["message"]
    assert wrong["values"] == {"doi": "10.1000/frogs"}
    assert "could not be found in Crossref, Semantic Scholar or OpenAlex" in missing["message"]
    assert "fake" not in json.dumps(found)
    assert "to Crossref (api.crossref.org): at most" in err


def test_only_what_was_shown_is_sent_and_nothing_of_the_draft(services, project, run):
    _, _, err = run(*CHECK, "--yes")
    assert services.requests
    for path, parameters, headers in services.requests:
        sent = f"{path} {parameters} {headers}"
        assert "keep sediment" not in sent
        assert "main.tex" not in sent
        title = next(
            (parameters[n] for n in ("search", "query.bibliographic", "query") if n in parameters),
            "",
        )
        assert not title or title.lower() in err.lower()


def test_nothing_is_sent_without_consent_and_what_is_known_is_checked(services, project, run_json):
    status, found, err = run_json(*CHECK)
    assert (status, found["findings"], services.requests) == (0, [], [])
    assert "nothing was sent: there is no terminal" in err


def test_show_lists_what_would_be_sent(services, project, run):
    status, out, err = run(*CHECK, "--show")
    assert (status, out, services.requests) == (0, "", [])
    assert "    10.1000/beavers" in err.splitlines()


def test_only_entries_that_changed_are_asked_about(services, project, run, run_json):
    named = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    for arguments in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "one")):
        subprocess.run(("git", *named, *arguments), check=True)
    (project / "refs.bib").write_text(BIB.replace("How frogs sing", "Why frogs sing"))
    _, _, err = run(*CHECK, "--since", "HEAD", "--show")
    assert "    10.1000/toads" in err.splitlines()
    assert "10.1000/beavers" not in err
    assert "whales" not in err
    _, found, _ = run_json(*CHECK, "--since", "HEAD", "--yes")
    assert kinds(found) == [("wrong-identifier", "gerhardt")]
    _, out, _ = run(*CHECK, "--since", "HEAD")
    assert "Entries for which services answered: Crossref (1)" in " ".join(out.split())


def test_the_doi_of_the_publication_of_a_preprint_is_announced(services, project, run):
    _, _, err = run(*CHECK, "--show")
    assert "Of a preprint, the DOI of its publication is sent, too." in " ".join(err.split())
    _, out, _ = run("enrich", "refs.bib", "--show")
    assert "Of a preprint" not in out


def test_answers_are_cached_and_are_those_of_enrich(services, project, run_json, run):
    run_json(*CHECK, "--yes")
    number = len(services.requests)
    _, found, err = run_json(*CHECK)
    assert (kinds(found), len(services.requests)) == (ALL, number)
    assert "at most" not in err
    run("enrich", "refs.bib", "--yes", "--source", "crossref")
    assert len(services.requests) == number


def test_retractions_are_found_offline(project, run_json):
    heads = "RetractionDate,RetractionDOI,OriginalPaperDOI,OriginalPaperPubMedID,RetractionNature,Reason"
    row = "5/4/2020 0:00,10.1000/notice,10.1000/BEAVERS,0,Retraction,+Error in Data;"
    (project / "rw.csv").write_text(f"{heads}\n{row}\n")
    command = [*CHECK, "--retractions", "rw.csv"]
    command.remove("--references")
    status, found, _ = run_json(*command)
    assert (status, kinds(found)) == (1, [("retracted", "naiman")])
    assert "Reason: Error in Data." in found["findings"][0]["message"]


@pytest.mark.parametrize(
    "fault",
    [
        (500, {}, b"oops"),
        (200, {}, b"<html>not JSON</html>"),
        (200, {}, b'{"message": {"title": ["Dams'),
        (200, {}, b'[[["other"]]]'),
        (429, {"Retry-After": "3600"}, b""),
        (429, {}, b""),
        (302, {"Location": "/loop"}, b""),
        (0, {}, b""),
    ],
    ids=str,
)
def test_services_that_fail_call_nothing_invented(services, project, run_json, fault):
    services.faults += [fault] * 200
    status, found, _ = run_json(*CHECK, "--yes")
    assert kinds(found) == []
    assert status in (0, 2)
    services.faults.clear()
    assert kinds(run_json(*CHECK, "--yes")[1]) in (ALL, [])


def test_a_finding_is_accepted_until_the_work_changes(services, project, run_json, run):
    _, found, _ = run_json(*CHECK, "--yes")
    name = found["findings"][2]["id"]
    run(*CHECK, "--accept", name, "--accept", "retracted", "--note", "we asked the library")
    status, found, _ = run_json(*CHECK)
    assert (status, kinds(found)) == (1, ALL[1:2])
    assert {each["note"] for each in found["accepted"]} == {"we asked the library"}
    status, out, err = run(*CHECK, "--decided")
    assert "refs.bib:8:1  not-found" in out
    assert ": we asked the library" in out
    assert "1 finding: 1 wrong-identifier; 2 accepted" in err
    assert run(*CHECK, "--accept", "wrong-identifier")[0] == 0
    text = (project / "refs.bib").read_text()
    (project / "refs.bib").write_text(text.replace("in frozen lakes", "in warm lakes"))
    status, found, _ = run_json(*CHECK, "--yes")
    assert (status, kinds(found)) == (1, [("not-found", "smith")])
    assert "the work has changed from songs that whales" in found["findings"][0]["changed"]


def test_what_was_found_is_accepted_and_listed_without_asking_again(
    services, project, run_json, run
):
    _, found, _ = run_json(*CHECK, "--yes")
    asked = len(services.requests)
    run("check", "main.tex", "--zotero", "off", "--accept", found["findings"][0]["id"])
    _, out, _ = run("check", "main.tex", "--zotero", "off", "--decided")
    assert "refs.bib:2:1  retracted  [" in out
    assert len(services.requests) == asked
    (project / "refs.bib").write_text("")
    _, out, _ = run("check", "main.tex", "--zotero", "off", "--decided")
    assert "\nretracted naiman  [" in out
    assert "; not found by this check" in out
    assert "service" not in out


def test_an_id_that_nothing_has_is_an_error(project, run):
    status, _, err = run("check", "main.tex", "--accept", "ffffffff", "--kind", "placeholder")
    assert status == 2
    assert "no finding ffffffff" in err


def test_a_kind_is_accepted_without_the_decisions_already_made(services, project, run):
    run(*CHECK, "--yes", "--accept", "not-found", "--note", "in print only")
    before = (project / "pincite.decisions.toml").read_text()
    assert "0 findings accepted" in run(*CHECK, "--accept", "not-found")[2]
    assert (project / "pincite.decisions.toml").read_text() == before


def test_a_kind_of_entries_that_was_not_looked_for_is_not_called_clean(project, run):
    status, _, err = run("check", "main.tex", "--kind", "retracted")
    assert status == 2
    assert "--kind retracted needs --references" in err


def test_who_accepts_is_written_only_if_asked_for(services, project, run):
    subprocess.run(("git", "init", "-q"), check=True)
    subprocess.run(("git", "config", "user.name", "A. Author"), check=True)
    run(*CHECK, "--yes", "--accept", "retracted")
    file = project / "pincite.decisions.toml"
    assert "A. Author" not in file.read_text()
    run(*CHECK, "--accept", "not-found", "--sign")
    assert 'by = "A. Author"' in file.read_text()


def test_a_damaged_file_of_decisions_is_reported_and_read_as_far_as_it_can_be(
    services, project, run, run_json
):
    run(*CHECK, "--yes", "--accept", "not-found")
    file = project / "pincite.decisions.toml"
    file.write_text(f"<<<<<<< ours\n{file.read_text()}")
    _, found, err = run_json(*CHECK)
    assert kinds(found) == ALL[:2]
    assert "pincite.decisions.toml:1: is a conflict marker" in err


def test_kinds_of_entries_can_be_chosen(services, project, run_json):
    _, found, _ = run_json("check", "main.tex", "--references", "--yes", "--kind", "not-found")
    assert kinds(found) == ALL[2:]


@pytest.fixture(name="preprint")
def published_preprint(services, project, run_json):
    """Let an entry be a preprint that was published and another one have a wrong year."""
    (project / "refs.bib").write_text(PREPRINT + BIB.replace("year = 1985", "year = 1995"))
    _, found, _ = run_json(*CHECK, "--yes")
    return {each["kind"]: each for each in found["findings"]}


def test_the_published_version_of_a_preprint_is_taken_only_if_asked_for(preprint, project, run):
    before = (project / "refs.bib").read_text()
    _, out, _ = run(*CHECK)
    name = preprint["published"]["id"]
    assert f"--take {name}:replace: Replace the entry with the published version" in out
    assert [each["take"] for each in preprint["published"]["takings"]] == [
        f"{name}:replace",
        f"{name}:add",
    ]
    status, out, err = run("check", "main.tex", "--take", f"{name}:replace")
    assert (status, (project / "refs.bib").read_text()) == (0, before)
    assert "\n+@article{hall," in out
    assert "1 file would be changed; add --write to change them" in err
    run("check", "main.tex", "--take", f"{name}:replace", "--write")
    after = (project / "refs.bib").read_text()
    first, *rest = after.splitlines(True)
    assert rest == before.splitlines(True)[2:]
    assert "doi = {10.1000/otters}" in first
    assert first.endswith(" year = {2025}, keywords = {otters}}\n")


def test_fields_are_taken_one_by_one(preprint, project, run, run_json):
    name = preprint["entry-differs"]["id"]
    assert preprint["entry-differs"]["takings"] == [
        {"take": f"{name}:year", "title": "Change year from 1995 to 1985"}
    ]
    add = f"{preprint['published']['id']}:add"
    _, shown, _ = run_json("check", "main.tex", "--take", f"{name}:year", "--take", add, "--write")
    assert "-  author = {Ryan, Michael J.}" not in shown["diff"]
    after = (project / "refs.bib").read_text()
    assert "spring}, year = 1985," in after
    assert "eprint = {2401.00001}" in after
    assert "journal = {Journal of Otters}" in after


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--take", "ffffffff:year"], "no finding ffffffff"),
        (["--take", "ID:pages"], "choose from"),
        (["--take", "ID"], "choose from"),
        (["--write"], "--write needs --take"),
        (["--note", "in print only"], "--note and --sign need --accept"),
        (["--sign"], "--note and --sign need --accept"),
    ],
)
def test_what_cannot_be_taken_or_accepted_is_one_line(preprint, run, arguments, message):
    name = preprint["published"]["id"]
    status, _, err = run("check", "main.tex", *(each.replace("ID", name) for each in arguments))
    assert status == 2
    assert message in err
