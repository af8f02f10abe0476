"""CiteRAG's papers (Zheng et al. 2026, task 2) → S2ORC's form.

A paper has `sections`, texts by their headings in which ``[ref]7`` cites a work, and
`reference_labels`, the `title` of each work by its `index`. Nothing else is known of the works.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

_CITED: Final = re.compile(r"\[ref\]\s*(\d{1,9})")


def is_citerag(data: Mapping[str, Any]) -> bool:
    """Return whether a decoded object is a paper of CiteRAG."""
    sections, labels = data.get("sections"), data.get("reference_labels")
    return isinstance(sections, Mapping) and isinstance(labels, list)


def citerag_paper(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a paper of CiteRAG as `s2orc_paper` reads it; markers of unknown works stay text."""
    labels = [each for each in data["reference_labels"] if isinstance(each, Mapping)]
    body = []
    for heading, text in data["sections"].items():
        spans = [
            {"start": found.start(), "end": found.end(), "text": found[0], "ref_id": found[1]}
            for found in _CITED.finditer(text if isinstance(text, str) else "")
        ]
        body.append({"text": text, "section": heading, "cite_spans": spans})
    return {
        "title": data.get("title", ""),
        "abstract": data.get("abstract", ""),
        "body_text": body,
        "bib_entries": {str(each.get("index")): {"title": each.get("title")} for each in labels},
    }
