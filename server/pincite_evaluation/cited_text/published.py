"""Published figures for CL-SciSumm Task 1A, for comparison with ours.

- Kathryn Ricci, Haw-Shiuan Chang, Puruji Goyal and Andrew McCallum, "Unsupervised Partial Sentence
  Matching for Cited Text Identification", SDP 2022.
- Dennis Aumiller, Satya Almasian, Philip Hausner and Michael Gertz, "UniHD@CL-SciSumm 2020:
  Citation Extraction as Search", SDP 2020, pages 261-269.
- Amit Pandey, Avani Gupta and Vikram Pudi, "CitRet: A Hybrid Model for Cited Text Span Retrieval",
  COLING 2022.

Figures of different scoring schemes cannot be compared, so each names its scheme. CitRet's are by
the union of the annotators, as in its released code.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ..corpora.annotations import Split
from ..results import Row

Scheme = Literal["official", "citance", "union"]
#: The source of figures that no paper gives.
SCORED_BY_US = "scored by us"
_Figures = tuple[float, ...]
_SPLITS: tuple[Split, Split] = ("train", "test")


@dataclass(frozen=True, slots=True)
class Ours:
    """A system of ours, with the parameters that correspond to a published row."""

    system: str
    changed: Mapping[str, Any]

    def is_of(self, row: Row) -> bool:
        """Return whether a row has this system and these parameters, with any K.

        Models trained here follow the recipes of the papers.
        """
        changed = {name: value for name, value in row.changed.items() if name not in ("k", "model")}
        return self.system == row["system"] and self.changed == changed


@dataclass(frozen=True, slots=True)
class Published:
    """The figures of one system on one split by one scheme; fractions, None if not given.

    `k` is the number of sentences per citance, or per field of the ensembles, None if unknown.
    `ours` are our versions of the system. With `part`, only those papers of the split were scored.
    """

    name: str
    source: str
    split: Split
    scheme: Scheme
    k: int | None
    f1: float
    precision: float | None = None
    recall: float | None = None
    rouge_s: float | None = None
    ours: tuple[Ours, ...] = ()
    part: str = ""


@dataclass(frozen=True, slots=True)
class PublishedLength:
    """The mean length, in tokens, of the sentences that a system chose on the training set."""

    name: str
    tokens: float
    ours: tuple[Ours, ...]
    k: int = 2


def published(row: Row, split: str, scheme: Scheme) -> Published | None:
    """Return the published figures for a row's system, parameters and K, None if there are none."""
    return next(
        (
            one
            for one in PUBLISHED
            if (one.split, one.scheme, one.k, one.part) == (split, scheme, row["k"], "")
            and any(ours.is_of(row) for ours in one.ours)
        ),
        None,
    )


def _system(name: str, **changed: Any) -> tuple[Ours, ...]:  # noqa: ANN401 - any parameter
    return (Ours(name, changed),)


def _asymmetric(**changed: Any) -> tuple[Ours, ...]:  # noqa: ANN401 - any parameter
    """Return our counterparts of one of their configurations.

    Theirs has one vector, [UNK], for all words seen fewer than 35 times (appendix C.1), like our
    `asymmetric-unk`; the other two differ from it only in their vectors.
    """
    names = ("asymmetric-unk", "asymmetric", "asymmetric-trained")
    return tuple(Ours(name, changed) for name in names)


_D1 = (*_system("asymmetric-d1"), *_asymmetric(d=1))

