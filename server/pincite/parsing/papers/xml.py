"""XML files of papers, in either of two formats."""

from __future__ import annotations

from pathlib import Path

from ...model.papers import ReferencePaper
from ...model.problems import NotAPaperError
from .jats import find_article, jats_paper
from .tei import find_tei, tei_paper
from .xml_tree import parse_xml


def read_xml(path: Path) -> ReferencePaper:
    """Read a paper in TEI or JATS; raise `InputError` if it is neither or has no text."""
    root = parse_xml(path)
    if (tei := find_tei(root)) is not None:
        return tei_paper(tei, path)
    if (article := find_article(root)) is not None:
        return jats_paper(article, path)
    raise NotAPaperError("this is XML, but neither TEI nor JATS")
