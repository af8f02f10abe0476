"""NEAL by folds of annotated papers: what each model saw, what is stored, and the curve of λ."""

from dataclasses import replace

import pytest

from annotated_paper import annotated_paper
from pincite.model.problems import InputError
from pincite_evaluation.baselines.neal import NealModel, NealRecipe
from pincite_evaluation.cited_text.model_training import neal_trainer
from pincite_evaluation.processes import showing
from pincite_evaluation.training import ModelFolder, cached_folds, train_folds

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
    return {path.parent.name: path.stat().st_mtime_ns for path in folder.glob("*/training.json")}


def test_no_model_has_seen_the_papers_it_is_for(tmp_path):
    model = train_folds(PAPERS, tmp_path, neal_trainer(RECIPE), folds=3)
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


def test_an_interrupted_training_goes_on_where_it_stopped(tmp_path):
    train_folds(PAPERS, tmp_path / "whole", neal_trainer(RECIPE), folds=3)

    def interrupt(done, total):
        # In the first epoch of the third of four models.
        if (done, total) == (5, 8):
            raise KeyboardInterrupt

    folder = tmp_path / "interrupted"
    with pytest.raises(KeyboardInterrupt), showing(lambda _step: interrupt):
        train_folds(PAPERS, folder, neal_trainer(RECIPE), folds=3)
    finished = times(folder)
    assert finished.keys() == {"fold-1", "fold-2"}
    with pytest.raises(InputError, match="no trained model"):
        ModelFolder.read(folder)
    shown = []
    with showing(lambda _step: lambda *done: shown.append(done)):
        train_folds(PAPERS, folder, neal_trainer(RECIPE), folds=3)
    assert times(folder).items() > finished.items()
    assert parts(folder) == parts(tmp_path / "whole")
    assert shown[0] == (4, 8)
    assert shown[-1] == (8, 8)
    assert shown == sorted(shown)


def test_what_is_finished_is_not_trained_again_unless_it_would_be_another(tmp_path):
    train_folds(PAPERS, tmp_path, neal_trainer(RECIPE), folds=2)
    before = times(tmp_path)
    train_folds(PAPERS, tmp_path, neal_trainer(RECIPE), folds=2)
    assert times(tmp_path) == before
    (tmp_path / "all" / "training.json").write_bytes(b"damaged")
    train_folds(PAPERS, tmp_path, neal_trainer(RECIPE), folds=2)
    after = times(tmp_path)
    assert {part for part in after if after[part] != before[part]} == {"all"}
    annotated_otherwise = (annotated("paper0", ("['12']", "['12']")), *PAPERS[1:])
    model = train_folds(annotated_otherwise, tmp_path, neal_trainer(RECIPE), folds=2)
    unchanged = {part for part, time in times(tmp_path).items() if time == after[part]}
    assert unchanged == {fold.name for fold in model.folds if "paper0" in fold.held_out}


def test_what_a_corpus_gives_is_cached(tmp_path, monkeypatch):
    monkeypatch.setenv("PINCITE_CACHE", str(tmp_path))
    model = cached_folds(PAPERS, neal_trainer(RECIPE))
    assert model.folder.parent == tmp_path / "neal"
    before = times(model.folder)
    assert cached_folds(PAPERS, neal_trainer(RECIPE)) == model
    assert times(model.folder) == before
    assert cached_folds(PAPERS[1:], neal_trainer(RECIPE)).folder != model.folder
    assert cached_folds(PAPERS, neal_trainer(replace(RECIPE, rate=0.1))).folder != model.folder
    assert len(list((tmp_path / "neal").iterdir())) == 3


@pytest.mark.parametrize(
    ("papers", "folds", "message"),
    [(PAPERS, 1, "folds=1"), (PAPERS[:1], 5, "2 annotated papers"), ((), 5, "2 annotated papers")],
)
def test_papers_must_be_left_to_test_on(tmp_path, papers, folds, message):
    with pytest.raises(InputError, match=message):
        train_folds(papers, tmp_path, neal_trainer(RECIPE), folds=folds)
