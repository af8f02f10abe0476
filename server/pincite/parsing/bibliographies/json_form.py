"""The form of bibliographies in CSL JSON."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from . import csl
from .described import Described
from .forms import READ_KEPT, Item, Parsed, Split, csl_places
from .json_items import LISTS, JsonItems, decoded, parsed, tidy
from .nodes import value_of


@dataclass(frozen=True, slots=True)
class _CslJson:
    name: str = "CSL JSON"
    writable: bool = True

    def split(self, text: str) -> Split:
        found = JsonItems(text, csl.key_of)
        items = [
            Item(start, end, key) for (start, end), key in zip(found.spans, found.keys, strict=True)
        ]
        return Split(items, found.complaints)

    def edited(self, text: str, start: int, end: int) -> Item | None:
        found = decoded(text, start)
        if found is None or found[1] != end or not isinstance(found[0], dict):
            return None
        # An object with a list is no item, but has items.
        return (
            None
            if any(name in found[0] for name in LISTS)
            else Item(start, end, csl.key_of(found[0]))
        )

    def described(self, written: str) -> Described:
        return _described_json(written)

    def parsed(self, written: str) -> Parsed:
        node, complaints = parsed(written)
        return csl_places(node, complaints)

    def is_sound(self, written: str) -> bool:
        found = decoded(written)
        return found is not None and csl.key_of(found[0]) != ""


@lru_cache(READ_KEPT)
def _described_json(written: str) -> Described:
    found = decoded(written)
    if found is None:
        node, _ = parsed(written)
        return csl.described("" if node is None else value_of(node), csl.from_html)
    return csl.described(tidy(found[0]), csl.from_html)


CSL_JSON: Final = _CslJson()
