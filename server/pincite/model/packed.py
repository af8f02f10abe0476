"""Several texts in one value of a field."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

#: Between records, and between the parts of one. They are symbols that no paper has.
_BETWEEN, _WITHIN = "␞", "␟"
_SIGNS: Final = str.maketrans({_BETWEEN: " ", _WITHIN: " "})


def packed(records: Iterable[Iterable[str]]) -> str:
    """Return records as the value of a field; white space counts as one space."""
    return _BETWEEN.join(
        _WITHIN.join(" ".join(part.translate(_SIGNS).split()) for part in record)
        for record in records
    )


def unpacked(value: str) -> list[list[str]]:
    """Return the records in the value of a field, those that are not empty."""
    return [
        [part.strip() for part in record.split(_WITHIN)]
        for record in filter(None, value.split(_BETWEEN))
    ]
