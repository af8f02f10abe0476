"""The scoring schemes, worked out by hand, and the best of all answers, against a search for it.

`test_cited_text.py` has whole corpora worked out by hand, and `tests/parity` the organisers' script.
"""

from itertools import chain, combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.model.papers import ReferencePaper, Sentence
from pincite_evaluation.cited_text.overlap import Scorer, human
from pincite_evaluation.corpora.scisumm import (
    AnnotatedPaper,
    Citance,
    GoldFile,
    Row,
)
from pincite_evaluation.results import Counts

PAPER = "X00-0001"


def row(citing, text, offset, reference=f"{PAPER}.xml", reference_text=None):
    sids = [part.strip("[]' ") for part in offset.split(",")]
    copied = "".join(f'<S sid="{sid}">As copied: {sid}.</S>' for sid in sids)
    return Row(
        "1", reference, citing, text, offset, copied if reference_text is None else reference_text
    )


def paper(citances, *files, sentences=12):
    sids = tuple(str(n) for n in range(sentences))
    return AnnotatedPaper(
        PAPER,
        ReferencePaper("", "full text", tuple(Sentence(f"Sentence {sid}.") for sid in sids)),
        sids,
        tuple(Citance(str(n), citing, text, text) for n, (citing, text) in enumerate(citances)),
        tuple(GoldFile(f"{PAPER}_{n}", tuple(rows)) for n, rows in enumerate(files)),
    )


#: Paper C1 cites twice, C2 once. Three annotators; the second did not judge the last citance.
CITANCES = [("C1", "the first"), ("C1", "the second"), ("C2", "the third")]
THREE = paper(
    CITANCES,
    [
        row("C1.xml", "the first", "['3', '4']"),
        row("C1.xml", "the second", "'5'"),
        row("C2.xml", "the third", "'6'"),
    ],
    [
        row("C1.xml", "the first", "'3'"),
        row("C1.xml", "the second", "'7'"),
        row("C2.xml", "the third", "NA", reference_text="NA"),
    ],
    [
        row("C1.xml", "The First!", "'3'"),
        row("C1.xml", "the second", "'5'", reference_text="copied without its tags"),
        row("C2.xml", "the third", "'6'"),
    ],
)
ANSWERS = [["3", "1"], ["5", "3"], ["6"]]


def test_official_counts_the_last_row_of_a_citing_paper_for_each_annotator():
    # C1 is answered 5 and 3 (last), C2 6. First annotator: 5 and 6 are right, 3 is wrong.
    # Second: 7 is missed, 5, 3 and 6 are wrong. Third, whose second row has no <S>: 3, 6; 5 not.
    assert Scorer(THREE).official(ANSWERS) == Counts(tp=4, fp=1 + 3 + 1, fn=1)


def test_every_citance_counts_when_joined_on_its_text():
    # First annotator: 3, 5, 6 are right, 1 and 3 wrong, 4 missed. Second: 3 right, 1, 5, 3 wrong,
    # 7 missed; its third citance is not judged. Third: 3, 5, 6 right, 1 and 3 wrong.
    assert Scorer(THREE).citance(ANSWERS) == Counts(tp=3 + 1 + 3, fp=2 + 3 + 2, fn=1 + 1)


def test_union_takes_what_any_annotator_chose():
    # {3, 4}, {5, 7}, {6} are wanted.
    assert Scorer(THREE).union(ANSWERS) == Counts(tp=3, fp=2, fn=2)


def test_an_empty_answer_is_no_row():
    # It does not replace the answer to the citance before it.
    assert Scorer(THREE).official([["3"], [], []]) == Counts(tp=1, fp=2, fn=2 + 1 + 1)
    assert Scorer(THREE).citance([["3"], [], []]) == Counts(tp=3, fp=0, fn=3 + 1 + 2)


@pytest.mark.parametrize(
    ("gold", "answers", "official", "citance"),
    [
        (row("C1", "text", "'1','1'"), [["1", "2", "2"], []], Counts(2, 2), Counts(1, 1)),
        # An empty reference paper, or one that is misspelt, never matches.
        *(
            (row("C1", "text", "'1'", name), [["1"], []], Counts(0, 1, 1), Counts(1))
            for name in ("", "C1.xml", "X00-0002", f" {PAPER}")
        ),
        # Nobody judged the second.
        (row("C1", "text", "'1'"), [["1"], ["2", "3"]], Counts(1, 2), Counts(1)),
        (
            row("C1", "text", "???", reference_text="<S>a</S>"),
            [["1"], []],
            Counts(0, 1, 1),
            Counts(),
        ),
        (row("C1", "text", "???", reference_text="<S>a</S>"), [["???"], []], Counts(1), Counts()),
    ],
)
def test_rows_that_the_official_rule_reads_otherwise(gold, answers, official, citance):
    scorer = Scorer(paper([("C1", "text"), ("C9", "text")], [gold]))
    assert (scorer.official(answers), scorer.citance(answers)) == (official, citance)


@st.composite
def tiny_papers(draw):
    """Three sentences, two citances of one or two papers, up to three annotators."""
    citances = draw(st.sampled_from([[("C1", "a"), ("C1", "b")], [("C1", "a"), ("C2", "b")]]))
    offset = st.sampled_from(["'0'", "'1'", "'0','1'", "'1','1'", "'2','9'", "???"])
    file = st.tuples(st.none() | offset, st.none() | offset).map(
        lambda offsets: [
            row(*citance, each)
            for citance, each in zip([*citances], offsets, strict=True)
            if each is not None
        ]
    )
    return paper(citances, *draw(st.lists(file, min_size=2, max_size=3)), sentences=3)


@given(tiny_papers())
@settings(max_examples=60, deadline=None)
def test_no_answers_are_better_than_the_oracle_and_some_reach_it(tiny):
    found, scorer = human([tiny]), Scorer(tiny)
    subsets = list(chain.from_iterable(combinations(tiny.sids, n) for n in range(4)))
    every_answer = list(product(subsets, repeat=2))
    assert found["oracle"]["official"]["f1"] == pytest.approx(
        max(scorer.official(answers).measure.f1 for answers in every_answer)
    )
    assert found["oracle"]["citance"]["f1"] == pytest.approx(
        max(scorer.citance(answers).measure.f1 for answers in every_answer)
    )
