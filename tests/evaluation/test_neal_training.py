"""NEAL by folds of annotated papers: what each model saw, what is kept, and the curve of λ."""

from dataclasses import replace
from pathlib import Path

import pytest

from annotated_paper import annotated_paper
from pincite.model.problems import InputError
from pincite_evaluation.baselines.model_folder import ModelFolder
from pincite_evaluation.baselines.neal import NealModel
from pincite_evaluation.baselines.neal_learning import NealRecipe
from pincite_evaluation.baselines.systems import SYSTEMS
from pincite_evaluation.cited_text.model_training import NealTrainer, training_paper
from pincite_evaluation.cited_text.run import Evaluation
from pincite_evaluation.corpora.scisumm import read_scisumm
from pincite_evaluation.training import cached_folds, sampled, train_folds

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "cl-scisumm" / "data"
RECIPE = NealRecipe(dimensions=4, epochs=2, negatives=3)


def annotated(name, *golds):
    """A paper with a word of its own in all its texts; two citances, one for each annotation."""
    texts = (
        f"parsers of {name} fill charts",
        f"charts of {name} have cells",
        f"cells of {name} are many",
        "Introduction",
    )
    written = (f"they fill charts with {name}", f"the cells by {name} are known")
    return annotated_paper(name, texts, written, golds or (("['11']", "['13','14']"),))


PAPERS = tuple(annotated(f"paper{number}") for number in range(7))


def parts(folder):
    return {path.parent.name: path.read_bytes() for path in folder.glob("*/neal.npz")}


def times(folder):
    return {path.parent.name: path.stat().st_mtime_ns for path in folder.glob("*/neal.npz")}


def test_targets_are_what_any_annotator_chose():
    paper = annotated("X", ("['11']", "['13','14']"), ("['12', '99']", "NA"))
    words = training_paper(paper)
    assert [targets for _, targets in words.citances] == [{0, 1}, {2, 3}]
    assert words.citances[0][0] == ("they", "fill", "charts", "with", "x")
    assert words.sentences[3] == ("introduction",)


def test_no_model_has_seen_the_papers_it_is_for(tmp_path):
    model = train_folds(PAPERS, tmp_path, NealTrainer(RECIPE), folds=3)
    assert ModelFolder.read(tmp_path) == model
    assert model.kind == "neal"
    assert model.settings["epochs"] == 2
    held_out = [paper for fold in model.folds for paper in fold.held_out]
    assert sorted(held_out) == [paper.id for paper in PAPERS]
    assert sorted(len(fold.held_out) for fold in model.folds) == [2, 2, 3]
    for paper in PAPERS:
        fold = next(fold for fold in model.folds if paper.id in fold.held_out)
        known = NealModel.load(model.part(paper.id)).vocabulary
        own = {other.id for other in PAPERS} & known.keys()
        assert own == {other.id for other in PAPERS} - fold.held_out
    everything = NealModel.load(model.part("of no fold")).vocabulary
    assert {paper.id for paper in PAPERS} <= everything.keys()
    assert model.part(None) == tmp_path / "all"


def test_the_same_seed_gives_the_same_files(tmp_path):
    first = train_folds(PAPERS, tmp_path / "1", NealTrainer(RECIPE))
    second = train_folds(tuple(reversed(PAPERS)), tmp_path / "2", NealTrainer(RECIPE))
    assert first.folds == second.folds
    train_folds(PAPERS, tmp_path / "3", NealTrainer(RECIPE))
    assert parts(tmp_path / "1") == parts(tmp_path / "3")
    assert len(parts(tmp_path / "1")) == 6
    other = train_folds(PAPERS, tmp_path / "4", NealTrainer(replace(RECIPE, seed=1)))
    assert other.folds != first.folds
    assert parts(tmp_path / "4") != parts(tmp_path / "1")


def test_an_interrupted_training_goes_on_where_it_stopped(tmp_path):
    train_folds(PAPERS, tmp_path / "whole", NealTrainer(RECIPE), folds=3)

    def interrupt(done, total):
        # In the first epoch of the third of four models.
        if (done, total) == (5, 8):
            raise KeyboardInterrupt

    folder = tmp_path / "interrupted"
    with pytest.raises(KeyboardInterrupt):
        train_folds(PAPERS, folder, NealTrainer(RECIPE), folds=3, progress=interrupt)
    finished = times(folder)
    assert finished.keys() == {"fold-1", "fold-2"}
    with pytest.raises(InputError, match="no trained model"):
        ModelFolder.read(folder)
    told = []
    train_folds(
        PAPERS, folder, NealTrainer(RECIPE), folds=3, progress=lambda *done: told.append(done)
    )
    assert times(folder).items() > finished.items()
    assert parts(folder) == parts(tmp_path / "whole")
    assert told[0] == (4, 8)
    assert told[-1] == (8, 8)
    assert told == sorted(told)


