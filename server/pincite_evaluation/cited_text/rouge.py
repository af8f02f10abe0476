"""ROUGE-S* of chosen sentences, as the organisers of CL-SciSumm compute it.

Their program (`task1_rouge_eval.py` of the scisumm-corpus) calls Lin's ROUGE-1.5.5 with
``-f A -a -x -s -d -t 1 -m -2 -4``. The option ``-2`` expects a value and takes ``-4`` as such, so
the largest gap is negative and ROUGE counts skip-bigrams over any distance, without unigrams. Words
are stemmed (``-m``), stop words removed (``-s``), and texts are not truncated.

Their scores were computed with an empty list of irregular forms, and on texts with encoded
entities: ``&quot;`` is the word "quot". `irregular` uses the list of WordNet 2.0; the caller
chooses between encoded and decoded texts (`overlap.Scorer.official_pairs`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from importlib import resources
from itertools import combinations

import numpy as np

_TOKEN = re.compile(rb"[a-z0-9]+")
#: ROUGE prints the mean over this many bootstrap samples, even for a single pair of texts.
_SAMPLES = 1000


def rouge_s_star(
    files: Iterable[Sequence[tuple[Mapping[str, str], Mapping[str, str]]]],
    *,
    irregular: bool = False,
) -> float:
    """Return ROUGE-S* (F1, a fraction) of a submission, the mean over gold files of their means.

    Each file has, for each pair of papers, the gold and the chosen sentences by their ids; pairs
    without either are left out. Skip-bigrams across two sentences depend on the order of a Python 2
    dict.
    """
    means = []
    for keys in files:
        scores = []
        for both in keys:
            gold, chosen = ([each[sid] for sid in python2_order(each)] for each in both)
            if gold and chosen:
                scores.append(skip_bigram_f1(gold, chosen, irregular=irregular))
        means.append(file_mean(scores))
    return sum(means) / len(means) if means else 0.0


def file_mean(scores: Sequence[float]) -> float:
    """Return the mean of a gold file's scores, divided by n + 10e-8 as the organisers do."""
    return sum(scores) / (len(scores) + 10e-8)


