"""The Python API: what a notebook gets, on the examples and on small drafts."""

import doctest
import inspect
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import pincite
from where import EXAMPLES, ROOT

MODULES = (
    "api.nouns",
    "api.project",
    "api.indexing",
    "api.enriching",
    "api.adding",
    "checking.verdicts",
    "checking.whole_draft",
)
DRAFT = r"""\documentclass{article}
\begin{document}
Beavers build dams that keep sediment in rivers \citep{naiman, ?}.
Frogs are loud \cite{unknown}. \nocite{ryan}
\bibliography{refs}
\end{document}
"""
BIB = r"""@article{naiman, title = {Engineers of the north}, author = {Naiman, Robert J. and {The Group}},
  year = 1986, abstract = {Beavers build dams. Sediment stays behind their dams in rivers.}}
@article{ryan, title = {Prices}, author = {M{\"u}ller, M. J. and others}, year = 1985,
  doi = {https://doi.org/10.1000/X}}
"""


@pytest.fixture(name="home", autouse=True)
def cache_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("PINCITE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PINCITE_ZOTERO", str(tmp_path / "Zotero"))
    return tmp_path


@pytest.fixture(name="draft")
def small_draft(home):
    (home / "main.tex").write_text(DRAFT)
    (home / "refs.bib").write_text(BIB)
    return home / "main.tex"


@pytest.fixture(name="survey", scope="module")
def example():
    return pincite.open(EXAMPLES / "survey.tex")


def test_importing_it_imports_nothing_heavy():
    program = (
        "import sys, pincite\n"
        "print([name for name in sys.modules if name.startswith('pincite.')])\n"
        "print({'numpy', 'regex', 'typer', 'lxml', 'pygls'} & sys.modules.keys())\n"
        "pincite.Place, sorted(dir(pincite))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True
    )
    assert done.stdout.split() == ["[]", "set()"]


@pytest.mark.parametrize("module", [pincite, *(f"pincite.{name}" for name in MODULES)])
def test_examples_in_docstrings_are_true(module, monkeypatch):
    monkeypatch.chdir(ROOT)
    module = import_module(module) if isinstance(module, str) else module
    assert doctest.testmod(module).failed == 0


def test_examples_in_the_documentation_are_true(monkeypatch):
    monkeypatch.chdir(ROOT)
    page = (ROOT / "docs" / "tutorial" / "python.md").read_text("utf-8")
    examples = "\n".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL))
    test = doctest.DocTestParser().get_doctest(examples, {}, "python.md", None, 0)
    assert doctest.DocTestRunner().run(test) == (0, len(test.examples))


@pytest.mark.parametrize("name", pincite.__all__)
def test_what_is_public_is_documented_and_typed(name):
    public = getattr(pincite, name)
    assert inspect.getdoc(public)
    members = vars(public).items() if inspect.isclass(public) else ()
    functions = [public] if inspect.isroutine(public) else []
    for member, value in members:
        value = value.fget if isinstance(value, property) else getattr(value, "func", value)
        if not member.startswith("_") and inspect.isfunction(value):
            assert inspect.getdoc(value), member
            functions.append(value)
    for function in functions:
        hints = function.__annotations__
        wanted = {*inspect.signature(function).parameters, "return"} - {"self"}
        assert wanted <= hints.keys(), function


def test_other_names_are_missing():
    assert set(pincite.__all__) <= set(dir(pincite))
    with pytest.raises(AttributeError, match="no attribute 'suggest'"):
        pincite.suggest  # noqa: B018


def test_a_draft_has_files_citations_and_placeholders(draft):
    project = pincite.open(draft)
    assert project.path == draft
    assert project.files == (draft,)
    first, second, listed = project.citations
    assert (first.keys, first.cited, first.undefined) == (("naiman", "?"), ("naiman",), ())
    assert [str(place).removeprefix(str(draft)) for place in first.key_places] == [":3:56", ":3:64"]
    assert (first.command, first.written, first.listed_only) == ("citep", r"\citep", False)
    assert second.undefined == ("unknown",)
    assert listed.listed_only
    assert project.placeholders == (first.place,)
    assert project.cited_at(first.place) == ("naiman",)


def test_entries_are_as_a_reader_sees_them(draft):
    entries = pincite.open(str(draft)).entries
    assert list(entries) == ["naiman", "ryan"]
    naiman, ryan = entries.values()
    assert naiman.authors == ("Naiman, Robert J.", "The Group")
    assert naiman.label == "Naiman and The Group 1986 · Engineers of the north"
    assert (ryan.authors, ryan.doi, ryan.type) == (("Müller, M. J.",), "10.1000/x", "article")
    assert (ryan.year, ryan.fields["title"]) == ("1985", "Prices")
    assert ryan.file == draft.with_name("refs.bib")


def test_a_key_may_be_an_alias(home):
    (home / "main.tex").write_text(
        r"\documentclass{article}\usepackage{biblatex}\addbibresource{refs.bib}"
        r"\begin{document}\cite{old}\end{document}"
    )
    (home / "refs.bib").write_text("@article{new, ids = {old}, title = {A}}")
    project = pincite.open(home / "main.tex")
    assert project.entry("old").key == "new"
    assert project.entry("none") is None


