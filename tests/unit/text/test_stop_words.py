import unicodedata
from pathlib import Path

import pytest
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from pincite.text import stop_words
from pincite.text.stop_words import commonest_words, function_words

#: "year", "years", "time", "system", "text", "model", "work", "use", "data", "method", "result",
#: "value", "number", "part", "point", "day", "person", "thing" and the like.
CONTENT = {
    "ca": "any anys temps sistema text model treball usar ús dades mètode resultat valor nombre part dia mode veu",
    "cs": "rok roku let čas systém text model práce použití použít data metoda výsledek hodnota číslo část den člověk článek moc",
    "da": "år tid system tekst model arbejde bruge brug data metode resultat værdi tal del dag",
    "de": "jahr jahre zeit system text modell arbeit verwendung nutzen benutzen verwenden daten methode ergebnis wert zahl teil tag mensch",
    "en": "year years time times text model work works use used using data method result value number person thing",
    "es": "año años tiempo sistema texto modelo trabajo usar uso datos método resultado valor número parte estado estados día persona modo manera sentido",
    "fi": "vuosi vuoden vuotta aika ajan järjestelmä teksti malli työ käyttää käyttö tieto menetelmä tulos arvo luku osa päivä asia asiaa",
    "fr": "an année temps système texte modèle travail utiliser usage données méthode résultat valeur nombre point droite état partie jour personne essai",
    "hu": "év évek idő rendszer szöveg modell munka használ használat adat módszer eredmény érték szám rész nap cikk cikkek",
    "it": "anno anni tempo sistema testo modello lavoro usare uso dati metodo risultato valore numero parte giorno persona cosa fine",
    "nl": "jaar jaren tijd systeem tekst model werk gebruik gebruiken gegevens methode resultaat waarde getal deel dag mens wezen",
    "no": "år tid system tekst modell arbeid arbeide bruke bruk data metode resultat verdi tall del dag land",
    "pl": "rok roku lat czas system tekst model praca użycie używać dane metoda wynik wartość liczba część dzień człowiek sposób kierunku",
    "pt": "ano anos tempo sistema texto modelo trabalho usar uso dados método resultado valor número parte estado dia povo tipo",
    "ro": "an ani timp timpul sistem text model muncă lucru folosi date metodă rezultat valoare număr parte zi mod drept",
    "ru": "год года году лет время времени система текст модель работа использование использовать данные метод результат значение число часть день человек люди жизнь",
    "sv": "år tid system text modell arbete använda användning data metod resultat värde tal del dag beslut",
    "tr": "yıl zaman sistem metin model iş çalışma kullanmak kullanım veri yöntem sonuç değer sayı bölüm gün kaynak doğru",
    "uk": "рік року років роки час часу система текст модель робота використання дані метод результат значення число частина день люди справ",
}  # fmt: skip
#: "and", "not", "with", "of" or "from", "that", "is" (where it has two letters or more).
FUNCTION = {
    "ca": "no amb de que és", "cs": "nebo ne být od že je", "da": "og ikke med af at er",
    "de": "und nicht mit von dass ist", "en": "and not with of that is",
    "es": "no con de que es", "fi": "ja ei että on", "fr": "et pas avec de que est",
    "hu": "és nem hogy van", "it": "non con di che sono", "nl": "en niet met van dat is",
    "no": "og ikke med av at er ikkje eg", "pl": "nie od że jest", "pt": "não com de que são",
    "ro": "și şi nu cu de că este", "ru": "не от что есть также который", "sv": "och inte med av att är",
    "tr": "ve ile için bu olarak", "uk": "не від що та",
}  # fmt: skip


def test_every_list_is_looked_at():
    lists = Path(stop_words.__file__).with_name("stop_word_lists")
    assert {path.stem for path in lists.glob("*.txt")} == CONTENT.keys() == FUNCTION.keys()
    sources = (lists / "SOURCES.md").read_text("utf-8")
    for path in lists.glob("*.txt"):
        source = path.read_text("utf-8").splitlines()[0]
        assert source.startswith("# ")
        assert "BSD 3-Clause" in source
        assert f"{path.stem}" in sources


@pytest.mark.parametrize("language", CONTENT)
def test_a_list_has_function_words_and_no_words_of_content(language):
    listed = function_words(language)
    assert not listed.intersection(CONTENT[language].split())
    assert listed.issuperset(FUNCTION[language].split())
    for word in listed:
        assert word == unicodedata.normalize("NFC", word).lower()
        assert word.isalpha()


def test_the_english_list_is_that_of_scikit_learn_and_norwegian_has_one():
    assert function_words("en") == ENGLISH_STOP_WORDS
    assert function_words("nb") == function_words("nn") == function_words("no") != frozenset()


@pytest.mark.parametrize("language", [None, "", "zz", "ja", "../en", "en.txt", "日本"])
def test_there_are_none_where_there_is_no_list(language):
    assert function_words(language) == frozenset()


def test_the_commonest_words():
    said = "το κείμενο και το σύστημα και το κείμενο".split()
    assert commonest_words(said, 1) == {"το"}
    assert commonest_words(said, 2) == {"το", "κείμενο"}  # "και" came later
    assert commonest_words(said, 9) == set(said)
    assert commonest_words(said, 0) == commonest_words([], 5) == frozenset()
