"""Measure what can be read in a row of suggestions that is 60 columns wide, in real theses.

    python -m benchmarks.suggestion_rows [--data ../shared/data] [--places N] [--columns N]

At places of each project of the theses, the first ten suggestions are laid out as VS Code does: the
icon, then label and detail, which end in an ellipsis, and the description at the right end, which
shrinks four times as fast. Prints for both values of `suggestions.label` the share of rows in which
author and year are whole (of very long names, what the row has of them), and of those in which two
words of the title (or all) can be read as well. Rows of works without author are left out.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from lsprotocol import types

from pincite.lsp.features.completion import completion_item
from pincite.parsing.markups import KeySlot
from pincite.project.workspace import Workspace
from pincite.settings import Label
from pincite_evaluation.drafts.projects import project_sources

from .shared import DATA, Given, measurement

LABELS: tuple[Label, ...] = ("author-year", "key")
ROWS = 10
MIN_WORDS = 2
#: The icon, and the space around it and the texts.
_AROUND = 4
#: How much faster than the left part of a row the right one shrinks, and its largest share.
_SHRINKS, _LARGEST = 4, 0.7


def shown(label: str, details: types.CompletionItemLabelDetails, columns: int) -> tuple[str, str]:
    """Return what can be read of an item: at the left and at the right."""
    left = label + (details.detail or "")
    right = (details.description or "")[: int(_LARGEST * columns)]
    excess = len(left) + len(right) + _AROUND - columns
    if excess <= 0:
        return left, right
    weight = len(left) + _SHRINKS * len(right)
    from_right = min(len(right), round(excess * _SHRINKS * len(right) / weight))
    return left[: max(0, len(left) - (excess - from_right))], right[: len(right) - from_right]


def measured(main: Path, places: int, columns: int) -> Iterator[tuple[Label, bool, bool]]:
    """Yield for each row at places of a draft whether author and year, and a title, are there."""
    workspace = Workspace(main.parent)
    draft = workspace.draft(main)
    recommender = workspace.recommender(draft)
    cited = [(file, place) for file in draft.files for place in file.citations]
    chosen = np.linspace(0, len(cited) - 1, min(places, len(cited))).astype(int).tolist()
    nowhere = types.Range(types.Position(0, 0), types.Position(0, 0))
    for file, citation in (cited[at] for at in chosen):
        start = citation.span.start
        context = recommender.context(draft, file, start)
        slot = KeySlot(start, start, start, "")
        for entry in recommender.explain(context, recommender.rank(context)[:ROWS]):
            who = entry.candidate.author_year
            if not who:
                continue
            for label in LABELS:
                item = completion_item(entry, 1, slot, nowhere, label=label)
                details = item.label_details or types.CompletionItemLabelDetails()
                left, _ = shown(item.label, details, columns)
                whole = item.label + (details.detail or "")
                names, _, title = whole.partition(" · ")
                begin = " ".join(title.split()[:MIN_WORDS])
                yield label, left.startswith(names), left.startswith(f"{names} · {begin}")


@measurement(data=DATA, places=20, columns=60)
def main(given: Given) -> None:
    sources = project_sources([given.data / "wild/drafts.json"])[0]
    found = {
        source.name: list(measured(source.main, given.places, given.columns)) for source in sources
    }
    found["all"] = [row for rows in found.values() for row in rows]
    for label in LABELS:
        print(f"{label}, {given.columns} columns:")
        for name, rows in found.items():
            own = [read for one, *read in rows if one == label]
            if own:
                whole, title = np.mean(own, axis=0)
                figures = f"author and year {whole:6.1%}  and two words of the title {title:6.1%}"
                print(f"  {name:18}{len(own):6} rows  {figures}")
