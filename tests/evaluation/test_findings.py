from pincite_evaluation.resolution.findings import findings
from pincite_evaluation.resolution.results import PaperOutcome, ResolutionResult, Row


def result(*accuracies: tuple[str, int]) -> ResolutionResult:
    """Return a result in which row i has so many of the 100 outcomes of each of 20 papers right."""
    rows = tuple(
        Row(name, "20,20", right / 100, (0.0, 1.0), 0.5, {3: 1.0}) for name, right in accuracies
    )
    correct = tuple(right for _, right in accuracies)
    papers = tuple(PaperOutcome(f"P{n}", "", 9, 100, 11.0, correct) for n in range(20))
    return ResolutionResult("corpus", 20, 20, 2000, 0.11, rows, papers)


def test_claims_are_checked_between_the_best_rows_of_each_kind():
    found = {
        one.claim: one
        for one in findings(
            result(
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
    (one,) = findings(result(("full-text", 40), ("inlink-20", 40)))
    assert one.verdict == "not decided"
    assert one.json()["ci95"] == (0.0, 0.0)
