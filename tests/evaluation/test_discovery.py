"""Hidden references are looked for around those that are left."""

import numpy as np
import pytest

from pincite.model.problems import InputError
from pincite_evaluation.collection import read_collection
from pincite_evaluation.discovery import RANKERS, Graph, RankedPool, evaluate, fitted_weight
from pincite_evaluation.resolution.protocol import CollectionEvidence
from small_collections import some_papers, topical_papers, write


def test_the_pool_is_what_is_left_cites_and_what_cites_it(tmp_path):
    collection = read_collection(write(tmp_path / "papers.jsonl", some_papers()))
    graph = Graph(CollectionEvidence(collection))
    for name, cited in graph.cites.items():
        own = graph.around(name)
        assert own.left | own.hidden == cited
        assert own.hidden
        assert not own.left & own.hidden
        assert name not in own.pool
        assert not own.pool & own.left
        for work in own.pool:
            connected = sum(
                work in graph.cites[left] or left in graph.cites[work] for left in own.left
            )
            assert connected > 0


def test_what_is_hidden_does_not_depend_on_ids(tmp_path):
    collection = read_collection(write(tmp_path / "papers.jsonl", some_papers()))
    graph = Graph(CollectionEvidence(collection))
    assert graph.around("P0") == graph.around("P0")
    assert graph.around("P0", seed=1).hidden != graph.around("P0", seed=2).hidden


def test_the_rank_is_that_of_the_best_cited_work_behind_its_equals():
    place = RankedPool(
        np.array([0.2, 0.6, 0.1, 0.1]), np.array([1.0, 1.0, 9.0, 9.0]), np.zeros(4),
        np.array([True, False, False, True]),
    )  # fmt: skip
    assert {name: place.rank(name) for name in RANKERS} == {
        "learned": 2, "text": 2, "connections": 2, "bm25": 3,
    }  # fmt: skip


def test_the_weight_grows_with_what_connections_tell():
    def places(cited):
        return [
            RankedPool(np.full(3, 0.3), np.array([1.0, 2.0, 9.0]), np.zeros(3), np.arange(3) == at)
            for at in cited
        ]

    assert fitted_weight(places([2] * 9 + [0])) > fitted_weight(places([0, 1, 2])) == 0.0


def test_an_evaluation_has_a_row_for_each_ranker(tmp_path):
    pytest.importorskip("lightgbm", reason="LightGBM is not installed")
    corpus = write(tmp_path / "papers.jsonl", topical_papers(30))
    (tmp_path / "tests.txt").write_text("\n".join(f"P{n}" for n in range(10)))
    collection = read_collection(corpus)
    names = [*collection.papers][:10]
    (tmp_path / "tests.txt").write_text("\n".join(names))
    try:
        result = evaluate(corpus, test_papers=tmp_path / "tests.txt", fit=True)
    except InputError as error:
        pytest.skip(str(error))
    rows = {row["ranker"]: row for row in result.rows}
    assert tuple(rows) == RANKERS
    for row in rows.values():
        assert 0.0 <= row["top1"] <= row["top10"] <= 1.0
        assert 0.0 <= row["in_pool"] <= 1.0
    assert set(result.more["in_pool_by"]) == {"cited_by_left", "cites_left"}


def test_shares_that_leave_nothing_are_refused(tmp_path):
    with pytest.raises(InputError, match="between 0 and 1"):
        evaluate(tmp_path, share=1.0)
