"""Judged pairs: how they are read and named, and what is computed of them."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.matching.asymmetric import AsymmetricMatcher
from pincite.matching.sentence_features import SentenceFeatures
from pincite.matching.vectors import WordVectors
from pincite.model.drafts import CITATION_MARK
from pincite.model.papers import ReferencePaper, Sentence
from pincite.model.problems import InputError
from pincite_evaluation.evidence.judged import (
    CitedPassage,
    agreement,
    cited_passages,
    judged,
    of_others,
    read_judgements,
    samples_of_judged,
    text_id,
)
from pincite_evaluation.evidence.run import evaluate
from pincite_evaluation.results import calibration_error, reliability
from pincite_evaluation.sentence_training import Sample, dealt, train

PACKAGED = Path(__file__).parents[3] / "benchmarks" / "data" / "judged_evidence.json"
FEATURES = SentenceFeatures(AsymmetricMatcher(WordVectors.packaged()))
NAMES = FEATURES.names


def passage(project, cited, citance, *sentences, basis="abstract"):
    paper = ReferencePaper(f"On {cited}", basis, tuple(map(Sentence, sentences)))
    text = f"{citance} {CITATION_MARK}."
    return CitedPassage("group", project, cited, paper, text, text.index(CITATION_MARK))


GRIDS = passage(
    "thesis", "grids", "Entity grids record roles", "Entity grids record roles.", "Frogs are cold."
)
BEAMS = passage(
    "thesis",
    "beams",
    "Beam search prunes hypotheses",
    "Beam search prunes hypotheses.",
    "We are grateful.",
)


def grades_of(one, *grades):
    sentences = (sentence.text for sentence in one.paper.sentences)
    return {text_id(text): tuple(given) for text, given in zip(sentences, grades, strict=True)}


JUDGEMENTS = {
    GRIDS.id: grades_of(GRIDS, (2, 2), (0, 1)),
    BEAMS.id: grades_of(BEAMS, (2, 1), (0, 0)),
}


def test_grades_of_several_readers_are_averaged():
    (grids, beams), missing = judged([GRIDS, BEAMS], JUDGEMENTS)
    assert missing == 0
    assert grids.grades == {0: 2.0, 1: 0.5}
    assert beams.grades == {0: 1.5, 1: 0.0}
    assert grids.supporting == {0}


def test_what_is_not_in_the_data_is_counted():
    other = passage("thesis", "grids", "Entity grids record roles", "Other words.")
    found, missing = judged([other], JUDGEMENTS)
    assert [each.grades for each in found] == [{}]
    assert missing == 4


@pytest.mark.parametrize(
    "written", ["", "[]", '{"citances": {"a": {"b": [3]}}}', '{"citances": 1}']
)
def test_a_file_without_judgements_is_reported(tmp_path, written):
    (tmp_path / "judged.json").write_text(written)
    with pytest.raises(InputError, match="not a file of judgements"):
        read_judgements(tmp_path / "judged.json")
    with pytest.raises(InputError, match="cannot be read"):
        read_judgements(tmp_path / "gone.json")


@pytest.mark.parametrize(
    ("pairs", "kappa"),
    [([(0, 0), (2, 2), (1, 2), (0, 1)], 0.5), ([(1, 1), (1, 1)], 1.0), ([(0, 2), (2, 0)], -1.0)],
)
def test_agreement_is_weighted_by_the_distance_of_grades(pairs, kappa):
    found = agreement({"a": {str(n): pair for n, pair in enumerate(pairs)}})
    assert found == pytest.approx(kappa, abs=0.02)


def test_the_judgements_that_come_with_the_project():
    found = read_judgements(PACKAGED)
    assert sum(map(len, found.values())) > 200
    assert agreement(found) > 0.6
    # Ids only: no text of others.
    assert all(len(sentence) == 12 for grades in found.values() for sentence in grades)


def test_calibration_is_the_distance_of_what_was_predicted_and_what_came_true():
    curve = reliability([0.1, 0.3, 0.8, 0.6], [False, True, True, True], bins=2)
    assert [(each.number, each.predicted, each.observed) for each in curve] == [
        (2, pytest.approx(0.2), 0.5),
        (2, pytest.approx(0.7), 1.0),
    ]
    assert calibration_error(curve) == pytest.approx(0.3)
    assert calibration_error([]) == 0.0


# Training


def test_samples_are_what_was_judged_and_what_is_not_cited():
    known, _ = judged([GRIDS, BEAMS], JUDGEMENTS)
    assert of_others(known) == known[::-1]
    assert of_others(known[:1]) == [None]
    own, other, *_ = samples_of_judged(known, FEATURES)
    assert own.right.tolist() == [1.0, 0.25]
    assert (own.cited, other.cited) == (True, False)
    assert not other.right.any()
    assert own.values.shape == (2, len(NAMES))
    half = replace(known[0], grades={1: 2.0})
    np.testing.assert_array_equal(samples_of_judged([half], FEATURES)[0].right, [np.nan, 1.0])


def sample(work, right, kind="annotated"):
    random = np.random.default_rng(sum(map(ord, work)))
    values = random.normal(size=(len(right), len(NAMES)))
    values[:, 0] += 4 * np.array(right)
    eligible = np.ones(len(right), np.bool_)
    return Sample(work, values, np.array(right, np.float64), kind, True, eligible)


def test_what_is_right_is_learnt_and_the_same_data_give_the_same_model():
    samples = [sample(f"paper{n}", [1, 0, 0, 1] * 10) for n in range(20)]
    samples += [sample(f"draft {n}", [1, 0, 0.5], "judged") for n in range(4)]
    made = train(samples, NAMES)
    unseen = made.relevance(sample("unseen", [1, 0] * 20).values)
    assert unseen[::2].mean() > unseen[1::2].mean() + 1
    assert made.full_text.slope > 0
    assert made.meta == {"annotated": 20, "marked": 0, "judged": 12, "claims": 0}
    np.testing.assert_array_equal(made.near.weights, train(samples, NAMES).near.weights)


def test_a_work_held_out_changes_nothing():
    samples = [sample(f"paper{n}", [1, 0, 0, 1]) for n in range(3)]
    other = sample("other", [0, 1, 1, 0])
    held_out = train([*samples, other], NAMES, held_out={"other"})
    np.testing.assert_array_equal(held_out.near.weights, train(samples, NAMES).near.weights)


@given(st.lists(st.text(max_size=3), min_size=1, max_size=12), st.integers(0, 3))
def test_each_work_is_dealt_once(works, seed):
    folds = dealt(works, seed)
    assert sorted(work for fold in folds for work in fold) == sorted(set(works))
    assert all(folds)


# The evaluation


BIB = """@article{grids, title={Grids}, abstract={Entity grids record roles. Frogs are cold animals.}}
@article{beams, title={Beams}, abstract={Beam search prunes hypotheses. We are grateful to all.}}
@article{tags, title={Tags}, abstract={Tags depend on tags before them. Suffixes tell rare tags.}}
"""
DRAFT = r"""\documentclass{article}\begin{document}
Entity grids record the roles of entities \cite{grids}.
Beam search prunes the hypotheses of decoders \cite{beams}.
Rare tags depend on their suffixes \cite{tags}.
\bibliography{refs}\end{document}
"""


def test_an_evaluation_from_drafts_and_a_file_of_judgements(tmp_path):
    folder = tmp_path / "wild"
    folder.mkdir()
    # One draft cannot be held out of itself.
    (folder / "drafts.json").write_text('{"thesis": "main.tex", "other": "other.tex"}')
    for name in ("main.tex", "other.tex"):
        (folder / name).write_text(DRAFT)
    (folder / "refs.bib").write_text(BIB)
    passages = list(cited_passages(tmp_path))
    assert [each.cited for each in passages] == ["grids", "beams", "tags"] * 2
    judgements = {each.id: grades_of(each, (2, 2), (0, 0)) for each in passages}
    judgements[passages[2].id] = grades_of(passages[2], (0, 1), (2, 2))
    path = tmp_path / "judged.json"
    path.write_text(json.dumps({"citances": judgements}))
    found = evaluate(tmp_path, path, ["fused", "tfidf"])
    assert tuple(found.facts[name] for name in ("citances", "pairs", "missing")) == (6, 12, 0)
    assert found.facts["kappa"] > 0.8
    rows = {(row["system"], row["sentences"]): row for row in found.rows}
    assert rows["tfidf", "first two"]["first_relevant"] == pytest.approx(5 / 6)
    assert rows["tfidf", "first two"]["answered"] == 1.0
    assert rows["fused", "as shown"]["unjudged"] == 0
    # How right probabilities are, for all texts of one basis and by source.
    calibration = found.json()["calibration"]
    assert set(calibration) == {"abstract", "wild"}
    assert calibration["wild"] == calibration["abstract"]


def test_citations_of_drafts_and_citances_of_full_texts_can_be_judged(tmp_path):
    (folder := tmp_path / "drafts").mkdir()
    (folder / "drafts.json").write_text('{"thesis": "main.tex"}')
    (folder / "main.tex").write_text(DRAFT)
    (folder / "refs.bib").write_text(BIB)
    (folder := tmp_path / "evidence").mkdir()
    works = [("full", "full text"), ("short", "abstract")]
    papers = [
        {"paper": name, "title": name, "basis": basis, "sentences": [{"text": "Grids win."}]}
        for name, basis in works
    ]
    items = [{"id": f"of {name}", "citance": "Grids win.", "paper": name} for name, _ in works]
    (folder / "trials.papers.jsonl").write_text("\n".join(map(json.dumps, papers)))
    (folder / "trials.jsonl").write_text("\n".join(map(json.dumps, items)))
    *of_draft, of_source = cited_passages(tmp_path)
    assert [each.cited for each in of_draft] == ["grids", "beams", "tags"]
    assert {each.group for each in of_draft} == {"drafts"}
    # Abstracts of sources are marked as a whole, so that there is nothing more to judge.
    assert (of_source.project, of_source.group, of_source.work) == ("of full", "trials", "full")
    assert of_source.context.asked == "Grids win."


def test_data_without_the_judged_citances_is_reported(tmp_path):
    with pytest.raises(InputError, match="contains none of the citances"):
        evaluate(tmp_path, PACKAGED)
