"""Scores of a system's answers by those of annotators: overlap in three schemes, and ROUGE-S*.

`official` counts like the organisers' script ``2018-evaluation-script/program/task1_eval.py``,
which gave the scores of 2018, 2019 and 2020 and those of Ricci et al. (2022):

- An answer is scored against each annotator's file separately. A sentence that one of three
  annotators chose is right once and wrong twice.
- A row is identified by reference paper and citing paper only. If a paper cites twice, its last
  usable row replaces the others, in the gold as in the answers.
- A row in which no ``<S>`` has a text (``NA``, say) is not usable and replaces nothing.
- Ids are strings: one quote at each end is dropped, and an id listed twice counts twice.
- A row whose reference paper is misspelt never matches.

`citance` scores every citance against each annotator separately; `union` against the sentences
that any annotator chose, as the released code of CitRet (Pandey et al. 2022) does. Both join rows
on citing paper and citation text, since the numbers of citances are not reliable, treat ids as
sets, and leave out the answers to unjudged citances. They are not official scores.

The organisers call Lin's ROUGE-1.5.5 (``task1_rouge_eval.py``) with ``-f A -a -x -s -d -t 1 -m -2
-4``. The option ``-2`` expects a value and takes ``-4`` as such, so the largest gap is negative and
ROUGE counts skip-bigrams over any distance, without unigrams. Words are stemmed (``-m``), stop
words removed (``-s``), and texts are not truncated. Their scores were computed with an empty list
of irregular forms, and on texts with encoded entities: ``&quot;`` is the word "quot". `irregular`
uses the list of WordNet 2.0; `Scorer.official_pairs` has encoded or decoded texts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from itertools import chain, combinations, permutations
from typing import Any

import numpy as np

from ..baselines.fields import porter
from ..corpora import scisumm as markup
from ..corpora.scisumm import AnnotatedPaper, Answers, GoldFile, Key, Row, citance_key, paper_id
from ..results import Counts, Judgements, Run, overlap, total

#: Gold and chosen sentences of a row by their ids.
TextPair = tuple[Mapping[str, str], Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Scheme:
    """Keys of citances, and rows of gold files; with `only_judged`, other answers are left out."""

    keys: tuple[Key, ...]
    gold: tuple[Judgements, ...]
    only_judged: bool = True

    def __call__(self, answers: Answers) -> Counts:
        """Count right and wrong sentences against each gold file, and add them up."""
        chosen = self.answered(answers)
        return total(self.compared(gold, chosen) for gold in self.gold)

    def answered(self, answers: Answers) -> Run:
        """Return the answers that have sentences by key, the last one for each."""
        return {key: answer for key, answer in zip(self.keys, answers, strict=True) if answer}

    def compared(self, gold: Judgements, chosen: Run) -> Counts:
        """Count right and wrong sentences against one gold file."""
        if self.only_judged:
            chosen = {key: frozenset(sids) for key, sids in chosen.items() if key in gold}
        return overlap(chosen, gold)


class Scorer:
    """Scores answers to the citances of a paper, in their order; an empty one is no row."""

    def __init__(self, paper: AnnotatedPaper) -> None:
        self._paper = paper
        self._official_rows = tuple(map(official_rows, paper.gold))

        def ids(read: Callable[[str], Collection[str]], rows: Mapping[Key, Row]) -> Judgements:
            return {key: read(row.reference_offset) for key, row in rows.items()}

        self.official = Scheme(
            tuple((paper.id, each.citing) for each in paper.citances),
            tuple(ids(markup.listed_ids, rows) for rows in self._official_rows),
            only_judged=False,
        )
        self.citance = Scheme(
            tuple(citance_key(each.citing, each.written) for each in paper.citances),
            tuple(ids(markup.numbers, judged_rows(file)) for file in paper.gold),
        )
        union: dict[Key, frozenset[str]] = {}
        for gold in self.citance.gold:
            for key, sids in gold.items():
                union[key] = union.get(key, frozenset()).union(sids)
        self.union = Scheme(self.citance.keys, (union,))

    @property
    def cited(self) -> list[frozenset[int]]:
        """The positions of the sentences that any annotator chose, for each citance."""
        positions = {sid: position for position, sid in enumerate(self._paper.sids)}
        (union,) = self.union.gold
        return [
            frozenset(positions[sid] for sid in union.get(key, ()) if sid in positions)
            for key in self.union.keys
        ]

    def official_pairs(
        self, answers: Answers, *, written: bool = True
    ) -> tuple[tuple[TextPair, ...], ...]:
        """Return, for each gold file, the sentences that ROUGE compares."""
        texts = [sentence.text for sentence in self._paper.paper.sentences]
        listed = (self._paper.written or texts) if written else texts
        sentences = dict(zip(self._paper.sids, listed, strict=True))
        chosen = {
            key: {sid: sentences[sid] for sid in sids if sid in sentences}
            for key, sids in self.official.answered(answers).items()
        }

        def copied(row: Row) -> dict[str, str]:
            marked = (each for each in markup.marked_sentences(row.reference_text) if each.text)
            return {each.sid: each.written if written else each.text for each in marked}

        pairs = ([(copied(rows[k]), chosen.get(k)) for k in rows] for rows in self._official_rows)
        return tuple(tuple((own, of) for own, of in each if own and of) for each in pairs)


def official_rows(file: GoldFile) -> dict[Key, Row]:
    """Return the last usable row for each pair of papers."""
    return {papers_of(row): row for row in file.rows if markup.is_usable(row)}


def papers_of(row: Row) -> Key:
    """Return the reference and the citing paper of a row."""
    return paper_id(row.reference), paper_id(row.citing)


def judged_rows(file: GoldFile) -> dict[Key, Row]:
    """Return the last row of each citance in which the annotator chose sentences."""
    return {
        citance_key(row.citing, row.citation_text): row
        for row in file.rows
        if row.reference_text != markup.NOT_JUDGED and markup.numbers(row.reference_offset)
    }


def human(papers: Sequence[AnnotatedPaper]) -> dict[str, Any] | None:
    """Return agreement and oracle of some papers; None if each has at most one annotator."""
    annotators = max((len(paper.gold) for paper in papers), default=0)
    if annotators < 2:
        return None
    agreement, oracle = {}, {}
    scorers = [Scorer(paper) for paper in papers]
    for name in ("official", "citance"):
        schemes: list[Scheme] = [getattr(scorer, name) for scorer in scorers]
        agreement[name] = total(
            scheme.compared(theirs, mine)
            for scheme in schemes
            for mine, theirs in permutations(scheme.gold, 2)
        ).measure._asdict()
        golds = (gold.values() for scheme in schemes for gold in scheme.gold)
        wanted = sum(len(sids) for gold in golds for sids in gold)
        choices = chain.from_iterable(map(_choices, papers, schemes))
        oracle[name] = best(choices, wanted).measure._asdict()
    return {"annotators": annotators, "agreement": agreement, "oracle": oracle}


def best(choices: Iterable[Counts], wanted: int) -> Counts:
    """Return the counts of the subset of choices (the counts that each adds) with the best F1.

    F1 = 2 Σright / (Σright + Σwrong + wanted) is a ratio of sums, so at its maximum λ a choice is
    worth taking exactly if 2 right > λ (right + wrong). The best subset is therefore a prefix of
    the choices sorted by their share of agreeing annotators.
    """
    ordered = sorted(choices, key=lambda each: each.tp / (each.tp + each.fp), reverse=True)
    reached = counts = Counts(fn=wanted)
    for choice in ordered:
        counts += Counts(choice.tp, choice.fp, -choice.tp)
        if counts.measure.f1 > reached.measure.f1:
            reached = counts
    return reached


def _choices(paper: AnnotatedPaper, scheme: Scheme) -> Iterator[Counts]:
    """Yield the sentences of the paper that any file has; others never increase F1."""
    for key in dict.fromkeys(scheme.keys):
        golds = (gold for gold in scheme.gold if key in gold or not scheme.only_judged)
        lists = [list(gold.get(key, ())) for gold in golds]
        for sid in {sid for sids in lists for sid in sids}.intersection(paper.sids):
            times = [sids.count(sid) for sids in lists]
            yield Counts(sum(times), times.count(0))


_TOKEN = re.compile(rb"[a-z0-9]+")
#: ROUGE prints the mean over this many bootstrap samples, even for a single pair of texts.
_SAMPLES = 1000


def rouge_s_star(files: Iterable[Sequence[TextPair]], *, irregular: bool = False) -> float:
    """Return ROUGE-S* (F1) of a submission: of each gold file, gold and chosen sentences by ids.

    Skip-bigrams across two sentences depend on the order of a Python 2 dict.
    """
    means = []
    for keys in files:
        scores = []
        for both in keys:
            gold, chosen = ([each[sid] for sid in python2_order(each)] for each in both)
            if gold and chosen:
                scores.append(skip_bigram_f1(gold, chosen, irregular=irregular))
        # Divided as by the organisers.
        means.append(sum(scores) / (len(scores) + 10e-8))
    return sum(means) / len(means) if means else 0.0


def skip_bigram_f1(gold: Sequence[str], chosen: Sequence[str], *, irregular: bool = False) -> float:
    """Return the ROUGE-S* of two texts, given as sentences, with the five decimals ROUGE prints.

    A pair may span several sentences; it matches as often as it occurs in both (Lin 2004, section
    5).
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


