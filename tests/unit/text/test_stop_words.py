import unicodedata
from pathlib import Path

import pytest
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from pincite.text import stop_words
from pincite.text.stop_words import function_words


def test_every_list_has_words_as_they_are_compared_and_names_its_source():
    lists = Path(stop_words.__file__).with_name("stop_word_lists")
    sources = (lists / "SOURCES.md").read_text("utf-8")
    for path in lists.glob("*.txt"):
        source = path.read_text("utf-8").splitlines()[0]
        assert source.startswith("# ")
        assert "BSD 3-Clause" in source
        assert path.stem in sources
        for word in function_words(path.stem):
            assert word == unicodedata.normalize("NFC", word).lower()
            assert word.isalpha()


def test_the_english_list_is_that_of_scikit_learn_and_norwegian_has_one():
    assert function_words("en") == ENGLISH_STOP_WORDS
    assert function_words("nb") == function_words("nn") == function_words("no") != frozenset()


@pytest.mark.parametrize("language", [None, "", "zz", "ja", "../en", "en.txt", "日本"])
def test_there_are_none_where_there_is_no_list(language):
    assert function_words(language) == frozenset()
