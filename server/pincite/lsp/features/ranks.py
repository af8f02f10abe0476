"""Why an entry has its rank, in words."""

from __future__ import annotations

from ...model.results import RankedEntry
from ...ranking.reasons import cited_by_author

_MAX_MATCHED = 4
_MAX_NAMED = 12


def reason(entry: RankedEntry) -> str:
    """Return in a few words why an entry has its rank."""
    if entry.score <= 0.0:
        return ""
    if entry.reasons:
        return "; ".join(entry.reasons)
    basis: str = entry.basis[0]
    if entry.external > entry.internal:
        by_author = cited_by_author(entry.candidate, entry.matched)
        basis = f"cited {'by you ' if by_author else ''}in a similar context"
    matched = ", ".join(entry.matched[:_MAX_MATCHED])
    return f"{basis}: {matched}" if matched else basis


def ranked_by(entry: RankedEntry) -> str:
    """Return in a sentence what the rank of an entry is based on."""
    if entry.score <= 0.0:
        return "Nothing that is known of it resembles the text around the cursor."
    if entry.reasons:
        return f"Ranked by its {' and '.join(entry.basis)}: {'; '.join(entry.reasons)}."
    others = round(100 * entry.external / ((entry.internal + entry.external) or 1.0))
    parts = [f"its {entry.basis[0]}" + (f" ({100 - others} %)" if others else "")] * (others < 100)
    if others:
        who = "you" if cited_by_author(entry.candidate, entry.matched) else "others"
        parts.append(f"how {who} cite it ({others} %)")
    shared = ", ".join(entry.matched[:_MAX_NAMED])
    return f"Ranked by {' and '.join(parts)}" + (f": {shared}." if shared else ".")
