"""pincite enrich: what is sent, to whom, after whose consent, and what comes of it."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from metadata_services import Work
from pincite.api import enriching
from pincite.model.fetched import fetched_path

pytest.importorskip("httpx", reason="httpx is not installed")

DRAFT = r"""\documentclass{article}
\begin{document}
Beavers keep sediment in rivers behind their dams \cite{}.
Frogs are loud \cite{gerhardt}.
\bibliography{refs}
\end{document}
"""
BIB = """@article{naiman, title = {Engineers of the north}, author = {Naiman, Robert J.}, year = 1986}
@article{gerhardt, title = {Loud nights}, author = {Gerhardt, H. C.}, year = 1994,
  doi = {10.1000/other}}
@article{ryan, title = {Prices of the market}, author = {Ryan, M. J.}, year = 1985}
"""
WORKS = [
    Work(
        "10.1000/beavers",
        "Engineers of the north",
        [("Naiman", "Robert J.")],
        1986,
        "Beavers build dams. Sediment stays behind them in rivers.",
        [("Rivers in winter", ["Sediment is kept by dams of beavers (Naiman, 1986)."])],
    ),
    Work("10.1000/other", "Prices of bread in winter", [("Baker", "Ann")], 1999),
    Work("10.1000/loud", "Loud nights", [("Gerhardt", "H. C.")], 1994, "Frogs sing in ponds."),
]


ENRICH = ("enrich", "refs.bib", "--yes")
WRONG_DOI = (
    "refs.bib:2: gerhardt: the DOI 10.1000/other belongs to “Prices of bread in winter” (Baker "
    "1999), according to OpenAlex; the DOI of this work is 10.1000/loud"
)


def test_a_bibliography_of_titles_gets_abstracts_and_inlink_contexts(
    services, project, run, run_json
):
    before = run_json("recommend", "main.tex")[1]["placeholders"][0]["entries"]
    assert not any(entry["supporting"] for entry in before)
    written = (project / "refs.bib").read_bytes()
    status, out, err = run(*ENRICH)
    assert status == 0
    assert "2 abstracts from Crossref" in out
    assert "1 citing sentence from Semantic Scholar" in out
    assert WRONG_DOI in err
    assert (project / "refs.bib").read_bytes() == written

    best = run_json("recommend", "main.tex")[1]["placeholders"][0]["entries"][0]
    assert best["key"] == "naiman"
    assert best["basis"] == ["abstract", "inlink contexts"]
    assert best["supporting"][0]["section"] == "Abstract from Crossref"
    assert best["supporting"][0]["text"] == "Sediment stays behind them in rivers."


def test_abstracts_are_written_into_the_bibliography_only_if_asked_for(services, project, run):
    bib = project / "refs.bib"
    text = BIB.replace("@article{naiman, title", "@article{naiman,\r\n\ttitle").replace(
        "@article{ryan,", "% Größe {\n@article{ryan,"
    )
    bib.write_bytes(text.encode())
    status, out, _ = run(*ENRICH, "--write")
    assert (status, "refs.bib: fields were added to 2 entries" in out) == (0, True)
    now = bib.read_bytes().decode()
    added = [
        "\r\n\tabstract = {Beavers build dams. Sediment stays behind them in rivers.},"
        "\r\n\tdoi = {10.1000/beavers},",
        " abstract = {Frogs sing in ponds.},",
    ]
    for each in added:
        assert each in now
        now = now.replace(each, "", 1)
    assert now == text
    assert "fields were added to 0 entries" in run(*ENRICH, "--write")[1]


@pytest.mark.parametrize(
    ("encoding", "mode", "message"),
    [("latin-1", 0o644, "not UTF-8"), ("utf-8", 0o444, "is read-only")],
)
def test_a_read_only_or_foreign_file_is_left_alone(services, project, run, encoding, mode, message):
    (project / "refs.bib").write_bytes(BIB.replace("Naiman", "Naimän").encode(encoding))
    (project / "refs.bib").chmod(mode)
    status, _, err = run(*ENRICH, "--write")
    assert (status, message in err, services.requests) == (2, True, [])


@pytest.fixture(name="meanwhile")
def change_while_services_are_asked(monkeypatch):
    def meanwhile(change):
        run = enriching.run

        def slowly(*given, **options):
            run(*given, **options)
            change()

        monkeypatch.setattr(enriching, "run", slowly)

    return meanwhile


def test_an_entry_that_became_another_is_not_written_into(services, project, run, meanwhile):
    bib = project / "refs.bib"
    meanwhile(lambda: bib.write_text(BIB.replace("Engineers of the north", "Bears of the south")))
    assert run(*ENRICH, "--write")[0] == 0
    assert "Sediment stays" not in bib.read_text()
    assert "Frogs sing" in bib.read_text()


def test_a_bibliography_that_is_gone_is_not_created_again(services, project, run, meanwhile):
    meanwhile((project / "refs.bib").unlink)
    status, _, err = run(*ENRICH, "--write")
    assert (status, "no longer exists" in err) == (2, True)
    assert not (project / "refs.bib").exists()
    assert "refs.bib: gerhardt: the DOI 10.1000/other belongs to" in err


@pytest.mark.skipif(os.name != "posix", reason="there are no modes here")
@pytest.mark.parametrize("made", ["by us", "by the author"])
def test_what_was_fetched_can_be_read_by_its_owner_only(services, project, run, tmp_path, made):
    folder = fetched_path(tmp_path / "cache" / "index").parent
    before = os.umask(0o022)
    try:
        if made == "by the author":
            folder.mkdir(parents=True)
        assert run(*ENRICH)[0] == 0
    finally:
        os.umask(before)
    assert {path.stat().st_mode & 0o777 for path in (folder, folder / "answers")} == {0o700}
    assert {path.stat().st_mode & 0o777 for path in folder.rglob("*.*")} == {0o600}


def test_the_health_of_the_library_shows_what_came_from_where(services, project, run, run_json):
    assert run(*ENRICH)[0] == 0
    _, out, _ = run("library", "main.tex")
    # The abstract of the work that is not cited serves as well.
    assert "  from Crossref: 2 abstracts\n" in out
    assert "  from Semantic Scholar: 1 citing sentence\n" in out
    _, found, _ = run_json("library", "main.tex")
    assert found["fetched"] == [
        {"service": "Crossref", "abstracts": 2, "sentences": 0},
        {"service": "Semantic Scholar", "abstracts": 0, "sentences": 1},
    ]
    beaver = found["entries"][0]
    assert (beaver["key"], beaver["cited_by"]) == ("naiman", 1)
    (project / "refs.bib").write_text(BIB.replace("year = 1986", "year = 1986, abstract = {Mine.}"))
    _, found, _ = run_json("library", "main.tex")
    assert found["fetched"][0]["abstracts"] == 1


def test_it_shows_what_would_be_sent_and_sends_nothing(services, project, run):
    status, out, _ = run("enrich", "refs.bib", "--show")
    assert status == 0
    for shown in (
        "OpenAlex (api.openalex.org)",
        "at most 1 DOI, 3 titles",
        "10.1000/other",
        "Engineers of the north",
    ):
        assert shown in out
    assert services.requests == []


@pytest.mark.parametrize(
    "broken",
    [
        "@article{open, title = {An open title, note = {my secret}, year = 2020}\n",
        '@article{open, title = "An open title, note = {my secret}, year = 2020}\n',
        "@article{open, doi = {10.1000/x,note={secret}, title = {T}, year = 2020}\n",
        "@xdata{data, title = {An open title, note = {my secret}, year = 2020}\n@book{heir, xdata = {data}}\n",
        "@article{open, title = {An open title, note = {my secret}}, year = 2020}\n",
        "@article{open, title = {Foo bars are nice,\n comment = {my secret}}, year = 2020}\n",
        "@article{open, title = {Foo}, subtitle = {bars\n note = {my secret}}, year = 2020}\n",
        "@xdata{data, title = {Foo, note = {my secret}}}\n@book{heir, subtitle = {bars}, xdata = {data}}\n",
        "@misc{one, title = {A, note={x}}, year=1}\n@string{t = {Foo, note = {my secret}}}\n@book{b, title = t}\n",
        "@book{open, title = {An {open title, note={my secret}}, year = 2020}}\n@inbook{heir, crossref = {open}}\n",
    ],
)
def test_a_value_that_is_not_closed_where_it_ends_is_not_sent(services, project, run, broken):
    """It has the fields after it, such as notes."""
    (project / "refs.bib").write_text(f"{BIB}\n{broken}", encoding="utf-8")
    _, shown, _ = run("enrich", "refs.bib", "--show")
    status, out, err = run(*ENRICH)
    assert status == 0
    assert services.requests
    assert "secret" not in f"{shown} {out} {services.requests}"
    assert "not closed" in err or "closed too late" in err


def test_a_source_that_fails_is_reported_and_the_rest_is_stored(services, project, run):
    services.faults.append((403, {}, b""))
    status, out, err = run(*ENRICH)
    assert status == 2
    assert "Crossref cannot be asked now: status 403; run the command again later" in err
    assert "2 abstracts from Semantic Scholar" in out


def test_an_email_address_that_is_none_is_refused(project, run):
    status, _, problems = run("enrich", "refs.bib", "--show", "--email", "ada\nX-Other: 1")
    assert status == 2
    assert "is not an e-mail address" in problems


def test_check_asks_for_one_work(services, run):
    services.works.append(
        Work("10.1145/361219.361220", "A vector space model for automatic indexing",
             [("Salton", "G."), ("Wong", "A."), ("Yang", "C. S.")], 1975, "Documents are vectors.")
    )  # fmt: skip
    status, out, _ = run("enrich", "--check")
    answers = ["OpenAlex: abstract of 3 words", "Crossref: abstract of 3 words"]
    assert (status, out.splitlines()[:2]) == (0, answers)
    services.works[-1].abstract = ""
    status, out, _ = run("enrich", "--check")
    assert (status, "Crossref: knows the work, but has no abstract\n" in out) == (0, True)
    services.faults += [(403, {}, b"")] * 9
    assert run("enrich", "--check")[0] == 1


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("enrich", "refs.bib"), 2),
        (("enrich", "refs.bib", "--show"), 0),
        (("library", "main.tex"), 0),
    ],
)
def test_no_socket_without_consent(services, project, run, sockets, arguments, status):
    assert sockets(*arguments) == ([], status)
    assert (run(*arguments)[0], services.requests) == (status, [])


def test_what_was_answered_is_not_sent_again(services, project, run, monkeypatch):
    assert run(*ENRICH)[0] == 0
    number = len(services.requests)
    monkeypatch.setitem(sys.modules, "httpx", None)  # as if it were not installed
    status, out, err = run("enrich", "refs.bib")
    assert status == 0
    assert "Nothing needs to be sent" in out
    assert "abstracts from" in out
    assert "gerhardt: the DOI 10.1000/other" in err
    assert len(services.requests) == number


def test_an_abstract_is_not_asked_for_where_the_paper_is_there(services, project, run):
    (project / "papers").mkdir()
    (project / "papers" / "gerhardt.md").write_text("# Loud nights\n\nFrogs sing.\n")
    _, out, _ = run("enrich", "refs.bib", "--source", "openalex", "--show")
    assert out.startswith("3 entries, 2 without an abstract or a full text")
    assert "at most 2 titles" in out
    assert "10.1000/other" not in out


@pytest.mark.skipif(os.name == "nt", reason="Windows has other signals")
@pytest.mark.usefixtures("interruptible")
def test_what_came_before_it_was_interrupted_is_stored_and_not_asked_for_again(services, project):
    answer, asked_for_second = services.answer, threading.Event()

    def hangs_at_the_second(path, parameters):
        if "Prices of the market" in parameters.get("query", ""):
            asked_for_second.set()
            time.sleep(60)
        return answer(path, parameters)

    services.answer = hangs_at_the_second
    environment = {**os.environ, "PINCITE_SERVICES": services.address}
    command = [sys.executable, "-m", "pincite", "enrich", "refs.bib", "--yes"]
    running = subprocess.Popen(
        command, cwd=project, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert asked_for_second.wait(60)
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=30)
    assert running.returncode == 130
    assert (
        "pincite: the results so far are stored; run the command again for the rest" in err.decode()
    )
    stored = fetched_path(Path(os.environ["PINCITE_CACHE"]) / "index.sqlite").read_text()
    assert "Beavers build dams." in stored
    assert "Frogs sing in ponds." in stored
    services.answer = answer
    before = len(services.requests)
    done = subprocess.run(
        command, cwd=project, env=environment, capture_output=True, text=True, check=True
    )
    assert "2 abstracts from Crossref" in done.stdout
    assert len(services.requests) > before
    again = str(services.requests[before:])
    assert "Prices of the market" in again
    assert not any(known in again for known in ("Engineers", "Loud nights", "10.1000"))


def test_entries_that_another_program_saves_meanwhile_are_not_lost(
    services, project, run, monkeypatch
):
    """Saved between reading and writing, again and again."""
    bib, add, saved = project / "refs.bib", enriching.fields_added, []

    def slowly(*given):
        edits = list(add(*given))
        if len(saved) < 3:
            saved.append(f"@misc{{theirs{len(saved)}, title = {{Theirs}}}}\n")
            part = project / "theirs"
            part.write_text(bib.read_text() + saved[-1])
            part.replace(bib)
        return edits

    monkeypatch.setattr(enriching, "fields_added", slowly)
    assert run(*ENRICH, "--write")[0] == 0
    assert "Sediment stays" in bib.read_text()
    assert bib.read_text().endswith("".join(saved))


def test_what_is_written_has_the_letters_of_the_encoding_that_a_file_declares(
    services, project, run
):
    beavers, known = WORKS[0], "Größe of dams. They stay."
    services.works[0] = Work(beavers.doi, beavers.title, beavers.authors, beavers.year, known)
    bib = project / "refs.bib"
    bib.write_text(f"% Encoding: ISO8859_1\n{BIB}")
    assert run(*ENRICH, "--write")[0] == 0
    assert 'Gr{\\"{o}}{\\ss}e of dams' in bib.read_text("ascii")


def test_a_full_disk_is_reported_with_the_file(services, project):
    """The limit stands for the disk: it has room for what is fetched, not for the .bib."""
    resource = pytest.importorskip("resource")
    (project / "refs.bib").write_text(BIB + "% long\n" * 100_000)
    before = (project / "refs.bib").read_bytes()
    done = subprocess.run(
        [sys.executable, "-m", "pincite", "enrich", "refs.bib", "--write", "--yes"],
        check=False,
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, 600_000)),
    )
    assert done.returncode == 74
    assert "pincite: refs.bib: File too large" in done.stderr
    assert (project / "refs.bib").read_bytes() == before


def test_a_draft_is_no_bibliography(tmp_path, run):
    (tmp_path / "main.tex").write_text(DRAFT)
    status, _, err = run("enrich", tmp_path / "main.tex")
    assert status == 2
    assert "main.tex: no entries; give a bibliography, such as refs.bib" in err
