"""The form of bibliographies in CSL JSON."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from . import csl
from .described import Described
from .forms import READ_KEPT, Form, Item, Parsed, Split, csl_places
from .json_items import JsonItems, decoded, parsed, tidy
from .nodes import LISTS, value_of


class _CslJson(Form):
    name = "CSL JSON"

    def split(self, text: str) -> Split:
        found = JsonItems(text)
        return Split(found.items, found.complaints)

    def edited(self, text: str, start: int, end: int) -> Item | None:
        value, stop = decoded(text, start) or ("", start)
        # An object with a list is no item, but has items.
        if stop != end or not isinstance(value, dict) or not value.keys().isdisjoint(LISTS):
            return None
        return Item(start, end, csl.key_of(value))

    @staticmethod
    @lru_cache(READ_KEPT)
    def described(written: str) -> Described:
        found = decoded(written)
        value = tidy(found[0]) if found else value_of(parsed(written)[0])
        return csl.described(value, csl.from_html)

    def parsed(self, written: str) -> Parsed:
        node, complaints = parsed(written)
        return csl_places(node, complaints)

    def is_sound(self, written: str) -> bool:
        found = decoded(written)
        return found is not None and csl.key_of(found[0]) != ""


CSL_JSON: Final = _CslJson()