# Ricci et al., Table 2 (section 3.3): recall, F1 and ROUGE-S* on the training and the test set,
# with K = 2. Its other two rows are quoted from those who made the systems.
_RICCI_2: tuple[tuple[str, tuple[Ours, ...], _Figures, _Figures], ...] = (
    ("Symm", _system("symmetric"), (0.155, 0.135, 0.120), (0.180, 0.124, 0.096)),
    ("Asymm (d=1)", _D1, (0.180, 0.156, 0.102), (0.231, 0.160, 0.113)),
    ("Asymm (d=4)", _asymmetric(), (0.188, 0.164, 0.112), (0.251, 0.174, 0.129)),
    (
        "Asymm SciBERT (d=4)",
        _system("asymmetric-contextual"),
        (0.195, 0.170, 0.122),
        (0.221, 0.153, 0.114),
    ),
)
# Ricci et al., Table 3 (appendix C.2): F1 and ROUGE-S*. Its other two rows are those of Table 2.
# The reversed direction is in no table but that of lengths.
_RICCI_3: tuple[tuple[str, tuple[Ours, ...], _Figures, _Figures], ...] = (
    ("Word Similarity: Dot Product", _system("asymmetric-dot"), (0.130, 0.091), (0.151, 0.114)),
    ("Greedy Optimization", _system("asymmetric-greedy"), (0.138, 0.100), (0.153, 0.120)),
    ("Unif. Weights", _system("asymmetric-uniform"), (0.095, 0.071), (0.089, 0.069)),
    (
        "Unif. Weights, No Stop Words",
        _system("asymmetric-uniform-nostop"),
        (0.141, 0.104),
        (0.153, 0.114),
    ),
    ("Keep Citation Markers", _system("asymmetric-markers"), (0.110, 0.082), (0.131, 0.091)),
    ("No Truncation", _asymmetric(truncation=None), (0.163, 0.109), (0.172, 0.128)),
    ("Truncate after 50 Tokens", _asymmetric(truncation=50), (0.159, 0.109), (0.174, 0.127)),
    ("Uncased", _asymmetric(cased=False), (0.162, 0.103), (0.174, 0.128)),
    (
        "Word2Vec Min. Word Count: 100",
        _system("asymmetric-unk", min_count=100),
        (0.157, 0.111),
        (0.167, 0.125),
    ),
    (
        "Word2Vec Min. Word Count: 50",
        _system("asymmetric-unk", min_count=50),
        (0.159, 0.111),
        (0.174, 0.128),
    ),
    ("Asymm SciBERT (d=1)", _system("asymmetric-contextual-d1"), (0.168, 0.125), (0.150, 0.116)),
    (
        "Asymm SciBERT (d=4), Unif. Weights",
        _system("asymmetric-contextual-uniform"),
        (0.151, 0.116),
        (0.134, 0.101),
    ),
)
# Aumiller et al., Table 4 (section 4.3): K, sentence overlap F1 and ROUGE F1 on the test set. They
# keep 4 sentences of each field, and 4 of what the re-ranker orders (sections 3.1.1 and 4.1.1).
_FIELDS_2, _FIELDS_3 = "UniHD, BM25 with 2 fields", "UniHD, BM25 with 3 fields"
_AUMILLER_4: tuple[tuple[str, tuple[Ours, ...], int | None, float, float], ...] = (
    (_FIELDS_2, _system("bm25-2field"), 4, 0.161, 0.113),
    (_FIELDS_3, _system("bm25-3field"), 4, 0.153, 0.107),
    ("UniHD, BERT after 2 fields", (), 4, 0.122, 0.059),
    ("UniHD, BERT after 3 fields", (), 4, 0.118, 0.059),
    ("UniHD, supervised BERT after 2 fields", (), 4, 0.122, 0.059),
    ("UniHD, supervised BERT after 3 fields", (), 4, 0.110, 0.055),
    ("NaCTeM-UoM 2019", (), None, 0.126, 0.075),
    ("NUDT 2018", (), None, 0.145, 0.131),
    ("CIST 2019", (), None, 0.106, 0.034),
    ("CIST 2018", (), None, 0.122, 0.049),
)
# Aumiller et al., Table 2 (section 4.1.2): K, precision, recall and F1 on the eight training papers
# of footnote 2. The paper does not name the script.
_AUMILLER_2: tuple[tuple[str, int | None, float, float, float], ...] = (
    (_FIELDS_2, 4, 0.128, 0.217, 0.161),
    (_FIELDS_3, 4, 0.124, 0.217, 0.158),
    ("NaCTeM-UoM 2019", None, 0.171, 0.334, 0.226),
    ("UniHD, supervised BERT after 2 fields", 4, 0.084, 0.239, 0.124),
    ("UniHD, supervised BERT after 3 fields", 4, 0.077, 0.219, 0.114),
    ("UniHD, BERT after 2 fields", 4, 0.087, 0.248, 0.129),
    ("UniHD, BERT after 3 fields", 4, 0.095, 0.270, 0.141),
)
# Pandey et al., Table 1 (section 4): recall, precision and F1 on the test set, with K = 3. The rows
# above these are official scores of others, so the table has two scoring schemes in one column.
_PANDEY_1: tuple[tuple[str, tuple[Ours, ...], float, float, float], ...] = (
    ("SBERT", _system("sbert"), 0.1879, 0.1023, 0.1325),
    ("SBERT + WCE", _system("sbert-wce"), 0.1815, 0.1647, 0.1727),
    ("SBERT + WCE + D", _system("sbert-wce-d"), 0.1901, 0.1724, 0.1808),
    ("CitRet", _system("citret"), 0.2080, 0.1888, 0.1979),
)
# Scored by us from the public gold and the runs that the participants of 2020 handed in.
_PINGAN = "NLP-PINGAN-TECH 2020"
_SCORED: tuple[tuple[str, Scheme, int | None, float], ...] = (
    (_FIELDS_2, "citance", 4, 0.1740),
    (_PINGAN, "citance", 2, 0.1833),
    (_FIELDS_2, "union", 4, 0.2506),
    (_PINGAN, "union", 3, 0.2745),
    ("One annotator against another", "official", None, 0.143),
    ("One annotator against another", "citance", None, 0.171),
    ("The best of all answers", "official", None, 0.530),
)


