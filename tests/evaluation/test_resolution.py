"""Citation resolution: figures that can be worked out by hand, and what must not change them."""

import json
import random
from dataclasses import replace

import pytest

from pincite.model.contexts import CitationContext
from pincite.model.papers import Candidates
from pincite.ranking.tfidf import TfIdfRanker
from pincite.settings import Window
from pincite_evaluation.collection import read_collection
from pincite_evaluation.resolution import protocol
from pincite_evaluation.resolution.protocol import WINDOWS, named
from pincite_evaluation.resolution.run import PaperOutcome, findings, table_1_rows
from pincite_evaluation.results import Row, chance
from small_collections import paper, some_papers, write

# By hand, with full texts. The bags of the candidates, stop words out:
#   A: parsing parsers build trees        each once: norm 2
#   B: coherence(2) grids model           norm √6 = 2.449
# No term is in both, so all have the same idf and cosines are in proportion to dot / norm.
HAND = [
    paper("A", "Parsing", "Parsers build trees."),
    paper("B", "Coherence", "Grids model coherence."),
    paper(
        "C",
        "Two Views",
        "Parsers build trees [A]. Grids model coherence [B]. Much was said of trees [B]. "
        "Both matter a great deal more than others [A]; [B].",
    ),
]
# Window 3,0 (left words only)
#   1 [A] "Parsers build trees"     A 3/2    B 0         A first: right
#   2 [B] "Grids model coherence"   A 0      B 4/2.449   B first: right
#   3 [B] "said of trees"           A 1/2    B 0         A first: wrong, B second
#   4 [A; B] "more than others"     stop words only: a tie, A before B by key; both of two
#                                   references are among the first two: right, for both
#   accuracy 4/5, MRR (1 + 1 + 1/2 + 1 + 1/2)/5 = .8
# Window 5,5
#   1 "Parsers build trees" | "Grids model coherence Much was"
#                                   A 3/2    B 4/2.449 = 1.633    wrong
#   2 "build trees Grids model coherence" | "Much was said of trees"
#                                   A 3/2    B 1.633              right
#   3 "Much was said of trees" | "Both matter a great deal"
#                                   A 1/2    B 0                  wrong
#   4 right for both, in the order A, B
#   accuracy 3/5, MRR (1/2 + 1 + 1/2 + 1 + 1/2)/5 = .7
# Chance: one of two for 1 to 3, certain for the two of 4: (3 · 1/2 + 2)/5 = .7


@pytest.fixture(name="run")
def run_command(pincite, tmp_path):
    def run(*arguments: str):
        out = tmp_path / "out.json"
        status, printed = pincite("evaluate", "resolution", *arguments, "--json", out, "--jobs", 1)
        text = out.read_text("utf-8") if out.exists() else ""
        return status, json.loads(text) if text else None, printed

    return run


def test_a_corpus_worked_out_by_hand(run, tmp_path):
    corpus = write(tmp_path / "papers.jsonl", HAND)
    windows = ["--window", "3,0", "--window", "5,5"]
    status, found, _ = run(
        corpus, "--min-references", "2", "--representation", "full-text", *windows
    )
    assert status == 0
    counts = {key: found[key] for key in ("papers", "test_papers", "resolvable_citations")}
    assert counts == {"papers": 3, "test_papers": 1, "resolvable_citations": 5}
    assert found["chance"] == pytest.approx(0.7)
    rows = {row["window"]: row for row in found["rows"]}
    assert rows["3,0"]["accuracy"] == pytest.approx(0.8)
    assert rows["3,0"]["mrr"] == pytest.approx(0.8)
    assert rows["5,5"]["accuracy"] == pytest.approx(0.6)
    assert rows["5,5"]["mrr"] == pytest.approx(0.7)
    assert rows["5,5"]["recall@3"] == 1.0
    # One paper drawn with replacement is always the same one.
    assert rows["5,5"]["ci95"] == pytest.approx([0.6, 0.6])


# D and E are the candidates, T the test paper; S and U cite as well.
CITING = [
    paper("D", "First", "Nothing of note."),
    paper("E", "Second", "Nothing of note."),
    paper("S", "Other", "Apples are sweet [D]. Pears are sour [E]."),
    paper("T", "Test", "Apples are sweet [E]. Apples are sweet [E]. We eat apples [D].", "D E"),
    paper("U", "Test too", "Plums are blue [D]. Figs are green [E].", "D E"),
]


@pytest.mark.parametrize("inlinks", ["exclude-test", "leave-one-out"])
def test_only_the_paper_under_test_is_left_out(run, tmp_path, inlinks):
    # T's own contexts would make "Apples are sweet" an inlink context of E; they are never its own
    # evidence, so D comes first for all three: only the last citation is right. U's contexts have
    # words of their own: with S alone, "plums" and "figs" are unknown, ties go to D.
    corpus = write(tmp_path / "papers.jsonl", CITING)
    options = ("--representation", "inlink-3", "--window", "3,0", "--inlinks", inlinks)
    # T: 1 of 3. U: D by tie, E never: 1 of 2; T's contexts contain no plums or figs.
    for listed, accuracy in (("T\n", 1 / 3), ("T\nU\n", 2 / 5)):
        (tmp_path / "tests.txt").write_text(listed)
        given = (corpus, "--test-papers", tmp_path / "tests.txt", "--min-references", "2")
        _, found, _ = run(*given, *options)
        assert found["rows"][0]["accuracy"] == pytest.approx(accuracy)


