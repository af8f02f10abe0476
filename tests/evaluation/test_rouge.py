"""ROUGE-S*: its words, stems, pairs and means, worked out by hand."""

import pytest

from pincite_evaluation.cited_text.overlap import (
    python2_order,
    rouge_stem,
    skip_bigram_f1,
)


@pytest.mark.parametrize(
    ("word", "stem"),
    {
        "bas": "bas",  # three letters
        "indices": "index",  # irregular
        "written": "write",
        "caresses": "caress",
        "agreed": "agre",
        "plastered": "plaster",
        "conflated": "conflat",
        "hopping": "hop",
        "happy": "happi",
        "relational": "relat",
        "sensibiliti": "sensibl",
        "archaeology": "archaeolog",
        "controlled": "control",
        "yellowness": "yellow",
        "ying": "ying",  # an initial y is no vowel
        "2003": "2003",
        # not what Porter's step 4 gives: agreement, proportion, represent, document
        "agreement": "agreem",
        "proportionate": "proport",
        "representation": "repres",
        "documents": "docum",
    }.items(),
)
def test_stems(word, stem):
    assert rouge_stem(word, irregular=True) == stem


@pytest.mark.parametrize(
    ("gold", "chosen", "f1"),
    [
        # Three pairs and one, (wx, wz) in both: 2 * 1 / (3 + 1). Pairs are ordered.
        (["wx wy wz"], ["wx wz"], 0.5),
        (["wx wy"], ["wy wx"], 0.0),
        (["wx", "wy"], ["wx wy"], 1.0),
        (["wy", "wx"], ["wx wy"], 0.0),
        # (wx, wy) three times of six pairs, the others once; then twice of three.
        (["wx wy wx wy"], ["wx wy"], round(2 / 7, 5)),
        (["wx wy wx wy"], ["wx wx wy"], round(2 * 3 / 9, 5)),
    ],
)
def test_pairs_of_words(gold, chosen, f1):
    assert skip_bigram_f1(gold, chosen) == f1


@pytest.mark.parametrize(
    ("put", "order"),
    [
        ("", ""),
        # The slot of one letter is (letter ^ 1) % 8, as letter * 128 * 1000003 is a multiple of 8:
        # 0 for a, 3 for b, 2 for c, 5 for d, 4 for e.
        ("abc", "acb"),
        ("abcde", "acbed"),
        # i belongs into slot 0 as a does; the second to come goes to (5 * 0 + hash + 1) % 8 = 1.
        ("ai", "ai"),
        ("ia", "ia"),
        # The sixth key makes a table of 32; all keys are put again, by (letter ^ 1) % 32.
        ("abcdef", "acbedf"),
        ("abcdefg", "acbedgf"),
    ],
)
def test_order_of_a_python_2_dict(put, order):
    assert "".join(python2_order(put)) == order
