"""Records: one JSON value each, in a folder of compressed files, with their hashes in the repository.

The records quote other people's drafts and papers, so only their hashes are committed.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from itertools import takewhile
from pathlib import Path
from typing import Any

HASHES = Path(__file__).with_name("hashes.json")
#: Numbers that differ by no more than this share are equal.
TOLERANCE = 1e-9


def digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def write(folder: Path, name: str, value: Any) -> None:
    path = _path(folder, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False)
    path.write_bytes(gzip.compress(text.encode("utf-8", "surrogatepass"), 6, mtime=0))


def read(folder: Path, name: str) -> Any:
    """Return a record; None where the folder has none of this name."""
    path = _path(folder, name)
    if not path.exists():
        return None
    return json.loads(gzip.decompress(path.read_bytes()).decode("utf-8", "surrogatepass"))


def read_hashes() -> dict[str, str]:
    return json.loads(HASHES.read_text()) if HASHES.exists() else {}


def write_hashes(hashes: Mapping[str, str]) -> None:
    HASHES.write_text(json.dumps(hashes, indent=0, sort_keys=True) + "\n")


def differences(before: Any, after: Any, where: str = "") -> Iterator[str]:
    """Yield each place in which two values differ, with both sides."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted({*before, *after}):
            if key not in before or key not in after:
                yield f"{where}.{key}: only {'after' if key in after else 'before'}"
            else:
                yield from differences(before[key], after[key], f"{where}.{key}")
    elif isinstance(before, list) and isinstance(after, list):
        if len(before) != len(after):
            yield f"{where}: {len(before)} items before, {len(after)} after"
        for number, (one, other) in enumerate(zip(before, after, strict=False)):
            yield from differences(one, other, f"{where}[{number}]")
    elif not _are_equal(before, after):
        one, other = _written(before), _written(after)
        shared = sum(takewhile(bool, (a == b for a, b in zip(one, other, strict=False))))
        yield f"{where}: {_around(one, shared)} before, {_around(other, shared)} after"


def _are_equal(before: Any, after: Any) -> bool:
    if isinstance(before, float) and isinstance(after, int | float):
        return math.isclose(before, after, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    return type(before) is type(after) and bool(before == after)


def _around(text: str, offset: int) -> str:
    """Return what is at an offset, with some text before and after it."""
    start = max(offset - 40, 0)
    end = start + 120
    return f"{'…' * (start > 0)}{text[start:end]}{'…' * (end < len(text))}"


def _written(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _path(folder: Path, name: str) -> Path:
    return folder / f"{name}.json.gz"
