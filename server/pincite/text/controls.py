"""Characters that control a terminal or the direction of writing (CVE-2021-42574)."""

from __future__ import annotations

import re
from typing import Final

#: C0 but tab and line ends, DEL, C1, and the bidirectional controls of Unicode.
_CONTROLS: Final = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)


def without_controls(text: str) -> str:
    """Return a text without control characters."""
    return text if text.isprintable() else _CONTROLS.sub("", text)


def with_controls_shown(text: str) -> str:
    """Return a text of the same length with � in place of control characters."""
    return _CONTROLS.sub("�", text)


def with_controls_escaped(text: str) -> str:
    r"""Return equivalent JSON with control characters as escapes such as ``\u009b``."""
    return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
