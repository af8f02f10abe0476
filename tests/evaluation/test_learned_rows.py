"""`pincite evaluate resolution --ranker learned`: rows beside Table 1, by models of five folds."""

import json
from functools import partial

import numpy as np
import pytest

from pincite.ranking.learned import Calibration, LearnedModel
from pincite.settings import Window
from pincite.trees import TreeModel
from pincite_evaluation.collection import read_collection
from pincite_evaluation.resolution import protocol
from pincite_evaluation.resolution.protocol import (
    KNOWLEDGE,
    SITUATIONS,
    CollectionEvidence,
    folds_of,
    learned_ranks,
    lists_of_papers,
    papers_to_learn_from,
    papers_under_test,
)
from pincite_evaluation.resolution.run import (
    learned_rows,
    records,
)
from small_collections import backwards, renamed, topical_papers, write

pytestmark = pytest.mark.slow

TESTS = ["P02", "P05", "P11"]
TABLE_1 = ["--representation", "full-text", "--representation", "inlink-5", "--window", "5,5"]


@pytest.fixture(name="run")
def run_command(pincite, tmp_path):
    corpus = write(tmp_path / "papers.jsonl", topical_papers())
    (tmp_path / "tests.txt").write_text("\n".join(TESTS))
    options = ["--test-papers", tmp_path / "tests.txt", "--min-references", 6, "--jobs", 1]
    return partial(pincite, "evaluate", "resolution", corpus, *options)


def under_test(folder, papers, names):
    folder.mkdir(exist_ok=True)
    collection = read_collection(write(folder / "papers.jsonl", papers))
    tests = tuple(papers_under_test(collection, names, Window(20, 20), 6))
    return CollectionEvidence(collection, frozenset(names)), tests


def learned(evidence, tests, model=None):
    return learned_rows(tests, learned_ranks(evidence, [test.id for test in tests], model))


def model_of(feature: str, more_than: float = 0.0) -> LearnedModel:
    """Return a model of one split: more of a feature is better."""
    one = np.zeros(1)
    trees = TreeModel(
        features=(feature,),
        feature=np.zeros(1, np.int16),
        threshold=np.asarray([more_than], np.float32),
        default_left=np.ones(1, np.bool_),
        expected=one,
        parent=np.asarray([-1], np.int32),
        leaf=np.asarray([0.0, 1.0]),
        leaf_parent=np.asarray([0, 1], np.int32),
    )
    return LearnedModel(trees, Calibration())


@pytest.mark.usefixtures("trainer")
def test_learned_rows_come_after_those_of_table_1(run, tmp_path):
    outputs = ["--json", tmp_path / "out.json", "--records", tmp_path / "out.jsonl"]
    status, printed = run(*TABLE_1, "--ranker", "table-1", "--ranker", "learned", *outputs)
    assert (status, printed.err) == (0, "")
    found = json.loads((tmp_path / "out.json").read_text("utf-8"))
    rows = found["rows"]
    assert [row["representation"] for row in rows] == ["full-text", "inlink-5", *["learned"] * 6]
    assert "situation" not in rows[0]
    learned = rows[2:]
    assert [(row["situation"], row["knows"]) for row in learned] == [
        (situation, knows) for situation in SITUATIONS for knows in KNOWLEDGE
    ]
    for row in learned:
        assert row["window"] is None
        assert row.keys() == {*rows[0], "situation", "knows"}
        low, high = row["ci95"]
        # The words of the cited paper's title are before each citation.
        assert 0.5 < low <= row["accuracy"] <= high <= 1.0
        assert row["accuracy"] > found["chance"]
    assert {finding["claim"] for finding in found["findings"]} == {"external beats internal"}
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()]
    assert len(lines) == 8 * found["resolvable_citations"]
    own = [line for line in lines if line.get("knows") == "bibliography"]
    own = [line for line in own if line["situation"] == "text only"]
    right = sum(line["resolved"] for line in own) / len(own)
    assert right == pytest.approx(learned[0]["accuracy"])
    assert own[0]["window"] is None
    assert "text only" in printed.out
    assert "full texts and inlinks" in printed.out


@pytest.mark.usefixtures("trainer")
def test_ids_change_no_figure(tmp_path):
    rows = []
    for folder, papers, names in (
        ("one", topical_papers(), TESTS),
        ("two", renamed(topical_papers(), backwards), list(map(backwards, TESTS))),
    ):
        found = learned(*under_test(tmp_path / folder, papers, names))
        rows.append([row.figures for row in found.rows])
    assert rows[0] == rows[1]


def test_no_paper_is_ranked_by_what_learnt_from_it(tmp_path, monkeypatch):
    evidence, _ = under_test(tmp_path / "one", topical_papers(), TESTS)
    names = papers_to_learn_from(evidence.collection)
    folds = folds_of(evidence, names, TESTS, 5)
    assert folds.keys() == set(names)
    assert sorted(map(list(folds.values()).count, range(5))) == [2, 3, 3, 3, 3]
    assert len({folds[name] for name in TESTS}) == 3
    assert {own.name for own in lists_of_papers(evidence, names)} == set(names)

    learnt_from = []

    def train(lists):
        learnt_from.append({own.name for own in lists})
        return len(learnt_from) - 1

    monkeypatch.setattr(protocol, "train", train)
    trained = protocol.trained_by_folds(evidence, TESTS)
    assert trained.keys() == set(TESTS)
    for name, model in trained.items():
        assert learnt_from[model] == {other for other in names if folds[other] != folds[name]}
        assert name not in learnt_from[model]


def test_a_given_model_ranks_by_what_it_looks_at(tmp_path):
    evidence, tests = under_test(tmp_path / "one", topical_papers(), TESTS)
    found = learned(evidence, tests, model=model_of("title.sentence.bm25"))
    assert [row["accuracy"] for row in found.rows] == pytest.approx([found.rows[0]["accuracy"]] * 6)
    # A sentence has words of the title of the first that it cites, enough for the group.
    assert found.rows[0]["accuracy"] > 0.9
    # Inlink contexts are known in one column only.
    found = learned(evidence, tests, model=model_of("mixed.sentence.rel", 0.99))
    accuracy = [row["accuracy"] for row in found.rows]
    assert accuracy[0] != accuracy[2]
    assert accuracy[:3] == accuracy[3:]
    # What is cited before is known in one line only.
    found = learned(evidence, tests, model=model_of("cited.count"))
    ranks = np.concatenate(found.ranks, axis=1)
    assert (ranks[0] == ranks[1]).all()
    assert (ranks[0] != ranks[3]).any()
    assert (ranks[3] == ranks[5]).all()
    lines = list(records(tests, found))
    assert len(lines) == 6 * ranks.shape[1]
    assert found.correct.shape == (3, 6)
