"""YAML as authors write it: what cannot be read has no content.

Settings and headers are read by the parser of bibliographies, with its limits: aliases may make
millions of values of a few, and lead to themselves. It is imported with the first text: drafts in
LaTeX need none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ..model.spans import TextSpan

#: Longer ones are not read: a thousand chapters take half of this.
_LONGEST: Final = 100_000
#: Settings that aliases make larger than this are cut.
_MOST_VALUES: Final = 100_000
_WORDS: Final[dict[str, bool | None]] = {
    **dict.fromkeys(("true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"), True),
    **dict.fromkeys(("false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"), False),
    "": None,
}


def strings_in(text: str) -> Iterator[tuple[str, TextSpan]]:
    """Yield the strings of a YAML value, in order, with their places: a scalar, or a list of them.

    Quotation marks are not in a place.
    """
    if len(text) > _LONGEST:
        return
    from .bibliographies.nodes import Scalar, Sequence
    from .bibliographies.yaml_items import allowed, parsed

    node, complaints = parsed(allowed(text))
    if complaints:
        return
    for each in node.items if isinstance(node, Sequence) else [node]:
        if isinstance(each, Scalar) and each.value:
            yield each.value, TextSpan(*each.content)


def mapping_in(text: str) -> dict[str, Any]:
    """Return the mapping that a YAML file has; empty if there is none.

    It has mappings, lists, texts, truth values and None; numbers and dates are as written.
    """
    if len(text) > _LONGEST:
        return {}
    from .bibliographies.nodes import value_of
    from .bibliographies.yaml_items import allowed, parsed

    node, complaints = parsed(allowed(text))
    read = value_of(node, _MOST_VALUES, _WORDS)
    return read if isinstance(read, dict) and not complaints else {}
