import pytest

from pincite.text.languages import declared, identified, name_of


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("ngerman", "de"),
        ("English", "en"),
        ("de-DE", "de"),
        ("en_US", "en"),
        ("russian", "ru"),
        ("klingon", None),
        ("", None),
    ],
)
def test_declared_languages(name, code):
    assert declared(name) == code


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


def test_english_of_a_title_is_not_taken_for_latin():
    title = "Corpora: formae et materia in fluid argon simulation"
    assert identified(title) != "la"
    assert declared("latin") == "la"


@pytest.mark.parametrize(
    ("code", "name"), [("en", "English"), ("pt", "Portuguese"), ("no", "Norwegian")]
)
def test_a_language_has_its_usual_name(code, name):
    assert name_of(code) == name
    assert declared(name) == code
