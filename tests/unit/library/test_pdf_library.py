"""A draft of real citing sentences over real PDFs: the evidence is on the page it names."""

import json
import re
import unicodedata
from functools import cache
from pathlib import Path

import pypdfium2
import pytest

from pincite.project.workspace import Workspace
from pincite.settings import Settings
from where import SHARED

LIBRARY = SHARED / "data" / "pdf-library"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not LIBRARY.is_dir(), reason="the shared PDF library is absent"),
]

_SPECIAL = str.maketrans({c: f"\\{c}" for c in "%&_#$"} | dict.fromkeys("{}\\~^", " "))


def rows():
    with (LIBRARY / "citances.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@pytest.fixture(scope="module", name="opened")
def draft_of_citances(tmp_path_factory):
    folder = tmp_path_factory.mktemp("draft")
    sentences = [f"{row['text'].translate(_SPECIAL)} \\cite{{{row['cited']}}}" for row in rows()]
    library = LIBRARY / "library"
    text = "\n\n".join([*sentences, f"\\bibliography{{{library.as_posix()}}}"])
    (folder / "draft.tex").write_text(text, encoding="utf-8")
    workspace = Workspace(folder, Settings())
    draft = workspace.draft(folder / "draft.tex")
    assert workspace.read_library(draft)
    return draft, workspace.recommender(draft, extent="keys")


@cache
def page_words(path: Path, page: int) -> str:
    """All letters and digits of a page as pdfium gives them, without any of our processing."""
    document = pypdfium2.PdfDocument(path)
    return letters(document[page - 1].get_textpage().get_text_bounded())


def letters(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", unicodedata.normalize("NFKC", text).lower())


def test_every_citance_is_found_with_its_key(opened):
    draft, _ = opened
    found = [key.key for citation in draft.files[0].citations for key in citation.keys]
    assert found == [row["cited"] for row in rows()]


def test_supporting_sentences_are_on_the_page_they_name(opened):
    draft, recommender = opened
    file = draft.files[0]
    checked = on_page = 0
    with_support = set()
    for citation in file.citations:
        (key,) = citation.keys
        candidate = recommender.candidates[key.key]
        context = recommender.context(draft, file, citation.span.start)
        for sentence in recommender.supporting(context, key.key):
            with_support.add(citation.span.start)
            assert candidate.paper.basis == "full text"
            assert 1 <= sentence.page <= candidate.paper.page_count
            # A sentence may go on overleaf: its first words must be on the page.
            start = letters(" ".join(sentence.text.split()[:6]))
            checked += 1
            on_page += start in page_words(candidate.paper.source, sentence.page)
    # For the others, nothing is more probable to be support than not.
    assert len(with_support) >= 0.75 * len(file.citations)
    # What is left over are words that pdfium's own text breaks apart in another way.
    assert on_page >= 0.95 * checked
