"""Each step from a sentence to the terms of a field, by hand."""

from collections import Counter
from dataclasses import replace

import pytest

from pincite_evaluation.baselines.fields import (
    COMPLEXITY,
    FIELD_1,
    FIELD_2,
    FIELD_3,
    FUNCTION,
    PLAIN,
    PROBABILITY,
    VECTOR,
    Field,
    math_spans,
)

STANDARD = Field(lowercase=False, stop_words=False)
WHITESPACE = replace(STANDARD, tokenizer="whitespace")
DELIMITER = replace(WHITESPACE, word_filter="delimiter")


def words(field, text):
    return [word.term for word in field.analyse(text).words]


def shingles(field, text):
    analysis = field.analyse(text)
    alone = Counter(word.term for word in analysis.words)
    return sorted((Counter(analysis.terms()) - alone).elements())


PORTER, SNOWBALL = (replace(STANDARD, stemming=name) for name in ("porter", "snowball"))


@pytest.mark.parametrize(
    ("field", "text", "expected"),
    [
        (STANDARD, "A state-of-the-art parser.", "A state of the art parser"),
        # Points, apostrophes and commas inside a word or number do not end it; hyphens do.
        (STANDARD, "e.g. the 1,000.5 don't x_i", "e.g the 1,000.5 don't x_i"),
        (STANDARD, "-- … ( ) __", ""),
        (STANDARD, "naïve Größe", "naïve Größe"),
        (STANDARD, "語彙の grid", "語彙 彙の grid"),
        # No word is longer than Lucene's, and its stop words are few.
        (STANDARD, "a" * 600, " ".join(("a" * 255, "a" * 255, "a" * 90))),
        (WHITESPACE, "state-of-the-art, (parser) 語彙の", "state-of-the-art, (parser) 語彙 彙の"),
        (PLAIN, "GRO\u0308SSE", "grösse"),
        (PLAIN, "We show that there is such a word, and not for us.", "we show word us"),
        # An abbreviation of two things is no synonym: synchronous or stochastic grammars.
        (FIELD_1, "SCFG", "scfg"),
        (DELIMITER, "state-of-the-art, (parser)", "state of the art parser"),
        (DELIMITER, "PowerParser HMMs BioNLP", "Power Parser HMMs Bio NLP"),
        (DELIMITER, "F1 4you 3.14", "F 1 4 you 3 14"),
        (DELIMITER, "the parser's don't", "the parser don t"),
        (PORTER, "relational parsers as us", "relat parser as us"),
        # Porter's own program has two rules more than his paper.
        (PORTER, "morphology morphological", "morpholog morpholog"),
        (PORTER, "possibly possible", "possibl possibl"),
        (PORTER, "logi bli", "logi bli"),
        (SNOWBALL, "relational generously skies news", "relat generous sky news"),
    ],
)
def test_words(field, text, expected):
    assert words(field, text) == expected.split()


def test_the_possessive_filter_takes_the_ending_and_its_offsets():
    field = replace(STANDARD, word_filter="possessive")
    text = "the parser's and Zhang’S rules' end"
    assert words(field, text) == ["the", "parser", "and", "Zhang", "rules", "end"]
    _, parser, *_ = field.analyse(text).words
    assert text[parser.start : parser.end] == "parser"


def test_shingles_are_counted_beside_the_words():
    field = replace(PLAIN, shingles=2)
    assert words(field, "entity grid model") == ["entity", "grid", "model"]
    assert shingles(field, "entity grid model") == ["entity grid", "grid model"]
    assert shingles(replace(field, shingles=3), "entity grid model") == [
        "entity grid", "entity grid model", "grid model",
    ]  # fmt: skip
    assert shingles(PLAIN, "entity grid model") == []


