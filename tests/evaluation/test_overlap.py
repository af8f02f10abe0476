"""The scoring schemes, worked out by hand, and the best of all answers, against a search for it.

`test_cited_text.py` has whole corpora worked out by hand, and `tests/parity` the organisers' script.
"""

from dataclasses import replace
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


def test_one_annotator_has_no_agreement_and_no_citance_lacks_an_answer():
    with pytest.raises(ValueError, match="zip"):
        Scorer(THREE).official([["1"]])
    assert human([]) is human([replace(THREE, gold=THREE.gold[:1])]) is None


def test_rouge_compares_rows_with_text_on_both_sides():
    pairs = Scorer(THREE).official_pairs([["1"], ["7", "nowhere", "5"], []])
    assert pairs == (
        (({"5": "As copied: 5."}, {"7": "Sentence 7.", "5": "Sentence 5."}),),
        (({"7": "As copied: 7."}, {"7": "Sentence 7.", "5": "Sentence 5."}),),
        (({"3": "As copied: 3."}, {"7": "Sentence 7.", "5": "Sentence 5."}),),
    )


def test_agreement_and_oracle_by_hand():
    # Officially the annotators say C1: 5, 7, 3 and C2: 6, nothing, 6. Of six ordered pairs, 1-3
    # and 3-1 agree once; 5 is wanted of the second and by it, and so on: each pair is also
    # counted the other way round, so precision and recall are the same: of 2 * (2 + 1 + 2) = 10.
    found = human([THREE])
    assert found is not None
    assert found["annotators"] == 3
    assert found["agreement"]["official"] == dict.fromkeys(
        ("precision", "recall", "f1"), pytest.approx(2 / 10)
    )
    # First citance {3, 4}, {3}, {3}, second 5, 7, 5, third 6, -, 6. Right: 2 * (3 + 1 + 1). Wrong:
    # 4 against two; 5 against 7 twice, and 7 against 5 twice. Missed: likewise, and 6 twice.
    assert found["agreement"]["citance"]["precision"] == pytest.approx(10 / 16)
    assert found["agreement"]["citance"]["recall"] == pytest.approx(10 / 18)
    # Officially 6 is worth 2 of 3, then 3, 5 and 7 each 1 of 3; 5 sentences are wanted.
    # 6 alone has F1 4/8; with one more 6/11, with two 8/14, with three 10/17: all are taken.
    assert found["oracle"]["official"]["f1"] == pytest.approx(10 / 17)
    # By citances 3 is worth 3 of 3, 6 2 of 2, 5 2 of 3, then 4 and 7 are worth 1 of 3: 9 are
    # wanted, so the first three give 14/17 = .82 and nothing below a share of .41 is worth it.
    assert found["oracle"]["citance"]["f1"] == pytest.approx(14 / 17)


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