def table(collection, names, windows):
    tests = tuple(
        protocol.papers_under_test(collection, sorted(collection.papers), Window(30, 30), 3)
    )
    candidates = protocol.candidates(collection, tests, (), Window(30, 30))
    representations = [named(name) for name in names]
    return tests, candidates, list(table_1_rows(tests, candidates, representations, windows))


def test_ranks_are_those_of_the_ranker_that_the_editor_uses(tmp_path):
    collection = read_collection(write(tmp_path / "papers.jsonl", some_papers()))
    names = ["full-text", "passage-50", "inlink-5", "mixed-inlink-10-passage-50", "title-abstract"]
    windows = (Window(5, 5), Window(10, 3))
    tests, candidates, finished = table(collection, names, windows)
    for rows in finished:
        for test, ranks in zip(tests, rows.ranks, strict=True):
            own = [
                replace(
                    candidates[name],
                    inlink_contexts=tuple(
                        context
                        for context in candidates[name].inlink_contexts
                        if context.citing_paper != test.id
                    ),
                )
                for name in test.candidates
            ]
            ranker = TfIdfRanker(named(rows.rows[0]["representation"]).representation)
            ranker.fit(Candidates.of(own))
            for row, size in enumerate(windows):
                found = []
                for group in test.groups:
                    context = CitationContext(group.left[-size.left :], group.right[: size.right])
                    keys = [entry.key for entry in ranker.rank(context)]
                    found += [keys.index(key) + 1 for key in group.cited]
                assert ranks[row].tolist() == found


def test_the_order_of_bibliographies_changes_no_figure(tmp_path):
    papers = some_papers()
    figures = []
    for seed in (0, 1):
        for one in papers:
            entries = list(one["pdf_parse"]["bib_entries"].items())
            random.Random(seed).shuffle(entries)
            one["pdf_parse"]["bib_entries"] = dict(entries)
        random.Random(seed).shuffle(papers)
        collection = read_collection(write(tmp_path / f"{seed}.jsonl", papers))
        _, _, finished = table(collection, ["mixed-inlink-10-passage-50", "full-text"], WINDOWS)
        figures.append([row.figures for rows in finished for row in rows.rows])
    assert figures[0] == figures[1]


@pytest.mark.parametrize(
    "wrong",
    [
        ["--representation", "nonsense"],
        ["--window", "wide"],
        ["--min-references", "50"],
        ["--report", "report.pdf"],
        ["--records", "no/such/folder/out.jsonl"],
    ],
)
def test_wrong_arguments_are_reported_in_one_line(run, tmp_path, wrong):
    status, _, printed = run(write(tmp_path / "papers.jsonl", HAND), *wrong)
    assert status == 2
    assert len(printed.err.strip().splitlines()) == 1


def test_records_have_a_line_for_every_citation(run, tmp_path):
    records = tmp_path / "records.jsonl"
    run(
        *(write(tmp_path / "papers.jsonl", HAND), "--min-references", "2", "--records", records),
        *("--representation", "full-text", "--representation", "passage-300", "--window", "3,0"),
    )
    lines = [json.loads(line) for line in records.read_text("utf-8").splitlines()]
    assert len(lines) == 2 * 5
    first = lines[0]
    assert first["context"] == "Parsers build trees"
    assert (first["paper"], first["cited"], first["rank"], first["resolved"]) == ("C", "A", 1, True)
    assert [line["resolved"] for line in lines[:5]] == [True, True, False, True, True]


def results_of(*accuracies):
    """Return rows of which each has so many of the 100 outcomes of each of 20 papers right."""
    rows = tuple(
        Row(name, {"representation": name, "window": "20,20", "accuracy": right / 100})
        for name, right in accuracies
    )
    correct = tuple(right for _, right in accuracies)
    papers = tuple(PaperOutcome(f"P{n}", "", 9, 100, 11.0, correct) for n in range(20))
    return rows, papers


def test_claims_are_checked_between_the_best_rows_of_each_kind():
    found = {
        one.claim: one
        for one in findings(
            *results_of(
                ("full-text", 40),
                ("passage-250", 30),
                ("passage-350", 45),
                ("inlink-20", 44),
                ("mixed-inlink-20-full-text", 60),
            )
        )
    }
    assert found["passages beat full text"].first == ("passage-350", "20,20")
    assert found["passages beat full text"].verdict == "holds"
    assert round(found["passages beat full text"].difference, 9) == 0.05
    assert found["external beats internal"].verdict == "the reverse holds"
    assert found["mixed beats external"].ci95[0] > 0


def test_equal_rows_decide_nothing_and_lacking_ones_are_not_compared():
    (one,) = findings(*results_of(("full-text", 40), ("inlink-20", 40)))
    assert one.verdict == "not decided"
    assert one.ci95 == (0.0, 0.0)


def test_chance_is_the_accuracy_of_a_random_order():
    # Two references of four: all orders but those with the other two in front.
    given = [(1, 8), (2, 2), (3, 5), (2, 4), (0, 4)]
    assert [chance(*each) for each in given] == pytest.approx([1 / 8, 1, 1, 1 - 1 / 6, 0])
