"""Works that the author does not have: listed for a place, cited, and added to the bibliography."""

import pytest
from test_literature import AUDITED

from author import CAPABILITIES, applied
from metadata_services import Work, serving
from protocol_client import eventually

PROJECT = r"""
%! main.tex
\documentclass{article}
\begin{document}
Dams keep sediment \cite{okafor1999dams}. Meadows grow on old sediment \cite{|}.
\bibliography{refs}
\end{document}
%! refs.bib
@article{okafor1999dams, author = {Okafor, Ann}, title = {Dams that beavers build}, year = 1999, file = {dams.md}}
@article{writer2001sediment, author = {Writer, Bo}, title = {Sediment in rivers}, year = 2001, file = {rivers.md}}
%! dams.md
# Dams that beavers build

Ann Okafor, 1999

Beavers build dams. Meadows follow (Elder, 1950).

# References

Elder, D. (1950). Meadows on old sediment. Journal of Meadows, 3(2), 10-20.

Zhou, L. (1990). Frogs that sing at night in their ponds. Frogs, 1(1), 1-9.
%! rivers.md
# Sediment in rivers

Bo Writer, 2001

Rivers carry sediment, and meadows keep it (Elder, 1950).

# References

Elder, D. (1950). Meadows on old sediment. Journal of Meadows, 3(2), 10-20.
"""

BEYOND = "Suggest works you do not have…"


@pytest.fixture(name="author")
def author_with_papers(author_with):
    return author_with()


def serve(author_with, services):
    return author_with(environment={"PINCITE_SERVICES": services.address})


def discovered(author, **more):
    return author.ask("pincite/recommendations", only="discovered", **more)


def test_a_work_that_papers_list_is_suggested_and_cited(author):
    author.begin(PROJECT)
    (first,) = eventually(
        lambda: [
            each
            for each in discovered(author)["items"][:1]
            if each["reason"].startswith("cited by 2 of the works you cite")
        ],
        "both papers are read",
    )
    assert first["title"] == "Meadows on old sediment"
    assert (first["discovered"], first["key"]) == (True, "elder1950meadows")
    assert "fromLibrary" not in first
    assert author.cite("elder1950meadows")["result"] is True
    assert author.put_into("main.tex") == "elder1950meadows"
    written = author.put_into("refs.bib")
    assert "@misc{elder1950meadows," in written
    assert "title = {Meadows on old sediment}" in written
    assert "cited-by" not in written
    (shown,) = [each for each in author.client.sent("window/showMessage") if "elder" in str(each)]
    assert "elder1950meadows has only what a reference list gives" in shown["message"]


def test_what_is_typed_filters_and_a_work_keeps_the_key_under_which_it_was_listed(author):
    author.begin(PROJECT)
    eventually(lambda: len(discovered(author)["items"]) == 2, "papers are read")
    (found,) = discovered(author, typed="zhou frogs")["items"]
    assert found["authorYear"] == "Zhou 1990"
    # The key that it was listed under, too.
    assert discovered(author, typed="zhou1990fr")["items"] == [found]
    assert discovered(author, typed="no such work")["items"] == []
    assert len(discovered(author, limit=1)["items"]) == 1
    bibliography = author.fixture.files["refs.bib"]
    new = "@misc{new, author = {New, No}, title = {Another work}, year = 2002}\n"
    author.client.open(author.folder / "refs.bib", bibliography + new)
    # Found anew, and only one is listed.
    assert len(discovered(author, limit=1)["items"]) == 1
    assert author.cite("zhou1990frogs")["result"] is True


def test_no_connection_is_made_to_suggest_and_cite_works(author_with):
    author = author_with(server=("-c", AUDITED))
    author.begin(PROJECT)
    first = eventually(lambda: next(iter(discovered(author)["items"]), None), "papers are read")
    assert author.cite(first["key"])["result"] is True
    assert author.client.process.poll() is None


def test_the_record_of_a_work_that_only_lists_name_is_looked_up_by_its_title(author_with):
    works = [
        Work(
            "10.2/meadows", "Meadows on old sediment", [("Elder", "Di")], 1950,
            journal="Journal of Meadows", volume="3",
        ),
        Work("10.2/other", "Meadows on old sediment: a reply", [("Zhou", "Li")], 1951),
    ]  # fmt: skip
    with serving(works) as services:
        author = serve(author_with, services)
        author.begin(PROJECT)
        first = eventually(
            lambda: next(
                (each for each in discovered(author)["items"] if "Meadows" in each["title"]), None
            ),
            "papers are read",
        )
        assert first["lookUp"] == "Meadows on old sediment"
        found = author.ask("pincite/findWork", text=first["lookUp"])
        assert [each["values"] for each in found["sent"]] == [["“Meadows on old sediment”"]] * 2
        assert not services.requests
        author.ask("pincite/findWork", text=first["lookUp"], plan=found["plan"])
        # The title of the work, and nothing else of the author's.
        sent = [p for _, parameters, _ in services.requests for p in parameters.values()]
        assert {each for each in sent if not each.isdecimal()} == {"Meadows on old sediment"}
        assert author.cite(first["key"])["result"] is True
        written = author.put_into("refs.bib")
        assert "@article{elder1950meadows," in written
        assert "journal = {Journal of Meadows}" in written
        assert "doi = {10.2/meadows}" in written
        assert not [
            each for each in author.client.sent("window/showMessage") if "elder" in str(each)
        ]


