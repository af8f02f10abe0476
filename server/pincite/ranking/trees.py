"""Boosted trees: trained with LightGBM (Ke et al. 2017), read and applied with numpy alone.

A prediction evaluates all splits of all trees for a block of rows and stores the results as bits, a
byte for eight rows. Which rows reach a node is then one `and` of bytes for a whole level of the
trees (QuickScorer, Lucchese et al. 2015, finds leaves by masks, too, but row by row). The layout
is made for that: nodes are stored level by level over all trees, and point to their parents.
"""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from ..model.problems import InputError
from ..whole_files import write_model

FORMAT: Final = "pincite-trees-1"

#: The rows and splits evaluated at a time: few enough to fit into the processor's cache.
_ROWS: Final = 512
_SPLITS: Final = 500
#: LightGBM's `kZeroThreshold`.
_AS_ZERO: Final = np.float32(1e-35)

Floats = npt.NDArray[np.float64]
Bits = npt.NDArray[np.uint8]
Numbers = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Leaves:
    """The leaves that each of R rows reaches, as bits (L×⌈R/8⌉), the first row in the highest."""

    bits: Bits
    rows: int

    def of(self, rows: npt.NDArray[np.intp]) -> npt.NDArray[np.bool_]:
        """Return which leaves some rows reach (rows×L)."""
        is_row = (0x80 >> (rows & 7)).astype(np.uint8)
        return np.asarray((self.bits[:, rows >> 3] & is_row).T, np.bool_)


class Booster(Protocol):
    """What is needed of a `lightgbm.Booster`."""

    def dump_model(self) -> dict[str, Any]:
        """Return the model as LightGBM writes it to JSON."""


