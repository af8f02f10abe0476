"""Works described by separate values, as in structured formats → `Reference`."""

from __future__ import annotations

from collections.abc import Iterable

from ...model.papers import Reference
from .identifiers import arxiv_in, doi_in, year_in
from .references import parse_reference


def described_work(
    *,
    title: str,
    surnames: Iterable[str],
    year: str,
    doi: str = "",
    arxiv: str = "",
    label: str = "",
    text: str = "",
    is_printed: bool = True,
) -> Reference:
    """Return a work with its values formatted as in `Reference`.

    `doi` and `arxiv` may be URLs or empty. Missing values are parsed from `text`, if that is the
    reference as printed.
    """
    surnames = tuple(filter(None, surnames))
    read = Reference()
    if text and is_printed and not (title and surnames and year_in(year)):
        read = parse_reference(text, label)
    return Reference(
        title=title or read.title,
        surnames=surnames or read.surnames,
        year=year_in(year) or read.year,
        doi=doi_in(doi) or doi_in(text),
        arxiv=arxiv_in(arxiv, is_named=True) or arxiv_in(text),
        label=label,
        text=text,
    )
