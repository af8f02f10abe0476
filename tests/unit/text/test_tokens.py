import pytest

from pincite.text.tokens import terms, word_spans, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("state-of-the-art parsing, 3.14", ["state", "of", "the", "art", "parsing", "3", "14"]),
        ("word2vec word_vector", ["word2vec", "word", "vector"]),
        ("हिन्दी पाठ", ["हिन्दी", "पाठ"]),
        ("中文分词 test", ["中文", "文分", "分词", "test"]),
        ("字", ["字"]),
        ("Mu\u0308ller", ["Mu\u0308ller"]),
        ("the tower¹² of 10⁵ m²", ["the", "tower", "of", "10", "m"]),
        ("Ca²⁺ and PO₄³⁻ in studies¹⁻³", ["Ca²", "and", "PO₄³", "in", "studies"]),
        ("\ufffc \ufffc", []),
    ],
)
def test_words_of_any_script(text, expected):
    assert words(text) == expected
    assert [text[start:end] for start, end in word_spans(text)] == expected


def test_terms_leave_out_stop_words_and_single_characters():
    assert terms(["The", "Coherence", "of", "a", "x", "Text"]) == ["coherence", "text"]
    # Accents and lowered digits count the same however they are typed.
    assert terms(["Mu\u0308ller", "Müller", "H₂O"]) == ["müller", "müller", "h2o"]
    assert terms(["Ca²", "Ca2", "PO₄³", "PO43"]) == ["ca2", "ca2", "po43", "po43"]
    assert terms(["İstanbul", "I\u0307stanbul", "Istanbul"]) == ["istanbul"] * 3


def test_the_fast_way_finds_the_words_that_the_careful_one_does():
    codes = {*range(0x3000), *range(0xFB00, 0x10000), *range(0x3000, 0x110000, 97)}
    for code in codes - {*range(0xD800, 0xE000)}:
        text = f"a{chr(code)}b"
        careful = word_spans(f"{text} \u0300")  # a combining mark asks for care
        spans = list(word_spans(text))
        assert spans == [span for span in careful if span[1] <= 3], hex(code)
        assert words(text) == [text[start:end] for start, end in spans], hex(code)