@dataclass(frozen=True, eq=False)
class TreeModel:
    """A sum of T binary trees with N splits and L leaves over F `features`; immutable.

    Splits are numbered level by level: split i is on level d, with the root on level 0, if
    `levels[d] <= i < levels[d + 1]` (`levels` is int32). Split i sends a row to the left along
    edge 2i or to the right along edge 2i + 1; `parent` (int32, N) and `leaf_parent` (int32, L) are
    the edges that end in each split and leaf, -1 for a root. Leaves are in the order of the trees.

    Split i sends a row to the left if its feature `feature[i]` (int16, N) is at most `threshold[i]`
    (float32, N), or is NaN and `default_left[i]` (bool, N). `leaf` (float64, L) has the values of
    the leaves, `expected` (float64, N) the mean of those below a split, weighted by the rows of
    the training. `meta` is what JSON can hold: where the model comes from, and constants for it.
    """

    features: tuple[str, ...]
    feature: npt.NDArray[np.int16]
    threshold: npt.NDArray[np.float32]
    default_left: npt.NDArray[np.bool_]
    expected: Floats
    parent: npt.NDArray[np.int32]
    levels: npt.NDArray[np.int32]
    leaf: Floats
    leaf_parent: npt.NDArray[np.int32]
    meta: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of_lightgbm(
        cls, booster: Booster, features: Sequence[str], meta: Mapping[str, Any] | None = None
    ) -> TreeModel:
        """Return a trained booster's trees, to its best iteration if it stopped early.

        `features` are the names of its columns. Raise `ValueError` for what is not supported:
        categorical splits, linear leaves, several classes, averages of trees (random forests),
        zeros that count as missing, or another number of features.
        """
        dumped = booster.dump_model()
        if dumped["num_tree_per_iteration"] != 1 or dumped["average_output"]:
            raise ValueError("only one sum of trees is supported, no classes or averages")
        if dumped["max_feature_idx"] + 1 != len(features):
            raise ValueError(f"{len(features)} names for {dumped['max_feature_idx'] + 1} features")
        if not dumped["tree_info"]:
            raise ValueError("the booster has no trees")
        model = _of_dumped([tree["tree_structure"] for tree in dumped["tree_info"]], features, meta)
        model._check()
        return model

    @classmethod
    def load(cls, path: Path) -> TreeModel:
        """Read a model; raise `InputError` if it is damaged, unreadable or of another format."""
        try:
            with np.load(path, allow_pickle=False) as stored:
                header = json.loads(stored["header"].tobytes())
                if header["format"] != FORMAT:
                    found = header["format"]
                    raise InputError(f"{path} has the format {found!r}, not {FORMAT!r}")
                read = cls(
                    features=tuple(header["features"]),
                    meta=header["meta"],
                    **{name: stored[name] for name in _ARRAYS},
                )
            read._check()
        except OSError as error:
            raise InputError(f"cannot read {path}: {error.strerror or error}") from error
        # A foreign file may fail in many ways, and may claim any size.
        except (
            *(ValueError, LookupError, TypeError, AttributeError, EOFError, OverflowError),
            *(RuntimeError, MemoryError, zipfile.BadZipFile, zlib.error),
        ) as error:
            raise InputError(f"{path} is no model of trees, or damaged: {error}") from error
        return read

    def save(self, path: Path) -> None:
        """Write the model, equal ones as equal bytes; raise `InputError` if that fails."""
        header = {"format": FORMAT, "features": self.features, "meta": dict(self.meta)}
        stored = {name: getattr(self, name) for name in _ARRAYS}
        stored["header"] = np.frombuffer(json.dumps(header, sort_keys=True).encode(), np.uint8)
        written = BytesIO()
        np.savez_compressed(written, **stored)
        write_model(path, [written.getvalue()])

    @property
    def trees(self) -> int:
        """The number of trees, T."""
        return int(self.levels[1])

    def predict(self, x: npt.NDArray[np.float32]) -> Floats:
        """Return the sum of the leaves that each row of `x` (R×F) reaches (R).

        NaN is a missing value. A row's sum does not depend on the other rows. Raise
        `ValueError` unless `x` has F columns.
        """
        if len(x) <= _ROWS:
            return self.sums(self.leaves(x))
        # The leaves of very many rows would take much memory.
        return np.concatenate([self.predict(x[rows]) for rows in _blocks(len(x))])

    def leaves(self, x: npt.NDArray[np.float32]) -> Leaves:
        """Return the leaves that each row of `x` (R×F) reaches; raise as `predict`."""
        if x.ndim != 2 or x.shape[1] != len(self.features):
            raise ValueError(f"x has shape {x.shape}, the model {len(self.features)} features")
        blocks = [self._reached(x[rows]) for rows in _blocks(len(x))]
        bits = np.hstack(blocks) if blocks else np.empty((len(self.leaf), 0), np.uint8)
        return Leaves(bits, len(x))

    def sums(self, leaves: Leaves) -> Floats:
        """Return the sum of the leaves that each row reaches (R)."""
        sums = np.empty(leaves.rows)
        for rows in _blocks(leaves.rows):
            # Never a single row, whose leaves would be added in another order.
            reached = np.unpackbits(leaves.bits[:, rows.start // 8 : -(-rows.stop // 8)], axis=1)
            sums[rows] = np.einsum("l,lr->r", self.leaf, reached)[: rows.stop - rows.start]
        return sums

    def credits(self, groups: Floats) -> Floats:
        """Return the credits of each group of features at each leaf (G×L).

        `groups` (F×G) says which features belong to each. On the way down a tree, the change of the
        expected value at a split is credited to the split's feature (Saabas 2014).
        """
        credited = np.zeros((groups.shape[1], len(self.leaf)))
        value, edge = self.leaf, self.leaf_parent
        while (below := edge >= 0).any():
            split = edge >> 1
            expected = np.where(below, self.expected[split], value)
            credited += (value - expected) * groups[self.feature[split]].T
            value, edge = expected, np.where(below, self.parent[split], -1)
        return credited

    def contributions(self, leaves: Leaves, rows: npt.NDArray[np.intp], credits: Floats) -> Floats:
        """Return what each group of features contributes to the sums of some rows (rows×G).

        Up to rounding, a sum is that of its row's contributions and of the expected values of the
        roots.
        """
        # Each row reaches one leaf of each tree.
        at = np.flatnonzero(leaves.of(rows)).reshape(len(rows), self.trees)
        reached = at - np.arange(len(rows))[:, None] * len(self.leaf)
        return np.asarray(credits.take(reached, axis=1).sum(axis=2).T)

    def _reached(self, x: npt.NDArray[np.float32]) -> Bits:
        """Return which rows of `x` (R×F) reach each leaf, as bits (L×⌈R/8⌉)."""
        right = self._to_the_right(x)
        edges = np.empty((len(right), 2, right.shape[1]), np.uint8)
        ends = edges.reshape(-1, right.shape[1])
        for start, end in zip(self.levels[:-1], self.levels[1:], strict=True):
            here = right[start:end]
            came = ends.take(self.parent[start:end], axis=0) if start else np.uint8(0xFF)
            np.bitwise_and(came, here, out=edges[start:end, 1])
            np.bitwise_and(came, ~here, out=edges[start:end, 0])
        return ends.take(self.leaf_parent, axis=0)

    def _to_the_right(self, x: npt.NDArray[np.float32]) -> Bits:
        """Return which rows of `x` (R×F) each split sends to the right, as bits (N×⌈R/8⌉)."""
        feature, threshold, default_right, which = self._distinct
        # Rows of zeros fill the last byte.
        columns = np.zeros((len(self.features), (len(x) + 7) // 8 * 8), np.float32)
        columns[:, : len(x)] = x.T
        right = np.empty((len(feature), columns.shape[1]), np.bool_)
        for start in range(0, len(right), _SPLITS):
            some = slice(start, start + _SPLITS)
            values = columns.take(feature[some], axis=0)
            np.greater(values, threshold[some, None], out=right[some])
        # Comparisons with NaN are false, so up to here it went to the left.
        missing = np.isnan(columns)
        right[default_right] |= missing.take(feature[default_right], axis=0)
        return np.packbits(right).reshape(len(right), -1).take(which, axis=0)

    @cached_property
    def _distinct(self) -> tuple[Numbers, npt.NDArray[np.float32], Numbers, Numbers]:
        """The features and thresholds of the splits, each once: a third is in several trees.

        With them, which of them send what is missing to the right, and the number of each split.
        """
        # As integers, so that -0.0 and 0.0 are two thresholds.
        bits = self.threshold.view(np.int32)
        splits = np.stack([self.feature, bits, self.default_left]).astype(np.intp)
        distinct, which = np.unique(splits, axis=1, return_inverse=True)
        threshold = distinct[1].astype(np.int32).view(np.float32)
        return distinct[0], threshold, np.flatnonzero(distinct[2] == 0), which.reshape(-1)

    def _check(self) -> None:
        """Raise `ValueError` unless the arrays describe trees."""
        splits, leaves = len(self.feature), len(self.leaf)
        shapes = {"levels": (len(self.levels),), "leaf": (leaves,), "leaf_parent": (leaves,)}
        for name, dtype in _ARRAYS.items():
            array = getattr(self, name)
            if array.dtype != dtype or array.shape != shapes.get(name, (splits,)):
                raise ValueError(f"{name} has shape {array.shape}, {array.dtype}")
        if not all(isinstance(name, str) for name in self.features):
            raise ValueError("features have no names")
        if not isinstance(self.meta, Mapping):
            raise ValueError("meta is no mapping")
        if not np.isfinite(self.leaf).all() or not np.isfinite(self.expected).all():
            raise ValueError("values are not finite")
        if not (self.threshold < np.inf).all():
            raise ValueError("thresholds are not finite")
        if not splits or self.feature.min() < 0 or self.feature.max() >= len(self.features):
            raise ValueError("splits of no feature")
        self._check_places()

    def _check_places(self) -> None:
        """Raise `ValueError` unless splits and leaves form trees."""
        splits, levels = len(self.feature), self.levels
        if len(levels) < 2 or levels[0] != 0 or levels[-1] != splits or (np.diff(levels) < 1).any():
            raise ValueError("levels are not those of the splits")
        ends = np.concatenate((self.parent[self.trees :], self.leaf_parent))
        if (self.parent[: self.trees] != -1).any() or not np.array_equal(
            np.sort(ends), np.arange(2 * splits)
        ):
            raise ValueError("edges have no single end")
        level = np.repeat(np.arange(len(levels) - 1), np.diff(levels))
        if (level[self.parent[self.trees :] >> 1] + 1 != level[self.trees :]).any():
            raise ValueError("parents are not a level higher")


def _blocks(rows: int) -> Iterator[slice]:
    return (slice(start, min(start + _ROWS, rows)) for start in range(0, rows, _ROWS))


_ARRAYS: Final[Mapping[str, type[np.generic]]] = {
    "feature": np.int16,
    "threshold": np.float32,
    "default_left": np.bool_,
    "expected": np.float64,
    "parent": np.int32,
    "levels": np.int32,
    "leaf": np.float64,
    "leaf_parent": np.int32,
}


def _of_dumped(
    roots: Sequence[Mapping[str, Any]], features: Sequence[str], meta: Mapping[str, Any] | None
) -> TreeModel:
    """Return the model with the trees under these roots, as LightGBM dumps them."""
    splits: list[Mapping[str, Any]] = []
    parents: list[int] = []
    levels = [0]
    leaves: list[tuple[int, int, float]] = []
    level = [(tree, -1, _splitting(root)) for tree, root in enumerate(roots)]
    while level:
        below = []
        for tree, parent, split in level:
            for edge, side in enumerate(("left_child", "right_child"), 2 * len(splits)):
                child = split[side]
                if "leaf_coeff" in child:
                    raise ValueError("linear leaves are not supported")
                if "leaf_value" in child:
                    leaves.append((tree, edge, child["leaf_value"]))
                else:
                    below.append((tree, edge, child))
            splits.append(split)
            parents.append(parent)
        levels.append(len(splits))
        level = below
    leaves.sort()
    default_left = np.array([_default_left(split) for split in splits], np.bool_)
    return TreeModel(
        features=tuple(features),
        feature=np.array([split["split_feature"] for split in splits], np.int16),
        threshold=_float32_thresholds(splits),
        default_left=default_left,
        expected=_expected(splits, parents),
        parent=np.array(parents, np.int32),
        levels=np.array(levels, np.int32),
        leaf=np.array([value for _, _, value in leaves], np.float64),
        leaf_parent=np.array([edge for _, edge, _ in leaves], np.int32),
        meta=dict(meta or {}),
    )


def _splitting(root: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the first split of a tree; one that is a leaf is split into two of its kind."""
    if "split_feature" in root:
        return root
    return {
        "split_feature": 0,
        "threshold": 0.0,
        "decision_type": "<=",
        "missing_type": "None",
        "left_child": root,
        "right_child": root,
    }


def _default_left(split: Mapping[str, Any]) -> bool:
    """Return where LightGBM sends NaN; raise `ValueError` for splits that are not supported."""
    if split["decision_type"] != "<=":
        raise ValueError(f"only numerical splits are supported, not {split['decision_type']!r}")
    if split["missing_type"] == "NaN":
        return bool(split["default_left"])
    if split["missing_type"] == "None":  # NaN counts as 0.0
        return bool(split["threshold"] >= 0.0)
    raise ValueError("zeros that count as missing are not supported")


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
