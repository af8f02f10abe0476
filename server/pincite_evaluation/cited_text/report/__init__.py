"""The report of cited text identification, as an HTML page or a Markdown table.

Scores are in percent, as in the papers, and each column has one scheme: figures of different
scoring schemes cannot be compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...report import rendering
from ...report.words import MIN_OUTCOMES, percent
from ..findings import Finding
from ..published import PUBLISHED, SCORED_BY_US, published
from ..results import CitedTextResult
from . import sections
from .columns import (
    SCHEMES,
    SPLITS,
    columns_of,
    default_row,
    human_figures,
    interval_of,
    merit,
    sizes_of,
)

__all__ = ["html", "markdown"]


def markdown(result: CitedTextResult) -> str:
    """Return the result as a Markdown table below a line with its sizes.

    Raise `InputError` for a result without rows.
    """
    return rendering.markdown(
        "cited_text",
        result=result,
        sizes=sizes_of(result),
        scores=sections.short_scores(result, columns_of(result)),
        human=human_figures(result),
        schemes=SCHEMES,
    )


def html(
    result: CitedTextResult,
    findings: Iterable[Finding] = (),
    options: Mapping[str, str] | None = None,
) -> str:
    """Return the result as a self-contained, deterministic HTML page.

    `findings` are the outcomes of the papers' orderings, `options` further settings of the run.
    Sections without figures are left out. Raise `InputError` for a result without rows, or
    without matplotlib.
    """
    columns = columns_of(result)
    default = result.rows[default_row(result)]
    theirs = published(default, result.split, "official")
    key = {
        f"F1 by citances, {default.name}": percent(default.citance.f1),
        "95% interval": interval_of(default),
        "official F1": percent(default.official.f1),
        **({} if theirs is None else {"published official F1": percent(theirs.f1)}),
        "reference papers": f"{result.papers:,}",
        "citances": f"{result.citances:,}",
    }
    papers = sections.scored_papers(result)
    of_split = [one for one in PUBLISHED if one.split == result.split]
    return rendering.html(
        "cited_text",
        result=result,
        best=max(result.rows, key=merit),
        default=default,
        key=key,
        interval=interval_of,
        sizes=sizes_of(result),
        split=SPLITS.get(result.split, result.split),
        schemes=SCHEMES,
        options={"Word vectors": _word_vectors(result), **(options or {})},
        scores=sections.scores(result, columns),
        is_published=any(column.is_published for column in columns),
        intervals=sections.intervals(result),
        orderings=sections.orderings(result, tuple(findings)),
        by_power=sections.by_power(result),
        by_depth=sections.by_depth(result),
        by_mix=sections.by_mix(result),
        lengths=sections.lengths(result),
        human=sections.human(result),
        papers=list(sections.papers(papers, default_row(result))),
        enough=len(papers),
        min_outcomes=MIN_OUTCOMES,
        published=sections.published_scores(of_split, result.split) if of_split else None,
        is_rescored=any(one.source == SCORED_BY_US for one in of_split),
    )


def _word_vectors(result: CitedTextResult) -> str:
    trained = [row.name for row in result.rows if "min_count" in row.params]
    if not trained:
        return "The packaged ones."
    return f"The packaged ones; those of {', '.join(trained)}: trained on the training papers."
