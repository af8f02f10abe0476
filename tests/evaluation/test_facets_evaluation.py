"""Discourse facets: what is read, how it is scored, and the command, on corpora made by hand."""

import json
import sys

import numpy as np
import pytest
from lxml import html
from typer.testing import CliRunner

from annotated_paper import write_test, write_training
from pincite.model.problems import InputError
from pincite_evaluation.cited_text.run import Choices
from pincite_evaluation.commands.evaluate import app
from pincite_evaluation.corpora.scisumm import read_scisumm
from pincite_evaluation.facets.run import (
    CONSTANT,
    MAJORITY,
    PERCEPTRONS,
    RANDOM_FOLDS,
    SELECTED,
    by_facet,
    confusion,
    macro,
    official_facets,
    written,
)
from pincite_evaluation.facets.training import (
    FACETS,
    cross_validate,
    facets_in,
    fit,
    samples,
)
from pincite_evaluation.results import Measure

SENTENCES = (
    "On Charts",
    "Our method fills a chart with an algorithm.",
    "Results show that accuracy rises by points.",
    "Our aim is to parse faster.",
)
#: Citation text, sentence, facet: each facet has words of its own.
ROWS = (
    ("They use the method, an algorithm that fills charts.", "1", "Method_Citation"),
    ("The algorithm of the method fills any chart.", "1", "Method Citation"),
    ("Accuracy rises by points in their results.", "2", "Results_Citation"),
    ("Their aim is to parse faster.", "3", "['Aim_Citation','Method_Citation']"),
)


@pytest.fixture(autouse=True)
def _trainer():
    pytest.importorskip("sklearn")
    pytest.importorskip("simplemma")


def write_corpus(corpus, papers=6, rows=ROWS):
    cited = [(f"C{n}", *row) for n, row in enumerate(rows, start=1)]
    return write_training(corpus, {f"A0{n}-0001": (SENTENCES, cited) for n in range(papers)})


@pytest.fixture(name="corpus")
def small_corpus(tmp_path):
    return write_corpus(tmp_path / "data")


def run(*arguments):
    options = ("--system", "tfidf", "--jobs", "1")
    return CliRunner().invoke(app, ["facets", *map(str, arguments), *options])


# Reading ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "facets"),
    [
        ("Method_Citation", ("Method",)),
        ("Method Citation", ("Method",)),
        ("'method_Citation'", ("Method",)),
        ("Result_Citation", ("Results",)),
        ("['Results_Citation','Aim_Citation']", ("Aim", "Results")),
        ("['Method_Citation', 'Method_Citation']", ("Method",)),
        ("Implication_Citation | ", ("Implication",)),
        (None, ()),
        ("NA", ()),
        ("Methodology", ()),
    ],
)
def test_spellings_of_facets(field, facets):
    assert facets_in(field) == facets


def test_samples_have_gold_sentences_or_those_that_a_system_chose(corpus):
    read = read_scisumm(corpus, "train")
    gold = samples(read)
    assert len(gold) == 24
    assert gold[2].sentences == (SENTENCES[2],)
    assert gold[3].facets == ("Aim", "Method")
    chosen = [Choices((((3, 1.0), (0, 1.0)), (), ((1, 1.0),), ((2, 1.0),)), 0.0)] * 6
    selected = samples(read, chosen)
    assert [each.sentences for each in selected[:3]] == [
        (SENTENCES[3], SENTENCES[0]),
        (),
        (SENTENCES[1],),
    ]
    assert [each.facets for each in selected] == [each.facets for each in gold]


@pytest.mark.parametrize("spelling", ["Result_Citation", "Results_Citation", "result citation"])
def test_results_are_submitted_as_the_gold_spells_them(tmp_path, spelling):
    rows = [(text, sid, facet.replace("Results_Citation", spelling)) for text, sid, facet in ROWS]
    read = read_scisumm(write_corpus(tmp_path, papers=2, rows=rows), "train")
    assert written("Results", read) == spelling.lower().replace(" ", "_")
    assert written("Aim", read) == "aim_citation"
    (counts,) = official_facets(
        read.papers[0], [["9"], [], ["2"], []], [[written("Results", read)]] * 4
    )
    # One right; of the first the sentence is wrong, the others are no rows: four facets missed.
    assert (counts.tp, counts.fp, counts.fn) == (1, 0, 4)


# Scores -------------------------------------------------------------------------------------------


def test_scores_by_hand():
    wanted = np.array([[1, 0], [1, 1], [0, 1]], bool)
    answered = np.array([[1, 1], [1, 0], [0, 1]], bool)
    first, second = by_facet(wanted, answered)
    assert (first.tp, first.fp, first.fn) == (2, 0, 0)
    assert (second.tp, second.fp, second.fn) == (1, 1, 1)
    assert confusion(wanted, np.array([0, 0, 1])) == [[2, 0], [1, 1]]
    found = macro([Measure(0.5, 0.25, 0.3), Measure(1.0, 0.0, 0.0)])
    assert (found.precision, found.recall) == (0.75, 0.125)
    assert found.f1 == pytest.approx(2 * 0.75 * 0.125 / 0.875)
    assert macro([]) == Measure(0.0, 0.0, 0.0)


# Training -----------------------------------------------------------------------------------------


def test_no_paper_trains_its_own_classifier(corpus):
    gold = samples(read_scisumm(corpus, "train"))
    trained = cross_validate(gold)
    (own, *_) = (fold for fold in trained.folds if gold[0].paper in fold.held_out)
    alone = fit([each for each in gold if each.paper not in own.held_out])
    texts = ("Accuracy rises.", "The aim is a chart.")
    found = trained.of(gold[0].paper)
    np.testing.assert_array_equal(found.decisions(texts), alone.decisions(texts))
    assert trained.of("another") is trained.of_all