def test_works_are_discovered_once_the_author_has_seen_what_is_sent(author_with):
    works = [
        Work("10.1/dams", "Dams that beavers build", [("Okafor", "Ann")], 1999, cites=["10.2/ice"]),
        Work(
            "10.2/ice", "Ice on the ponds of beavers: a LIDAR study", [("Berg", "Ed")], 1960,
            "Meadows grow where ponds freeze.", journal="Ice & Snow",
        ),
    ]  # fmt: skip
    with serving(works) as services:
        author = serve(author_with, services)
        author.begin(PROJECT.replace("year = 1999,", "year = 1999, doi = {10.1/dams},"))
        planned = author.ask("pincite/discovery")
        assert {each["host"]: each["dois"] for each in planned["sent"]} == {
            "api.openalex.org": ["10.1/dams"],
            "api.semanticscholar.org": ["10.1/dams"],
        }
        assert (planned["entries"], planned["unidentified"]) == (1, [])
        assert not services.requests
        assert author.ask("pincite/discover", plan="another")["changed"] is True
        assert not services.requests
        found = author.ask("pincite/discover", plan=planned["plan"])
        assert (found["changed"], found["works"]) == (False, 1)
        listed = eventually(
            lambda: [each for each in discovered(author)["items"] if each["key"] == "berg1960ice"],
            "what was fetched is listed",
        )
        assert listed[0]["authorYear"] == "Berg 1960"
        assert "lookUp" not in listed[0]
        # Sentences come for so many as a client wants, for others when asked for.
        assert listed[0]["supporting"][0]["text"] == "Meadows grow where ponds freeze."
        first, *others = discovered(author, supporting=1)["items"]
        assert ("supporting" in first, any("supporting" in each for each in others)) == (
            True,
            False,
        )
        (known,) = author.ask("pincite/evidence", key="berg1960ice")["works"]
        assert known["supporting"] == listed[0]["supporting"]
        author.cite("berg1960ice")
        assert "\\cite{berg1960ice}" in author.edited()["main.tex"]
        # The full record, as `add` writes it: its address is that of its DOI.
        written = author.put_into("refs.bib")
        assert "journal = {Ice \\& Snow}" in written
        assert "doi = {10.2/ice}" in written
        author.configure(enrich="off")
        answer = eventually(
            lambda: (found := author.ask("pincite/discovery")) and found.get("problem"),
            "the setting holds",
        )
        assert "is off" in answer
        asked = len(services.requests)
        assert "is off" in author.refused("pincite/discover", plan=planned["plan"])
        assert len(services.requests) == asked


#: A place where nothing of a bibliography with works of eight other subjects fits.
NOTHING_FITS = PROJECT.replace(r"Dams keep sediment \cite{okafor1999dams}. ", "").replace(
    "%! dams.md",
    "".join(
        f"@article{{{each}, author = {{Name{each}, A}}, title = {{A history of {each}}}, year = 1980}}\n"
        for each in ("bread", "ships", "trains", "stars", "cheese", "moss", "songs", "chess")
    )
    + "%! dams.md",
    1,
)
FROGS = NOTHING_FITS.replace("Meadows grow on old sediment", "Frogs sing in their ponds at night")


def test_where_nothing_of_the_bibliography_fits_works_beyond_it_are_suggested(author_with):
    author = author_with({**CAPABILITIES, "experimental": {"pinciteSuggestHere": True}})
    author.begin(FROGS)
    eventually(lambda: len(discovered(author)["items"]) == 2, "papers are read")
    assert author.ask("pincite/recommendations")["nothingFits"] is True
    assert discovered(author)["items"][0]["title"].startswith("Frogs that sing at night")
    assert "nothingFits" not in author.ask("pincite/recommendations", typed="dams")
    assert "nothingFits" not in author.ask("pincite/recommendations", newest=True)
    # Among the rows of a list, behind three works.
    suggested = eventually(lambda: BEYOND in (rows := author.suggested()) and rows, "all is ranked")
    assert suggested.index(BEYOND) == 3
    (row,) = [item for item in author.items() if item["label"] == BEYOND]
    assert row["command"]["command"] == "pincite.suggestDiscovered"
    assert applied(author.text, [row["textEdit"]]) == author.text
    author.begin(NOTHING_FITS.replace("Meadows grow on old sediment", "Rivers carry sediment"))
    assert "nothingFits" not in author.ask("pincite/recommendations")
    assert BEYOND not in author.suggested()


def test_a_client_without_our_lists_is_not_offered_works_beyond(author):
    author.begin(FROGS)
    eventually(lambda: len(discovered(author)["items"]) == 2, "papers are read")
    assert author.ask("pincite/recommendations")["nothingFits"] is True
    assert BEYOND not in author.suggested()
