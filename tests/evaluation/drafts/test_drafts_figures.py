"""From ranks to figures, against plain Python that computes them another way."""

import random
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import numpy as np
import pytest

from pincite_evaluation.drafts.projects import ProjectSource
from pincite_evaluation.drafts.report import markdown
from pincite_evaluation.drafts.run import (
    ALL,
    DraftsResult,
    Item,
    ProjectOutcome,
    by_group,
    folds_of,
    rows,
    short_names,
)

KEYS = [("one", "writing"), ("two", "writing"), ("one", "revising"), ("two", "revising")]


def outcome(name, group, first, ranks):
    """Return a project whose items are first citations or not, with the ranks of each ranker."""
    items = tuple(Item(("key",), is_first, (), ()) for is_first in first)
    return ProjectOutcome(
        ProjectSource(name, group, Path(name)),
        items,
        {key: np.asarray(own, dtype=np.int32) for key, own in ranks.items()},
        entries=20,
    )


@pytest.fixture(name="outcomes")
def random_outcomes():
    chance = random.Random(5)
    found = []
    for number in range(12):
        items = chance.randint(1, 9)
        # The third project has first citations only.
        first = [number == 2 or chance.random() < 0.5 for _ in range(items)]
        ranks = {key: [chance.choice((1, 1, 2, 4, 7, 20)) for _ in first] for key in KEYS}
        found.append(outcome(f"p{number}", "ab"[number % 2], first, ranks))
    return found


def test_means_over_projects_are_those_of_plain_python(outcomes):
    found = {
        (row["ranker"], row["situation"], row["group"]): row for row in rows(by_group(outcomes))
    }
    assert len(found) == len(KEYS) * 3
    for (ranker, situation, group), row in found.items():
        own = [each for each in outcomes if group in (ALL, each.source.group)]
        lists = [
            list(zip(each.ranks[ranker, situation].tolist(), each.items, strict=True))
            for each in own
        ]
        assert (row["projects"], row["items"]) == (len(own), sum(map(len, lists)))
        for k in (1, 3, 5, 10):
            expected = fmean(fmean(rank <= k for rank, _ in one) for one in lists)
            assert row[f"top{k}"] == pytest.approx(expected)
        assert row["mrr"] == pytest.approx(fmean(fmean(1 / r for r, _ in one) for one in lists))
        for part, wanted in ((row["first"], True), (row["repeat"], False)):
            chosen = [[r for r, item in one if item.is_first is wanted] for one in lists]
            assert part["items"] == sum(map(len, chosen))
            for k in (1, 5):
                expected = fmean(fmean(r <= k for r in one) for one in chosen if one)
                assert part[f"top{k}"] == pytest.approx(expected)


def test_short_names_distinguish_groups():
    groups = ["../data/wild/drafts.json", "../data/articles/joss/drafts.json"]
    assert list(short_names(groups).values()) == ["wild", "articles/joss"]
    assert list(short_names(["a/one.tex", "a/two.tex"]).values()) == ["one.tex", "two.tex"]
    assert list(short_names(["a/one.tex"]).values()) == ["one.tex"]
    assert list(short_names(["one.tex", "a/one.tex"]).values()) == ["one.tex", "a"]


# Kinds of projects


def test_figures_are_given_by_what_is_known_of_the_projects(outcomes):
    large = [replace(own, entries=400, language="de") for own in outcomes]
    # Of fewer projects than twenty, parts show nothing.
    for projects, is_given in ((outcomes, False), ([*outcomes, *large], True)):
        result = DraftsResult(
            facts={}, rows=tuple(rows(by_group(projects))), projects=tuple(projects)
        )
        report = markdown(result)
        assert ("Writing, by kinds of projects" in report) == is_given
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in report.splitlines()]
    top1 = fmean(own.figures[KEYS[0]]["top1"] for own in outcomes)
    (found,) = (line for line in lines if line[:3] == ["entries", "300-", "one"])
    assert found[3:5] == ["12", f"{top1:.3f}"]
    assert [line[1] for line in lines if line[:1] == ["language"]] == ["?", "?", "de", "de"]


# Folds


def sources(**sizes):
    return [
        ProjectSource(f"{group}{number}", group, Path(f"{group}{number}"))
        for group, size in sizes.items()
        for number in range(size)
    ]


def test_folds_are_even_over_all_and_in_each_group():
    projects = sources(a=23, b=8, c=1)
    dealt = folds_of(projects, 5)
    sizes = [dealt.count(fold) for fold in range(5)]
    assert max(sizes) - min(sizes) <= 1
    for group in "abc":
        own = [fold for fold, each in zip(dealt, projects, strict=True) if each.group == group]
        sizes = [own.count(fold) for fold in range(5)]
        assert max(sizes) - min(sizes) <= 1
