"""A work is added through the real server: found, shown what is sent, added, and cited."""

import pytest

from author import CAPABILITIES, CREATING
from metadata_services import Work

pytest.importorskip("httpx", reason="httpx is not installed")

PROJECT = r"""
%! main.tex
\documentclass{article}
\begin{document}
Beavers keep secret sediment \cite{ryan, nai|}.
\bibliography{refs}
\end{document}
%! refs.bib
@article{ryan, author = {Ryan, M. J.}, title = {A theory of prices}, year = 1985}
"""
WORKS = [
    Work("10.1000/dams", "Engineers of the north", [("Naiman", "Robert")], 1986, journal="Ponds")
]
KEY = "naiman1986engineers"


@pytest.fixture(name="author")
def author_who_may_ask(services, author_with):
    capabilities = {**CAPABILITIES, "workspace": CREATING}
    return author_with(capabilities, {"PINCITE_SERVICES": services.address})


def test_a_work_is_looked_up_once_the_author_agrees_then_added_and_cited(author, services):
    author.begin(PROJECT)
    found = author.ask("pincite/findWork", text="doi:10.1000/DAMS")
    assert found["works"] == []
    assert [(each["service"], each["host"], each["values"]) for each in found["sent"]] == [
        ("doi.org", "doi.org", ["DOI 10.1000/dams"]),
        ("OpenAlex", "api.openalex.org", ["DOI 10.1000/dams"]),
    ]
    assert services.requests == []
    # Nothing is sent for a plan that was not shown.
    author.ask("pincite/findWork", text="10.1000/dams", plan="another")
    assert services.requests == []
    (work,) = author.ask("pincite/findWork", text="10.1000/dams", plan=found["plan"])["works"]
    assert (work["key"], work["authorYear"], work["origin"]) == (KEY, "Naiman 1986", "doi.org")
    assert work["meant"]
    assert not any("secret" in str(request) for request in services.requests)
    added = author.ask("pincite/addWork", entries=[work["entry"]])
    assert added["keys"] == [work["key"]]
    texts = author.edited()
    assert f"\\cite{{ryan, {work['key']}}}." in texts["main.tex"]
    assert f"@article{{{work['key']},\n  author = {{Naiman, Robert}}" in texts["refs.bib"]
    assert texts["refs.bib"].startswith(author.fixture.files["refs.bib"].rstrip())


@pytest.mark.parametrize(
    ("name", "text", "cited"),
    [
        ("main.tex", "\\documentclass{article}\n\\begin{document}\nWords \\cite{dam|}.\n\\end{document}\n",
         "Words \\cite{naiman1986engineers}."),
        ("paper.typ", "Words @dam|\n", "Words @naiman1986engineers"),
        ("notes.md", "# Words\n\nSee| here [@a].\n", "See here [@a]."),
    ],
)  # fmt: skip
def test_the_first_work_begins_a_bibliography(author, name, text, cited):
    author.begin(f"%! {name}\n{text}")
    bib = "@article{x, author={Naiman, R.}, title={Engineers of the north}, year={1986}}"
    (work,) = author.ask("pincite/findWork", text=bib)["works"]
    if work["key"] == "x":  # in an empty bibliography, what was copied keeps its key
        work["entry"] = work["entry"].replace("{x,", "{naiman1986engineers,")
    added = author.ask("pincite/addWork", entries=[work["entry"]])
    assert added["uri"].endswith("/references.bib")
    texts = author.edited()
    assert cited in texts[name]
    assert texts["references.bib"].startswith("@article{naiman1986engineers, author")
    assert "references" in texts[name]


def test_beside_a_key_that_is_an_entry_the_new_one_is_added(author):
    author.begin(PROJECT.replace("ryan, nai|", "ry|an"))
    entry = "@misc{new, title = {Words}}"
    author.ask("pincite/addWork", entries=[entry])
    assert "\\cite{ryan,new}" in author.edited()["main.tex"].replace(", ", ",")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("main.typ", '#let ponds = ("dam",)\nAs in @dam|.\n#bibliography("refs.bib")\n'),
        ("paper.md", "---\nbibliography: refs.bib\n---\n(dam)=\n{cite}`ryan`, as in @dam|.\n"),
    ],
)
def test_a_label_is_not_replaced(author, name, text):
    author.begin(f"%! {name}\n{text}{PROJECT[PROJECT.index('%! refs.bib') :]}")
    author.ask("pincite/addWork", entries=["@misc{dams, title = {Words}}"])
    assert set(author.edited()) == {"refs.bib"}


def test_the_setting_forbids_to_ask_services(author, services):
    author.begin(PROJECT, enrich="off")
    found = author.ask("pincite/findWork", text="10.1000/dams")
    assert "`pincite.enrich` is off" in found["problem"]
    asked = {"text": "10.1000/dams", "plan": found["plan"]}
    assert author.refused("pincite/findWork", **asked) == found["problem"]
    assert services.requests == []


def test_entries_that_cannot_be_added_change_nothing(author):
    author.begin(PROJECT)
    for entry, message in (
        ("@misc{ryan, title={Other}}", "ryan is in the bibliography already."),
        ("words", "this is not a BibTeX entry"),
    ):
        assert message in author.refused("pincite/addWork", entries=[entry])
    assert author.client.sent("workspace/applyEdit") == []
