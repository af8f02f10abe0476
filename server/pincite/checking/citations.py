"""Citations that lead nowhere: keys without an entry, and gaps still to be filled."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from ..model.drafts import Draft, TexFile
from ..parsing.latex.parse import is_gap
from .findings import Finding

#: biblatex's sets are cited by a name that is no entry's.
_ENTRY_SET = re.compile(r"\\defbibentryset\s*\{([^{}\\]*)\}")


def undefined_keys(
    file: TexFile, draft: Draft, is_entry: Callable[[str], bool]
) -> Iterator[Finding]:
    """Find keys that no entry has.

    Keys of a list that is not closed are left out: what stands after it may be no key at all.
    """
    sets: frozenset[str] | None = None
    for citation in file.citations:
        for key in (key for keys in citation.key_lists if keys.closed for key in keys.keys):
            # mciteplus and revtex: "\cite{one,*two}" prints two references under one number.
            name = key.key.lstrip("*")
            if not name or is_gap(name) or is_entry(name):
                continue
            if sets is None:
                sets = _entry_sets(draft.files)
            if name not in sets:
                message = f"No entry of the bibliography has the key “{name}”."
                yield Finding("undefined-key", key.span, message, key.span, name)


def _entry_sets(files: Iterable[TexFile]) -> frozenset[str]:
    return frozenset(found[1].strip() for file in files for found in _ENTRY_SET.finditer(file.text))


def placeholders(file: TexFile) -> Iterator[Finding]:
    """Find the gaps: places at which a citation is missing."""
    for gap in file.placeholders:
        message = "A citation is missing here."
        yield Finding("placeholder", gap.span, message, gap.span)
