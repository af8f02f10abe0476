"""Facets: the organisers' counts (Task 1B), and scikit-learn's decisions, in plain numpy."""

from itertools import pairwise
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parity.organisers import (
    COLUMNS,
    GOLD,
    TEST,
    marked,
    reference_implementation,
    write,
    write_paper,
)
from pincite.text.tokens import terms, words
from pincite_evaluation.corpora.scisumm import read_scisumm
from pincite_evaluation.facets.run import macro, official_facets
from pincite_evaluation.facets.training import FACETS, Sample, fit, truth
from pincite_evaluation.results import total

# The organisers' script ---------------------------------------------------------------------------


@pytest.fixture(scope="module", name="reference")
def reference_of_the_script():
    return reference_implementation()


CITING = ["C0.xml", "C1.xml", "C1", "C2.xml"]
FIELDS = [
    *("Method_Citation", "Method Citation", "Method citation", "'method_Citation'", "method"),
    *("Result_Citation", "Results_Citation", "['Aim_Citation','Method_Citation']", "Aim_Citation"),
    *(
        "['Method_Citation', 'Method_Citation']",
        "",
        "[",
        "]",
        "[]",
        "'",
        ",",
        " Aim Citation ",
        "NA",
    ),
]
NAMED = ["method_citation", "Method Citation", "result_citation", "aim_citation", "'", ""]
ROW = st.tuples(
    st.just("1"),
    st.sampled_from(["X00-0001.xml", "X00-0001", "X00-0001", "", "C1"]),
    st.sampled_from(CITING),
    st.just("They follow it."),
    st.sampled_from(["'3'", "['3', '4']", "'3','3'", "4", "???", ""]),
    st.sampled_from([marked(3), marked(3), marked(3, 4), "NA", "no tag", ""]),
    st.sampled_from(FIELDS),
)


@st.composite
def cases(draw):
    """Return citing papers of the citances, gold files (with or without facets), answers."""
    citing = draw(st.lists(st.sampled_from(CITING), min_size=1, max_size=5))
    files = draw(
        st.lists(st.tuples(st.lists(ROW, max_size=7), st.booleans()), min_size=1, max_size=3)
    )
    answer = st.tuples(
        st.lists(st.sampled_from(["3", "4", "5", "???", ""]), max_size=3),
        st.lists(st.sampled_from(NAMED), max_size=3),
    )
    return citing, files, [draw(answer) for _ in citing]


@given(cases())
@settings(max_examples=120)
def test_any_gold_and_answers(reference, case):
    citing, files, answers = case
    with TemporaryDirectory() as folder:
        corpus, name = Path(folder), "X00-0001"
        task = [[n, name, each, f"Text {n}.", "", "", ""] for n, each in enumerate(citing)]
        write_paper(corpus, name, task)
        for number, (rows, has_facets) in enumerate(files):
            width = len(COLUMNS) if has_facets else len(COLUMNS) - 1
            gold = [row[:width] for row in rows]
            write(corpus / GOLD / f"{name}_person{number}.csv", COLUMNS[:width], gold)

        (read,) = read_scisumm(corpus, "test").papers
        sids, facets = [a[0] for a in answers], [a[1] for a in answers]
        found = official_facets(read, sids, facets)

        submitted = {
            (name, str(n)): {"sids": sids, "facets": facets}
            for n, (sids, facets) in enumerate(answers)
        }
        theirs = reference.score(submitted, corpus / GOLD, corpus / TEST)
        counts = total(found)
        # Without any row there is no submission of the paper, and no gold file of it counts.
        if any(sids):
            assert (counts.tp, counts.fp, counts.fn) == theirs["task1b_counts"]
            for ours, reached in (
                (counts.measure, theirs["task1b_micro"]),
                (macro([file.measure for file in found]), theirs["task1b_macro"]),
            ):
                got = (ours.precision, ours.recall, ours.f1)
                assert got == pytest.approx(reached, abs=1e-9)


# Scikit-learn -------------------------------------------------------------------------------------

VOCABULARY = (
    "parsers parsing parse methods method results resulted others less was were being found finding "
    "better best models model hypotheses hypothesis aims aimed implies trained training the of"
).split()


def made_up(seed, number):
    random = Random(seed)

    def sentence():
        return " ".join(random.choices(VOCABULARY, k=random.randint(1, 9))) + "."

    return [
        Sample(
            f"P{n % 4}",
            "C1",
            sentence(),
            tuple(sentence() for _ in range(random.randint(0, 2))),
            tuple(facet for facet in FACETS[1:] if random.random() < 0.4) or ("Method",),
        )
        for n in range(number)
    ]


@pytest.mark.parametrize("seed", [0, 1])
def test_decisions_are_those_of_scikit_learn(seed):
    pytest.importorskip("sklearn")
    pytest.importorskip("simplemma")
    from simplemma.strategies.dictionaries import DefaultDictionaryFactory
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import Perceptron

    listed = DefaultDictionaryFactory().get_dictionary("en")

    def analysed(sample):
        bag = []
        for text in (sample.citance, *sample.sentences):
            found = terms(listed.get(word, word) for word in words(text))
            bag += [*found, *map(" ".join, pairwise(found))]
        return bag

    training, unseen = made_up(seed, 120), made_up(seed + 10, 80)
    vectorizer = TfidfVectorizer(analyzer=analysed)
    matrix = vectorizer.fit_transform(training)
    wanted = truth(training)
    perceptrons = [Perceptron(random_state=seed).fit(matrix, wanted[:, n]) for n in range(1, 5)]
    classifier = fit(training, seed)
    ours = np.array([classifier.decisions(each.texts) for each in unseen])
    theirs = [each.decision_function(vectorizer.transform(unseen)) for each in perceptrons]
    np.testing.assert_allclose(ours[:, 1:], np.transpose(theirs), atol=1e-5)
    assert (ours[:, 0] < 0).all()  # no sample has an aim
