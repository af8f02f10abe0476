"""Hidden references are looked for around those that are left."""

from pathlib import Path

import numpy as np
import pytest

from pdf_pages import Page
from pincite.discovery import order
from pincite.model.papers import Reference, ReferencePaper
from pincite.model.problems import InputError
from pincite_evaluation.collection import Collection, CollectionPaper, read_collection
from pincite_evaluation.discovery import (
    RANKERS,
    Graph,
    RankedPool,
    evaluate,
    fitted_weights,
    with_listed,
)
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


def library(**listed):
    """Return papers by id, of which each lists works by their titles."""
    papers = {}
    for name, titles in listed.items():
        references = tuple(Reference(each, ("Elder",), "1950") for each in titles)
        paper = ReferencePaper(
            f"The paper with the name of {name}", "full text", surnames=("Writer",), year="2001",
            references=references,
        )  # fmt: skip
        found = CollectionPaper(name, paper, ("",) * len(titles), Path(f"{name}.pdf"), None)
        papers[name] = found
    return Collection(papers, ())


def test_in_a_library_works_that_only_lists_name_are_in_the_graph():
    shared = "Meadows behind the dams of beavers"
    found = with_listed(library(a=[shared, "Ibid."], b=["Meadows behind the Dams of Beavers."]))
    graph = Graph(CollectionEvidence(found), listed_only=True)
    assert graph.cites["a"] == graph.cites["b"]
    (name,) = graph.cites["a"]
    assert found.papers[name].paper.title == shared
    assert found.papers["a"].links[1] == ""


def test_the_pool_of_a_library_is_what_its_papers_list():
    titles = [f"Meadows behind the dams of beavers, part {n}" for n in range(4)]
    papers = with_listed(library(a=titles, b=titles[:1], c=titles[1:])).papers
    cited = papers["a"].links
    papers["a"] = papers["a"]._replace(links=(*cited, "b"))
    graph = Graph(CollectionEvidence(Collection(papers, ())), listed_only=True)
    own = graph.around("a", share=0.9)
    assert "c" not in own.pool
    assert own.pool <= {*cited}


def test_pdfs_are_papers_of_a_collection(tmp_path):
    page = Page(tmp_path / "a.pdf")
    page.text(72, 80, ["Dams That Beavers Build in Winter"], size=16)
    page.text(72, 140, ["Beavers build dams, and meadows grow behind them."] * 20)
    page.save()
    (tmp_path / "b.pdf").write_bytes(b"no PDF")
    found = read_collection(tmp_path)
    assert [*found.papers] == ["a"]
    assert [problem.path.name for problem in found.problems] == ["b.pdf"]


def facts_of(connections):
    zeros = np.zeros(len(connections))
    return order.facts(np.array(connections), zeros, zeros, zeros)


def test_the_facts_of_a_place_are_those_that_its_author_may_know():
    titles = [f"Meadows behind the dams of beavers, part {n}" for n in range(4)]
    graph = Graph(CollectionEvidence(with_listed(library(a=titles, b=titles[:2], c=titles[:1]))))
    own = graph.around("a")
    (name,) = {*graph.cites["c"]}
    # It is cited by `b` and `c`, and by the paper itself.
    assert graph.facts(own, [name], {"b"}).tolist() == order.facts(
        np.array([own.cited_by.get(name, 0) + own.cites.get(name, 0)], float),
        np.array([1.0]), np.array([2001.0 - 1950.0]), np.array([2.0]),
    ).tolist()  # fmt: skip


def test_the_rank_is_that_of_the_best_cited_work_after_its_equals():
    place = RankedPool(
        np.array([0.2, 0.6, 0.1, 0.1]), facts_of([1.0, 1.0, 9.0, 9.0]), np.zeros(4),
        np.array([True, False, False, True]),
    )  # fmt: skip
    assert {name: place.rank(name) for name in RANKERS} == {
        "learned": 2, "text": 2, "connections": 2, "bm25": 3,
    }  # fmt: skip


def test_the_weight_grows_with_what_connections_predict():
    def places(cited):
        return [
            RankedPool(np.full(3, 0.3), facts_of([1.0, 2.0, 9.0]), np.zeros(3), np.arange(3) == at)
            for at in cited
        ]

    (first, *others), (none, *_) = map(fitted_weights, (places([2] * 9 + [0]), places([0, 1, 2])))
    assert first > none == 0.0
    assert others == [0.0, 0.0, 0.0]


def test_an_evaluation_has_a_row_for_each_ranker(tmp_path):
    pytest.importorskip("lightgbm", reason="LightGBM is not installed")
    corpus = write(tmp_path / "papers.jsonl", topical_papers(12))
    (tmp_path / "tests.txt").write_text("\n".join(f"P{n:02}" for n in range(4)))
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
