"""The report of citation resolution, read back as its readers' programs read it."""

import re
import sys
from dataclasses import replace

import matplotlib
import pytest
from lxml import html

from pincite.model.problems import InputError
from pincite_evaluation import results as published
from pincite_evaluation.resolution import report
from pincite_evaluation.resolution.protocol import TABLE_1, WINDOWS
from pincite_evaluation.resolution.run import PaperOutcome, ResolutionResult
from pincite_evaluation.results import Row
from report_pages import cells, table, texts


def row(representation, window, accuracy, **changed):
    figures = {
        "representation": representation,
        "window": window,
        "accuracy": accuracy,
        "ci95": [accuracy - 0.02, accuracy + 0.03],
        "mrr": accuracy + 0.05,
        "recall@3": accuracy + 0.1,
        "recall@5": accuracy + 0.2,
        "recall@10": accuracy + 0.3,
    }
    return Row(f"{representation}, window ({window})", figures | changed)


def paper(name, outcomes, *correct, candidates=8, title=""):
    return PaperOutcome(name, title or f"On {name}", candidates, outcomes, outcomes / 8, correct)


def result(rows, papers=(), corpus="a corpus", **settings):
    facts = {
        "corpus": corpus,
        "papers": 1520,
        "test_papers": 340,
        "resolvable_citations": 6863,
        "chance": 0.1234,
    }
    return ResolutionResult(
        facts=facts, rows=tuple(rows), per_paper=tuple(papers), settings=settings
    )


def of(corpus, result):
    """Return a result as if it were of another corpus."""
    return replace(result, facts={**result.facts, "corpus": corpus})


SMALL = result(
    [
        row("mixed-inlink-20-passage-350", "20,20", 0.52),
        row("mixed-inlink-20-passage-350", "7,7", 0.51),
        row("inlink-20", "20,20", 0.44),
        row("inlink-20", "7,7", 0.43),
        row("full-text", "20,20", 0.41),
        row("full-text", "7,7", 0.42),
    ],
    [
        paper("P1", 10, 9, 0, 0, 0, 0, 0, candidates=8),
        paper("P2", 20, 4, 0, 0, 0, 0, 0, candidates=11),
        paper("P3", 30, 6, 0, 0, 0, 0, 0, candidates=10),
        paper("P4", 4, 0, 4, 4, 4, 4, 4, candidates=200),
    ],
)
WHOLE = result(
    [
        row(name, f"{window.left},{window.right}", 0.3 + n * 0.01 + m * 0.001)
        for n, name in enumerate(TABLE_1)
        for m, window in enumerate(WINDOWS)
    ],
    [paper(f"P{n:03}", 10, *(n % 11 for _ in range(115)), candidates=n) for n in range(1, 41)],
)


def page(of):
    return html.document_fromstring(report.html(of))


@pytest.fixture(scope="module", name="small")
def small_page():
    return page(SMALL)


@pytest.fixture(scope="module", name="whole")
def whole_page():
    return page(WHOLE)


def test_table_has_our_figures_beside_the_published_ones(small):
    assert cells(small, "Accuracy") == [
        ["Internal (contents)"],
        ["full-text", "0.4100.390–0.440", "0.369", "0.4200.400–0.450"],
        ["External (inlink contexts)"],
        ["inlink-20", "0.4400.420–0.470", "0.412", "0.4300.410–0.460"],
        ["Mixed (both)"],
        ["mixed-inlink-20-passage-350", "0.5200.500–0.550", "0.469", "0.5100.490–0.540"],
    ]
    heads = table(small, "Accuracy").xpath("./thead/tr")
    assert texts(heads[0]) == ["Representation", "(20,20)", "(7,7)"]
    assert texts(heads[1]) == ["here", "2014", "here"]


def test_best_cell_row_and_column_are_bold_and_the_best_of_a_group_italic(small):
    accuracies = table(small, "Accuracy")
    assert texts(accuracies.xpath(".//strong")) == [
        "(20,20)",
        "mixed-inlink-20-passage-350",
        "0.520",
    ]
    assert texts(accuracies.xpath(".//em")) == ["0.420", "0.440"]
    tinted = accuracies.xpath(".//td[contains(concat(' ', @class, ' '), ' best ')]")
    assert len(tinted) == 3 * 2 + 1  # the column (20,20), ours and theirs, and the best row's (7,7)


def test_accuracy_by_number_of_candidates_counts_citations(small):
    # P2 and P3 share a bin: (4 + 6) of (20 + 30) right; guessing gets one in eight everywhere.
    assert cells(small, "Accuracy by number of candidates") == [
        ["8", "1", "10", "9", "0.900", "0.125"],
        ["10–11", "2", "50", "10", "0.200", "0.125"],
        ["30+", "1", "4", "0", "0.000", "0.125"],
    ]


def test_worst_and_best_papers_are_those_of_the_best_row_with_enough_citations(small):
    worst, best = small.xpath("//h2[.='Worst and best papers']/following::table")
    assert texts(worst.xpath("./tbody/tr/*")) == "P2|On P2|11|20|4|0.200|0.125".split("|")
    # Of the two papers with a fifth right the larger one is first.
    assert texts(best.xpath("./tbody/tr/th")) == ["P1", "P3"]


def test_whole_table_1_is_shown_in_its_order(whole):
    shown = cells(whole, "Accuracy")
    assert [line[0] for line in shown if len(line) > 1] == list(TABLE_1)
    assert {len(line) for line in shown} == {1, 1 + 2 * 5}
    ours = [cell[:5] for line in shown if len(line) > 1 for cell in line[1::2]]
    assert ours == [f"{line['accuracy']:.3f}" for line in WHOLE.rows]
    theirs = [cell for line in shown if len(line) > 1 for cell in line[2::2] if cell]
    assert len(theirs) == len(published.ACCURACY) == 13 * 5


def test_markdown_is_table_1():
    lines = report.markdown(SMALL).splitlines()
    assert lines[0] == (
        "Citation resolution on a corpus, top-1 accuracy: 340 test papers of 1,520, "
        "6,863 resolvable citations; chance 0.123."
    )
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if line[:1] == "|"]
    assert rows == [
        ["Representation", "**(20,20)**", "(7,7)"],
        [":--", "--:", "--:"],
        ["Internal (contents)", "", ""],
        ["full-text", "0.410", "*0.420*"],
        ["External (inlink contexts)", "", ""],
        ["inlink-20", "*0.440*", "0.430"],
        ["Mixed (both)", "", ""],
        ["**mixed-inlink-20-passage-350**", "**0.520**", "0.510"],
    ]
    assert lines[-1] == (
        "- Mixed: **0.520** (0.500–0.550), mixed-inlink-20-passage-350 at (20,20); MRR 0.570, "
        "recall@3 0.620, recall@5 0.720, recall@10 0.820"
    )


def test_equal_results_make_equal_pages_whatever_the_users_style():
    first = report.html(WHOLE)
    with matplotlib.rc_context({"font.size": 30, "svg.hashsalt": None, "axes.grid": True}):
        assert report.html(WHOLE) == first
    assert report.html(of("another", WHOLE)) != first


def test_missing_matplotlib_names_what_to_install(monkeypatch):
    for name in ("matplotlib", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(InputError, match=re.escape("pip install 'pincite[plots]'")):
        report.html(SMALL)
    assert report.markdown(SMALL)
