"""Boosted trees that are small enough to follow by hand."""

import json
from dataclasses import replace
from functools import reduce
from operator import add

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.model.problems import InputError
from pincite.trees import FORMAT, TreeModel

NAN, INF = np.nan, np.inf
ZERO = float(np.float32(1e-35))


def leaf(value, count=1):
    return {"leaf_index": 0, "leaf_value": value, "leaf_count": count}


def split(feature, threshold, left, right, missing="None", default_left=True):
    return {
        "split_feature": feature,
        "threshold": threshold,
        "missing_type": missing,
        "default_left": default_left,
        "left_child": left,
        "right_child": right,
        "internal_count": sum(
            child.get("leaf_count", child.get("internal_count")) for child in (left, right)
        ),
    }


class Dumped:
    """Trees as LightGBM dumps them."""

    def __init__(self, *roots):
        self.roots = roots

    def dump_model(self):
        return {"tree_info": [{"tree_structure": root} for root in self.roots]}


#: a: at most 1 gives 1 (3 rows); else b: at most -1 gives 10 (2 rows), else 20 (1 row).
TREE = split(0, 1.0, leaf(1, 3), split(1, -1.0, leaf(10, 2), leaf(20, 1), "NaN", False))


def model(*roots, meta=None):
    return TreeModel.of_lightgbm(Dumped(*roots), ("a", "b"), meta)


def contributions_of(made, x):
    """Return what each feature adds to the prediction for each row, and what all begin with."""
    credits = made.credits(np.eye(len(made.features)))
    return made.contributions(made.leaves(x), credits), made.expected[made.parent < 0].sum()


def rows(*values):
    return np.array(values, np.float32)


def any_model(seed=0, trees=5, features=3):
    """Trees of all shapes."""
    rng = np.random.default_rng(seed)

    def grown(depth):
        if depth == 0 or rng.random() < 0.2:
            return leaf(rng.normal(), int(rng.integers(1, 9)))
        missing = ("None", "NaN")[rng.integers(2)]
        below = grown(depth - 1), grown(depth - 1)
        threshold = round(rng.normal(), 1)
        return split(int(rng.integers(features)), threshold, *below, missing, rng.random() < 0.5)

    roots = [grown(int(rng.integers(7))) for _ in range(trees)]
    return roots, TreeModel.of_lightgbm(Dumped(*roots), "abcdefgh"[:features])


def followed(node, row):
    """The leaf that a row comes to, one split after the other."""
    while "leaf_value" not in node:
        value = float(row[node["split_feature"]])
        if np.isnan(value) and node["missing_type"] == "NaN":
            left = node["default_left"]
        else:
            left = (0.0 if np.isnan(value) else value) <= node["threshold"]
        node = node["left_child" if left else "right_child"]
    return node["leaf_value"]


def test_a_row_comes_to_one_leaf_of_each_tree():
    x = rows((1, 0), (0, 9), (1.5, -1), (1.5, -0.5))
    assert model(TREE).predict(x).tolist() == [1, 1, 10, 20]
    assert model(TREE, split(1, 0.0, leaf(0.5), leaf(0.25))).predict(x).tolist() == [
        1.5,
        1.25,
        10.5,
        20.5,
    ]


def test_nan_goes_to_the_default_side_of_a_split_or_counts_as_zero():
    x = rows((NAN, 0), (2, NAN))
    assert model(TREE).predict(x).tolist() == [1, 20]
    assert model(split(0, -0.5, leaf(1), leaf(2))).predict(x).tolist() == [2, 2]
    assert model(split(0, 0.0, leaf(1), leaf(2))).predict(x).tolist() == [1, 2]
    assert model(split(0, -0.5, leaf(1), leaf(2), "NaN", True)).predict(x).tolist() == [1, 2]


def test_a_tree_of_one_leaf_gives_all_rows_the_same_value():
    constant = model(leaf(0.75, 6))
    assert constant.predict(rows((0, 0), (NAN, INF))).tolist() == [0.75, 0.75]
    contributions, bias = contributions_of(constant, rows((3, 0)))
    assert (contributions.tolist(), bias) == ([[0, 0]], 0.75)
    assert model(leaf(0.75), TREE, leaf(0.125)).predict(rows((1.5, -1))).tolist() == [10.875]


def test_infinite_values_and_thresholds():
    x = rows((-INF, 0), (-3e38, 0), (0, 0), (3e38, 0), (INF, 0))
    # LightGBM's stand-ins for infinite thresholds, beyond float32.
    assert model(split(0, 1e300, leaf(1), leaf(2))).predict(x).tolist() == [1, 1, 1, 1, 2]
    assert model(split(0, -1e300, leaf(1), leaf(2))).predict(x).tolist() == [1, 2, 2, 2, 2]


@given(
    st.one_of(st.floats(-1e39, 1e39), st.floats(-2e-35, 2e-35), st.sampled_from([ZERO, -ZERO])),
    st.integers(-2, 2),
)
def test_float32_thresholds_decide_as_those_of_float64(threshold, steps):
    with np.errstate(over="ignore"):
        value = np.float32(threshold)
        for _ in range(abs(steps)):
            value = np.nextafter(value, np.float32(np.copysign(INF, steps)))
    decided = model(split(0, threshold, leaf(1), leaf(2))).predict(rows((value, 0)))
    # What is so small LightGBM takes for 0.
    known = 0.0 if abs(value) <= ZERO else float(value)
    assert decided.tolist() == [1 if known <= threshold else 2]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("count", [1, 7, 8, 9, 513])
