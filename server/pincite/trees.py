"""Boosted trees: trained with LightGBM (Ke et al. 2017), read and applied with numpy alone."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from .model.problems import InputError
from .whole_files import write_model

FORMAT: Final = "pincite-trees-2"

#: The rows evaluated at a time: few enough to fit into the processor's cache.
_ROWS: Final = 512
#: LightGBM's `kZeroThreshold`.
_AS_ZERO: Final = np.float32(1e-35)
_ARRAYS: Final[Mapping[str, type[np.generic]]] = {
    "feature": np.int16,
    "threshold": np.float32,
    "default_left": np.bool_,
    "expected": np.float64,
    "parent": np.int32,
    "leaf": np.float64,
    "leaf_parent": np.int32,
}

Floats = npt.NDArray[np.float64]


class Leaves(NamedTuple):
    """Leaves that rows reach: their `numbers` (K, rising) and which rows `reached` each (K×R)."""

    numbers: npt.NDArray[np.intp]
    reached: npt.NDArray[np.bool_]

    def of(self, rows: npt.NDArray[np.intp]) -> Leaves:
        """Return the same leaves for some of the rows."""
        return Leaves(self.numbers, self.reached[:, rows])


@dataclass(frozen=True, eq=False)
class TreeModel:
    """A sum of T binary trees with N splits and L leaves over F `features`; immutable.

    Split i sends a row along edge 2i to the left if its feature `feature[i]` (int16, N) is at most
    `threshold[i]` (float32, N), or is NaN and `default_left[i]` (bool, N); else along edge 2i + 1
    to the right. `parent` (int32, N) and `leaf_parent` (int32, L) are the edges that end in each
    split and leaf, -1 for the root of a tree; splits come after their parents, and leaves in the
    order of the trees.

    `leaf` (float64, L) has the values of the leaves, `expected` (float64, N) the mean of those
    below a split, weighted by the rows of the training. `meta` is what JSON can hold: where the
    model comes from, and constants for it.
    """

    features: tuple[str, ...]
    feature: npt.NDArray[np.int16]
    threshold: npt.NDArray[np.float32]
    default_left: npt.NDArray[np.bool_]
    expected: Floats
    parent: npt.NDArray[np.int32]
    leaf: Floats
    leaf_parent: npt.NDArray[np.int32]
    meta: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of_lightgbm(
        cls,
        booster: Any,  # noqa: ANN401
        features: Sequence[str],
        meta: Mapping[str, Any] | None = None,
    ) -> TreeModel:
        """Return the trees of a `lightgbm.Booster`, to its best iteration if it stopped early.

        `features` are the names of its columns. Categorical splits, linear leaves, several classes,
        and zeros that count as missing are not supported.
        """
        roots = [tree["tree_structure"] for tree in booster.dump_model()["tree_info"]]
        return _of_dumped(roots, features, meta)

    @property
    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The arrays by name, with everything but names and `meta`."""
        return {name: getattr(self, name) for name in _ARRAYS}

    @classmethod
    def of_arrays(
        cls, features: Sequence[str], arrays: Mapping[str, Any], meta: Mapping[str, Any]
    ) -> TreeModel:
        """Return the model with `arrays`, or lists, by name; raise `ValueError` for no trees."""
        read = {name: np.asarray(arrays[name], dtype) for name, dtype in _ARRAYS.items()}
        model = cls(tuple(features), meta=meta, **read)
        splits, leaves = len(model.feature), len(model.leaf)
        for name, array in read.items():
            if array.shape != (leaves if "leaf" in name else splits,):
                raise ValueError(f"{name} has shape {array.shape}")
        if not splits or model.feature.min() < 0 or model.feature.max() >= len(features):
            raise ValueError("splits of no feature")
        ends = np.concatenate([model.parent[model.parent >= 0], model.leaf_parent])
        # So that the way from each leaf leads to a root.
        is_behind = model.parent >> 1 >= np.arange(splits)
        if not np.array_equal(np.sort(ends), np.arange(2 * splits)) or is_behind.any():
            raise ValueError("edges have no single end")
        return model

    @classmethod
    def load(cls, path: Path) -> TreeModel:
        """Read a model; raise `InputError` if it is damaged, unreadable or of another format."""
        try:
            with np.load(path, allow_pickle=False) as stored:
                header = json.loads(stored["header"].tobytes())
                if header["format"] != FORMAT:
                    raise ValueError(f"its format is {header['format']!r}, not {FORMAT!r}")
                return cls.of_arrays(header["features"], stored, header["meta"])
        except OSError as error:
            raise InputError(f"cannot read {path}: {error.strerror or error}") from error
        except Exception as error:  # a foreign file may fail in many ways, and may claim any size
            raise InputError(f"{path} is not a model of trees, or is damaged: {error}") from error

    def save(self, path: Path) -> None:
        """Write the model, equal ones as equal bytes; raise `InputError` if that fails."""
        header = {"format": FORMAT, "features": self.features, "meta": dict(self.meta)}
        stored: dict[str, Any] = self.arrays
        stored["header"] = np.frombuffer(json.dumps(header, sort_keys=True).encode(), np.uint8)
        written = BytesIO()
        np.savez_compressed(written, **stored)
        write_model(path, [written.getvalue()])

    @property
    def trees(self) -> int:
        """The number of trees, T."""
        return int((self.parent < 0).sum())

    def predict(self, x: npt.NDArray[np.float32]) -> Floats:
        """Return the sum of the leaves that each row of `x` (R×F) reaches (R).

        NaN is a missing value. A row's sum does not depend on the other rows. Raise
        `ValueError` unless `x` has F columns.
        """
        # All leaves of very many rows would take much memory.
        blocks = [x[start : start + _ROWS] for start in range(0, max(1, len(x)), _ROWS)]
        return np.concatenate([self.sums(self.leaves(block)) for block in blocks])

    def leaves(self, x: npt.NDArray[np.float32]) -> Leaves:
        """Return the leaves that the rows of `x` (R×F) reach; raise as `predict`."""
        if x.ndim != 2 or x.shape[1] != len(self.features):
            raise ValueError(f"x has shape {x.shape}, the model {len(self.features)} features")
        columns = np.ascontiguousarray(x.T)  # by columns, taking those of the splits is faster
        missing = np.isnan(columns)
        # What is missing goes to the left in the first half, to the right in the second.
        ways = np.concatenate([np.where(missing, way, columns) for way in (-np.inf, np.inf)])
        tests, paths = self._tests
        # Eight rows in a byte: memory takes most of the time.
        right = np.packbits(ways.take(tests["way"], axis=0) > tests["than"][:, None], axis=1)
        # The last edge is always taken: it stands for those above a root.
        edges = np.full((2 * len(right) + 1, right.shape[1]), 0xFF, np.uint8)
        edges[:-1:2], edges[1::2] = ~right, right
        reached = np.full((len(self.leaf), right.shape[1]), 0xFF, np.uint8)
        for path in paths:
            reached &= edges.take(path, axis=0)
        # Rows of one list are much alike: they reach a third of the leaves.
        numbers = reached.any(axis=1).nonzero()[0]
        by_row = np.unpackbits(reached[numbers], axis=1, count=len(x))
        return Leaves(numbers, by_row.view(np.bool_))

    def sums(self, leaves: Leaves) -> Floats:
        """Return the sum of the leaves that each row reaches (R), in the order of the trees."""
        reached = leaves.reached.view(np.uint8)
        # A single row would be added in another order.
        several = np.hstack([reached, reached]) if reached.shape[1] == 1 else reached
        sums: Floats = np.einsum("l,lr->r", self.leaf[leaves.numbers], several)
        return sums[: reached.shape[1]]

    def credits(self, groups: Floats) -> Floats:
        """Return the credits of each group of features at each leaf (G×L).

        `groups` (F×G) is which features belong to each. On the way down a tree, the change of the
        expected value at a split is credited to the split's feature (Saabas 2014).
        """
        credited = np.zeros((groups.shape[1], len(self.leaf)))
        value = self.leaf
        for edge in self._paths:
            split = edge >> 1
            expected = np.where(edge >= 0, self.expected[split], value)
            credited += (value - expected) * groups[self.feature[split]].T
            value = expected
        return credited

    def contributions(self, leaves: Leaves, credits: Floats) -> Floats:
        """Return what each group of features contributes to the sums of rows (R×G).

        Up to rounding, a sum is that of its row's contributions and of the expected values of the
        roots.
        """
        each = np.flatnonzero(leaves.reached.T).reshape(-1, self.trees) % len(leaves.numbers)
        return np.asarray(credits.take(leaves.numbers[each], axis=1).sum(axis=2).T)

    @cached_property
    def _paths(self) -> list[npt.NDArray[np.int32]]:
        """The edges from each leaf up to the root of its tree, -1 above it: a step for an array."""
        steps, edge = [], self.leaf_parent
        while (edge >= 0).any():
            steps.append(edge)
            edge = np.where(edge >= 0, self.parent[edge >> 1], np.int32(-1))
        return steps

    @cached_property
    def _tests(self) -> tuple[npt.NDArray[np.void], list[npt.NDArray[np.intp]]]:
        """What splits compare, each once, and the `_paths` with these instead of the splits.

        Trees repeat each other: fewer than half of their splits are different.
        """
        tests = np.empty(len(self.feature), [("way", np.intp), ("than", np.float32)])
        tests["way"] = self.feature + np.where(self.default_left, 0, len(self.features))
        tests["than"] = self.threshold
        different, number = np.unique(tests, return_inverse=True)
        paths = (np.where(edge < 0, -1, 2 * number[edge >> 1] + (edge & 1)) for edge in self._paths)
        return different, list(paths)