def test_a_stop_word_leaves_a_gap_in_shingles():
    field = replace(PLAIN, shingles=2)
    assert shingles(field, "the quality of the service of") == sorted(
        ["_ quality", "quality _", "_ service", "service _"]
    )
    # A shingle that begins with a gap has a place of its own, so Lucene counts it as a word.
    assert len(field.analyse("the quality of the service of").places) == 4
    assert len(replace(field, shingles=1).analyse("the quality of the service of").places) == 2
    assert shingles(field, "of the") == []
    # Of a long gap as many fillers as fit.
    assert shingles(replace(field, shingles=3), "quality of the of the service") == [
        "_ _ service", "_ service", "quality _", "quality _ _",
    ]  # fmt: skip


def test_a_mark_between_words_is_a_gap_for_the_delimiter_filter_only():
    text = "quality -- service ."
    assert shingles(replace(DELIMITER, shingles=2), text) == ["_ service", "quality _"]
    assert shingles(replace(STANDARD, shingles=2), text) == ["quality service"]


def test_every_form_of_a_synonym_becomes_the_first():
    for field in (FIELD_1, FIELD_3):
        assert words(field, "Hidden Markov Models") == words(field, "HMMs") == ["hmm"]
        assert words(field, "co-occurrence") == words(field, "Cooccurrences")
    assert words(FIELD_2, "(part-of-speech)") == words(FIELD_2, "POS,")


def test_the_longest_synonym_wins_and_keeps_its_place():
    text = "in statistical machine translation systems"
    found = FIELD_1.analyse(text).words
    assert [word.term for word in found] == ["smt", "systems"]
    assert text[found[0].start : found[0].end] == "statistical machine translation"
    assert words(FIELD_1, "hidden Markov") == ["hidden", "markov"]


def test_the_three_fields_of_table_1():
    text = "The tagger's probabilities"
    assert words(FIELD_1, text) == ["tagger", "probabilities"]
    assert words(FIELD_2, text) == ["tagger", "probabl"]
    assert words(FIELD_3, text) == ["the", "tagger", "probabl"]
    assert "the tagger probabl" in shingles(FIELD_3, text)
    assert shingles(FIELD_1, text) == ["_ tagger", "tagger probabilities"]


@pytest.mark.parametrize("field", [FIELD_1, FIELD_2, FIELD_3])
def test_masked_mathematics_is_one_word(field):
    text = "it takes O(n log n) steps"
    masked = field.analyse(text, math_spans(text)).words
    assert COMPLEXITY in [word.term for word in masked]
    assert text[slice(*masked[-2][1:])] == "O(n log n)"
    assert masked[-1].term in ("steps", "step")


@pytest.mark.parametrize(
    ("text", "mask"),
    [
        ("O(n log n)", COMPLEXITY),
        ("O ( n 2 )", COMPLEXITY),
        ("P(x|y)", PROBABILITY),
        ("P (f (a) | e)", PROBABILITY),
        ("f(x)", FUNCTION),
        ("g (x, y)", FUNCTION),
        ("sim(w1, w2)", FUNCTION),
        ("argmax_e", FUNCTION),
        ("(x1, ..., xn)", VECTOR),
        ("(i, j)", VECTOR),
        ("<x, y>", VECTOR),
        ("[x_1 ... x_n]", VECTOR),
    ],
)
def test_math_like_text_is_found_whole(text, mask):
    assert math_spans(f"so {text} here") == [(3, 3 + len(text), mask)]


@pytest.mark.parametrize(
    "text",
    [
        "a noun phrase (NP) has an f-score (F)",
        "feature(s) and score(s)",
        "B (begin), I (inside) and O (outside)",
        "Figure 2 (a, b), sentences (1, 2)",
        "tags (N, V, A) and words (in, on)",
        "as in (see below) or [m a d a m]",
        "P (precision) and R (recall) at p (0.05)",
    ],
)
def test_prose_in_brackets_is_no_mathematics(text):
    assert math_spans(text) == []


def test_formulas_beside_each_other_stay_apart():
    text = "argmax_e P(e|f) = g(e, P(f))"
    assert [(text[start:end], mask) for start, end, mask in math_spans(text)] == [
        ("argmax_e", FUNCTION), ("P(e|f)", PROBABILITY), ("g(e, P(f))", FUNCTION),
    ]  # fmt: skip
