"""The columns of a report's table, in HTML and Markdown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from pincite.model.problems import InputError

from ...report.words import count, is_known, number, percent
from ..published import Published, Scheme, published
from ..results import CitedTextResult, Measure, Row

#: The system whose papers are listed, if it is in the result.
_DEFAULT = "asymmetric"
_CITRET = "CitRet and its ablations"
_GROUP_OF = {
    "asymmetric": "Asymmetric matcher and its ablations",
    "symmetric": "Symmetric matcher",
    "bm25": "BM25 and TF-IDF",
    "tfidf": "BM25 and TF-IDF",
    "sbert": _CITRET,
    "citret": _CITRET,
}
_OTHERS = "Others"
#: The names of the groups of rows, in the order of the table.
GROUPS = (*dict.fromkeys(_GROUP_OF.values()), _OTHERS)
SPLITS = {
    "train": "training set",
    "scisummnet": "ScisummNet part of the training set",
    "test": "test set",
}

SCHEMES = (
    "The official script keeps only the last citance of each citing paper and scores against each "
    "annotator separately. By citances, every usable row of every annotator counts. The union has "
    "all sentences that any annotator of a citance chose, as in CitRet's published scores. The "
    "same answers score very differently under the three schemes: never compare across columns."
)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table: its heads, and a value for each row of the result.

    `short` is its head in the short table, "" if it is not there. If it `is_ranked`, its best value
    is marked; if it `is_published`, its values are from papers.
    """

    subject: str
    head: str
    short: str
    values: tuple[float | None, ...]
    write: Callable[[float | None], str]
    is_ranked: bool = False
    is_published: bool = False
    intervals: tuple[str, ...] = ()

    def is_best(self, row: int) -> bool:
        """Return whether no value of the column is better than that of a row."""
        value = self.values[row]
        return self.is_ranked and is_known(value) and value == max(filter(is_known, self.values))


def columns_of(result: CitedTextResult) -> list[Column]:
    """Return all columns, including those of published figures if there are any."""
    if not result.rows:
        raise InputError("nothing to report: no system has finished")

    def ours(
        subject: str,
        head: str,
        value: Callable[[Row], float],
        short: str = "",
        write: Callable[[float | None], str] = percent,
    ) -> Column:
        is_score = head in ("F1", "here")
        return Column(subject, head, short, tuple(map(value, result.rows)), write, is_score)

    def theirs(
        subject: str,
        scheme: Scheme,
        value: Callable[[Published], float | None],
        short: str = "",
        split: str = result.split,
        note: str = "",
    ) -> Column:
        found = [published(row, split, scheme) for row in result.rows]
        values = tuple(None if one is None else value(one) for one in found)
        head, short = f"published{note}", f"{short}{note}"
        return Column(subject, head, short, values, percent, is_published=True)

    # CitRet's figures, the only ones by this scheme, are of the test set.
    on_test = "" if result.split == "test" else " (test set)"
    in_tenths = partial(number, decimals=1)

    columns = [
        ours("Official script", "P", lambda row: row.official.precision, "Official P"),
        ours("Official script", "R", lambda row: row.official.recall, "Official R"),
        ours("Official script", "F1", lambda row: row.official.f1, "Official F1"),
        theirs("Official script", "official", lambda one: one.f1, "Published official F1"),
        ours("Citances", "P", lambda row: row.citance.precision),
        ours("Citances", "R", lambda row: row.citance.recall),
        replace(
            ours("Citances", "F1", lambda row: row.citance.f1, "Citance F1 (95%)"),
            intervals=tuple(map(interval_of, result.rows)),
        ),
        ours("Union", "F1", lambda row: row.union.f1, "Union F1"),
        theirs("Union", "union", lambda one: one.f1, "Published union F1", "test", on_test),
        ours("ROUGE-S*", "here", lambda row: row.rouge_s, "ROUGE-S*"),
        ours("ROUGE-S*", "repaired", lambda row: row.rouge_s_repaired),
        theirs("ROUGE-S*", "official", lambda one: one.rouge_s),
        ours("Chosen", "K", lambda row: row.k, write=partial(number, decimals=0)),
        ours("Chosen", "sentences", lambda row: row.sentences_per_citance, "Sentences", number),
        ours("Chosen", "words", lambda row: row.mean_length, "Words", in_tenths),
        ours("Time", "seconds", lambda row: row.seconds, write=in_tenths),
    ]
    return [one for one in columns if not one.is_published or any(map(is_known, one.values))]


def in_groups(rows: Sequence[Row]) -> dict[str, list[int]]:
    """Return the indices of the rows of each group, groups and rows in the order of the table."""
    places: dict[str, list[int]] = {group: [] for group in GROUPS}
    for place, row in enumerate(rows):
        places[_group(row)].append(place)
    return {group: members for group, members in places.items() if members}


def _group(row: Row) -> str:
    return _GROUP_OF.get(row.system.partition("-")[0], _OTHERS)


def default_row(result: CitedTextResult) -> int:
    """Return the index of the default system's row, else that of the best system."""
    places = range(len(result.rows))
    by_name = (place for place in places if result.rows[place].name == _DEFAULT)
    return next(by_name, max(places, key=lambda place: merit(result.rows[place])))


def merit(row: Row) -> float:
    """Return the sort key of rows: the F1 by citances; unknown ones come last."""
    return row.citance.f1 if is_known(row.citance.f1) else -1.0


def interval_of(row: Row) -> str:
    """Return the interval of a row's F1 by citances, in percent."""
    return "–".join(map(percent, row.ci95))


def sizes_of(result: CitedTextResult) -> str:
    """Return the numbers of papers and citances of a result."""
    return (
        f"{count(result.papers, 'reference paper')}, {count(result.citances, 'citance')} "
        f"({SPLITS.get(result.split, result.split)})"
    )


def human_figures(result: CitedTextResult) -> dict[str, tuple[Measure, Measure]]:
    """Return the human scores by the official scheme and by citances."""
    human = result.human
    if human is None:
        return {}
    return {
        "One annotator against another": (human.agreement_official, human.agreement_citance),
        "The best of all answers (oracle)": (human.oracle_official, human.oracle_citance),
    }
