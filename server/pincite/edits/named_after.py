"""Words after which a work is named in the sentence itself: “as shown by”."""

from __future__ import annotations

import re
from typing import Final

_NAMED_AFTER: Final = re.compile(
    r"\b(?:by|in|from|of|following|see|with|and|von|nach|bei|par|selon|dans|por|según|da|di)\s+\Z",
    re.IGNORECASE,
)
#: How much text before a citation is looked at.
_LOOK_BACK: Final = 40


def is_named_after(before: str) -> bool:
    """Return whether the text before a citation asks for the name of the work."""
    return _NAMED_AFTER.search(f"{before[-_LOOK_BACK:].rstrip()} ") is not None