def _ricci() -> Iterator[Published]:
    source = "Ricci et al. 2022, Table"
    for name, ours, *by_split in _RICCI_2:
        for split, (recall, f1, rouge_s) in zip(_SPLITS, by_split, strict=True):
            yield Published(
                name, f"{source} 2", split, "official", 2, f1, None, recall, rouge_s, ours
            )
    for name, ours, *by_split in _RICCI_3:
        for split, (f1, rouge_s) in zip(_SPLITS, by_split, strict=True):
            yield Published(
                name, f"{source} 3", split, "official", 2, f1, rouge_s=rouge_s, ours=ours
            )


def _others() -> Iterator[Published]:
    for name, ours, k, f1, rouge_s in _AUMILLER_4:
        source = "Aumiller et al. 2020, Table 4"
        yield Published(name, source, "test", "official", k, f1, rouge_s=rouge_s, ours=ours)
    for name, k, precision, recall, f1 in _AUMILLER_2:
        source = "Aumiller et al. 2020, Table 2"
        part = "8 papers of it"
        yield Published(name, source, "train", "official", k, f1, precision, recall, part=part)
    # Precision and recall as Pandey et al. quote them in Table 1, ROUGE-S* as Ricci et al. do.
    source = "Chai et al. 2020"
    yield Published(_PINGAN, source, "test", "official", 2, 0.1716, 0.1318, 0.2459, 0.147)
    for name, ours, recall, precision, f1 in _PANDEY_1:
        source = "Pandey et al. 2022, Table 1"
        yield Published(name, source, "test", "union", 3, f1, precision, recall, ours=ours)
    for name, scheme, k, f1 in _SCORED:
        yield Published(name, SCORED_BY_US, "test", scheme, k, f1)


#: All figures, the published ones and those that we have scored.
PUBLISHED = (*_ricci(), *_others())

#: Ricci et al., Table 4 (appendix C.4), on the training set with K = 2.
LENGTHS = (
    PublishedLength("Symm", 39.3, _system("symmetric")),
    PublishedLength("Asymm (d=1)", 47.0, _D1),
    PublishedLength("Asymm (d=4)", 41.0, _asymmetric()),
    PublishedLength("Asymm Reverse (d=1)", 132.5, _system("asymmetric-reverse-d1")),
    PublishedLength("Asymm Reverse (d=4)", 56.4, _system("asymmetric-reverse")),
)
