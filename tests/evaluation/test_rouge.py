"""ROUGE-S*: its words, stems, pairs and means, worked out by hand."""

import pytest

from pincite_evaluation.cited_text.overlap import (
    python2_order,
    rouge_s_star,
    rouge_stem,
    rouge_words,
    skip_bigram_f1,
)


def test_words_are_runs_of_ascii_letters_and_digits():
    assert rouge_words("Zq1 zq-2, ZQ's x_y naïve 9%") == ("zq1", "zq", "2", "zq", "na", "ve", "9")
    # Stop words are removed as written; no other letter is lower-cased into ASCII.
    assert rouge_words("The parser uses using used index indexing") == ("parser", "index")
    assert rouge_words("\u212aelvin &lt;") == ("elvin", "lt")
    assert rouge_words("the of and") == rouge_words("...") == rouge_words("") == ()


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


def test_sentences_stand_in_the_order_of_a_python_2_dict():
    # 9 is put into slot 0 and 10 into slot 1, whichever comes first
    chosen = {"10": "wy", "9": "wx"}
    assert python2_order(chosen) == ["9", "10"]
    assert rouge_s_star([[({"1": "wx wy"}, chosen)]]) == pytest.approx(1, abs=1e-6)


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
