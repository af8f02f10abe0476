"""Drafts in Markdown and Typst over the real server: what LaTeX has, and what only they have."""

from __future__ import annotations

import pytest

from author import applied, edits_of

REFS = """
%! refs.bib
@article{harris1954, author={Harris, Zellig}, title={Distributional structure of contexts}, year=1954,
  abstract={Words that stand in like contexts have like meanings. Frogs have nothing to do with it.}}
@article{firth1957, author={Firth, J. R.}, title={A synopsis of linguistic theory}, year=1957,
  abstract={A word is known by the company of words in its contexts. Frogs are cold.}}
@misc{frogs, author={Frost, A.}, title={Frogs are cold}, year=2001}
"""
LATEX = "%! main.tex\n\\documentclass{article}\\begin{document}\\cite{frogs}\\bibliography{refs}\\end{document}\n"
CLAIM = "Words that stand in like contexts have like meanings"
IN_MARKUPS = pytest.mark.parametrize("name", ["paper.md", "main.typ"])


def begin(author, name, in_markdown, in_typst, named="refs.bib", more="", output="html"):
    """Open a draft in one of the markups that names a bibliography."""
    header = f"---\noutput: {output}\nbibliography: {named}\n---\n\n"
    text = (
        f'{in_typst}\n\n#bibliography("{named}")'
        if name.endswith(".typ")
        else f"{header}{in_markdown}"
    )
    author.begin(f"%! {name}\n{text}\n{REFS}{more}")


def cite_harris(author):
    """Take the action that cites Harris, and return the text."""
    (first, *_) = [each for each in author.actions() if "Harris 1954" in each["title"]]
    resolved = author.client.request("codeAction/resolve", first)["result"]
    (edits,) = edits_of(resolved["edit"]).values()
    return applied(author.text, edits)


@IN_MARKUPS
def test_hover_shows_the_sentences_that_support_the_claim(author, name):
    begin(author, name, f"{CLAIM} [see @harr|is1954, p. 3].", f"{CLAIM} @harr|is1954[p. 3].")
    shown = author.hover().replace("*", "")
    assert f"{CLAIM}." in shown
    assert "Frogs" not in shown


@IN_MARKUPS
def test_actions_cite(author, name):
    begin(author, name, f"{CLAIM[:-4]}|ings. More.", f"{CLAIM[:-4]}|ings. More.")
    cited = "@harris1954" if name == "main.typ" else "[@harris1954]"
    assert f"like meanings {cited}. More." in cite_harris(author)


@pytest.mark.parametrize("text", ["[@frogs; firth1957|].", "[@frogs,firth1957|]."])
def test_a_missing_sign_of_a_key_is_written(author, text):
    begin(author, "paper.md", f"{CLAIM} {text}", "")
    (fix,) = (each for each in author.actions() if each["title"] == "Write @firth1957")
    (edits,) = edits_of(fix["edit"]).values()
    changed = applied(author.text, edits)
    assert f"{CLAIM} [@frogs; @firth1957]." in changed.replace(";@", "; @")


@IN_MARKUPS
def test_diagnostics_mark_undefined_keys_and_placeholders_but_no_labels(author, name):
    begin(
        author,
        name,
        "Words [@harris1954; @nowhere], @alsonowhere; so [@].|",
        "= Words <words>\n\nAs in @words and @eq, @harris1954 @nowhere; #cite(<alsonowhere>), "
        "#cite(<>).|\n\n$ x $ <eq>",
    )
    found = {(each["code"], (each.get("data") or {}).get("key")) for each in author.problems()}
    assert found == {
        ("undefined-key", "nowhere"),
        ("undefined-key", "alsonowhere"),
        ("placeholder", None),
    }


@IN_MARKUPS
def test_a_key_is_renamed_in_the_draft_in_latex_and_the_bibliography(author, name):
    markdown, typst = "Frogs [@fr|ogs; see @frogs].", "Frogs @fr|ogs; see #cite(<frogs>)."
    begin(author, name, markdown, typst, more=LATEX)
    before = author.text
    edits = edits_of(author.ask("textDocument/rename", newName="cold:frogs"))
    assert set(edits) == {name, "main.tex", "refs.bib"}
    assert applied(before, edits[name]) == before.replace("frogs", "cold:frogs")


