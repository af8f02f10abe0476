from pincite_evaluation.resolution.run import PaperOutcome, findings
from pincite_evaluation.results import Row


def result(*accuracies: tuple[str, int]):
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
            *result(
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
    (one,) = findings(*result(("full-text", 40), ("inlink-20", 40)))
    assert one.verdict == "not decided"
    assert one.ci95 == (0.0, 0.0)
