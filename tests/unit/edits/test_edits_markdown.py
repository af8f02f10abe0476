"""Edits of citations in Markdown: as Pandoc prints them."""

from pathlib import Path

import pytest

from pincite.edits.citations import cited_at_end, conventions, pin, sentence_at, with_key
from pincite.model.edits import applied
from pincite.parsing.drafts import DraftReader


def read(text, name="draft.md"):
    draft = DraftReader(lambda _: text).read(Path(name).absolute())
    (file,) = draft.files
    return file, conventions(draft)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[@moss]", "[@moss, p. 7]"),
        ("[@moss, p. 6; @kelp]", "[@moss, pp. 6-7; @kelp]"),
        ("@moss says", "@moss [p. 7] says"),
        ("@moss [p. 6; @kelp] says", "@moss [pp. 6-7; @kelp] says"),
        # These brackets begin with another work.
        ("@moss [@kelp] says", "@moss [p. 7; @kelp] says"),
        ("@moss [see @kelp, p. 3] says", "@moss [p. 7; see @kelp, p. 3] says"),
        ("{cite:p}`kelp; moss`", "{cite:p}`kelp; moss{p. 7}`"),
        ("{cite}`{see}moss{p. 6}, kelp{p. 1}`", "{cite}`{see}moss{pp. 6-7}, kelp{p. 1}`"),
    ],
)
def test_a_page_goes_to_the_work_that_it_is_of(before, after):
    text = f"---\nbibliography: refs.bib\n---\n\nAs {before}.\n"
    file, ways = read(text)
    citation, key = next((c, k) for c in file.citations for k in c.keys if k.key == "moss")
    edited = applied(text, pin(file, citation, key, "7", ways))
    assert edited == text.replace(before, after)


def test_a_work_is_cited_in_the_cell_of_the_cursor():
    text = (
        "---\nbibliography: refs.bib\n---\n\nSo [@moss].\n\n"
        "| Plant | Grows |\n|---|---|\n| Wall moss | slowly |\n| Sea kelp | fast |\n"
    )
    file, ways = read(text)
    for word, cell in (("Wall", "Wall moss"), ("slow", "slowly"), (" | fast", "Sea kelp")):
        sentence = sentence_at(file, text.index(word), min_words=0)
        edited = applied(text, cited_at_end(file, sentence, "new", ways))
        assert edited == text.replace(f"| {cell} |", f"| {cell} [@new] |")


def test_a_bar_in_a_sentence_ends_no_cell():
    text = "So [@moss].\n\nThe chance p(a|b) of moss is as small as p(b|a) is.\n"
    file, ways = read(text)
    edited = applied(text, cited_at_end(file, sentence_at(file, text.index("of")), "new", ways))
    assert edited == text.replace(" is.", " is [@new].")


LATEX = "---\noutput: pdf_document\nbibliography: refs.bib\n---\n\nSo \\citep{kelp}. As \\citet{moss} and \\citeauthor{moss} say.\n"


def test_latex_in_markdown_gets_pages_and_works_as_in_latex():
    file, ways = read(LATEX, "draft.Rmd")
    first, second, _ = file.citations
    pinned = applied(LATEX, pin(file, second, second.keys[0], "7", ways))
    assert pinned == LATEX.replace("\\citet{moss}", "\\citet[p.~7]{moss}")
    extended = applied(LATEX, with_key(file, first, "new", ways))
    assert extended == LATEX.replace("{kelp}", "{kelp,new}")


def test_a_draft_that_cites_in_latex_is_cited_in_latex():
    text = LATEX + "\nMoss grows slowly on old walls.\n"
    file, ways = read(text, "draft.Rmd")
    sentence = sentence_at(file, text.index("Moss grows"))
    edited = applied(text, cited_at_end(file, sentence, "new", ways))
    assert edited == text.replace("old walls.", "old walls \\citep{new}.")
    assert ways.citation("new", "as shown by ") == "\\citet{new}"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{cite:p}`kelp; moss`", "{cite:p}`kelp; moss; new`"),
        ("{cite:p}`kelp`", "{cite:p}`kelp,new`"),
        # A separator waits for the key.
        ("{cite:p}`kelp,`", "{cite:p}`kelp,new`"),
        ("{cite:p}`kelp; moss; `", "{cite:p}`kelp; moss; new`"),
        ("{cite}`{see}kelp{p. 3}; {cf.} moss{p. 4}`", "{cite}`{see}kelp{p. 3}; {cf.} moss{p. 4}; new`"),
    ],
)  # fmt: skip
def test_a_key_joins_those_of_a_role(before, after):
    text = f"As {before} says.\n"
    file, ways = read(text)
    edits = with_key(file, file.citations[0], "new", ways)
    assert applied(text, edits) == text.replace(before, after)