def test_what_is_finished_is_not_trained_again_unless_it_would_be_another(tmp_path):
    train_folds(PAPERS, tmp_path, NealTrainer(RECIPE), folds=2)
    before = times(tmp_path)
    train_folds(PAPERS, tmp_path, NealTrainer(RECIPE), folds=2)
    assert times(tmp_path) == before
    (tmp_path / "all" / "neal.npz").write_bytes(b"damaged")
    train_folds(PAPERS, tmp_path, NealTrainer(RECIPE), folds=2)
    after = times(tmp_path)
    assert {part for part in after if after[part] != before[part]} == {"all"}
    annotated_otherwise = (annotated("paper0", ("['12']", "['12']")), *PAPERS[1:])
    model = train_folds(annotated_otherwise, tmp_path, NealTrainer(RECIPE), folds=2)
    unchanged = {part for part, time in times(tmp_path).items() if time == after[part]}
    assert unchanged == {fold.name for fold in model.folds if "paper0" in fold.held_out}


def test_no_description_stands_beside_models_of_another_training(tmp_path):
    train_folds(PAPERS, tmp_path, NealTrainer(RECIPE), folds=2)

    def interrupt(_done, _total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_folds(
            PAPERS, tmp_path, NealTrainer(replace(RECIPE, seed=3)), folds=2, progress=interrupt
        )
    with pytest.raises(InputError, match="no trained model"):
        ModelFolder.read(tmp_path)


def test_further_papers_are_in_every_model_unless_they_are_annotated_ones(tmp_path):
    leak = annotated("paper0", ("['12']", "['12']"))
    train_folds(
        PAPERS, tmp_path / "with", NealTrainer(RECIPE), folds=2, more=[annotated("extra"), leak]
    )
    for part in parts(tmp_path / "with"):
        assert "extra" in NealModel.load(tmp_path / "with" / part).vocabulary
    model = train_folds(PAPERS, tmp_path / "without", NealTrainer(RECIPE), folds=2, more=[leak])
    train_folds(PAPERS, tmp_path / "plain", NealTrainer(RECIPE), folds=2)
    assert parts(tmp_path / "without") == parts(tmp_path / "plain")
    assert model.settings["sample"] == 0


def test_samples_are_drawn_by_seed_and_stay_in_order():
    few = sampled(PAPERS, 3)
    assert len(few) == 3
    assert [PAPERS.index(paper) for paper in few] == sorted(map(PAPERS.index, few))
    assert sampled(PAPERS, 3) == few
    assert any(sampled(PAPERS, 3, seed) != few for seed in (1, 2, 3))
    assert sampled(PAPERS, 99) == list(PAPERS)
    assert sampled(PAPERS, 0) == []


def test_what_a_corpus_gives_is_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("PINCITE_CACHE", str(tmp_path))
    model = cached_folds(PAPERS, NealTrainer(RECIPE), folds=2)
    assert model.folder.parent == tmp_path / "neal"
    before = times(model.folder)
    assert cached_folds(PAPERS, NealTrainer(RECIPE), folds=2) == model
    assert times(model.folder) == before
    assert cached_folds(PAPERS[1:], NealTrainer(RECIPE), folds=2).folder != model.folder
    assert (
        cached_folds(PAPERS, NealTrainer(replace(RECIPE, rate=0.1)), folds=2).folder != model.folder
    )
    assert cached_folds(PAPERS, NealTrainer(RECIPE), folds=3).folder != model.folder
    assert len(list((tmp_path / "neal").iterdir())) == 4


@pytest.mark.parametrize(
    ("papers", "folds", "said"),
    [(PAPERS, 1, "folds=1"), (PAPERS[:1], 5, "2 annotated papers"), ((), 5, "2 annotated papers")],
)
def test_papers_must_be_left_to_test_on(tmp_path, papers, folds, said):
    with pytest.raises(InputError, match=said):
        train_folds(papers, tmp_path, NealTrainer(RECIPE), folds=folds)


def test_more_folds_than_papers_leave_one_out(tmp_path):
    model = train_folds(PAPERS[:3], tmp_path, NealTrainer(RECIPE), folds=10)
    assert sorted(map(sorted, (fold.held_out for fold in model.folds))) == [
        ["paper0"],
        ["paper1"],
        ["paper2"],
    ]


@pytest.mark.slow
@pytest.mark.skipif(not DATA.is_dir(), reason="the CL-SciSumm corpus is not here")
def test_on_the_annotated_papers_the_learnt_similarity_alone_is_far_behind(tmp_path):
    # As in the paper's Figure 4, where it "plummeted" at λ = 1.
    corpus = read_scisumm(DATA, "train")
    corpus = replace(corpus, papers=corpus.papers[:12])
    evaluation = Evaluation(DATA, corpus)
    evaluation.models["neal"] = train_folds(corpus.papers, tmp_path, NealTrainer(), folds=3)
    evaluation.draw([SYSTEMS["neal"]])
    curve = dict(evaluation.result().curves["f1_by_mix"][0].points)
    assert curve[0.1] > 0.08
    assert curve[1.0] < 0.5 * curve[0.1]
