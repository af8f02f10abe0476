"""The language of a text, as an ISO 639-1 code.

It is identified by py3langid (naive Bayes over byte n-grams, with a packaged model), but only if
none is declared and only if the result is certain: titles are short.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any

_SURE = 0.6
#: In 164 English drafts, at least one in 27 words of a thousand characters of prose was one of
#: these; in German, French and Russian theses, none.
_ENGLISH = frozenset({"the", "of", "and"})
_ENGLISH_SHARE = 0.03
_ENOUGH_CHARACTERS = 20
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


def _is_plainly_english(prose: str) -> bool:
    """Return, quickly, whether sentences are certainly English."""
    words = prose.lower().split()
    found = [word for word in words if word in _ENGLISH]
    return len(found) > _ENGLISH_SHARE * len(words) and _ENGLISH.issubset(found)


@lru_cache(maxsize=4096)
def identified(text: str) -> str | None:
    """Return the code of the language of `text` if it is certain, else None."""
    if _is_plainly_english(text[:_LOOKED_AT]):
        # This avoids loading the identifier, which takes most of a second.
        return "en"
    sample = " ".join(text[:_LOOKED_AT].split())
    if len(sample) < _ENOUGH_CHARACTERS:
        return None
    code, probability = _identifier().classify(sample)
    return str(code) if float(probability) >= _SURE else None


@cache
def _identifier() -> Any:  # noqa: ANN401 - py3langid has no types
    from py3langid import langid

    identifier = langid.LanguageIdentifier.from_model_file(langid.MODEL_FILE, norm_probs=True)
    # Of the model's 97 languages, those that can be declared. Latin is left out: scientific
    # English in a title often looks like it.
    known = set(_NAMES.values()) - {"la"}
    identifier.set_languages(sorted(known & {str(code) for code in identifier.nb_classes}))
    return identifier
