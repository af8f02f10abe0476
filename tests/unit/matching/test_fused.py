"""Fused evidence: what is never shown, what is marked, how sure it is, and the model's file."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.matching.asymmetric import AsymmetricMatcher
from pincite.matching.fused import FusedMatcher
from pincite.matching.sentence_features import SentenceFeatures
from pincite.matching.sentence_kinds import can_support
from pincite.matching.sentence_model import Calibration, Expert, SentenceModel
from pincite.matching.strength import FROM, MAX_SENTENCES, shown, strength_of
from pincite.matching.vectors import WordVectors
from pincite.model.papers import ReferencePaper, Sentence
from pincite.model.problems import InputError
from pincite.model.results import SupportingSentence
from pincite.text.stemming import stemmer
from pincite.trees import TreeModel
from pincite_evaluation.vector_training import save


def paper(*sentences, basis="full text", title="Coherence by Entity Grids"):
    return ReferencePaper(
        title,
        basis,
        tuple(each if isinstance(each, Sentence) else Sentence(each) for each in sentences),
    )


GRID = paper(
    "We thank the funding agency for its entity grids and for the money.",
    "An entity grid records in which role each entity occurs in every sentence.",
    "Figure 3: The entity grid of a text and its entities in every sentence.",
    "Our experiments compare the grid with two baselines on news articles.",
    Sentence("Entity grids of sentences are due to the reviewers.", section="Acknowledgements"),
    "Barzilay, R. and Lapata, M. 2008. Modeling local coherence. Comput. Ling. 34(1): 1-34.",
    "Entity grid",
    "Frogs are cold and wet, and live in ponds.",
)
MATCHER = FusedMatcher(WordVectors.packaged())
FEATURES = SentenceFeatures(AsymmetricMatcher(WordVectors.packaged()))


def found(citance, read=GRID, number=10):
    return MATCHER.match(citance, MATCHER.fit(read), number)


@pytest.mark.parametrize(
    ("sentence", "can"),
    [
        (GRID.sentences[1], True),
        (GRID.sentences[2], False),
        (Sentence("Table 2. Accuracy of the models on both data sets."), False),
        (Sentence("Tables are made for every text of the collection."), True),
        (GRID.sentences[4], False),
        (Sentence("They are good sentences of it.", section="7 References"), False),
        (Sentence("They are good sentences of it.", section="Reference resolution"), True),
        (GRID.sentences[5], False),
        (Sentence("In 2008, accuracy rose on pp. 12 of the 340 pages."), True),
        (GRID.sentences[6], False),
    ],
)
def test_captions_references_headings_and_thanks_support_nothing(sentence, can):
    assert can_support(sentence) is can


def test_what_supports_nothing_is_not_found():
    positions = {one.position for one in found("Entity grids of a text by Barzilay and Lapata.")}
    assert positions
    assert not positions & {2, 4, 5, 6}


def test_features_are_bounded_where_a_citance_points_away_from_every_sentence(tmp_path):
    path = tmp_path / "opposite.safetensors"
    save(path, ["frogs", "stars"], [[1.0, 0.0], [-1.0, 0.0]], [2, 2], {"tokens": "9"})
    features = SentenceFeatures(AsymmetricMatcher(WordVectors.load(path)))
    fitted = features.fit(paper("Here are frogs.", "The frogs are there."), stemmer("en"))
    values = features.of("Two stars.", fitted).values
    found = dict(zip(features.names, values.T, strict=True))
    assert (found["mean"] < 0).all()
    assert (found["mean_relative"] == 0).all()


GRIDS = paper(
    "Entity grids record the roles of entities in sentences.",
    "Entity grids rank the orders of sentences by coherence.",
    "Frogs are cold and wet, and live in ponds.",
)


def values_of(citances, citance="Entity grids of sentences."):
    fitted = FEATURES.cited_by(FEATURES.fit(GRIDS, stemmer("en")), citances)
    return dict(zip(FEATURES.names, FEATURES.of(citance, fitted).values.T, strict=True))


def test_what_others_write_where_they_cite_a_paper_is_evidence():
    found = values_of(["Coherence has been modelled before.", "We rank by coherence."])
    assert found["others"].argmax() == 1
    assert found["others_relative"].tolist() == [0, 1, 0]
    assert found["others_known"][0] == pytest.approx(np.log(3))


def test_of_many_citances_a_word_of_one_does_not_count():
    once = ["Coherence.", "Of pears.", "Of apples.", "Of plums."]
    assert not values_of(once)["others"].any()
    assert values_of([*once, "Coherence of text."])["others"].argmax() == 1


def test_without_citances_of_others_nothing_changes():
    fitted = MATCHER.fit(GRIDS)
    citance = "Entity grids of sentences."
    assert MATCHER.match(citance, MATCHER.cited_by(fitted, [])) == MATCHER.match(citance, fitted)
    alone = FusedMatcher(WordVectors.packaged(), others=False)
    assert alone.cited_by(fitted, ["Coherence."]) is fitted


def test_a_text_that_is_all_captions_was_read_badly_and_is_searched():
    captions = paper("Figure 1: An entity grid of a text.", "Table 1: Frogs in ponds of the town.")
    assert next(one.position for one in found("The entity grid of a text.", captions)) == 0


def test_inflected_words_are_marked():
    text = "Zorpas were frimelled in each of the towns."
    (one,) = found("A zorpa frimels.", paper(text, "Frogs are cold and wet animals."), 1)
    assert next(span.of(text) for span in one.matched) == "Zorpas"


def test_another_language_is_stemmed_by_its_own_rules():
    text = (
        "Die Straßen der Stadt werden mit einem neuen Verfahren zu Linien vereinfacht und dann "
        "auf einer Karte dargestellt, die alle Häuser zeigt."
    )
    german = paper(text, "Frösche leben in Teichen und sind kalt, wie wir alle wissen.")
    (one,) = found("Eine Straße wurde vereinfacht.", german, 1)
    assert "Straßen" in [span.of(text) for span in one.matched]


def test_nothing_is_found_for_words_that_are_not_there():
    assert found("Quaxi blorp.", paper("Frogs are cold and wet animals.")) == []


def test_every_sentence_that_is_found_has_a_probability():
    citance = "An entity grid records the role of entities."
    known = MATCHER.probabilities(citance, MATCHER.fit(GRID))
    assert found(citance)
    assert all(known[one.position] == one.probability for one in found(citance))


@given(st.text(max_size=60), st.lists(st.text(max_size=60), max_size=5))
def test_evidence_is_finite_whatever_is_written(citance, sentences):
    fitted = FEATURES.cited_by(FEATURES.fit(paper(*sentences), stemmer("en")), [citance] * 2)
    if fitted.paper.words.positions and FEATURES.words.reading.words(citance):
        values = FEATURES.of(citance, fitted).values
        assert values.shape == (len(fitted.paper.words.positions), len(FEATURES.names))
        assert np.isfinite(values).all()


# Strength


def test_a_probability_has_one_word_or_none():
    words = [strength_of(least) for least, _ in FROM]
    assert words == ["strong", "partial"]
    assert [strength_of(least - 0.01) for least, _ in FROM] == ["partial", None]
    assert (strength_of(1.0), strength_of(0.0)) == ("strong", None)


@pytest.mark.parametrize(
    ("probabilities", "positions"),
    [
        ([0.1, 0.72, 0.55, 0.9, 0.65], [1, 3]),
        ([0.1, 0.55, 0.65, 0.4], [1]),
        ([0.49, 0.2], []),
        ([0.8] * 6, [0, 1, 2, 3]),
        ([], []),
    ],
)
def test_very_likely_sentences_are_shown_in_their_order_or_else_the_first_likely_one(
    probabilities, positions
):
    sentences = [
        SupportingSentence(f"s{position}", 0.1, position=position, probability=probability)
        for position, probability in enumerate(probabilities)
    ]
    found = shown(sentences)
    assert [one.position for one in found] == positions
    assert [one.probability for one in found] == [probabilities[at] for at in positions]
    assert len(found) <= MAX_SENTENCES
    assert shown(sentences, -1) == []


def test_what_the_author_highlighted_need_not_be_very_likely():
    sentences = [
        SupportingSentence(f"s{position}", 0.1, position=position, probability=probability)
        for position, probability in enumerate([0.6, 0.65, 0.55, 0.4])
    ]
    # It hides nothing that is shown without it.
    assert [one.position for one in shown(sentences, highlighted=[2, 3])] == [0, 2]
    assert [one.position for one in shown(sentences)] == [0]


# The model


def model(**changes):
    near = Expert(np.array([1.5, -2.0]), 0.25)
    given = {"names": ("a", "b"), "near": near}
    given |= {"abstract": Calibration(2.0, -1.0), "meta": {"judged": 3}}
    return SentenceModel(**{**given, **changes})


#: A tree whose leaves are 1 and, if the first feature is above one half, 3.
TREE = TreeModel(
    ("familiar", "b"),
    np.array([0], np.int16),
    np.array([0.5], np.float32),
    np.array([True]),
    np.array([2.0]),
    np.array([-1], np.int32),
    np.array([1.0, 3.0]),
    np.array([0, 1], np.int32),
)


def gated():
    near, far = Expert(np.array([0.0, 1.0])), Expert(np.array([0.0, 10.0]), 5.0, TREE)
    return SentenceModel(("familiar", "b"), near, far, Calibration(4.0, -2.0))


def test_what_is_written_is_read(tmp_path):
    model().save(tmp_path / "model.json")
    read = SentenceModel.load(tmp_path / "model.json")
    assert read.names == ("a", "b")
    np.testing.assert_allclose(read.relevance(np.array([[1.0, 1.0]])), [-0.25])
    assert read.calibration("abstract") == Calibration(2.0, -1.0)
    assert read.calibration("full text") == Calibration()
    assert read.calibration("title") == Calibration()
    assert read.meta == {"judged": 3}
    assert [path.name for path in tmp_path.iterdir()] == ["model.json"]


def test_experts_count_by_how_familiar_the_paper_is(tmp_path):
    values = np.array([[0.5, 2.0], [20.0, 2.0], [-20.0, 2.0]])
    found = gated().relevance(values)
    near, far = 2.0, 25.0
    np.testing.assert_allclose(found, [(near + far + 1) / 2, near, far + 1])
    gated().save(tmp_path / "model.json")
    np.testing.assert_allclose(SentenceModel.load(tmp_path / "model.json").relevance(values), found)


def of_claims():
    given = {"full_text": Calibration(1.0, 0.5, -1.0, 2.0), "claim": Expert(np.array([1.0, 0.0]))}
    return SentenceModel(("a", "b"), Expert(np.array([0.0, 1.0])), **given)


def test_a_citation_is_judged_by_the_best_sentences_that_may_be_shown(tmp_path):
    values = np.array([[1.0, 3.0], [9.0, 9.0], [2.0, 5.0], [3.0, 1.0], [4.0, 2.0], [9.0, 0.0]])
    eligible = np.array([True, False, True, True, True, True])
    of_claims().save(tmp_path / "model.json")
    for read in (of_claims(), SentenceModel.load(tmp_path / "model.json")):
        found = read.assess(values, eligible, "full text")
        claim = (1 + 2 + 3 + 4) / 4
        assert found.accurate == pytest.approx(1 / (1 + np.exp(-claim)))
        logits = values[:, 1] + 0.5 - np.log([2, 6, 1, 4, 3, 5]) + 2 * claim
        np.testing.assert_allclose(found.probabilities, 1 / (1 + np.exp(-logits)))


def test_a_model_without_claims_does_not_judge_them():
    assert model().assess(np.ones((2, 2)), np.array([True, True]), "abstract").accurate is None
    alone = FusedMatcher(
        WordVectors.packaged(), sentence_model=SentenceModel(("bm25",), Expert(np.array([2.0])))
    )
    assert alone.accurate("Entity grids of sentences.", alone.fit(GRID)) is None
    assert MATCHER.accurate("…", MATCHER.fit(GRID)) is None


def in_file(near='{"weights": {"a": 1}, "bias": 0}', far="null"):
    read = f'"full_text": {{}}, "abstract": {{}}, "near": {near}, "far": {far}'
    return f'{{"format": "pincite-sentences-2", {read}}}'


@pytest.mark.parametrize(
    "text",
    [
        "",
        '{"format": "pincite-sentences-1", "weights": {"a": 1}, "bias": 0}',
        in_file('{"weights": {"a": "x"}, "bias": 0}'),
        in_file('{"weights": {"a": 1}, "bias": 0, "trees": {"feature": [9]}}'),
        in_file(far='{"weights": {"b": 1}, "bias": 0}'),
        in_file(far='{"weights": {"a": 1}, "bias": 0}'),
        in_file(far='null, "claim": {"weights": {"b": 1}, "bias": 0}'),
    ],
)
def test_a_file_that_is_no_model_is_reported(tmp_path, text):
    (tmp_path / "model.json").write_text(text)
    with pytest.raises(InputError, match=r"model\.json is not a sentence model"):
        SentenceModel.load(tmp_path / "model.json")


def test_what_cannot_be_read_or_written_is_reported(tmp_path):
    with pytest.raises(InputError, match="cannot read sentence model"):
        SentenceModel.load(tmp_path / "gone.json")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot write"):
        model().save(tmp_path / "file" / "model.json")


def test_a_model_of_other_evidence_is_reported():
    with pytest.raises(InputError, match=r"trained on other evidence \(a, b\)"):
        FusedMatcher(WordVectors.packaged(), sentence_model=model())


def test_a_model_may_know_less_than_is_computed():
    alone = SentenceModel(("bm25",), Expert(np.array([2.0])))
    matcher = FusedMatcher(WordVectors.packaged(), sentence_model=alone)
    citance = "Entity grids of sentences."
    found = matcher.probabilities(citance, matcher.fit(GRIDS))
    bm25 = dict(zip(FEATURES.names, FEATURES.of(citance, matcher.fit(GRIDS)).values.T, strict=True))
    np.testing.assert_allclose(list(found.values()), 1 / (1 + np.exp(-2 * bm25["bm25"])))


def test_the_packaged_model_fits_its_evidence_and_is_small(tmp_path):
    packaged = SentenceModel.packaged()
    assert packaged.names == FEATURES.names
    packaged.save(tmp_path / "copy.json")
    assert (tmp_path / "copy.json").stat().st_size < 200_000
    assert json.loads((tmp_path / "copy.json").read_text())["meta"]["judged"] > 200
