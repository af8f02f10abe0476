"""Our trees against LightGBM's own predictions, bit for bit."""

import numpy as np
import pytest

from pincite.trees import TreeModel

try:
    import lightgbm
except (ImportError, OSError) as error:  # OSError: libgomp is not installed
    pytest.skip(f"LightGBM cannot be imported: {error}", allow_module_level=True)

ROWS, FEATURES = 1_200, 6
#: At and beside the values that LightGBM takes for 0, and infinite ones.
EXTREME = [
    np.full((1, FEATURES), sign * size, np.float32)
    for sign in (-1, 1)
    for size in (1e-40, 0.99e-35, 1e-35, 1.01e-35, np.inf)
]
NAMES = [f"feature {number}" for number in range(FEATURES)]


def data(missing):
    rng = np.random.default_rng(5)
    x = rng.normal(size=(ROWS, FEATURES)).astype(np.float32)
    x[:, 1] = x[:, 1].round(1)
    x[:, 2] = rng.integers(0, 4, ROWS)
    y = x[:, 0] + x[:, 1] * x[:, 2] + rng.normal(size=ROWS) / 4
    if missing:
        # The last column has none, so that LightGBM takes NaN in it for 0.
        x[:, :-1][rng.random((ROWS, FEATURES - 1)) < 0.15] = np.nan
    return x, y


def trained(x, y, trees=30, group=None, **changes):
    recipe = {
        "objective": "regression",
        "num_leaves": 15,
        "min_data_in_leaf": 5,
        "num_threads": 1,
        "seed": 1,
        "deterministic": True,
        "verbose": -1,
    }
    return lightgbm.train({**recipe, **changes}, lightgbm.Dataset(x, y, group=group), trees)


def asked(model):
    """Rows of which many lie at thresholds, just below or just above, or are NaN."""
    rng = np.random.default_rng(6)
    x = data(missing=True)[0]
    x[rng.random(x.shape) < 0.05] = np.nan
    for feature in range(FEATURES):
        thresholds = model.threshold[model.feature == feature]
        if len(thresholds):
            drawn = rng.choice(thresholds, ROWS)
            for towards in (-np.inf, np.inf):
                some = rng.random(ROWS) < 0.3
                with np.errstate(over="ignore"):
                    drawn[some] = np.nextafter(drawn[some], np.float32(towards))
            some = rng.random(ROWS) < 0.5
            x[some, feature] = drawn[some]
    return np.concatenate((x, np.zeros_like(x[:1]), np.full_like(x[:1], np.nan), *EXTREME))


def assert_same(booster):
    model = TreeModel.of_lightgbm(booster, NAMES)
    x = asked(model)
    theirs = booster.predict(x, raw_score=True, num_threads=1)
    np.testing.assert_array_equal(model.predict(x), theirs)
    contributions = model.contributions(model.leaves(x), model.credits(np.eye(len(NAMES))))
    bias = model.expected[model.parent < 0].sum()
    np.testing.assert_allclose(contributions.sum(axis=1) + bias, theirs, atol=1e-9)
    # Their contributions are Shapley values, but begin with the same expectation.
    begin = booster.predict(x[:1], pred_contrib=True, num_threads=1)[0, -1]
    assert bias == pytest.approx(begin, abs=1e-9)
    return model


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("changes", [{}, {"max_depth": 3}, {"num_leaves": 60}])
def test_regression(missing, changes):
    assert_same(trained(*data(missing), **changes))


@pytest.mark.parametrize("missing", [False, True])
def test_lambdarank(missing):
    x, y = data(missing)
    grades = np.digitize(y, (0.0, 1.0, 2.0))
    assert_same(trained(x, grades, group=[40] * (ROWS // 40), objective="lambdarank"))


def test_a_single_tree_and_a_stump():
    assert assert_same(trained(*data(True), trees=1)).trees == 1
    assert len(assert_same(trained(*data(True), trees=1, num_leaves=2)).leaf) == 2


def test_trees_of_one_leaf():
    x, y = data(False)
    assert assert_same(trained(x, np.full_like(y, 2.5), trees=3)).predict(x[:1]) == 2.5
    # No leaf may be so small: nothing is learnt but the mean.
    assert_same(trained(x, y, min_data_in_leaf=ROWS))


def test_other_kinds_of_boosting():
    x, y = data(True)
    assert_same(trained(x, y, boosting="dart"))
    assert_same(trained(x, y > 0, objective="binary", bagging_fraction=0.5, bagging_freq=1))


def test_only_the_trees_to_the_best_iteration_count():
    booster = trained(*data(True))
    booster.best_iteration = 7
    assert assert_same(booster).trees == 7


def test_a_model_that_was_read_predicts_the_same(tmp_path):
    model = assert_same(trained(*data(True)))
    model.save(tmp_path / "trees.npz")
    x = asked(model)
    np.testing.assert_array_equal(
        TreeModel.load(tmp_path / "trees.npz").predict(x), model.predict(x)
    )
