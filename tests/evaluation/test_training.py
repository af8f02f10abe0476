"""Transformers fine-tuned on annotated papers: what is learnt, held out, cached, and written."""

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from annotated_paper import annotated_paper, write_training
from pincite.model.problems import InputError
from pincite_evaluation.baselines.bm25 import CrossEncoder, RerankerMatcher
from pincite_evaluation.baselines.encoders import open_encoder
from pincite_evaluation.cited_text.model_training import (
    CitRetRecipe,
    Judged,
    RerankerRecipe,
    reranker_pairs,
    transformer_trainer,
    write_onnx,
)
from pincite_evaluation.commands.train import app
from pincite_evaluation.training import ModelFolder, train_folds

pytestmark = pytest.mark.slow

NAMES = ("alpha", "beta", "gamma", "delta")
WORDS = "parsers paint charts have cells many known introduction they with".split()
CITRET = CitRetRecipe(rate=1e-2, epochs=4, batch=8)
RERANKER = RerankerRecipe(rate=3e-3, epochs=20, batch=4)


def texts_of(name):
    """The sentences of a paper, which have its name, and two citances."""
    texts = (
        f"Parsers paint {name} charts (Lee, 2001)",
        f"{name} charts have cells",
        f"{name} cells, many",
        "Introduction",
    )
    return texts, (f"They paint charts with {name} (Day, 1999)", f"{name} cells, known")


def annotated(name, *golds):
    return annotated_paper(name, *texts_of(name), golds or (("['11']", "['13','12']"),))


PAPERS = tuple(map(annotated, NAMES))


@pytest.fixture(scope="module", name="base")
def tiny_bert(tmp_path_factory):
    """BERT of two layers with random weights, which has words for all texts here."""
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    for module in ("onnx", "onnxscript", "onnxruntime", "tokenizers"):
        pytest.importorskip(module)
    folder = tmp_path_factory.mktemp("weights") / "tiny-bert"
    torch.manual_seed(0)
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *NAMES, *WORDS, ",", "."]
    config = transformers.BertConfig(
        vocab_size=len(pieces),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=40,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    transformers.BertModel(config).save_pretrained(folder)
    (folder / "vocab.txt").write_text("\n".join(pieces) + "\n", "utf-8")
    return folder


@pytest.fixture(scope="module", name="citret")
def citret_model(base, tmp_path_factory):
    return train_folds(
        PAPERS, tmp_path_factory.mktemp("citret"), transformer_trainer(CITRET, base), folds=2
    )


@pytest.fixture(scope="module", name="reranker")
def reranker_model(base, tmp_path_factory):
    return train_folds(
        PAPERS, tmp_path_factory.mktemp("reranker"), transformer_trainer(RERANKER, base), folds=2
    )


def trained(folder):
    return {
        path.parent.name: json.loads(path.read_text()) for path in folder.glob("*/training.json")
    }


# Pairs --------------------------------------------------------------------------------------------


def test_sentences_are_those_that_any_annotator_chose():
    paper = annotated("alpha", ("['11']", "['13','14']"), ("['12', '99']", "NA"))
    assert [cited for _, cited in Judged.of(paper).citances] == [(0, 1), (2, 3)]
    assert len(Judged.of(annotated("alpha", ("NA", "['77']"))).citances) == 0


def test_every_citance_has_five_pairs_of_three_kinds():
    pairs = CITRET.pairs([Judged.of(paper) for paper in PAPERS])
    assert len(pairs) == 4 * 2 * 5
    for start in range(0, len(pairs), 5):
        of_citance = pairs[start : start + 5]
        assert [pair.label for pair in of_citance] == [1.0, 0.0, 0.0, 0.3, 0.3]
        assert len({pair.first for pair in of_citance}) == 1
        name = next(name for name in NAMES if name in of_citance[0].first)
        cited, *others = (pair.second for pair in of_citance)
        chosen = (
            {f"parsers paint {name} charts"}
            if "paint" in of_citance[0].first
            else {f"{name} charts cells", f"{name} cells"}
        )
        assert any(set(cited.split()) <= set(each.split()) for each in chosen)
        assert all(name not in other for other in others[:2])
        own = set(others[2:])
        assert len(own) == 2
        assert own.isdisjoint(chosen)
        assert all(name in other or other == "introduction" for other in own)


def test_the_re_ranker_learns_from_what_bm25_finds():
    paper = Judged.of(annotated("alpha", ("['11','14']", "['13']")))
    pairs = [pair for pair in reranker_pairs(paper, RERANKER) if "paint" in pair.first]
    assert {(pair.second.split()[0], pair.label) for pair in pairs} == {
        ("Parsers", 1.0), ("alpha", 0.0),
    }  # fmt: skip
    assert len(pairs) == 3
    assert all("Day" not in pair.first and "Lee" not in pair.second for pair in pairs)
    few = reranker_pairs(paper, replace(RERANKER, candidates=1))
    assert [pair.label for pair in few] == [1.0, 1.0]


# What is trained ----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["citret", "reranker"])
def test_training_lowers_the_loss(kind, request):
    model = request.getfixturevalue(kind)
    assert (model.kind, model.base) == (kind, "tiny-bert")
    assert ModelFolder.read(model.folder) == model
    losses = {name: each["losses"] for name, each in trained(model.folder).items()}
    assert losses.keys() == {"fold-1", "fold-2", "all"}
    for epochs in losses.values():
        assert len(epochs) == model.settings["epochs"]
        assert epochs[-1] < 0.8 * epochs[0]


def test_what_is_held_out_changes_nothing(base, reranker, tmp_path):
    held_out = next(fold for fold in reranker.folds if "alpha" in fold.held_out)
    shutil.copytree(reranker.folder, tmp_path, dirs_exist_ok=True)
    changed = (annotated("alpha", ("['12']", "['12']")), *PAPERS[1:])
    other = train_folds(changed, tmp_path, transformer_trainer(RERANKER, base), folds=2)
    assert other.folds == reranker.folds
    before, after = trained(reranker.folder), trained(tmp_path)
    assert {name for name in before if before[name] == after[name]} == {held_out.name}


def test_the_encoder_in_onnx_is_the_one_that_torch_has(base, tmp_path):
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    model = transformers.AutoModel.from_pretrained(base)
    write_onnx(model, tmp_path / "model.onnx")
    shutil.copy(base / "vocab.txt", tmp_path)
    encoder = open_encoder(tmp_path)
    texts = ["alpha charts have cells", "cells", "they paint charts many"]
    for text, vector in zip(texts, encoder.sentences(texts), strict=True):
        ids = torch.tensor([encoder.tokenizer.encode(text).ids])
        with torch.no_grad():
            hidden = model(input_ids=ids).last_hidden_state[0]
        np.testing.assert_allclose(vector, hidden.mean(0).numpy(), atol=1e-4)


def test_the_trained_re_ranker_matches(reranker):
    matcher = RerankerMatcher(CrossEncoder.load(reranker.part("alpha")))
    paper, citance = PAPERS[0].paper, PAPERS[0].citances[0].text
    fitted = matcher.fit(paper)
    found = matcher.match(citance, fitted)
    assert {each.position for each in found} == {0, 1, 2}
    assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)
    assert all(0.0 < each.score <= 1.0 and each.matched for each in found)
    assert matcher.match(citance, fitted, 1) == found[:1]
    assert matcher.match(citance, fitted) == found