def test_what_cannot_be_trained_is_reported(corpus, monkeypatch):
    gold = samples(read_scisumm(corpus, "train"))
    with pytest.raises(InputError, match="at least 2 are needed"):
        cross_validate(gold[:4])
    with pytest.raises(InputError, match="no sample"):
        fit([])
    monkeypatch.setitem(sys.modules, "simplemma", None)
    with pytest.raises(InputError, match=r"pip install 'pincite\[facets\]'"):
        fit(gold)


# The command --------------------------------------------------------------------------------------


def test_the_command_on_facets_that_words_show(corpus, tmp_path):
    out, records = tmp_path / "out.json", tmp_path / "out.jsonl"
    done = run(corpus, "--json", out, "--records", records)
    assert done.exit_code == 0, done.output
    found = json.loads(out.read_text("utf-8"))
    rows = {row["answers"]: row for row in found["rows"]}
    assert list(rows) == [PERCEPTRONS, SELECTED, RANDOM_FOLDS, CONSTANT, MAJORITY]
    assert (found["papers"], found["samples"], found["k"]) == (6, 24, 2)

    # All papers are alike, so what is learnt from some holds for the others.
    assert rows[PERCEPTRONS]["accuracy"]["value"] == 1.0
    assert rows[PERCEPTRONS]["micro"]["f1"] == 1.0
    # Two of four are of the method only; of five facets three are found, with one wrong answer.
    for name in (CONSTANT, MAJORITY):
        assert rows[name]["accuracy"]["value"] == 0.5
        assert rows[name]["micro"]["precision"] == pytest.approx(3 / 4)
        assert rows[name]["micro"]["recall"] == pytest.approx(3 / 5)
        assert rows[name]["facets"]["Method"]["recall"] == 1.0
        assert rows[name]["facets"]["Results"] == dict.fromkeys(
            ("precision", "recall", "f1"), 0.0
        ) | {"samples": 6}
        assert rows[name]["macro"]["f1"] == pytest.approx(6 / 7 / 5)
    assert rows[CONSTANT]["confusion"][FACETS.index("Results")] == [0, 0, 0, 6, 0]

    # The sentences are all found, so the official script compares all facets.
    assert found["sentences"]["recall"] == 1.0
    assert rows[PERCEPTRONS]["official"]["counts"]["fn"] == 0
    assert rows[CONSTANT]["official"]["counts"] == {"tp": 18, "fp": 6, "fn": 12}
    assert rows[SELECTED]["official"] is None
    by_k = {curve["system"]: curve["points"] for curve in found["official_f1_by_k"]}
    assert [k for k, _ in by_k[CONSTANT]] == list(range(1, 9))

    (gold, official) = found["differences"]
    assert gold["difference"] == pytest.approx(1 - 2 / 3)
    assert gold["verdict"] == "perceptrons is better"
    assert official["measure"] == "official F1"
    assert "always Method" in done.output

    lines = [json.loads(line) for line in records.read_text("utf-8").splitlines()]
    assert len(lines) == 24
    assert lines[3]["gold"] == lines[3]["answered"] == ["Aim", "Method"]
    assert list(lines[0]["decisions"]) == list(FACETS)


def test_the_reports(corpus, tmp_path):
    pytest.importorskip("matplotlib")
    for name in ("first.html", "second.html", "out.md"):
        done = run(corpus, "--report", tmp_path / name)
        assert done.exit_code == 0, done.output
    first = (tmp_path / "first.html").read_text("utf-8")
    assert first == (tmp_path / "second.html").read_text("utf-8")
    page = html.fromstring(first)
    captions = [each.text for each in page.iter("caption")]
    assert len(captions) == len(set(captions)) == 6
    (grid,) = (t for t in page.iter("table") if "Gold facets by answers" in t.findtext("caption"))
    body = [[cell.text for cell in line] for line in grid.find("tbody")]
    assert [line[0] for line in body] == list(FACETS)
    assert body[FACETS.index("Results")][1:] == ["0", "0", "0", "0", "6"]
    images = list(page.iter("img"))
    assert len(images) == 2
    assert all(image.get("alt") and image.get("src").startswith("data:") for image in images)
    for table in page.iter("table"):
        widths = {len(line) for line in table.iter("tr")}
        assert len(widths) == 1

    markdown = (tmp_path / "out.md").read_text("utf-8")
    lines = [line for line in markdown.splitlines() if line.startswith("|")]
    assert sum(line.startswith("| always Method") for line in lines) == 3
    assert any(
        line.startswith("| UniHD, Table 3 (random fifth)") and "71.1" in line for line in lines
    )


def test_the_test_split_is_answered_by_what_the_training_papers_taught(corpus, tmp_path):
    rows = [("C1", "Accuracy rises by points.", "2", "2", "2")]
    write_test(corpus, {"B01-0001": (SENTENCES, rows)}, "abc", "Result_Citation")
    out = tmp_path / "out.json"
    done = run(corpus, "--split", "test", "--json", out)
    assert done.exit_code == 0, done.output
    found = json.loads(out.read_text("utf-8"))
    rows = {row["answers"]: row for row in found["rows"]}
    assert RANDOM_FOLDS not in rows
    assert found["samples"] == 3
    assert rows[PERCEPTRONS]["accuracy"]["value"] == 1.0
    assert rows[PERCEPTRONS]["official"]["counts"] == {"tp": 3, "fp": 0, "fn": 0}
    assert rows[MAJORITY]["official"]["micro"]["f1"] == 0.0
    assert run(corpus, "--split", "test", "--report", tmp_path / "out.md").exit_code == 0
    assert "CIST 2019" in (tmp_path / "out.md").read_text("utf-8")