@IN_MARKUPS
def test_definition_references_and_links(author, name):
    begin(author, name, "Frogs [@fro|gs]. Cold [@frogs].", "Frogs @fro|gs. Cold @frogs.")
    assert "refs.bib" in str(author.ask("textDocument/definition"))
    places = author.ask("textDocument/references", context={"includeDeclaration": True})
    assert sorted(each["uri"].rsplit("/", 1)[-1] for each in places) == [name, name, "refs.bib"]
    begin(author, name, "Frogs.", "Frogs.", "re|fs.bib")
    assert "refs.bib" in str(author.ask("textDocument/definition"))


@pytest.mark.parametrize(
    ("name", "typed", "cited"),
    [
        ("paper.md", "Frogs are cold, as shown by @|.", "shown by @harris1954."),
        ("paper.md", "Frogs are cold [@har|", "cold [@harris1954"),
        ("paper.qmd", "![Frogs, after [@|]](a.png)", "after [@harris1954]]"),
        ("paper.Rmd", "```{r}\n#|| fig-cap: Frogs [@|]\n1\n```", "Frogs [@harris1954]"),
        ("paper.md", "Frogs {cite:p}`|", "Frogs {cite:p}`harris1954"),
        ("main.typ", "Frogs are cold @|", "cold @harris1954"),
        ("main.typ", "Frogs are cold #cite(<har|", "cold #cite(<harris1954>)"),
        # Another key stays.
        ("paper.md", "Frogs are cold [@later2030|].", "[@later2030; @harris1954]."),
    ],
)
def test_a_key_that_is_begun_is_completed(author, name, typed, cited):
    begin(author, name, typed, typed)
    assert author.cite("harris1954")["result"] is True
    assert cited in author.edited()[name]
    assert author.edited()[name].count("harris1954") == 1


QUARTO = "project: {type: book}\nbibliography: refs.bib\nbook: {chapters: [index.qmd, two.qmd]}"
INCLUDING = (
    '#include "two.typ"\nCold frogs @frogs, as in @two.\n#bibliography("refs.bib")\n$ x $ <later>'
)


@pytest.mark.parametrize(
    ("chapter", "main"),
    [
        ("%! two.qmd\nFrogs [@fro|gs].", f"%! index.qmd\nCold [@frogs].\n%! _quarto.yml\n{QUARTO}"),
        ("%! two.typ\n= Two <two>\nFrogs @fro|gs, see @later.", f"%! main.typ\n{INCLUDING}"),
    ],
    ids=["quarto", "typst"],
)
def test_chapters_are_places_of_one_draft(author, chapter, main):
    author.begin(f"{chapter}\n{main}\n{REFS}")
    places = author.ask("textDocument/references", context={"includeDeclaration": False})
    names = sorted(each.split("\n")[0].removeprefix("%! ") for each in (chapter, main))
    assert sorted(each["uri"].rsplit("/", 1)[-1] for each in places) == names
    assert author.problems() == []


@pytest.mark.parametrize(
    ("name", "typed", "chosen"),
    [
        ("paper.md", "have like meanings [see @harr|, p. 3].", "[see @harris1954, p. 3]."),
        ("paper.qmd", "have like meanings [@firth1957; @|].", "[@firth1957; @harris1954]."),
        ("paper.Rmd", "have like meanings, say @|", "like meanings, say @harris1954"),
        ("paper.md", "have like meanings {cite}`firth1957,|`.", "{cite}`firth1957,harris1954`."),
        ("paper.Rmd", "have like meanings \\citep[p. 3]{firth1957,harr|}.", "\\citep[p. 3]{firth1957,harris1954}."),
        ("paper.Rmd", "have.\n\n```{r}\n#|| fig-cap: Contexts, by [@|]\n```", "by [@harris1954]\n"),
        ("paper.Rmd", "have.\n\n```{r, fig.cap=\"By @|\"}\n```", 'fig.cap="By @harris1954"}'),
        ("paper.Rmd", "have.\n\n```{block2, type='x'}\nContexts, by [@|]\n```", "by [@harris1954]\n"),
        ("main.typ", "have like meanings @harr|[p. 3].", "meanings @harris1954[p. 3]."),
        ("main.typ", "have like meanings @firth1957 @|.", "@firth1957 @harris1954."),
        # There is no place for two keys.
        ("main.typ", "have like meanings #cite(<|frogs>).", "#cite(<harris1954>)."),
        ("main.typ", "have like meanings #ref(<harr|", "meanings #ref(<harris1954>)"),
        ("main.typ", "have $x #[like meanings @|]$.", "#[like meanings @harris1954]$."),
        ("main.typ", 'have like meanings #cite(label("|")).', '#cite(label("harris1954")).'),
    ],
)  # fmt: skip
def test_a_key_is_suggested_where_it_is_typed(author, name, typed, chosen):
    marked, latex = f"Words that stand in like contexts {typed}", name.endswith(".Rmd")
    begin(author, name, marked, marked, output="pdf_document" if latex else "html")
    keys = author.suggested()
    assert keys[0] == "harris1954"
    assert ("firth1957" in keys) is ("firth" not in typed and "harr" not in typed)
    assert chosen in author.accept("harris1954")