# What is refused ----------------------------------------------------------------------------------


def test_a_folder_without_weights_is_refused(base, tmp_path):
    with pytest.raises(InputError, match="no weights to train"):
        train_folds(PAPERS, tmp_path / "model", transformer_trainer(CITRET, tmp_path))
    (tmp_path / "config.json").write_bytes((base / "config.json").read_bytes())
    (tmp_path / "vocab.txt").write_bytes((base / "vocab.txt").read_bytes())
    with pytest.raises(InputError, match="no usable") as raised:
        train_folds(PAPERS, tmp_path / "model", transformer_trainer(CITRET, tmp_path))
    assert "\n" not in str(raised.value)


# The command --------------------------------------------------------------------------------------


def test_the_command_trains_and_prints_where_the_model_is(base, tmp_path):
    for part, names in (("Training-Set-2018", NAMES[:2]), ("ScisummNet-2019", NAMES[2:])):
        papers = {}
        for name in names:
            texts, (first, second) = texts_of(name)
            papers[name] = texts, [("C1", first, "0"), ("C2", second, "2,1")]
        write_training(tmp_path / "data", papers, f"Training-Set-2019/Task1/From-{part}")
    corpus = tmp_path / "data"
    arguments = ["citret", str(corpus), "-o", str(tmp_path / "model"), "--base", str(base)]
    ran = CliRunner().invoke(app, [*arguments, "--folds", "2", "--seed", "3", "--sample", "1"])
    assert ran.exit_code == 0, ran.output
    assert "2 folds and a model of all papers from tiny-bert" in ran.output
    model = ModelFolder.read(tmp_path / "model")
    assert (model.settings["seed"], model.settings["papers"]) == (3, 2)
    # One of the two papers of ScisummNet is in every model.
    pairs = {name: each["pairs"] for name, each in trained(model.folder).items()}
    assert pairs == {"fold-1": 20, "fold-2": 20, "all": 30}
    assert model.settings["sample"] == 1


@pytest.mark.parametrize("kind", ["citret", "reranker", "neal"])
def test_the_command_looks_at_its_folder_before_the_work(kind, tmp_path):
    (tmp_path / "file").write_text("here", "utf-8")
    ran = CliRunner().invoke(app, [kind, str(tmp_path / "none"), "-o", str(tmp_path / "file")])
    assert isinstance(ran.exception, InputError)
    assert str(ran.exception).endswith("file: cannot be written")