def test_suggestions_have_parts(survey):
    place = survey.place("survey.tex", line=98, column=61)
    best, *others = survey.suggest(place, top=3)
    assert (best.key, best.rank, len(others)) == ("barzilay2008coherence", 1, 2)
    assert 0 <= others[0].probability <= best.probability <= 1
    assert best.score == best.probability
    assert "full text" in best.basis
    assert best.reasons
    assert best.matched
    assert best.entry == survey.entries[best.key]
    assert len(survey.suggest(place, top=None)) == len(survey.entries)


def test_a_place_in_a_citation_means_its_beginning(survey):
    place = survey.citations[0].place
    within = survey.place(place.file, line=place.line, column=place.column + 4)
    assert survey.suggest(within) == survey.suggest(place)
    assert survey.support(place, "nobody").entry is None
    assert survey.evidence(place, "nobody") == []


def test_the_mixed_ranker_knows_no_probability(draft):
    project = pincite.open(draft, ranker="mixed")
    (best,) = project.suggest(project.placeholders[0], top=1)
    assert best.key == "naiman"
    assert best.probability is None
    assert best.score == pytest.approx(best.internal + best.external)


def test_a_place_is_in_the_draft(survey, home):
    assert survey.place("sections/retrieval.tex", line=1).file.name == "retrieval.tex"
    assert survey.place(line=1, column=9999).column < 9999
    for wrong, message in (
        ({"file": "none.tex", "line": 1}, "none.tex is not a file of this draft"),
        ({"line": 0}, "counted from 1"),
        ({"line": 10**6}, "survey.tex has"),
    ):
        with pytest.raises(pincite.PinciteError, match=message):
            survey.place(**wrong)
    with pytest.raises(pincite.PinciteError, match="is not a file of this draft"):
        survey.suggest(pincite.Place(home / "other.tex", 1, 1))


def test_a_check_finds_what_the_command_finds(draft, tmp_path):
    project = pincite.open(draft)
    found = project.check(["undefined-key", "placeholder"])
    assert [(each.kind, each.place.line, each.key) for each in found] == [
        ("placeholder", 3, ""),
        ("undefined-key", 4, "unknown"),
    ]
    assert draft.read_text()[found[1].start : found[1].end] == "unknown"
    seen = []
    project.check(progress=lambda *steps: seen.append(steps))
    assert seen[-1] == (3, 3)
    project.write_report(found, tmp_path / "report.md")
    assert "Undefined keys (1)" in (tmp_path / "report.md").read_text()
    with pytest.raises(pincite.PinciteError, match="unknown kind 'typo'"):
        project.check(["typo"])
    with pytest.raises(pincite.PinciteError, match="exists and is not a report"):
        project.write_report(found, _other(draft))


def _other(draft):
    path = draft.with_suffix(".html")
    path.write_text("mine")
    return path


def test_problems_are_data_and_nothing_is_printed(draft, capfd):
    draft.with_name("refs.bib").write_text(BIB + "@article{broken, title = {A}\n")
    project = pincite.open(draft)
    project.suggest(project.placeholders[0])
    assert {problem.path.name for problem in project.problems} == {"refs.bib"}
    assert set(project.problems_of("entries")) <= set(project.problems)
    assert project.problems_of("draft", "bibliographies", "papers") == ()
    assert capfd.readouterr() == ("", "")


def test_without_entries_the_error_states_what_to_do(home):
    (home / "main.tex").write_text(r"\documentclass{article}\cite{}")
    project = pincite.open(home / "main.tex")
    assert (project.has_bibliography, project.entries) == (False, {})
    for call in (lambda: project.suggest(project.placeholders[0]), project.library):
        with pytest.raises(pincite.PinciteError, match="no bibliography found; name one in"):
            call()
    (home / "more.bib").write_text(BIB)
    added = pincite.open(home / "main.tex", bibliographies=[home / "more.bib"])
    assert added.suggest(added.placeholders[0])


def test_a_library_of_its_own_is_read_once(draft, tmp_path):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "ryan.md").write_text(
        "# Prices\n\nM. J. Müller\n\nPrices rose in winter. They fell in spring again.\n"
    )
    project = pincite.open(draft, library=[tmp_path / "own"])
    steps = []
    project.read_papers(lambda *each: steps.append(each))
    assert steps
    project.read_papers(lambda *_each: pytest.fail("read again"))
    place = project.citations[0].place
    assert project.support(place, "ryan").basis[0] == "full text"


def test_no_zotero_is_read_unless_asked_for():
    assert inspect.signature(pincite.open).parameters["zotero"].default == "off"
    assert inspect.signature(pincite.index).parameters["zotero"].default == "off"
    assert Path(inspect.getfile(pincite.open)).parent.name == "api"


def test_a_plan_shows_what_would_be_sent_and_sends_nothing(draft, monkeypatch):
    import socket

    monkeypatch.setattr(socket.socket, "connect", lambda *_: pytest.fail("sent"))
    plan = pincite.plan_enrichment([draft.with_name("refs.bib")], services=["crossref"])
    assert (plan.entries, plan.without_abstract, plan.must_ask) == (2, 1, True)
    (request,) = plan.requests
    assert (request.service, request.dois, request.titles) == (
        "Crossref",
        ("10.1000/x",),
        ("Prices",),
    )
    with pytest.raises(pincite.PinciteError, match="unknown source"):
        pincite.plan_enrichment([draft.with_name("refs.bib")], services=["typo"])
    with pytest.raises(pincite.PinciteError, match="is not an e-mail address"):
        pincite.plan_enrichment([draft.with_name("refs.bib")], email="a\nb: c")
