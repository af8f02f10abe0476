"""YAML as authors write it: what cannot be read has no content.

PyYAML is imported with the first text: drafts in LaTeX need none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..model.spans import TextSpan

_LONGEST = 1_000_000


def strings_in(text: str) -> Iterator[tuple[str, TextSpan]]:
    """Yield the strings of a YAML value, in order, with their places: a scalar, or a list of them.

    Quotation marks are not in a place.
    """
    import yaml

    try:
        # In Python, for places in code points.
        node = yaml.compose(text, Loader=yaml.SafeLoader) if len(text) <= _LONGEST else None
    except (yaml.YAMLError, RecursionError, ValueError):
        return
    for each in node.value if isinstance(node, yaml.SequenceNode) else [node]:
        if isinstance(each, yaml.ScalarNode) and each.value:
            quoted = each.style in ("'", '"')
            start, end = each.start_mark.index, each.end_mark.index
            yield each.value, TextSpan(start + quoted, end - quoted)


def mapping_in(text: str) -> dict[str, Any]:
    """Return the mapping that a YAML file has, with anything in it; empty if there is none."""
    import yaml

    # libyaml's parser where PyYAML was built with it.
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        read = yaml.load(text, Loader=loader) if len(text) <= _LONGEST else None
    except (yaml.YAMLError, RecursionError, ValueError):
        return {}
    return read if isinstance(read, dict) else {}
