"""What only Markdown has, over the real server."""

from __future__ import annotations

import pytest
from test_markups import REFS

from author import applied, edits_of

HEADER = "---\ntitle: Words\nbibliography: refs.bib\n---\n\n"


def begin(author, marked, name="paper.md", header=HEADER, more=""):
    author.begin(f"%! {name}\n{header}{marked}\n{REFS.lstrip()}{more}")


@pytest.mark.parametrize(
    ("name", "typed", "chosen"),
    [
        ("paper.md", "have like meanings [see @harr|, p. 3].", "[see @harris1954, p. 3]."),
        ("paper.qmd", "have like meanings [@firth1957; @|].", "[@firth1957; @harris1954]."),
        ("paper.Rmd", "have like meanings, say @|", "like meanings, say @harris1954"),
        ("paper.md", "have like meanings {cite}`firth1957,|`.", "{cite}`firth1957,harris1954`."),
    ],
)
def test_a_key_is_suggested_and_written_where_it_is_typed(author, name, typed, chosen):
    begin(author, f"Words that stand in like contexts {typed}", name)
    keys = author.suggested()
    assert keys[0] == "harris1954"
    assert ("firth1957" in keys) is ("firth" not in typed and "harr" not in typed)
    assert chosen in author.accept("harris1954")


@pytest.mark.parametrize("text", ["Thanks to @ali|ce, [@bob](https://x.org/bob).", "Words @|"])
def test_a_readme_sees_nothing_of_us(author, text):
    begin(author, text, "README.md", header="# Tool\n\n")
    assert author.items() == []
    assert author.hover() == ""
    assert author.actions() == []
    assert author.problems() == []
    assert not author.ask(
        "textDocument/inlayHint",
        range={"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}},
    )
    assert author.ask("textDocument/references", context={"includeDeclaration": True}) in (None, [])


@pytest.mark.parametrize(
    ("peers", "titled", "defined"),
    [
        ([], True, True),
        (["latex-workshop", "texlab", "tinymist"], True, True),
        (["quarto"], False, True),
        (["pandoc-citer"], False, False),
    ],
)
def test_only_what_serves_markdown_has_things_left_to_it(author, peers, titled, defined):
    begin(author, "Words have like meanings [@harris|1954].")
    author.configure(peers=peers)
    assert ("Distributional structure" in author.hover()) is titled
    assert bool(author.ask("textDocument/definition")) is defined


def test_an_entry_in_the_header_is_renamed_where_it_is(author):
    header = "---\nreferences:\n- id: harris1954\n  title: Words\n---\n\n"
    author.begin(f"%! paper.md\n{header}Words have like meanings [@harris|1954].\n")
    (edited,) = author.ask("textDocument/rename", newName="zellig")["documentChanges"]
    assert [edit["range"]["start"]["line"] for edit in edited["edits"]] == [2, 6]


def test_an_entry_in_the_header_is_preferred_hovered_over_and_led_to(author):
    header = (
        "---\nbibliography: refs.bib\nreferences:\n- id: harris1954\n  title: Own words\n"
        "  author:\n  - family: Here\n  issued: 2001\n---\n\n"
    )
    begin(author, "Words have like meanings [@harris|1954; @firth1957].", header=header)
    assert "**Here 2001** · Own words" in author.hover()
    found = author.ask("textDocument/definition")
    (link,) = found if isinstance(found, list) else [found]
    place = link.get("targetSelectionRange") or link["range"]
    assert (link.get("targetUri") or link["uri"]).endswith("/paper.md")
    assert place["start"]["line"] == 3
    assert author.problems() == []


def test_a_misspelt_key_is_changed_to_one_in_braces(author):
    begin(author, "Words [@the.we|b].", more="@misc{the..web, title={Words of the web}}\n")
    titles = {each["title"]: each for each in author.actions()}
    (edits,) = edits_of(titles["Change to the..web"]["edit"]).values()
    assert "[@{the..web}]" in applied(author.text, edits)


PDF = "---\noutput: pdf_document\nbibliography: refs.bib\n---\n\n"


@pytest.mark.parametrize(
    ("typed", "chosen"),
    [
        ("have like meanings \\citep[p. 3]{firth1957,harr|}.", "\\citep[p. 3]{firth1957,harris1954}."),
        ("have like meanings.\n\n```{r}\n#|| fig-cap: Contexts, by [@|]\n```", "by [@harris1954]\n"),
        ("have like meanings.\n\n```{r, fig.cap=\"By @|\"}\n```", 'fig.cap="By @harris1954"}'),
        ("have like meanings.\n\n```{block2, type='x'}\nContexts, by [@|]\n```", "by [@harris1954]\n"),
    ],
)  # fmt: skip
def test_a_key_is_suggested_in_latex_captions_and_blocks(author, typed, chosen):
    begin(author, f"Words that stand in like contexts {typed}", "paper.Rmd", PDF)
    assert "harris1954" in author.suggested()
    assert chosen in author.accept("harris1954")


def test_a_key_is_renamed_in_captions_blocks_children_and_latex(author):
    chunk = (
        "```{r, fig.cap='As @frogs', child=c('_one.Rmd', '_two.Rmd')}\n```\n\n"
        '```{r}\n#|| fig-cap: ||\n#||   Cold frogs,\n#||   by [@harris1954; @frogs]\n#|| fig-subcap: ["By @frogs"]\n'
        "x@frogs\n```\n\n```{theorem}\nFrogs \\citep[p. 3]{frogs}.\n```\n\n---\nnocite: '@frogs'\n---\n"
    )
    begin(
        author,
        f"Frogs [@fr|ogs].\n\n{chunk}",
        "paper.Rmd",
        PDF,
        more="%! _one.Rmd\nOne [@frogs].\n%! _two.Rmd\nTwo @frogs.\n",
    )
    edits = edits_of(author.ask("textDocument/rename", newName="cold:frogs"))
    assert set(edits) == {"paper.Rmd", "_one.Rmd", "_two.Rmd", "refs.bib"}
    renamed = (
        author.text.replace("frogs", "cold:frogs")
        .replace("x@cold:", "x@")
        .replace("Cold cold:", "Cold ")
    )
    assert applied(author.text, edits["paper.Rmd"]) == renamed


def test_latex_in_markdown_is_read_like_other_citations(author):
    begin(
        author,
        "Words that stand in like contexts have like meanings \\citep{harris|1954}, \\cite{no}.",
        "paper.qmd",
        PDF.replace("output: pdf_document", "format: pdf"),
    )
    assert "have like meanings." in author.hover().replace("*", "")
    assert [each["data"]["key"] for each in author.problems()] == ["no"]