def test_predictions_are_those_of_following_the_splits(seed, count):
    roots, made = any_model(seed)
    x = np.random.default_rng(seed).normal(size=(count, 3)).round(1).astype(np.float32)
    x[np.random.default_rng(seed + 1).random(x.shape) < 0.2] = NAN
    # Not `sum`, which corrects its rounding from Python 3.12 on.
    expected = [reduce(add, (followed(root, row) for root in roots)) for row in x]
    assert made.predict(x).tolist() == expected
    assert made.predict(np.asfortranarray(x)).tolist() == expected
    contributions, bias = contributions_of(made, x)
    np.testing.assert_allclose(contributions.sum(axis=1) + bias, expected, atol=1e-12)
    some = np.arange(count)[::-3]
    of_some = made.contributions(made.leaves(x).of(some), made.credits(np.eye(x.shape[1])))
    assert of_some.tolist() == contributions[some].tolist()


def test_contributions_worked_out_by_hand():
    # Of all 6 rows the mean is 43/6, of the 3 with more than 1 it is 40/3.
    contributions, bias = contributions_of(model(TREE), rows((1, 0), (1.5, -1), (1.5, 0)))
    assert bias == pytest.approx(43 / 6)
    expected = [(1 - 43 / 6, 0), (40 / 3 - 43 / 6, 10 - 40 / 3), (40 / 3 - 43 / 6, 20 - 40 / 3)]
    np.testing.assert_allclose(contributions, expected)


def test_a_feature_is_credited_for_all_its_splits():
    chain = split(0, 0.0, leaf(0), split(0, 1.0, leaf(2), leaf(8)))
    contributions, bias = contributions_of(model(chain, chain), rows((5, 0)))
    assert bias == pytest.approx(20 / 3)
    np.testing.assert_allclose(contributions, [(16 - 20 / 3, 0)])


def test_counts_that_are_missing_weigh_alike():
    given_tree = split(0, 0.0, leaf(0, 0), leaf(4, 0))
    assert contributions_of(model(given_tree), rows((1, 0)))[1] == 2


def test_no_rows_and_wrong_columns():
    made = model(TREE)
    assert made.predict(np.zeros((0, 2), np.float32)).shape == (0,)
    assert contributions_of(made, np.zeros((0, 2), np.float32))[0].shape == (0, 2)
    for wrong in (np.zeros((4, 3), np.float32), np.zeros(2, np.float32)):
        with pytest.raises(ValueError, match="2 features"):
            made.predict(wrong)
        with pytest.raises(ValueError, match="2 features"):
            contributions_of(made, wrong)


def test_a_model_is_saved_and_read(tmp_path):
    path = tmp_path / "trees.npz"
    meta = {"seed": 3, "calibration": [0.5, -1.25], "data": {"papers": "Äñ"}}
    _, made = any_model(3)
    made = replace(made, meta=meta)
    made.save(path)
    read = TreeModel.load(path)
    assert (read.features, read.meta, read.trees) == (("a", "b", "c"), meta, 5)
    x = np.random.default_rng(0).normal(size=(40, 3)).astype(np.float32)
    assert read.predict(x).tolist() == made.predict(x).tolist()
    assert [p.name for p in tmp_path.iterdir()] == ["trees.npz"]
    read.save(tmp_path / "again.npz")
    assert (tmp_path / "again.npz").read_bytes() == path.read_bytes()


def test_a_file_that_is_not_there_or_cannot_be_written(tmp_path):
    with pytest.raises(InputError, match=r"cannot read .*none\.npz: No such file"):
        TreeModel.load(tmp_path / "none.npz")
    with pytest.raises(InputError, match="cannot read"):
        TreeModel.load(tmp_path)
    with pytest.raises(InputError, match="cannot write"):
        model(TREE).save(tmp_path / "none" / "trees.npz")


@pytest.mark.parametrize("content", [b"", b"PK", b"trees"])
def test_files_that_are_something_else(tmp_path, content):
    (tmp_path / "trees.npz").write_bytes(content)
    with pytest.raises(InputError, match="is not a model of trees, or is damaged"):
        TreeModel.load(tmp_path / "trees.npz")


def test_another_version_of_the_format_is_named(tmp_path):
    path = tmp_path / "trees.npz"
    header = {"format": "pincite-trees-0", "features": ["a"], "meta": {}}
    np.savez(path, header=np.frombuffer(json.dumps(header).encode(), np.uint8))
    with pytest.raises(InputError, match=rf"trees\.npz .*'pincite-trees-0', not '{FORMAT}'"):
        TreeModel.load(path)


@pytest.mark.parametrize(
    "changes",
    [
        {"feature": np.array([0, 2], np.int16)},
        {"threshold": np.zeros(3, np.float32)},
        {"parent": np.array([-1, 3], np.int32)},
        {"parent": np.array([1, -1], np.int32)},
        {"parent": np.array([-1, -1], np.int32)},
        {"leaf_parent": np.array([0, 2, 2], np.int32)},
    ],
)
def test_a_model_whose_parts_do_not_fit_is_not_read(tmp_path, changes):
    replace(model(TREE), **changes).save(tmp_path / "trees.npz")
    with pytest.raises(InputError, match="is not a model of trees, or is damaged"):
        TreeModel.load(tmp_path / "trees.npz")