@pytest.mark.parametrize(
    ("name", "typed", "chosen"),
    [
        ("main.typ", '#set text(lang: "fi")\nFrogs @fi|', "Frogs @firth1957\n"),
        ("main.typ", '#set text(font: "Firth")\nFrogs @Firth|', "Frogs @firth1957\n"),
        ("main.typ", "= Ponds <fi>\nFrogs @frogs @fi|[p. 3]", "@frogs @firth1957[p. 3]\n"),
        ("main.typ", "= Ponds <firs>\nFrogs @fi|rs.", "Frogs @firth1957.\n"),
        ("main.typ", "= Ponds <fi>\nFrogs #ref(<fi|>)", "#ref(<firth1957>)\n"),
        # What code computes may be any label.
        ("main.typ", "#show heading: it => [#it #label(lower(it.body.text))]\nFrogs @fir|", "Frogs @firth1957\n"),
        ("paper.md", "{cite}`frogs`\n\n(fi)=\nFrogs [@frogs; @fi|]", "[@frogs; @firth1957]\n"),
        ("paper.md", "{cite}`frogs`\n\n# Fi\n\nFrogs @fi|", "Frogs @firth1957\n"),
        ("paper.md", "{cite}`frogs`\n\n# Fi\n\nFrogs @{fi|}", "Frogs @{firth1957}\n"),
        ("paper.md", "(@fi) Frogs are cold.\n\nFrogs, as in @fi|", "as in @firth1957\n"),
    ],
)  # fmt: skip
def test_a_key_that_begins_like_a_label_is_suggested(author, name, typed, chosen):
    begin(author, name, typed, typed)
    assert author.suggested() == ["firth1957"]
    assert chosen in author.accept("firth1957")
    assert author.problems() == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("main.typ", "= Ponds <cold>\nAs in @cold|, frogs @frogs."),
        ("main.typ", "= Ponds <fi|>\nAs in @fi, frogs @frogs."),
        ("main.typ", '= Ponds <fi>\n#ref(<fi|>, form: "page")'),
        ("paper.md", "(cold)=\n# Ponds\n\nAs in @cold|, frogs {cite}`frogs`."),
        ("paper.qmd", "![Frogs](f.png){#fig-1}\n\nAs in @fig-1|, frogs [@frogs]."),
    ],
)
def test_other_labels_are_left_alone(author, name, text):
    begin(author, name, text, text, more="@misc{fig-10, title={A}}\n")
    assert author.items() == []
    assert author.problems() == []


def test_a_key_that_typst_reads_in_a_string_only_is_written_so(author):
    web = "@misc{conf/web/Words, title={Webs}}\n"
    begin(author, "main.typ", "", "Words @web|", more=web)
    (item,) = author.items()
    assert item["textEdit"]["newText"] == '#cite(label("conf/web/Words"))'


# What only Markdown has

HEADER = "---\ntitle: Words\nbibliography: refs.bib\n---\n\n"


def begin_markdown(author, marked, name="paper.md", header=HEADER, more=""):
    author.begin(f"%! {name}\n{header}{marked}\n{REFS.lstrip()}{more}")


