import random
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from pincite.text.stemming import stemmer


@pytest.mark.parametrize(
    ("language", "some", "others"),
    [
        *((code, "coronagraph parser citation", "coronagraphs parsers citations")
          for code in (None, "", "ja", "zz", "de", "fr", "ru")),
        ("en", "model study", "models studies"),
        ("de", "methode verfahren straße system", "methoden verfahrens straßen systeme"),
        ("fr", "algorithme discret droite", "algorithmes discrets droites"),
        ("ru", "система модель", "системы модели"),
        ("nb", "modell", "modeller"),
        ("hi", "भाषा किताब", "भाषाओं किताबें"),
        ("ta", "மொழி", "மொழிகள்"),
    ],
)  # fmt: skip
def test_plurals_and_cases_have_one_stem(language, some, others):
    stem = stemmer(language)
    assert list(map(stem, some.split())) == list(map(stem, others.split()))


@pytest.mark.parametrize("language", [None, "de", "fr"])
@pytest.mark.parametrize(
    "word", ["", "a", "es", "a1s", "1990s", "word2vecs", "gps", "字", "中文", "नमस्ते"]
)
def test_what_is_no_word_of_letters_keeps_its_form(language, word):
    assert stemmer(language)(word) == word


def test_threads_get_the_stems_that_one_alone_gets():
    chosen = random.Random(1)
    words = [
        "".join(chosen.choices("aeionrstlmcg", k=9)) + chosen.choice(["en", "ern", "ings", "tions"])
        for _ in range(2_000)
    ]
    stem = stemmer("de")
    expected = list(map(stem, words))
    stem.cache_clear()
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as threads:
            found = list(threads.map(lambda _: list(map(stem, words)), range(8)))
    finally:
        sys.setswitchinterval(interval)
    assert found == [expected] * 8