def _of_dumped(
    roots: Sequence[Mapping[str, Any]], features: Sequence[str], meta: Mapping[str, Any] | None
) -> TreeModel:
    """Return the model with the trees under these roots, as LightGBM dumps them."""
    splits: list[Mapping[str, Any]] = []
    parents: list[int] = []
    leaves: list[tuple[float, int]] = []

    def add(node: Mapping[str, Any], edge: int) -> None:
        if "leaf_value" in node:
            leaves.append((node["leaf_value"], edge))
            return
        left = 2 * len(splits)
        splits.append(node)
        parents.append(edge)
        add(node["left_child"], left)
        add(node["right_child"], left + 1)

    for root in roots:
        add(_splitting(root), -1)
    default_left = [_default_left(split) for split in splits]
    return TreeModel(
        features=tuple(features),
        feature=np.array([split["split_feature"] for split in splits], np.int16),
        threshold=_float32_thresholds(splits),
        default_left=np.array(default_left, np.bool_),
        expected=_expected(splits, parents),
        parent=np.array(parents, np.int32),
        leaf=np.array([value for value, _ in leaves], np.float64),
        leaf_parent=np.array([edge for _, edge in leaves], np.int32),
        meta=dict(meta or {}),
    )


def _splitting(root: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the first split of a tree; one that is a leaf is split into two of its kind."""
    if "split_feature" in root:
        return root
    return {
        "split_feature": 0,
        "threshold": 0.0,
        "missing_type": "None",
        "left_child": root,
        "right_child": root,
    }


def _default_left(split: Mapping[str, Any]) -> bool:
    """Return whether LightGBM sends NaN to the left, perhaps as 0.0."""
    is_missing = split["missing_type"] == "NaN"
    return bool(split["default_left"] if is_missing else split["threshold"] >= 0.0)


def _expected(splits: Sequence[Mapping[str, Any]], parents: Sequence[int]) -> Floats:
    """Return the mean of the leaves below each split, weighted by the rows that reached them."""
    means = np.zeros((len(splits), 2))
    expected = np.zeros(len(splits))
    for number in reversed(range(len(splits))):
        children = [splits[number][side] for side in ("left_child", "right_child")]
        counts = np.zeros(2)
        for side, child in enumerate(children):
            if "leaf_value" in child:
                means[number, side] = child["leaf_value"]
            counts[side] = child.get("leaf_count", child.get("internal_count", 0))
        # A tree that was given, not grown, has no counts.
        weights = counts if counts.sum() > 0 else np.ones(2)
        expected[number] = means[number] @ weights / weights.sum()
        if parents[number] >= 0:
            means.flat[parents[number]] = expected[number]
    return expected


def _float32_thresholds(splits: Sequence[Mapping[str, Any]]) -> npt.NDArray[np.float32]:
    """Return thresholds that decide for every float32 as LightGBM does with its float64."""
    thresholds = np.array([split["threshold"] for split in splits], np.float64)
    with np.errstate(over="ignore"):
        rounded = thresholds.astype(np.float32)
    above = rounded > thresholds
    rounded[above] = np.nextafter(rounded[above], np.float32(-np.inf))
    # LightGBM predicts with 0 for such small values, and has thresholds at both ends of them.
    as_zero = np.abs(thresholds) <= _AS_ZERO
    rounded[as_zero & (thresholds >= 0)] = _AS_ZERO
    rounded[as_zero & (thresholds < 0)] = np.nextafter(-_AS_ZERO, np.float32(-np.inf))
    return rounded
