"""Inlink contexts of papers and of drafts."""

import pytest

from pincite.contexts.inlinks import inlink_contexts, paper_contexts
from pincite.model.papers import Reference, ReferencePaper, Sentence
from pincite.parsing.drafts import DraftReader
from pincite.parsing.papers.citations import find_markers
from pincite.settings import Window

REFERENCES = (Reference(surnames=("Hale",), year="2001"), Reference(surnames=("Orr",), year="2003"))


def paper(*texts: str) -> ReferencePaper:
    sentences = [Sentence(text, page) for page, text in enumerate(texts, start=1)]
    return ReferencePaper(
        "",
        "full text",
        sentences,
        references=REFERENCES,
        markers=find_markers(sentences, REFERENCES),
    )


def contexts(window: Window, *texts: str):
    return list(paper_contexts(paper(*texts), "citing", window))


def test_a_context_has_its_words_its_citance_and_its_page() -> None:
    ((index, context),) = contexts(
        Window(3, 2), "One two.", "Three four (Hale, 2001) five.", "Six seven."
    )
    assert index == 0
    assert context.left == ("two", "Three", "four")
    assert context.right == ("five", "Six")
    assert context.citance == "Three four (Hale, 2001) five."
    assert (context.citing_paper, context.page) == ("citing", 2)


@pytest.mark.parametrize(
    ("window", "texts", "found"),
    [
        # No marker is part of a window, which ends with the paper.
        (
            Window(10, 10),
            ["Quux (1950) one.", "Two (Hale, 2001) three", "of Quux et al.", "(1960) four [7]."],
            [(0, "one Two", "three of four")],
        ),
        (Window(2, 2), ["One two (Quux, 1950).", "Three."], []),
        (
            Window(2, 2),
            ["One two (see Hale, 2001; Orr, 2003, p. 5) three four."],
            [(0, "One two", "three four"), (1, "One two", "three four")],
        ),
    ],
)
def test_windows_of_a_paper(window: Window, texts, found) -> None:
    got = [(i, " ".join(c.left), " ".join(c.right)) for i, c in contexts(window, *texts)]
    assert got == found


def test_a_draft_gives_its_citance(tmp_path) -> None:
    source = tmp_path / "draft.tex"
    source.write_text("One two. Three four \\cite{a,b} five. Six.", encoding="utf-8")
    draft = DraftReader().read(source)
    found = list(inlink_contexts(draft.files[0], Window(2, 2)))
    assert [key for key, _ in found] == ["a", "b"]
    assert found[0][1] == found[1][1]
    assert found[0][1].citance == "Three four five."
    assert found[0][1].left == ("Three", "four")


def test_time_is_linear() -> None:
    """Each window reads what it reaches, not the paper or the whole sentence: minutes for this."""
    texts = ["Trees grow (Hale, 2001)." if n % 20 == 0 else "They grow." for n in range(20_000)]
    found = contexts(Window(), *texts)
    assert len(found) == 1_000
    assert len(found[500][1].left) == len(found[500][1].right) == 20
    text = "Hale (2001) saw it. " + "as Hale (2001) says, " * 10_000
    assert len(contexts(Window(2, 2), text)) == 10_001


def test_the_citance_of_an_endless_sentence_is_what_is_around_the_marker() -> None:
    words = "seals swim past the pier " * 800
    ((_, context),) = contexts(Window(2, 2), f"{words}again (Hale, 2001) and {words}.")
    assert "the pier again (Hale, 2001) and seals" in context.citance
    assert len(context.citance) == 6_000