#: Of step 4, Porter removes only the longest ending, ROUGE up to one of each row. So *agreement*
#: becomes *agreem* and *proportionate* becomes *proport*.
_STEP_4 = (
    re.compile("(?:al|ance|ence|er|ic|able|ible|ant|ement|ou|ism|ate|iti|ous|ive|ize)$"),
    re.compile("ment$"),
    re.compile("(?:ent|(?<=[st])ion)$"),
)


@lru_cache(maxsize=1 << 16)
def rouge_stem(word: str, irregular: bool = False) -> str:
    """Return the stem of a lower-case word; `irregular` looks it up in WordNet's list first."""
    if len(word) <= 3:
        return word
    return (irregular and _exceptions().get(word)) or porter(word, _STEP_4)


@cache
def _stop_words() -> frozenset[str]:
    return frozenset(_words("rouge_stop_words.txt").split())


@cache
def _exceptions() -> dict[str, str]:
    lines = map(str.split, _words("rouge_exceptions.txt").splitlines())
    return {form: base for base, *forms in lines for form in forms}


def _words(name: str) -> str:
    return (resources.files(__package__) / name).read_text("utf-8")  # ROUGE_WORDS.md: its source


def python2_order(keys: Iterable[str]) -> list[str]:
    """Return ASCII strings in the order of a dict of CPython 2.7 (64 bits), Objects/dictobject.c.

    The hash table has 8 slots and, when two thirds full, grows to at least four times its keys.
    """
    slots: list[str | None] = [None] * 8
    for count, key in enumerate(dict.fromkeys(keys), start=1):
        _put(slots, key)
        if 3 * count >= 2 * len(slots):
            moved = [each for each in slots if each is not None]
            slots = [None] * (1 << (4 * count).bit_length())
            for each in moved:
                _put(slots, each)
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
