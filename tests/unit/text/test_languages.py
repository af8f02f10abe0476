import unicodedata
from pathlib import Path

import pytest
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from pincite.text import languages, stop_words
from pincite.text.languages import declared, identified, name_of
from pincite.text.stop_words import function_words


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("ngerman", "de"),
        ("en_US", "en"),
        ("klingon", None),
        ("", None),
    ],
)
def test_declared_languages(name, code):
    assert declared(name) == code
    assert code is None or declared(name_of(code)) == code


def test_a_sentence_is_identified_and_a_title_only_when_sure():
    assert (
        identified("Diese Arbeit behandelt die Erkennung gerader Linien in digitalen Bildern.")
        == "de"
    )
    assert (
        identified("This chapter describes how straight lines are found in digital images.") == "en"
    )
    assert identified("Monte Carlo methods") is None
    assert identified("") is None


@pytest.mark.parametrize(
    ("code", "prose"),
    [
        ("en", "Beavers have changed this river with their dams, which they build from the trees."),
        ("de", "Die Biber haben den Fluss mit ihren Dämmen verändert, die sie aus Bäumen bauen."),
        (None, "?EMLWLWEMY ?$GJU??-EMCB?+YBIK>0e-??? ?????V???????s???4? ?-???V??????? the of and"),
    ],
)
def test_prose_shows_its_language_by_its_function_words(code, prose, monkeypatch):
    """The identifier, which is large, is not loaded."""
    monkeypatch.setattr(languages, "_identifier", pytest.fail)
    assert identified(prose) == code


@pytest.mark.parametrize("code", ["fi", "ru", "pl", "sv"])
def test_what_is_declared_and_not_contradicted_is_believed_without_more(code, monkeypatch):
    monkeypatch.setattr(languages, "_identifier", pytest.fail)
    words = sorted(function_words(code))[:60]
    assert languages.language_of([" ".join(words)] * 3, code) == code


@pytest.mark.parametrize(
    ("prose", "code"),
    [
        ("冬天山谷里的河流很安静，石头上长满了青苔。春天雪融化以后，水流得很快。", "zh"),
    ],
)
def test_a_declared_language_of_which_no_function_word_is_there_is_not_believed(prose, code):
    assert languages.language_of([prose * 8] * 3, "en") == code


def test_english_of_a_title_is_not_taken_for_latin():
    title = "Corpora: formae et materia in fluid argon simulation"
    assert identified(title) != "la"
    assert declared("latin") == "la"


# Function words


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
