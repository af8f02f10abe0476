"""Our own requests over the real server, checked against the schemas of docs/reference/protocol.md."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import get_args

import msgspec
import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from author import applied, edits_of
from markup import parse_fixture, write_project
from pincite.checking.decisions import ALL_KINDS
from pincite.checking.library_health import ADVICE
from pincite.checking.numbers import AttributedNumber
from pincite.checking.verdicts import Verdict
from pincite.lsp import commands, server, wire
from pincite.lsp.server import Server
from pincite.lsp.session import function_of
from pincite.model.results import Strength
from protocol_client import Client, eventually, units

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "reference" / "protocol.md"
BLOCKS = [json.loads(b) for b in re.findall(r"```json\n(.*?)```", DOCUMENT.read_text(), re.S)]
#: The functions that answer our own requests and commands, by the names of their parameters.
ANSWERED_BY = {
    method: feature.function
    for method, feature in {**server.ABOUT_DOCUMENTS, "pincite/findWork": server._FIND_WORK}.items()
    if method.startswith("pincite/") and method != "pincite/discovery"
} | {"pincite/addWork": "citing.adding_works_edit", **commands._ASKED, **commands._EDITS}  # fmt: skip


def named(method):
    name = method[len("pincite/") :]
    return name[0].upper() + name[1:] + ("Params" if "/" in method else "Arguments")


#: All parameters, by their name.
WIRE = {named(method): wire.params_of(function_of(name)) for method, name in ANSWERED_BY.items()}
SCHEMAS = {block["$id"]: block for block in BLOCKS if "$id" in block}
EXAMPLES = [block for block in BLOCKS if "method" in block]
REGISTRY = Registry().with_resources(
    (name, Resource.from_contents(schema, DRAFT202012)) for name, schema in SCHEMAS.items()
)
ASKED = {
    "pincite/recommendations": ("RecommendationsParams", "Recommendations"),
    "pincite/evidence": ("EvidenceParams", "Evidence"),
    "pincite/status": ("StatusParams", "Status"),
    "pincite/check": ("CheckParams", "CheckedDraft"),
    "pincite/library": ("LibraryParams", "LibraryHealth"),
    "pincite/merging": ("MergingParams", "Merging"),
    "pincite/literature": ("LiteratureParams", "Literature"),
    "pincite/searchLiterature": ("SearchLiteratureParams", "FoundLiterature"),
}
PROJECT = r"""
%! main.tex
\documentclass{article}
\begin{document}
🐸 Words in like contexts \citep{harris1954, firth1957, gone} have like meanings.
Words in like contexts have like meanings \cite{}. Frogs \nocite{harris1954} quak.
Mixed \cite{harris1954,?} words.

Ponds \cite{other} differ, while frogs \cite{bare} and \cite{} do not. Nothing else does.
\bibliography{refs}
\end{document}
%! refs.bib
@article{harris1954, author={Harris, Zellig}, title={Distributional structure}, year=1954,
  doi={10.1080/00437956.1954.11659520}, date-added={2026-03-09 10:00:00 +0000}}
@article{firth1957, author={Firth, J. R.}, title={A synopsis}, year=1957,
  abstract={A word is known by the company of words in its contexts.}}
