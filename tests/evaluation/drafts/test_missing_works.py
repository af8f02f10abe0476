"""Whether a list notices that the works cited are missing, against plain Python."""

import json
import random
from statistics import fmean

import numpy as np
import pytest

from pincite_evaluation.drafts.missing_works import RECALLS, Signals, figures, signals_of
from pincite_evaluation.drafts.projects import ProjectSource, lacking, read_project
from pincite_evaluation.drafts.rankers import RankerKind, chosen
from small_drafts import draft, two_files


def read(main):
    return read_project(ProjectSource("draft", "here", main))


@pytest.fixture(name="project")
def small_project(tmp_path):
    return read(two_files(tmp_path))


# Works left out


def test_a_project_without_works_cites_only_what_is_left(project):
    left = lacking(project, {project.keys.index("reed"), project.keys.index("moss")})
    assert left.keys == ("lichen", "fern", "kelp", "oak") == tuple(left.candidates)
    cited = [tuple(left.keys[at] for at in place.cited) for place in left.places]
    assert cited == [(), ("lichen",), ("kelp",), ("fern",), (), (), ()]
    assert [place.start for place in left.places] == [place.start for place in project.places]
    assert len(left.tie_order) == 4
    assert left.text is project.text


def test_first_citations_are_ranked_without_their_works(project):
    ranked = []

    def prepare(prepared, _model):
        def scores(place, situation):
            ranked.append((prepared.keys, place, situation))
            return np.full(len(prepared.keys), float(len(prepared.keys)))

        return scores

    found = signals_of(project, RankerKind("sizes", prepare), None)
    assert found.keys() == {"score"}
    assert found["score"].present.tolist() == [6.0] * 7
    # Three places cite one work first, one cites two.
    assert sorted(found["score"].absent.tolist()) == [4.0, 5.0, 5.0, 5.0]
    without = [(place, keys) for keys, place, _ in ranked if len(keys) < 6]
    assert [place for place, _ in sorted(without)] == [0, 1, 2, 3]
    for place, keys in without:
        own = {project.keys[at] for at in project.places[place].cited}
        assert set(project.keys) - own == set(keys)
    assert {situation for *_, situation in ranked} == {"writing"}


def test_a_bibliography_of_one_work_cannot_do_without_it(tmp_path):
    works = {"a": ("Moss", "Dodd, Al", "2000", "")}
    (kind,) = chosen(["mixed"])
    found = signals_of(read(draft(tmp_path, [("Moss", ["a"])], works)), kind, None)
    assert (len(found["score"].present), len(found["score"].absent)) == (1, 0)


def test_the_learned_ranker_has_probabilities(project):
    (kind,) = chosen(["learned"])
    found = signals_of(project, kind, kind.load(None))
    assert found.keys() == {"score", "probability"}
    for each in found.values():
        assert (len(each.present), len(each.absent)) == (7, 4)


# Figures


def test_figures_are_those_of_plain_python():
    chance = random.Random(3)

    def values(number, most):
        return np.asarray([float(chance.randrange(most)) for _ in range(number)])

    projects = [
        (Signals(values(size, 12), values(size + 3, 8)), np.asarray([1, 9, 5, 6] * size)[:size])
        for size in (4, 9, 30)
    ]
    # Without places of one kind, a project does not count.
    found = figures([*projects, (Signals(values(3, 9), values(0, 9)), np.asarray([1, 1, 1]))])

    def share(of, is_counted):
        return fmean(fmean(is_counted(*one) for one in of(*each)) for each in projects)

    def present(signals, ranks):
        return list(zip(signals.present.tolist(), ranks.tolist(), strict=True))

    def absent(signals, _ranks):
        return [(value,) for value in signals.absent.tolist()]

    def higher(value, _rank):
        return share(absent, lambda own: (own < value) + 0.5 * (own == value))

    assert found["projects"] == 3
    assert (found["present"], found["absent"]) == (43, 52)
    assert found["area"] == pytest.approx(share(present, higher))
    curve = []
    for level in range(8):
        recall = share(absent, lambda value, level=level: value <= level)
        alarms = share(present, lambda value, _rank, level=level: value <= level)
        first = share(present, lambda value, rank, level=level: value <= level and rank <= 5)
        curve.append((recall, alarms, first / alarms if alarms else None))
    for least, level in zip(RECALLS, found["levels"], strict=True):
        recall, alarms, first = next(each for each in curve if each[0] >= least)
        assert level["recall"] == pytest.approx(recall)
        assert level["false_alarms"] == pytest.approx(alarms)
        assert level["in_first"] == pytest.approx(first)
        assert level["precision"] == pytest.approx(recall / (recall + alarms))
    usable = [recall for recall, alarms, _ in curve if recall / (recall + alarms) >= 0.9]
    assert found["usable_recall"] == pytest.approx(max(usable, default=0.0))


def test_a_signal_that_knows_nothing_is_right_half_of_the_time():
    found = figures([(Signals(np.ones(4), np.ones(9)), np.asarray([1, 2, 8, 9]))])
    assert found["area"] == pytest.approx(0.5)
    assert found["usable_recall"] == 0.0
    for level in found["levels"]:
        rounded = [round(level[name], 9) for name in ("recall", "precision", "in_first")]
        assert rounded == [1.0, 0.5, 0.5]


# The command


def test_what_the_command_adds(pincite, tmp_path):
    main, out = two_files(tmp_path), tmp_path / "out.json"
    given = (main, "--ranker", "learned", "--ranker", "bm25", "--jobs", 1, "--json", out)
    status, printed = pincite("evaluate", "drafts", *given)
    assert status == 0
    before = json.loads(out.read_text("utf-8"))
    assert "nothing_fits" not in before
    assert "When nothing fits" not in printed.out
    report = tmp_path / "out.html"
    status, printed = pincite("evaluate", "drafts", *given, "--nothing-fits", "--report", report)
    assert status == 0
    assert "When nothing fits" in " ".join(printed.out.split())
    found = json.loads(out.read_text("utf-8"))
    assert {**before, "nothing_fits": found["nothing_fits"]} == found
    rows = [(row["ranker"], row["signal"], row["group"]) for row in found["nothing_fits"]]
    assert [row for row in rows if row[2] == "all"] == [
        ("learned", "score", "all"),
        ("learned", "probability", "all"),
        ("bm25", "score", "all"),
    ]
    assert {row["absent"] for row in found["nothing_fits"]} == {4}
    assert "When nothing fits" in report.read_text("utf-8")
