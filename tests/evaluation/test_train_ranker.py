"""`pincite train ranker`: what it learns from, what it writes, and what it refuses."""

import json
from functools import partial

import pytest

from pincite import __version__
from pincite.ranking.learned import LearnedModel
from pincite_evaluation.collection import read_collection
from pincite_evaluation.resolution.protocol import CollectionEvidence
from small_collections import paper, topical_papers, write
from small_drafts import draft, two_files

pytestmark = pytest.mark.slow


@pytest.fixture(name="run")
def run_command(pincite):
    return partial(pincite, "train", "ranker")


@pytest.fixture(name="data")
def some_data(tmp_path):
    two_files(tmp_path / "one")
    draft(
        tmp_path / "two",
        [("Damp walls of the north", ["moss"]), ("Reeds hold the marsh", ["reed"])],
    )
    drafts = tmp_path / "drafts.json"
    drafts.write_text(json.dumps({"one": "one/main.tex", "two": "two/main.tex"}), "utf-8")
    return [write(tmp_path / "papers.jsonl", topical_papers()), drafts]


@pytest.mark.usefixtures("trainer")
def test_drafts_and_papers_make_a_model_that_records_what_it_was_trained_on(run, data, tmp_path):
    out = tmp_path / "ranker.npz"
    status, printed = run(*data, "-o", out, "--rounds", "20", "--seed", "3")
    assert (status, printed.err) == (0, "")
    assert printed.out.startswith("699 lists of 2 projects and 14 papers; ")
    model = LearnedModel.load(out)
    meta = model.trees.meta
    assert meta["trained_on"] == {
        "papers.jsonl": {"papers": 14, "lists": 672},
        "drafts.json": {"projects": 2, "lists": 27},
    }
    assert (meta["seed"], meta["rounds"], meta["pincite"]) == (3, 20, __version__)
    assert str(tmp_path) not in json.dumps(meta)
    assert model.calibration.slope > 0
    assert model.trees.trees <= 20


@pytest.mark.usefixtures("trainer")
def test_the_same_seed_gives_the_same_bytes_in_place_of_an_earlier_model_only(run, data, tmp_path):
    written, out = [], tmp_path / "ranker.npz"
    for seed in (1, 1, 2):
        assert run(*data, "-o", out, "--rounds", "5", "--seed", seed)[0] == 0
        written.append(out.read_bytes())
    assert written[0] == written[1] != written[2]
    thesis = tmp_path / "thesis.tex"
    thesis.write_text("All that I have written.")
    for taken in (thesis, tmp_path, "/dev/null", tmp_path / "no" / "such" / "folder.npz"):
        status, printed = run(*data, "-o", taken)
        assert status == 2
        assert str(taken) in printed.err
        assert len(printed.err.splitlines()) == 1
    assert thesis.read_text() == "All that I have written."


@pytest.mark.usefixtures("trainer")
def test_what_cannot_be_learnt_from_is_reported_in_one_line(run, tmp_path):
    lonely = write(tmp_path / "lonely.jsonl", [paper("A", "Alone", "Nothing is cited.")])
    one = two_files(tmp_path / "one")
    (tmp_path / "wrong.jsonl").write_text("{}")
    for data, message in (
        ([lonely], "nothing to train on"),
        ([one], "2 drafts or papers"),
        ([tmp_path / "nowhere"], "no such file"),
        ([tmp_path / "wrong.jsonl"], "no paper that can be read"),
    ):
        status, printed = run(*data, "-o", tmp_path / "out.npz")
        assert status == 2
        assert message in printed.err
        assert len(printed.err.splitlines()) == 1
    assert not (tmp_path / "out.npz").exists()


# The lists of a collection


def test_no_paper_shows_how_it_cites(tmp_path):
    collection = read_collection(write(tmp_path / "papers.jsonl", topical_papers()))

    def inlinks(left_out):
        evidence = CollectionEvidence(collection, left_out)
        at = evidence.of(evidence.citing("P00"), "full texts and inlinks")
        return at(5, "text only").outside > 0.0

    assert inlinks(frozenset()).any()
    assert not inlinks(frozenset(collection.papers) - {"P00"}).any()
    assert inlinks(frozenset(collection.papers) - {"P00", "P01"}).any()


def test_what_is_known_of_candidates_comes_step_by_step(tmp_path):
    collection = read_collection(write(tmp_path / "papers.jsonl", topical_papers()))
    evidence = CollectionEvidence(collection)
    citing = evidence.citing("P00")

    def known(knowledge):
        found = evidence.of(citing, knowledge)(3, "citations before")
        return found.inside.sum(), found.outside.any(), found.column("cited.count").any()

    short, *others = known("bibliography")
    assert others == [False, True]
    full, *others = known("full texts")
    assert full != short
    assert others == [False, True]
    assert known("full texts and inlinks")[1:] == (True, True)
    # What full texts add for others is not left behind.
    assert known("bibliography")[1:] == (False, True)
    alone = evidence.of(citing, "bibliography")(3, "text only")
    assert not alone.column("cited.count").any()
