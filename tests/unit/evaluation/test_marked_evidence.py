"""Sources of marked sentences: how they are read, what is wrong with them, and the figures."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score
from typer.testing import CliRunner

from annotated_paper import write_training
from pincite.matching.asymmetric import AsymmetricMatcher
from pincite.matching.sentence_features import SentenceFeatures
from pincite.matching.sentence_model import SentenceModel
from pincite.matching.vectors import WordVectors
from pincite.model.papers import ReferencePaper, Sentence
from pincite.model.problems import InputError
from pincite_evaluation.baselines.systems import SENTENCE_MODEL
from pincite_evaluation.commands.evaluate import app
from pincite_evaluation.commands.train import app as train_app
from pincite_evaluation.evidence.marked import (
    SILENT,
    MarkedCitance,
    Score,
    claim_auc,
    findings,
    has_marked,
    of_other_works,
    read_marked,
    rows,
    samples_of_marked,
    score,
)
from pincite_evaluation.evidence.run import evaluate
from pincite_evaluation.training import ModelFolder

FEATURES = SentenceFeatures(AsymmetricMatcher(WordVectors.packaged()))
TEXTS = {
    "grids": ["Entity grids record the roles of entities.", "Frogs are cold and wet animals."],
    "beams": ["We are grateful to all readers.", "Beam search prunes the weak hypotheses."],
    "tags": ["Suffixes tell the tags of rare words.", "The town has four ponds and a mill."],
}
ITEMS = [
    ("Grids of entities record their roles.", "grids", [0], "accurate"),
    ("Weak hypotheses are pruned by a beam.", "beams", [1], "accurate"),
    ("Rare words get tags by their suffixes.", "tags", [0], "not_accurate"),
    ("Mills are built of stone.", "tags", None, "irrelevant"),
]


def paper_line(name, texts, **changes):
    sentences = [{"section": "Abstract", "text": text} for text in texts]
    return {"paper": name, "title": name, "basis": "abstract", "sentences": sentences, **changes}


def item_line(citance, paper, positive, label=None):
    given = {"id": citance[:8], "citance": citance, "paper": paper}
    return {**given, "positive": positive, "claim_label": label}


def written(folder, papers, items, name="small"):
    folder.mkdir(exist_ok=True)
    for suffix, lines in ((".papers.jsonl", papers), (".jsonl", items)):
        text = "".join(
            (each if isinstance(each, str) else json.dumps(each)) + "\n" for each in lines
        )
        (folder / (name + suffix)).write_text(text)
    return folder


@pytest.fixture(name="source")
def a_source(tmp_path):
    papers = [paper_line(name, texts) for name, texts in TEXTS.items()]
    return written(tmp_path / "evidence", papers, [item_line(*each) for each in ITEMS])


def test_items_have_the_text_of_their_work(source):
    found, problems = read_marked(source)
    assert problems == []
    assert [one.marked for one in found] == [{0}, {1}, {0}, frozenset()]
    assert [one.accurate for one in found] == [True, True, False, False]
    assert found[2].paper.sentences[0].text == TEXTS["tags"][0]
    assert {one.source for one in found} == {"small"}
    assert found[2].paper is found[3].paper


@pytest.mark.parametrize(
    ("papers", "items", "place", "why"),
    [
        ([], [item_line("So.", "gone", [0])], "small.jsonl:1", "there is no paper 'gone'"),
        (
            [paper_line("one", ["A."])],
            [item_line("So.", "one", [0]), item_line("So.", "one", [0, 7])],
            "small.jsonl:2",
            "position 7 is not among the 1 sentences of 'one'",
        ),
        (
            [paper_line("one", ["A."])],
            [item_line("So.", "one", [-1])],
            "small.jsonl:1",
            "position -1 is not",
        ),
        (["{"], [], "small.papers.jsonl:1", "not a line of this form"),
        (["", '{"paper": 3}'], [], "small.papers.jsonl:2", "not a line of this form"),
        ([paper_line("a", ["A."], basis="title")], [], "small.papers.jsonl:1", "not a line"),
        ([paper_line("a", ["A."])], ["[" * 5000], "small.jsonl:1", "not a line of this form"),
        ([paper_line("a", []), paper_line("a", [])], [], "small.papers.jsonl:2", "given twice"),
    ],
)
def test_what_cannot_be_used_is_reported_with_file_and_line(tmp_path, papers, items, place, why):
    _, (problem,) = read_marked(written(tmp_path / "bad", papers, items))
    assert f"{place}: " in str(problem)
    assert why in str(problem)


def test_bytes_that_are_no_text_are_a_broken_line(source):
    with (source / "small.jsonl").open("ab") as file:
        file.write(b'{"id": "\xff\xfe", "citance": "So.", "paper": "tags"}\n')
    found, (problem,) = read_marked(source)
    assert (len(found), problem.line) == (4, 5)


def test_a_missing_folder_or_file_is_reported(source, tmp_path):
    assert has_marked(source)
    assert not has_marked(tmp_path)
    with pytest.raises(InputError, match="no sources of marked sentences"):
        read_marked(tmp_path)
    (source / "small.jsonl").unlink()
    with pytest.raises(InputError, match=r"small\.jsonl: cannot be read"):
        read_marked(source)


def test_samples_are_all_sentences_of_the_items_with_marks_or_claims(source):
    items, _ = read_marked(source)
    samples = samples_of_marked(items, FEATURES)
    of_cited = [one for one in samples if one.cited]
    assert [one.work for one in of_cited] == ["grids", "beams", "tags", "tags"]
    assert [one.right.tolist() for one in of_cited[:3]] == [[1, 0], [0, 1], [1, 0]]
    assert [one.accurate for one in of_cited] == [True, True, False, False]
    assert {one.full_text for one in samples} == {False}
    # Of works that are not cited, and of claims without marks, no label has the right sentence.
    others = [one for one in samples if not one.cited]
    assert [one.work for one in others] == ["grids", "tags"]
    assert all(np.isnan(one.right).all() for one in (*others, of_cited[3]))
    assert not (others[0].values == of_cited[0].values).all()


def test_a_source_whose_claims_are_all_accurate_has_no_labels_of_claims(source):
    items, _ = read_marked(source)
    samples = samples_of_marked([one for one in items if one.accurate], FEATURES)
    assert [(one.work, one.accurate, one.cited) for one in samples] == [
        ("grids", None, True),
        ("beams", None, True),
    ]


def test_other_works_are_of_the_same_source(source):
    items, _ = read_marked(source)
    others = of_other_works(items)
    assert all(other and other.work != item.work for item, other in zip(items, others, strict=True))
    assert of_other_works(items[:1]) == [None]


class Returning:
    """A matcher that returns given positions, and a judge to whom each is as probable."""

    k = 2

    def __init__(self, *order):
        self.order = order

    def fit(self, paper):
        return paper

    def match(self, citance, fitted, number=None):
        from pincite.model.results import SupportingSentence

        return [SupportingSentence("", 1.0, position=at) for at in self.order]

    def probabilities(self, citance, fitted):
        return dict.fromkeys(range(9), 0.25)


def scored(order, marked, sentences):
    paper = ReferencePaper("", "full text", tuple(Sentence(f"s{n}") for n in range(sentences)))
    item = MarkedCitance("a", "small", "So.", "work", paper, frozenset(marked), True)
    returning = Returning(*order)
    (found,) = score([item], {"work": returning}, {"work": returning}, "", {})
    return found


@given(st.data(), st.integers(2, 9))
def test_the_figures_of_an_item_are_those_of_its_ranks(data, sentences):
    order = data.draw(st.permutations(range(sentences)))
    returned = order[: data.draw(st.integers(0, sentences))]
    marked = data.draw(st.sets(st.sampled_from(order), min_size=1, max_size=sentences))
    found = scored(returned, marked, sentences)
    first = next((rank for rank, at in enumerate(returned, 1) if at in marked), None)
    assert found.reciprocal == (1 / first if first else 0)
    assert found.within(1) is (first == 1)
    assert found.within(3) is (first is not None and first <= 3)
    if len(marked) < sentences:
        # Those that are not returned share the last place.
        values = [-returned.index(at) if at in returned else -99 for at in range(sentences)]
        right = [at in marked for at in range(sentences)]
        assert found.auc == pytest.approx(roc_auc_score(right, values))
    else:
        assert found.auc is None


def test_an_item_without_marks_only_counts_for_claims():
    assert scored([0, 1], [], 3) == Score("work", None, None, 0.25, True)


def claim(probability, accurate):
    return Score("w", None, None, probability, accurate)


def test_claims_are_compared_by_the_probability_of_the_best_sentence():
    found = [claim(0.9, True), claim(0.4, True), claim(0.4, False), claim(0.1, False)]
    assert claim_auc([*found, claim(0.0, None)]) == (3 + 0.5) / 4
    assert claim_auc(found[:2]) is None


def test_a_row_has_the_errors_of_claims_and_the_share_where_nothing_is_shown():
    found = [
        Score("w", None, None, 0.75, True, estimated=True, silent=False, silent_elsewhere=True),
        Score("v", None, None, 0.25, False, estimated=True, silent=True, silent_elsewhere=False),
    ]
    (row,) = rows({"small": {"fused": found}})
    assert row["claim_error"] == pytest.approx(0.25)
    assert [row[name] for name in SILENT] == [0.0, 1.0, 0.5]
    (row,) = rows({"small": {"bm25": [claim(0.9, True), claim(0.1, False)]}})
    assert [row[name] for name in ("claim_error", *SILENT)] == [None] * 4


def ranked(work, reciprocal):
    return Score(work, reciprocal, 0.5, 0.5, None)


def test_a_row_and_a_finding_for_each_system():
    better = [ranked(f"w{n}", 1.0) for n in range(8)]
    worse = [ranked(f"w{n}", 1 / 3) for n in range(8)]
    scores = {"small": {"fused": better, "bm25": worse}}
    first, second = rows(scores)
    assert {"system", "source", "items", "first", "in_three", "mrr", "auc"} <= first.figures.keys()
    assert (first["first"], first["first_ci95"], second["first"]) == (1.0, [1.0, 1.0], 0.0)
    assert (second["in_three"], second["mrr"]) == (1.0, pytest.approx(1 / 3))
    found = {(one.claim, one.difference, one.verdict) for one in findings(scores)}
    assert found == {
        ("small: first of fused > bm25", 1.0, "holds"),
        ("small: in_three of fused > bm25", 0.0, "holds, not significantly"),
    }


def test_a_folder_of_sources_is_evaluated_alone(source, tmp_path):
    found = evaluate(source, tmp_path / "unused.json", ["tfidf"])
    assert [row["system"] for row in found.rows] == ["tfidf", "bm25", "packaged"]
    assert {row["source"] for row in found.rows} == {"small"}
    row = found.rows[0]
    assert (row["items"], row["marked"], row["works"], row["first"]) == (4, 3, 3, 1.0)


def test_the_command_prints_a_table_and_reports_what_is_wrong(source, tmp_path):
    with (source / "small.jsonl").open("a") as file:
        file.write("{}\n")
    out = tmp_path / "out.json"
    done = CliRunner().invoke(
        app, ["evidence", str(source), "--system", "fused", "--json", str(out)]
    )
    assert done.exit_code == 0, done.output
    assert "small.jsonl:5" in done.stderr
    assert "small: first of fused > bm25" in done.stdout
    systems = [row["system"] for row in json.loads(out.read_text())["rows"]]
    assert systems == ["fused", "bm25", "packaged"]


def test_a_matcher_is_trained_from_a_folder_of_sources(source, tmp_path):
    sentences = ("Parsers", "Charts have cells of phrases.", "Phrases are found by parsers.")
    rows = [("C1", "The cells of a chart are phrases.", "1"), ("C2", "Parsers find phrases.", "2")]
    corpus = write_training(tmp_path, dict.fromkeys(("alpha", "beta"), (sentences, rows)))
    given = ["matcher", str(corpus), "--data", str(source)]
    done = CliRunner().invoke(train_app, [*given, "-o", str(tmp_path / "model.json")])
    assert done.exit_code == 0, done.output
    assert "2 papers, 0 judged pairs and 3 marked citances" in done.stdout
    trained = SentenceModel.load(tmp_path / "model.json")
    assert (trained.meta["annotated"], trained.meta["marked"]) == (2, 3)
    done = CliRunner().invoke(train_app, [*given, "-o", str(tmp_path / "all"), "--folds", "2"])
    assert done.exit_code == 0, done.output
    folder = ModelFolder.read(tmp_path / "all")
    held_out = SentenceModel.load(folder.part("alpha") / SENTENCE_MODEL)
    assert (folder.kind, held_out.meta["annotated"], held_out.meta["marked"]) == ("fused", 1, 3)
