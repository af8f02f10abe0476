"""`pincite evaluate drafts`: what it writes, the same wherever it is computed, and its errors."""

import json
from functools import partial

import numpy as np
import pytest

from pincite.model.problems import InputError
from pincite_evaluation.drafts.rankers import RankerKind, chosen
from pincite_evaluation.drafts.run import evaluate
from small_drafts import article, draft, listed, two_files

FIGURES = "ranker situation items top1 top3 top5 top10 mrr first repeat".split()
PROJECT = "name group items entries with_abstract cited_share language rows".split()


@pytest.fixture(name="paths")
def small_projects(tmp_path):
    two_files(tmp_path / "one")
    draft(tmp_path / "two", [("Moss on walls", ["moss"]), ("Kelp and reeds", ["kelp", "reed"])])
    mains = {"one": "one/main.tex", "two": "two/main.tex", "gone": "gone.tex"}
    (tmp_path / "empty.tex").write_text("")
    body = "Moss grows on damp walls [1]. Reeds hold the marsh [5][1]."
    return [
        listed(tmp_path / "drafts.json", {**mains, "empty": "empty.tex"}),
        article(tmp_path / "walls.xml", body),
    ]


@pytest.fixture(name="run")
def run_command(pincite):
    return partial(pincite, "evaluate", "drafts")


def test_what_the_command_writes(run, paths, tmp_path):
    out = {name: tmp_path / name for name in ("out.json", "out.jsonl", "out.html", "out.md")}
    options = ("--json", out["out.json"], "--records", out["out.jsonl"], "--jobs", 1)
    status, printed = run(*paths, *options, "--report", out["out.html"])
    assert status == 0
    assert printed.err.count("gone.tex") == 1
    assert "empty.tex: it cites nothing that its bibliography has" in printed.err
    assert printed.out.startswith("writing")
    assert "12 citations of 3 projects, 1 left out" in " ".join(printed.out.split())
    found = json.loads(out["out.json"].read_text("utf-8"))
    for row in found["rows"]:
        assert row.keys() == {*FIGURES, "group", "projects", "top1_ci95"}
        assert row["first"].keys() == row["repeat"].keys() == {"items", "top1", "top5"}
    for project in found["projects"]:
        assert list(project) == PROJECT
        assert all(row.keys() == {*FIGURES} for row in project["rows"])
    names = [kind.name for kind in chosen()]
    assert [row["ranker"] for row in found["rows"] if row["group"] == "all"] == names * 3
    groups = [str(path) for path in paths]
    assert {row["group"] for row in found["rows"]} == {*groups, "all"}
    assert [(p["name"], p["items"]) for p in found["projects"]] == [
        ("one", 7),
        ("two", 2),
        ("walls", 3),
    ]
    records = [json.loads(line) for line in out["out.jsonl"].read_text("utf-8").splitlines()]
    assert len(records) == 12 * len(names) * 3
    first = records[0]
    assert (first["project"], first["group"], first["place"]) == ("one", groups[0], 1)
    assert (first["cited"], first["first"], first["candidates"]) == (["moss"], True, 6)
    assert first["file"].endswith("main.tex")
    assert first["line"] == 5
    for kind in names:
        for situation in ("writing", "revising", "text only"):
            own = [
                r["rank"] == 1
                for r in records
                if (r["ranker"], r["situation"], r["project"]) == (kind, situation, "one")
            ]
            (row,) = [
                row
                for row in found["projects"][0]["rows"]
                if (row["ranker"], row["situation"]) == (kind, situation)
            ]
            assert row["top1"] == pytest.approx(sum(own) / len(own))
    page = out["out.html"].read_text("utf-8")
    assert "<script" not in page
    assert all(name in page for name in (*names, "Writing", "Text only", "walls", "empty"))
    status, printed = run(*paths, "--jobs", 1, "--ranker", "bm25", "--report", out["out.md"])
    assert status == 0
    report = out["out.md"].read_text("utf-8")
    assert report.count("\n| bm25") == 3 * 3
    assert "mixed" not in report


def test_the_same_wherever_it_is_computed(paths):
    pytest.importorskip("distributed", reason="needs Dask: pip install 'pincite[cluster]'")
    from distributed import LocalCluster

    here = evaluate(paths).json()
    assert evaluate(paths, jobs=2).json() == here
    with LocalCluster(n_workers=2, processes=False, dashboard_address=None) as dask:
        assert evaluate(paths, scheduler=dask.scheduler_address).json() == here


