"""Whether a JSON or YAML file is a bibliography, by its beginning: most are something else."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from . import csl, hayagriva
from .item_file import has_items, is_yaml
from .items import LISTS
from .json_items import read_json
from .yaml_items import is_csl, read_yaml

#: How much of a file is looked at, in bytes: its first entry is in there.
HEAD: Final = 16_384
#: Members with a text may stand before the list.
_LIST: Final = re.compile(
    rf'[\s\ufeff]*(?:\[|\{{(?:\s*"[\w-]{{1,30}}"\s*:\s*"[^"]{{0,500}}"\s*,){{0,9}}'
    rf'\s*"(?:{"|".join(LISTS)})"\s*:\s*\[)\s*(?=\{{)'
)
_FIELD: Final = r"""^[ \t]*(?:-[ \t]+)?["']?%s["']?:"""
_TYPE: Final = re.compile(rf"""{_FIELD % "type"}[ \t]+["']?([\w-]+)""", re.MULTILINE)
_TITLE: Final = re.compile(_FIELD % "title", re.MULTILINE)
_SAYS: Final = ("title", "author", "issued", "container-title")


def begins_as_bibliography(path: Path, head: str) -> bool:
    """Return whether the first entry of a file in CSL or Hayagriva is in the `HEAD` of a text."""
    if not has_items(path):
        return False
    return _begins_in_yaml(head) if is_yaml(path) else _begins_in_json(head)


def _begins_in_json(head: str) -> bool:
    if _LIST.match(head) is None:
        return False
    item = read_json(head).items[0].value
    if not isinstance(item, dict) or item.get("type") not in csl.TYPES:
        return False
    return not (item.keys().isdisjoint(("id", "citation-key")) or item.keys().isdisjoint(_SAYS))


def _begins_in_yaml(head: str) -> bool:
    # Most YAML is ruled out without being parsed.
    if _TITLE.search(head) is None or _TYPE.search(head) is None:
        return False
    items = read_yaml(head).items
    if not items or not (csl.key_of(items[0].value) or hayagriva.key_of(items[0].value)):
        return False
    first = items[0].span.of(head)
    kind = _TYPE.search(first)
    types = csl.TYPES if is_csl(head) else hayagriva.TYPES
    return kind is not None and kind[1].lower() in types and _TITLE.search(first) is not None
