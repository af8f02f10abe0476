import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.model.papers import ReferencePaper, Sentence
from pincite_evaluation.baselines.fields import FIELD_1, FIELD_2, FIELD_3, MASKS, PLAIN, math_spans
from pincite_evaluation.baselines.systems import SYSTEMS

FIELDS = (PLAIN, FIELD_1, FIELD_2, FIELD_3)
pieces = st.one_of(
    st.sampled_from(["hidden", "Markov", "models", "HMM's", "the", "of", "part-of-speech", "F1"]),
    st.sampled_from(
        ["O(n)", "P(x|", "f(", "x1", "...", "(i, j)", "<x,", "学", "カ", "é", "\u0301"]
    ),
    st.sampled_from([" ", ", ", "(", ")", "[", "]", "_", "'", "’s", "-", "--"]),
)
texts = st.one_of(st.text(), st.lists(pieces, max_size=40).map("".join))


@given(texts, st.sampled_from(FIELDS))
def test_words_are_in_the_text_and_in_order(text, field):
    analysis = field.analyse(text, math_spans(text))
    position = 0
    for word in analysis.words:
        assert word.term
        # Words of a synonym share their place, pairs of characters overlap.
        assert position <= word.start < word.end <= len(text)
        position = word.start
    assert len(analysis.words) <= len(analysis.places)
    shingles = [term for term in analysis.terms() if " " in term]
    assert all(any(part != "_" for part in shingle.split(" ")) for shingle in shingles)


@given(texts, st.sampled_from(FIELDS))
def test_case_and_space_around_change_no_terms(text, field):
    assert list(field.analyse(f" {text} ").terms()) == list(field.analyse(text).terms())


@given(texts)
def test_formulas_are_in_order_and_apart(text):
    position = 0
    for start, end, mask in math_spans(text):
        assert position <= start < end <= len(text)
        assert mask in MASKS
        position = end


@given(st.lists(texts, max_size=6), texts)
def test_what_is_matched_is_in_the_paper_and_its_words_in_the_sentence(sentences, citance):
    paper = ReferencePaper("Toy", "full text", tuple(Sentence(text) for text in sentences))
    for name in ("bm25-2field", "bm25-3field", "bm25-3field-sum"):
        matcher = SYSTEMS[name].matcher()
        before = 1.0
        for found in matcher.match(citance, matcher.fit(paper)):
            assert found.text == sentences[found.position]
            assert 0.0 < found.score <= before
            before = found.score
            end = 0
            for span in found.matched:
                assert end <= span.start < span.end <= len(found.text)
                end = span.end


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    [
        "P(", "P(a", "(x,", "f(x)", "[x ", "x1,", "O(n ", "P(a|b ", "(((", "<x, ", "_", "'s", "a'",
        "hidden markov ", "the ", "-- ", "x", "é", "学",
    ],
)  # fmt: skip
def test_long_repetitions_are_read_to_the_end(unit):
    """This ends at all only where no step is quadratic."""
    text = unit * (100_000 // len(unit))
    masked = math_spans(text)
    for field in (FIELD_2, FIELD_3):
        field.analyse(text, masked)