# What learns


@pytest.fixture(name="many")
def many_drafts(tmp_path):
    for number in range(6):
        draft(tmp_path / str(number), [("Moss on walls", ["moss"]), ("Kelp", ["kelp"])])
    return [
        listed(tmp_path / "some.json", {f"p{n}": f"{n}/main.tex" for n in range(4)}),
        listed(tmp_path / "more.json", {f"p{n}": f"{n}/main.tex" for n in (4, 5)}),
    ]


def learned(models):
    """A kind whose model is the names of the projects that it was trained on."""

    def prepare(project, model):
        assert project.name not in model
        models.append(model)
        return lambda _place, _situation: np.zeros(len(project.keys))

    return RankerKind(
        "learned",
        prepare,
        lambda lists: frozenset(each.name for each in lists),
        lambda path: frozenset({"packaged" if path is None else path.name}),
    )


def test_projects_are_held_out_whole(many):
    models = []
    result = evaluate(many, [learned(models), *chosen(["bm25"])], folds=3)
    assert result.folds == 3
    assert len(set(models)) == 3
    assert len(models) == 6
    assert all(len(model) == 4 for model in models)
    assert {row["ranker"] for row in result.rows} == {"learned", "bm25"}


def test_without_folds_the_packaged_model_ranks_or_that_of_a_file(many, tmp_path):
    models = []
    kind = learned(models)
    assert evaluate(many, [kind]).folds == 0
    assert set(models) == {frozenset({"packaged"})}
    models.clear()
    evaluate(many, [kind], model=tmp_path / "mine")
    assert set(models) == {frozenset({"mine"})}


def test_what_does_not_learn_ignores_folds(many):
    kinds = chosen(["alphabetical"])
    assert evaluate(many, kinds, folds=3).json() == evaluate(many, kinds).json()
    with pytest.raises(InputError, match="none of the rankers takes a model"):
        evaluate(many, kinds, model=many[0])


# Errors


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["gone.tex"], "gone.tex: no such file"),
        (["gone.json"], "gone.json: no such file"),
        (["main.tex", "--ranker", "best"], "unknown ranker 'best'"),
        (["main.tex", "--folds", "2", "--model", "x"], "--folds and --model cannot be combined"),
        (["main.tex", "--jobs", "1", "--scheduler", "x"], "cannot be combined"),
        (["main.tex", "--report", "out.txt"], "a report must end in .html or .md"),
        (["main.tex", "--json", "gone/out.json"], "cannot be written"),
        (["empty.tex"], "no draft cites anything that its bibliography has"),
        (["binary.tex"], "binary.tex: this is a binary file"),
        (["list.json"], "no draft to evaluate"),
    ],
)
def test_errors_are_one_line(run, tmp_path, monkeypatch, options, message):
    monkeypatch.chdir(tmp_path)
    two_files(tmp_path)
    (tmp_path / "empty.tex").write_text("")
    (tmp_path / "binary.tex").write_bytes(b"\0")
    listed(tmp_path / "list.json", {"one": "gone.tex"})
    status, printed = run(*options, *([] if "--jobs" in options else ["--jobs", "1"]))
    assert status == 2
    assert message in printed.err
    assert printed.err.count("\n") == 1
    assert printed.out == ""


def test_a_file_that_cannot_be_read_does_not_affect_others(run, paths, tmp_path):
    (tmp_path / "empty.tex").write_bytes(b"\0")
    status, printed = run(*paths, "--jobs", 1, "--ranker", "alphabetical")
    assert status == 0
    assert "empty.tex: this is a binary file" in printed.err
    assert "1 left out" in printed.out


# Real drafts


def test_the_articles_of_a_software_journal(shared):
    result = evaluate([shared / "data" / "articles" / "joss" / "drafts.json"], chosen(["mixed"]))
    (row,) = [row for row in result.rows if (row["situation"], row["group"]) == ("writing", "all")]
    assert (row["projects"], row["items"]) == (35, 425)
    # docs/explanation/evaluation.md
    assert row["top1"] == pytest.approx(0.437, abs=0.01)
    assert all(project.language == "en" for project in result.projects)