def skip_bigram_f1(gold: Sequence[str], chosen: Sequence[str], *, irregular: bool = False) -> float:
    """Return the ROUGE-S* of two texts, given as sentences, with the five decimals ROUGE prints.

    A pair may span several sentences; it matches as often as it occurs in both (Lin 2004, section
    5). Gold is ROUGE's peer and the chosen sentences its model; F1 is the same.
    """
    peer = [word for sentence in gold for word in rouge_words(sentence, irregular)]
    model = [word for sentence in chosen for word in rouge_words(sentence, irregular)]
    shared = set(peer).intersection(model)
    texts = ([word for word in text if word in shared] for text in (peer, model))
    ours, theirs = (Counter(combinations(text, 2)) for text in texts)
    matches = (ours & theirs).total()
    if not matches:
        return 0.0
    recall = matches / (len(model) * (len(model) - 1) // 2)
    precision = matches / (len(peer) * (len(peer) - 1) // 2)
    f1 = recall * precision / (0.5 * precision + 0.5 * recall)
    # The mean of equal samples differs from them in the last bits, which decides rounding of ties.
    # Summed one by one: sum() uses compensated summation since Python 3.12.
    return float(f"{np.full(_SAMPLES, f1).cumsum()[-1] / _SAMPLES:.5f}")


@lru_cache(maxsize=1 << 16)
def rouge_words(sentence: str, irregular: bool = False) -> tuple[str, ...]:
    """Return the words of a sentence that ROUGE counts, stemmed."""
    found = _TOKEN.findall(sentence.encode(errors="replace").lower())
    words = (word.decode() for word in found)
    return tuple(rouge_stem(word, irregular) for word in words if word not in _stop_words())


@lru_cache(maxsize=1 << 16)
def rouge_stem(word: str, irregular: bool = False) -> str:
    """Return the stem of a lower-case word as ROUGE forms it."""
    if len(word) <= 3:
        return word
    return (irregular and _exceptions().get(word)) or _porter(word)


@cache
def _stop_words() -> frozenset[str]:
    return frozenset(_words("rouge_stop_words.txt").split())


@cache
def _exceptions() -> dict[str, str]:
    lines = map(str.split, _words("rouge_exceptions.txt").splitlines())
    return {form: base for base, *forms in lines for form in forms}


def _words(name: str) -> str:
    return (resources.files(__package__) / name).read_text("utf-8")  # ROUGE_WORDS.md: its source


_CONSONANTS = "[^aeiou][^aeiouy]*"
_VOWELS = "[aeiouy][aeiou]*"
_SYLLABLE = re.compile(f"(?:{_CONSONANTS})?{_VOWELS}[^aeiou]")  # m > 0
_SYLLABLES = re.compile(f"(?:{_CONSONANTS})?{_VOWELS}{_CONSONANTS}{_VOWELS}[^aeiou]")  # m > 1
_ONE_SYLLABLE = re.compile(f"(?:{_CONSONANTS})?{_VOWELS}{_CONSONANTS}(?:{_VOWELS})?")  # m = 1
_HAS_VOWEL = re.compile(f"(?:{_CONSONANTS})?[aeiouy]")  # *v*
_SHORT = re.compile(f"{_CONSONANTS}[aeiouy][^aeiouwxy]")  # *o
_DOUBLE = re.compile(r"([^aeiouylsz])\1$")


def _endings(rules: str) -> tuple[re.Pattern[str], dict[str, str]]:
    """Return a pattern for the longest ending of ``ending:replacement`` rules, and the rules."""
    replaced = dict(rule.split(":") for rule in rules.split())
    return re.compile(f"(?:{'|'.join(replaced)})$"), replaced


_STEP_2 = _endings(
    "ational:ate tional:tion enci:ence anci:ance izer:ize bli:ble alli:al entli:ent eli:e "
    "ousli:ous ization:ize ation:ate ator:ate alism:al iveness:ive fulness:ful ousness:ous "
    "aliti:al iviti:ive biliti:ble logi:log"
)
_STEP_3 = _endings("icate:ic ative: alize:al iciti:ic ical:ic ful: ness:")
_STEP_4 = (
    re.compile("(?:al|ance|ence|er|ic|able|ible|ant|ement|ou|ism|ate|iti|ous|ive|ize)$"),
    re.compile("ment$"),
    re.compile("(?:ent|(?<=[st])ion)$"),
)


def _porter(word: str) -> str:
    """Return a word's stem by Porter (1980), "An algorithm for suffix stripping", as ROUGE has it.

    ROUGE's is Porter's own revision (*bli* for *abli*, *logi*) except for step 4: Porter removes
    only the longest ending, ROUGE up to one of each row of `_STEP_4`. So *agreement* becomes
    *agreem* and *proportionate* becomes *proport*.
    """
    stem = "Y" + word[1:] if word.startswith("y") else word  # a consonant
    stem = _without_inflection(stem)
    for ending, replaced in (_STEP_2, _STEP_3):
        found = ending.search(stem)
        if found and _SYLLABLE.match(stem[: found.start()]):
            stem = stem[: found.start()] + replaced[found[0]]
    for ending in _STEP_4:
        found = ending.search(stem)
        if found and _SYLLABLES.match(stem[: found.start()]):
            stem = stem[: found.start()]
    if stem.endswith("e"):
        rest = stem[:-1]
        short = _ONE_SYLLABLE.fullmatch(rest) and not _SHORT.fullmatch(rest)
        if short or _SYLLABLES.match(rest):
            stem = rest
    if stem.endswith("ll") and _SYLLABLES.match(stem):
        stem = stem[:-1]
    return stem.lower()


def _without_inflection(word: str) -> str:
    """Return a word after Porter's step 1: without plural, *-ed* and *-ing*, with *y* as *i*."""
    if word.endswith(("sses", "ies")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    if word.endswith("eed"):
        if _SYLLABLE.match(word[:-3]):
            word = word[:-1]
    elif word.endswith(("ed", "ing")):
        stem = word[:-2] if word.endswith("ed") else word[:-3]
        if _HAS_VOWEL.match(stem):
            word = stem
            if stem.endswith(("at", "bl", "iz")) or _SHORT.fullmatch(stem):
                word += "e"
            elif _DOUBLE.search(stem):
                word = stem[:-1]
    if word.endswith("y") and _HAS_VOWEL.match(word[:-1]):
        word = word[:-1] + "i"
    return word


def python2_order(keys: Iterable[str]) -> list[str]:
    """Return ASCII strings in the iteration order of a dict of CPython 2.7 (64 bits).

    Its hash table (Objects/dictobject.c: lookdict_string, dictresize) starts with 8 slots and, when
    two thirds full, grows to at least four times the number of its keys.
    """
    slots: list[str | None] = [None] * 8
    for count, key in enumerate(dict.fromkeys(keys), start=1):
        _put(slots, key)
        if 3 * count >= 2 * len(slots):
            moved = [kept for kept in slots if kept is not None]
            slots = [None] * (1 << (4 * count).bit_length())
            for kept in moved:
                _put(slots, kept)
    return [key for key in slots if key is not None]


def _put(slots: list[str | None], key: str) -> None:
    # The hash is that of Objects/stringobject.c, as an unsigned number.
    slot = ord(key[0]) << 7 if key else 0
    for character in key:
        slot = (1000003 * slot ^ ord(character)) % 2**64
    slot ^= len(key)
    slot = perturbation = slot if slot != 2**64 - 1 else slot - 1
    while slots[slot % len(slots)] is not None:
        slot = 5 * slot + perturbation + 1
        perturbation >>= 5
    slots[slot % len(slots)] = key