@pytest.mark.parametrize("text", ["Thanks to @ali|ce, [@bob](https://x.org/bob).", "Words @|"])
def test_a_readme_is_left_alone(author, text):
    begin_markdown(author, text, "README.md", header="# Tool\n\n")
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
    begin_markdown(author, "Words have like meanings [@harris|1954].")
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
    begin_markdown(author, "Words have like meanings [@harris|1954; @firth1957].", header=header)
    assert "**Here 2001** · Own words" in author.hover()
    found = author.ask("textDocument/definition")
    (link,) = found if isinstance(found, list) else [found]
    place = link.get("targetSelectionRange") or link["range"]
    assert (link.get("targetUri") or link["uri"]).endswith("/paper.md")
    assert place["start"]["line"] == 3
    assert author.problems() == []


def test_a_misspelt_key_is_changed_to_one_in_braces(author):
    begin_markdown(author, "Words [@the.we|b].", more="@misc{the..web, title={Words of the web}}\n")
    titles = {each["title"]: each for each in author.actions()}
    (edits,) = edits_of(titles["Change to the..web"]["edit"]).values()
    assert "[@{the..web}]" in applied(author.text, edits)


PDF = "---\noutput: pdf_document\nbibliography: refs.bib\n---\n\n"


def test_a_key_is_renamed_in_captions_blocks_children_and_latex(author):
    chunk = (
        "```{r, fig.cap='As @frogs', child=c('_one.Rmd', '_two.Rmd')}\n```\n\n"
        '```{r}\n#|| fig-cap: ||\n#||   Cold frogs,\n#||   by [@harris1954; @frogs]\n#|| fig-subcap: ["By @frogs"]\n'
        "x@frogs\n```\n\n```{theorem}\nFrogs \\citep[p. 3]{frogs}.\n```\n\n---\nnocite: '@frogs'\n---\n"
    )
    begin_markdown(
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
    begin_markdown(
        author,
        "Words that stand in like contexts have like meanings \\citep{harris|1954}, \\cite{no}.",
        "paper.qmd",
        PDF.replace("output: pdf_document", "format: pdf"),
    )
    assert "have like meanings." in author.hover().replace("*", "")
    assert [each["data"]["key"] for each in author.problems()] == ["no"]


# What only Typst has


def begin_typst(author, marked, more=""):
    author.begin(f'%! main.typ\n{marked}\n\n#bibliography("refs.bib")\n{REFS}{more}')


def test_a_key_may_be_renamed_to_one_that_typst_reads_in_a_string_only(author):
    begin_typst(author, 'Frogs @fro|gs[p. 3] and #cite(<frogs>, form: "prose").')
    edits = edits_of(author.ask("textDocument/rename", newName="cold/frogs"))
    assert applied(author.text, edits["main.typ"]).count('#cite(label("cold/frogs")') == 2
    assert "supplement: [p. 3]) and" in applied(author.text, edits["main.typ"])


def test_without_a_bibliography_or_a_call_a_text_is_left_alone(author):
    author.begin("%! cv.typ\n= CV\n\nWrite to me@example.org, or to @han|dle. See @fig.\n")
    assert author.items() == []
    assert author.hover() == ""
    assert author.problems() == []


OWN = '#let says(key, supplement: none) = cite(key, form: "prose")\n#let all(..keys) = keys.pos().map(label).map(cite).join()\n#let pair(one, other, more: none) = [#cite(one) #cite(other) #cite(more)]\n'


def test_a_call_of_an_own_function_is_a_citation_everywhere(author):
    begin_typst(
        author, f'{OWN}Cold frogs #says(<fro|gs>) and #all("harris1954", "frogs", "nowhere").'
    )
    assert "Frogs are cold" in author.hover()
    assert "refs.bib" in str(author.ask("textDocument/definition"))
    assert len(author.ask("textDocument/references", context={"includeDeclaration": False})) == 2
    assert [each["data"]["key"] for each in author.problems()] == ["nowhere"]
    edits = edits_of(author.ask("textDocument/rename", newName="cold"))
    assert '#says(<cold>) and #all("harris1954", "cold", ' in applied(
        author.text, edits["main.typ"]
    )