@misc{bare, title={Frogs}, timestamp={2026-03-09}}
@misc{other, title={Ponds}, author={Other, A.}}
%! papers/harris1954.txt
𝔚ords 𝔸 like contexts have like meanings. Frogs have nothing to do with it.
"""
LINE = parse_fixture(PROJECT).text.split("\n")[2]


def check(name, value):
    Draft202012Validator(SCHEMAS[name], registry=REGISTRY).validate(value)
    return value


class Project:
    """A project in a folder, with a client of a real server."""

    def __init__(self, folder, encoding="utf-16", experimental=None, **environment):
        self.main = write_project(folder, PROJECT)
        self.text = parse_fixture(PROJECT).text
        capabilities = {
            "general": {"positionEncodings": [encoding]},
            "experimental": experimental or {},
        }
        self.client = Client(folder, capabilities=capabilities, environment=environment)
        self.client.open(self.main, self.text)
        self.encoding = encoding

    @property
    def document(self):
        return self.client.about(self.main)

    def indexed(self):
        while self.ask("pincite/status", {})["state"] == "reading":
            pass
        return self

    def ask(self, method, params):
        asked, answered = ASKED[method]
        answer = self.client.request(method, check(asked, params))
        assert "error" not in answer, answer
        return None if answer["result"] is None else check(answered, answer["result"])

    def at(self, place, behind=0):
        """Return the parameters for a place, `behind` so many characters from its start."""
        before = self.text[: self.text.index(place) + behind].split("\n")
        return self.client.at(self.main, len(before) - 1, units(before[-1], self.encoding))

    def evidence(self, place, behind=1, **more):
        return self.ask("pincite/evidence", {**self.at(place, behind), **more})

    def recommendations(self, place, behind=1, **more):
        return self.ask("pincite/recommendations", {**self.at(place, behind), **more})


@pytest.fixture(name="begin")
def projects_of_a_test(tmp_path):
    """Return a function that begins a project; its client ends with the test."""
    begun = []

    def begin(folder=tmp_path, **options):
        begun.append(Project(folder, **options))
        return begun[-1]

    yield begin
    for project in begun:
        project.client.close()


@pytest.fixture(name="project", scope="module")
def project_that_is_read(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("project")).indexed()
    yield project
    project.client.close()


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_schemas_of_the_page_are_schemas(name):
    Draft202012Validator.check_schema(SCHEMAS[name])


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["method"])
def test_the_examples_of_the_page_fit_its_schemas(example):
    asked, answered = ASKED[example["method"]]
    check(asked, example["params"])
    check(answered, example["result"])


@pytest.mark.parametrize("name", sorted(SCHEMAS.keys() & WIRE.keys()))
def test_the_page_has_every_property_and_no_other(name):
    schema, fields = SCHEMAS[name], msgspec.structs.fields(WIRE[name])
    own = {"textDocument"} if name.endswith("Params") else {"uri"}
    properties = set(schema["properties"]) - {"workDoneToken"}
    assert properties == own | {field.encode_name for field in fields}
    required = own | {field.encode_name for field in fields if field.required}
    assert set(schema["required"]) == required


def test_the_page_describes_every_message():
    assert WIRE.keys() <= SCHEMAS.keys()
    strengths = SCHEMAS["Supporting"]["properties"]["strength"]["enum"]
    assert strengths == list(get_args(Strength))
    assert SCHEMAS["DraftFinding"]["properties"]["kind"]["enum"] == list(ALL_KINDS)
    assert set(SCHEMAS["LibraryProblem"]["properties"]["kind"]["enum"]) == set(ADVICE)
    assert SCHEMAS["CheckParams"]["properties"]["report"]["enum"] == ["html", "markdown"]


def test_a_verdict_has_the_numbers_of_the_draft():
    numbers = AttributedNumber("86 %", "elsewhere", "p. 5"), AttributedNumber("63 %", "missing")
    answered = wire.verdict(Verdict("supported", "strong", 9, None, numbers))
    assert check("Verdict", answered)["numbers"] == [
        {"written": "86 %", "status": "elsewhere", "place": "p. 5"},
        {"written": "63 %", "status": "missing"},
    ]
    assert "numbers" not in wire.verdict(Verdict("supported", "strong", 9))


def test_evidence_has_all_works_of_the_citation(project):
    found = project.evidence("firth1957")
    assert [work["key"] for work in found["works"]] == ["harris1954", "firth1957", "gone"]
    assert found["key"] == "firth1957"
    assert found["citance"] == "🐸 Words in like contexts have like meanings."
    assert found["complete"]
    harris, firth, gone = found["works"]
    assert (harris["authorYear"], harris["basis"]) == ("Harris 1954", ["full text"])
    assert harris["doi"] == "10.1080/00437956.1954.11659520"
    assert harris["file"].endswith("/papers/harris1954.txt")
    assert harris["entry"]["uri"].endswith("/refs.bib")
    assert harris["entry"]["range"]["start"] == {"line": 0, "character": 9}
    assert firth["supporting"][0]["section"] == "Abstract"
    assert firth["remark"] == "From the abstract."
    assert gone["basis"] == []
    assert gone["remark"] == "No bibliography of the draft has the key `gone`."
    assert gone["verdict"]["reason"] == "undefined key"
    assert harris["verdict"]["kind"] == firth["verdict"]["kind"] == "supported"
    assert harris["verdict"]["text"] == f"supported ({harris['supporting'][0]['strength']})"
    # Matched words are in UTF-16 units of the sentence.
    (supporting,) = harris["supporting"]
    encoded = supporting["text"].encode("utf-16-le")
    marked = {
        encoded[2 * start : 2 * end].decode("utf-16-le") for start, end in supporting["matched"]
    }
    assert {"like", "contexts", "meanings"} <= marked
    assert project.ask("pincite/evidence", project.client.at("file:///nowhere.tex")) is None


@pytest.mark.parametrize("encoding", ["utf-8", "utf-32"])
def test_ranges_are_in_the_units_of_the_client(begin, encoding):
    project = begin(encoding=encoding)
    found = project.evidence("harris1954, firth")
    frog = {"utf-8": 4, "utf-32": 1}[encoding]
    start = found["range"]["start"]["character"]
    assert start == LINE.index("\\citep") - 1 + frog
    assert found["range"]["end"]["character"] == start + len("\\citep{harris1954, firth1957, gone}")


GAP = "Words in like contexts have like meanings \\cite{}"


@pytest.mark.parametrize(
    ("place", "behind", "range_of", "keys", "is_gap"),
    [
        ("\\cite{}", 6, "\\cite{}", None, True),
        ("\\cite{harris1954,?}", 8, "\\cite{harris1954,?}", ["harris1954"], True),
        # Anywhere in a sentence its citations are shown, else what fits its gap, or its end.
        ("Ponds ", 3, "\\cite{other}", ["other", "bare"], False),
        ("while frogs", 3, "\\cite{other}", ["other", "bare"], False),
        (GAP, 1, "\\cite{}", None, True),
        ("Nothing else", 3, "", None, False),
    ],
)
def test_what_evidence_is_shown_where(project, place, behind, range_of, keys, is_gap):
    found = project.evidence(place, behind)
    works = [work["key"] for work in found["works"]]
    # The first three works are shown where there are no keys.
    assert works == keys if keys else len(works) == 3
    assert (found["placeholder"], found.get("key")) == (is_gap, keys[0] if behind == 8 else None)
    start = project.at(range_of, 0) if range_of else project.at("Nothing else does.", 17)
    assert found["range"]["start"] == start["position"]
    length = found["range"]["end"]["character"] - found["range"]["start"]["character"]
    assert length == len(range_of)
    assert "score" in found["works"][0] or keys


def test_there_is_no_evidence_elsewhere_but_any_entry_can_be_asked_about(project):
    for place in ("Frogs", "\\nocite{harris1954}", "\\documentclass"):
        assert project.evidence(place, behind=3) is None
    for place in ("\\cite{}", "have like", "harris1954"):
        (work,) = project.evidence(place, behind=3, key="firth1957")["works"]
        assert (work["key"], bool(work["supporting"])) == ("firth1957", True)


def test_recommendations_are_ranked_with_their_reasons(project):
    found = project.recommendations("\\cite{}", behind=6)
    assert found["placeholder"]
    items = {item["key"]: item for item in found["items"]}
    harris = items["harris1954"]
    assert 0.0 < harris["score"] < 1.0
    assert harris["internal"] > 0.0 == harris["external"]
    assert "meanings" in harris["matched"]
    scores = [item["score"] for item in found["items"]]
    assert scores == sorted(scores, reverse=True)
    assert not any("supporting" in item for item in found["items"])
    elsewhere = project.recommendations("Frogs")
    assert elsewhere["range"]["start"] == elsewhere["range"]["end"]
    assert (elsewhere["placeholder"], elsewhere["cited"]) == (False, [])
    assert project.ask("pincite/recommendations", project.client.at("file:///no.tex")) is None


def test_recommendations_may_be_few_and_with_sentences(project):
    found = project.recommendations("harris1954", limit=2, supporting=1)
    assert found["cited"] == ["harris1954", "firth1957", "gone"]
    first, second = found["items"]
    assert first["supporting"][0]["text"].startswith("𝔚ords")
    assert "supporting" not in second
    assert project.recommendations("harris1954", limit=-1)["items"] == []


def test_recommendations_may_be_searched_by_what_is_typed(project):
    by_author = project.recommendations("\\cite{}", behind=6, typed="firth")
    assert [work["key"] for work in by_author["items"]] == ["firth1957"]
    by_title = project.recommendations("\\cite{}", behind=6, typed=" structure ")
    assert [work["key"] for work in by_title["items"]] == ["harris1954"]
    assert project.recommendations("\\cite{}", behind=6, typed="nobody")["items"] == []


def test_recommendations_may_be_in_the_order_of_adding(project):
    found = project.recommendations("\\cite{}", behind=6, newest=True, supporting=4)["items"]
    # Where nothing notes the time, the last one in the file is the newest.
    assert [work["key"] for work in found] == ["harris1954", "bare", "other", "firth1957"]
    assert found[3]["supporting"]
    some = project.recommendations("\\cite{}", behind=6, newest=True, typed="fr")["items"]
    assert [work["key"] for work in some] == ["bare"]


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_what_notes_no_time_was_added_when_git_has_the_line_of_its_key_from(begin, tmp_path):
    project = begin()
    bibliography = tmp_path / "refs.bib"
    # The first lines of both are the same.
    text = bibliography.read_text().replace("@article{firth1957,", "@misc{\n firth1957,")
    text = text.replace("@misc{other,", "@misc{\n other,")
    who = ("git", "-c", "user.name=A", "-c", "user.email=a@b.c")
    subprocess.run((*who, "init", "-q"), cwd=tmp_path, check=True)
    for replaced, day in (("firth1957", "2020-01-01"), ("none", "2026-04-01")):
        bibliography.write_text(text.replace(f" {replaced},", " not_yet,"))
        subprocess.run((*who, "add", "."), cwd=tmp_path, check=True)
        commit = (*who, "commit", "-q", "-m", day, f"--date={day}T12:00:00")
        subprocess.run(commit, cwd=tmp_path, check=True)

    def keys():
        found = project.recommendations("\\cite{}", behind=6, newest=True)["items"]
        return [work["key"] for work in found]

    eventually(
        lambda: keys() == ["firth1957", "harris1954", "bare", "other"], "git's times are used"
    )


def test_the_status_of_a_part_names_the_main_file_that_counts(begin, tmp_path):
    project = begin()
    chapter, text = tmp_path / "own.tex", "\\documentclass{standalone}\\cite{bare,never}"
    thesis = tmp_path / "my thesis.tex"
    thesis.write_text("\\documentclass{book}\\input{own}\\bibliography{refs}")
    chapter.write_text(text)
    project.client.open(chapter, text)
    asked = project.client.about(chapter)
    assert project.ask("pincite/status", asked)["main"] == thesis.as_uri()
    assert "main" not in project.ask("pincite/status", project.document)
    found = project.client.problems(chapter)
    undefined = [each["message"] for each in found if each["code"] == "undefined-key"]
    assert [("never" in each, "bare" in each) for each in undefined] == [(True, False)]


def test_the_library_shows_what_is_known_of_each_entry_and_what_is_wrong(project):
    found = project.ask("pincite/library", project.document)
    assert (found["draft"], found["complete"]) == ("main.tex", True)
    known = {entry["key"]: entry for entry in found["entries"]}
    bases = {"harris1954": "full text", "firth1957": "abstract", "bare": "title", "other": "title"}
    assert {key: entry["basis"] for key, entry in known.items()} == bases
    assert known["harris1954"]["file"].endswith("/papers/harris1954.txt")
    assert "file" not in known["firth1957"]
    assert (known["harris1954"]["authorYear"], known["bare"]["title"]) == ("Harris 1954", "Frogs")
    (problem,) = known["bare"]["problems"]
    assert (problem["kind"], problem["what"]) == ("title-only", "only the title is known")
    assert problem["advice"] == ADVICE["title-only"]
    entry = known["bare"]["entry"]
    assert entry["uri"] == project.main.with_name("refs.bib").as_uri()
    assert entry["range"]["start"] == {"line": 4, "character": len("@misc{")}
    assert found["counts"]["fullText"] == 1
    assert project.ask("pincite/library", project.client.about("file:///nowhere.tex")) is None


def test_duplicates_are_merged_by_one_edit(begin, tmp_path):
    project = begin()
    other = "@article{harris, author={Harris, Zellig S.}, title={Distributional structure}, year=1954,\n  volume=10}\n"
    left = "@misc{bare, title={Toads and other animals}}\n"
    refs = tmp_path / "refs.bib"
    refs.write_text(refs.read_text() + other + left)
    talk = tmp_path / "talk.tex"
    talk.write_text("\\documentclass{beamer}\\cite{harris}\\bibliography{refs}")
    project.client.report_changed(refs)
    project.client.report_changed(talk, kind=1)
    found = project.ask("pincite/merging", project.document)
    (merge,) = found["merges"]
    assert (merge["kept"]["key"], merge["gone"][0]["key"]) == ("harris1954", "harris")
    (unmerged,) = found["unmerged"]
    assert [each["key"] for each in unmerged["entries"]] == ["bare", "bare"]
    edits = edits_of(found["edit"])
    assert applied(talk.read_text(), edits["talk.tex"]).count("\\cite{harris1954}") == 1
    after = applied(refs.read_text(), edits["refs.bib"])
    assert after.count("Distributional") == 1
    assert "volume = 10" in after
    assert "author={Harris, Zellig S.}" in after.replace(" = ", "=")
    assert list(edits) == found["files"]


def test_the_check_finds_what_is_wrong_in_the_draft(project):
    found = project.ask("pincite/check", project.document)
    assert (found["draft"], found["complete"]) == ("main.tex", True)
    findings = [(each["kind"], each["key"], each["line"]) for each in found["findings"]]
    assert findings == [
        ("undefined-key", "gone", 3),
        ("placeholder", "", 4),
        ("placeholder", "", 5),
        ("title-only", "other", 7),
        ("title-only", "bare", 7),
        ("placeholder", "", 7),
    ]
    first = found["findings"][0]
    assert first["sentence"] == "🐸 Words in like contexts have like meanings."
    # Columns count code points, the location is in the units of the client.
    assert first["column"] == LINE.index("gone") + 1
    start = first["location"]["range"]["start"]
    assert start == {"line": 2, "character": LINE.index("gone") + 1}
    assert first["location"]["uri"] == project.main.as_uri()
    verdicts = found["verdicts"]
    unchecked = [(each["key"], each["verdict"]["reason"]) for each in verdicts["unchecked"]]
    assert verdicts["notChecked"] == len(unchecked)
    assert {("gone", "undefined key"), ("bare", "title only")} <= set(unchecked)
    assert verdicts["text"].startswith(f"{verdicts['citations']} citations: ")
    some = project.ask("pincite/check", {**project.document, "kinds": ["undefined-key"]})
    assert "verdicts" not in some
    assert [each["kind"] for each in some["findings"]] == ["undefined-key"]
    assert project.ask("pincite/check", project.client.about("file:///nowhere.tex")) is None
    assert "report" not in found
    for report, begins in (("html", "<!doctype html>"), ("markdown", "# Claim check of main.tex")):
        found = project.ask("pincite/check", {**project.document, "report": report})
        assert found["report"].startswith(begins)
        assert "main.tex:3:" in found["report"]


def test_a_problem_in_an_entry_has_its_place(begin):
    project = begin()
    bibliography = project.main.with_name("refs.bib")
    entries = "@misc{🐸, title={A}}\n@misc{b, title={B} year=2000}\n@misc{🐸, title={C}}\n"
    project.client.open(bibliography, entries, "bibtex")
    found = project.indexed().ask("pincite/library", project.document)
    problems = {each["kind"]: each for entry in found["entries"] for each in entry["problems"]}
    places = {
        kind: problems[kind]["location"]["range"] for kind in ("repeated-key", "broken-entry")
    }
    assert places["repeated-key"]["start"] == {"line": 2, "character": len("@misc{")}
    assert places["repeated-key"]["end"] == {"line": 2, "character": len("@misc{") + 2}
    assert places["broken-entry"]["start"]["line"] == 1


def test_the_library_shows_what_a_base_folder_would_mend(begin, tmp_path):
    project = begin(tmp_path / "draft")
    names = ["/home/ann/Zotero/storage/AB/frogs.txt", "files/12/ponds.txt"]
    entries = [f"@misc{{m{n}, title={{M{n}}}, file={{{name}}}}}" for n, name in enumerate(names)]
    project.client.open(project.main.with_name("refs.bib"), "\n".join(entries), "bibtex")
    project.indexed()

    def missing(**more):
        asked = {**project.document, **more}
        return project.ask("pincite/library", asked)["counts"]["missingFiles"]

    for place in ("AB/frogs.txt", "12/ponds.txt"):
        (tmp_path / "here" / place).parent.mkdir(parents=True)
        (tmp_path / "here" / place).write_text("Frogs live in ponds.")
    assert missing() == 2
    assert missing(baseFolders=[str(tmp_path)]) == 2
    assert missing(baseFolders=[str(tmp_path / "here")]) == 0
    # Nothing is remembered of the question.
    assert missing() == 2


def test_the_check_reports_its_progress(project):
    for token in ("one", 7):
        project.ask("pincite/check", {**project.document, "workDoneToken": token})
        # It ends before the answer.
        progress = project.client.sent("$/progress")
        kinds = [each["value"]["kind"] for each in progress if each["token"] == token]
        assert (kinds[0], kinds[-1]) == ("begin", "end")
        assert (kinds.count("begin"), kinds.count("end")) == (1, 1)


@pytest.mark.parametrize(
    ("method", "params", "message"),
    [
        ("evidence", None, "an object is expected"),
        ("evidence", [1], "an object is expected"),
        ("evidence", {}, "missing required field `textDocument`"),
        ("evidence", {"textDocument": {"uri": 5}}, "Expected `str`, got `int` - at `$.textDocument.uri`"),
        ("evidence", {"position": {"line": "1", "character": 0}}, "Expected `int`, got `str` - at `$.position.line`"),
        ("evidence", {"position": {"line": -1, "character": 0}}, "was -1. - at `$.position`"),
        ("evidence", {"position": {"line": 0, "character": 0}, "key": 3}, "at `$.key`"),
        ("check", {"report": "pdf"}, "at `$.report`"),
        ("check", {"kinds": ["typo"]}, "at `$.kinds"),
        ("check", {"kinds": "placeholder"}, "at `$.kinds`"),
        ("check", {"workDoneToken": 1.5}, ""),
    ],
)  # fmt: skip
def test_wrong_parameters_are_reported(project, method, params, message):
    if isinstance(params, dict) and params and "textDocument" not in params:
        params = {**project.document, **params}
    error = project.client.request(f"pincite/{method}", params)["error"]
    assert error["code"] == -32602
    assert message in error["message"]
    assert project.evidence("firth1957") is not None


def test_clients_that_follow_the_status_get_how_far_papers_are_read(begin):
    project = begin(experimental={"pinciteStatus": True})
    while (changed := project.client.wait_for("pincite/statusChanged"))["done"] != 1:
        assert check("StatusChanged", changed)["papers"] == 1
    known = {"draft": "main.tex", "done": 1, "read": 1, "papers": 1}
    assert check("StatusChanged", changed) == known
    known = {"entries": 4, "fullTexts": 1, "abstracts": 1, "titles": 2}
    known |= {"state": "ready", "broken": 0}
    assert project.ask("pincite/status", project.document) == known
    assert project.ask("pincite/status", {}) == known
    nowhere = project.ask("pincite/status", project.client.about("file:///nowhere.tex"))
    assert nowhere["entries"] == 0
    assert project.client.request("pincite/status", None)["result"] == known


def test_other_clients_get_no_notification_that_they_do_not_know(project):
    assert "pincite/statusChanged" not in project.client.methods()


def test_a_bib_item_has_its_place(begin):
    project = begin()
    item = "\\begin{thebibliography}{9}\\bibitem{harris1954} Z. Harris.\\end{thebibliography}"
    project.text = project.text.replace("\\bibliography{refs}", item)
    project.client.open(project.main, project.text)
    entry = project.evidence("harris1954")["works"][0]["entry"]
    assert entry["uri"].endswith("/main.tex")
    assert entry["range"]["start"]["line"] == 7


def test_the_page_names_every_method_and_command():
    page, handlers = DOCUMENT.read_text(), Server().connection.handlers
    standard = ("textDocument/did", "workspace/did", "initialize", "shutdown")
    asked = [name for name in handlers if not name.startswith((*standard, "exit"))]
    assert [name for name in (*asked, *commands.NAMES) if f"`{name}`" not in page] == []


def test_a_broken_entry_of_a_file_that_is_closed_is_published_and_counted(begin, tmp_path):
    project = begin()
    bibliography = tmp_path / "refs.bib"
    whole = bibliography.read_text()
    bibliography.write_text(whole + "@misc{cut, title={Frogs and\n")
    project.client.report_changed(bibliography)

    def published(count):
        while True:
            sent = project.client.wait_for("textDocument/publishDiagnostics")
            if sent["uri"] == bibliography.as_uri() and len(sent["diagnostics"]) == count:
                return sent["diagnostics"]

    assert published(1)[0]["code"] == "broken-entry"
    assert project.ask("pincite/status", {})["broken"] == 1
    bibliography.write_text(whole)
    project.client.report_changed(bibliography)
    assert published(0) == []
    assert project.ask("pincite/status", {})["broken"] == 0
