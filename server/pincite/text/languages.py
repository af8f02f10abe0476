"""The language of a text, as an ISO 639-1 code, if it is certain.

Prose shows it by its function words; what they leave open, py3langid decides (60 MB, most of a
second).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

from .stop_words import function_words, listed_languages

_SURE = 0.6
#: Languages that are known by their function words, as no other language is much like them.
_PLAIN = ("de", "en", "es", "fr", "it", "nl", "pt")
#: Prose has at least this share of words that are function words in its language only, several of
#: them, and few of any other language. Of 1,453 samples of theses, articles and papers 1,380 do,
#: and py3langid agrees on each.
_SHARE, _DISTINCT, _OF_OTHERS = 0.08, 3, 0.25
#: With more digits and signs than this, it is not prose, but a PDF with unreadable letters.
_SIGNS = 0.35
_ENOUGH_CHARACTERS = 20
#: So much text contradicts what is declared: before there is more, it may be a template's.
_CONTRADICTS = 200
_LOOKED_AT = 1_000

#: Names that babel, polyglossia, biblatex and reference managers use.
_NAMES = {
    "english": "en", "american": "en", "usenglish": "en", "british": "en", "ukenglish": "en",
    "canadian": "en", "australian": "en", "newzealand": "en", "eng": "en",
    "german": "de", "ngerman": "de", "austrian": "de", "naustrian": "de", "swissgerman": "de",
    "nswissgerman": "de", "germanb": "de", "deutsch": "de", "ger": "de", "deu": "de",
    "french": "fr", "francais": "fr", "frenchb": "fr", "canadien": "fr", "acadian": "fr",
    "français": "fr", "fre": "fr", "fra": "fr",
    "italian": "it", "spanish": "es", "catalan": "ca", "portuguese": "pt", "portuges": "pt",
    "brazil": "pt", "brazilian": "pt", "dutch": "nl", "danish": "da", "swedish": "sv",
    "norwegian": "no", "norsk": "no", "nynorsk": "nn", "finnish": "fi", "icelandic": "is",
    "russian": "ru", "ukrainian": "uk", "bulgarian": "bg", "serbian": "sr", "croatian": "hr",
    "slovene": "sl", "slovenian": "sl", "slovak": "sk", "czech": "cs", "polish": "pl",
    "hungarian": "hu", "magyar": "hu", "romanian": "ro", "greek": "el", "turkish": "tr",
    "hebrew": "he", "arabic": "ar", "persian": "fa", "farsi": "fa", "hindi": "hi",
    "chinese": "zh", "japanese": "ja", "korean": "ko", "vietnamese": "vi", "thai": "th",
    "latin": "la", "estonian": "et", "latvian": "lv", "lithuanian": "lt", "indonesian": "id",
}  # fmt: skip


def declared(name: str) -> str | None:
    """Return the code for the language name or code that a draft or entry declares."""
    name = name.strip().lower().removeprefix("lang")
    if name in _NAMES:
        return _NAMES[name]
    code = name.replace("_", "-").split("-")[0]
    return code if code in _NAMES.values() else _NAMES.get(code)


def name_of(code: str) -> str:
    """Return the English name of a language."""
    return next(name for name, same in _NAMES.items() if same == code).title()


def language_of(samples: Sequence[str], stated: str | None) -> str | None:
    """Return the code of the language that most samples of one text are in."""
    if stated is not None and sum(map(len, samples)) < _CONTRADICTS:
        return stated
    plain = Counter(filter(None, map(_plain_language, samples)))
    if plain.total() * 2 > len(samples) and (shown := _majority(plain)) is not None:
        return shown
    if stated is not None and _may_be(stated, samples):
        return stated
    found = Counter(filter(None, map(identified, samples)))
    return _majority(found) or stated or next(iter(found), None)


def _majority(found: Counter[str]) -> str | None:
    return next((best for best, number in found.most_common(1) if number * 2 > found.total()), None)


def _may_be(language: str, samples: Sequence[str]) -> bool:
    """Return whether samples have a language's function words, no others more often."""
    from .tokens import words

    found = Counter(word for sample in samples for word in words(sample.lower()))
    shares = {
        code: sum(found[word] for word in function_words(code)) for code in listed_languages()
    }
    return language not in shares or 0 < shares[language] == max(shares.values())


@lru_cache(maxsize=4096)
def identified(text: str) -> str | None:
    """Return the code of the language of `text` if it is certain, else None."""
    sample = " ".join(text[:_LOOKED_AT].split())
    if len(sample) < _ENOUGH_CHARACTERS:
        return None
    if (plain := _plain_language(sample)) is not None:
        return plain
    signs = sum(sign.isascii() and not sign.isalpha() for sign in sample) - sample.count(" ")
    if signs > _SIGNS * len(sample):
        return None
    code, probability = _identifier().classify(sample)
    return str(code) if float(probability) >= _SURE else None


@lru_cache(maxsize=4096)
def _plain_language(prose: str) -> str | None:
    """Return the language that the function words of some prose indicate; much faster."""
    # Imported here, as the server knows language names before it answers `initialize`.
    from .tokens import words

    found = words(prose.lower())
    by_language = {
        code: [word for word in found if word in telling]
        for code, telling in _telling_words().items()
    }
    best, other = sorted(by_language, key=lambda code: len(by_language[code]), reverse=True)[:2]
    number = len(by_language[best])
    is_plain = (
        number >= _SHARE * len(found)
        and len(set(by_language[best])) >= _DISTINCT
        and len(by_language[other]) <= _OF_OTHERS * number
    )
    return best if is_plain else None


@cache
def _telling_words() -> Mapping[str, frozenset[str]]:
    lists = {code: function_words(code) for code in listed_languages()}
    shared = Counter(word for listed in lists.values() for word in listed)
    return {code: frozenset(w for w in lists[code] if shared[w] == 1) for code in _PLAIN}


@cache
def _identifier() -> Any:  # noqa: ANN401 - py3langid has no types
    from py3langid import langid

    identifier = langid.LanguageIdentifier.from_model_file(langid.MODEL_FILE, norm_probs=True)
    # Of the model's 97 languages, those that can be declared. Latin is left out: scientific
    # English in a title often looks like it.
    known = set(_NAMES.values()) - {"la"}
    identifier.set_languages(sorted(known & {str(code) for code in identifier.nb_classes}))
    identifier._full_model = None  # a third of the memory, for `set_languages` alone
    return identifier
