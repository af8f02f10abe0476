import pytest
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from pincite.text.tokens import composed, stop_words, terms, word_spans, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("state-of-the-art parsing, 3.14", ["state", "of", "the", "art", "parsing", "3", "14"]),
        ("Müller naïve Straße", ["Müller", "naïve", "Straße"]),
        ("word2vec word_vector", ["word2vec", "word", "vector"]),
        ("Русский текст", ["Русский", "текст"]),
        ("हिन्दी पाठ", ["हिन्दी", "पाठ"]),
        ("中文分词 test", ["中文", "文分", "分词", "test"]),
        ("字", ["字"]),
        ("\ufffc \ufffc", []),
        ("", []),
    ],
)
def test_words_of_any_script(text, expected):
    assert words(text) == expected


def test_spans_reproduce_the_words():
    text = "Ein Satz – 中文分 & more."
    assert [text[start:end] for start, end in word_spans(text)] == words(text)


def test_decomposed_accents_stay_in_the_word():
    assert words("Mu\u0308ller") == ["Mu\u0308ller"]


def test_terms_leave_out_stop_words_and_single_characters():
    assert terms(["The", "Coherence", "of", "a", "x", "Text"]) == ["coherence", "text"]


def test_the_stop_list_is_that_of_scikit_learn():
    assert stop_words() == ENGLISH_STOP_WORDS


def test_accents_count_the_same_however_they_are_typed():
    assert terms(["Mu\u0308ller"]) == terms(["Müller"]) == ["müller"]


def test_raised_digits_are_no_part_of_a_word():
    assert words("the tower¹² of 10⁵ m²") == ["the", "tower", "of", "10", "m"]


def test_the_fast_way_finds_the_words_that_the_careful_one_does():
    codes = {*range(0x3000), *range(0xFB00, 0x10000), *range(0x3000, 0x110000, 97)}
    for code in codes - {*range(0xD800, 0xE000)}:
        text = f"a{chr(code)}b"
        careful = word_spans(f"{text} \u0300")  # a combining mark asks for care
        spans = list(word_spans(text))
        assert spans == [span for span in careful if span[1] <= 3], hex(code)
        assert words(text) == [text[start:end] for start, end in spans], hex(code)


def test_lowered_digits_are_as_others_and_raised_ones_no_part_of_a_word():
    assert [composed(word) for word in words("H₂O and CO2 at 10⁸")] == [
        *("H2O", "and", "CO2", "at", "10")
    ]
