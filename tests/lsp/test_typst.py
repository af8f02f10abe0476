"""A draft in Typst: everything that an author in LaTeX has, over the real server."""

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
END = '#bibliography("refs.bib")\n'


def begin(author, marked, end=END, more=""):
    author.begin(f"%! main.typ\n{marked}\n\n{end}{REFS}{more}")


@pytest.mark.parametrize(
    ("typed", "chosen"),
    [
        ("have like meanings @|.", "have like meanings @harris1954."),
        ("have like meanings @harr|.", "have like meanings @harris1954."),
        ("have like meanings @harr|[p. 3].", "have like meanings @harris1954[p. 3]."),
        ("have like meanings @firth1957 @|.", "have like meanings @firth1957 @harris1954."),
        ("have like meanings #cite(<|>).", "have like meanings #cite(<harris1954>)."),
        # There is no place for two keys.
        ("have like meanings #cite(<|frogs>).", "have like meanings #cite(<harris1954>)."),
        ("have like meanings #cite(<harr|", "have like meanings #cite(<harris1954>)"),
        ("have like meanings #cite(|).", "have like meanings #cite(<harris1954>)."),
        ("have like meanings #ref(<|>).", "have like meanings #ref(<harris1954>)."),
        ("have like meanings #ref(<harr|", "have like meanings #ref(<harris1954>)"),
        ("have $x #[like meanings @|]$.", "have $x #[like meanings @harris1954]$."),
        ('have like meanings #cite(label("|")).', 'have like meanings #cite(label("harris1954")).'),
    ],
)
def test_a_key_is_suggested_and_written_where_it_is_typed(author, typed, chosen):
    before = "Words that stand in like contexts "
    begin(author, f"{before}{typed}")
    keys = author.suggested()
    assert keys[0] == "harris1954"
    assert ("firth1957" in keys) is ("firth" not in typed and "harr" not in typed)
    assert f"{before}{chosen}" in author.accept("harris1954")


@pytest.mark.parametrize(
    ("typed", "new"),
    [("@harr|", "harris1954"), ("@web|", '#cite(label("conf/web/Words"))')],
)
def test_a_sign_is_replaced_only_where_a_key_cannot_stand_behind_it(author, typed, new):
    begin(author, f"Words {typed}", more="@misc{conf/web/Words, title={Webs}}\n")
    (item,) = author.items()
    assert item["textEdit"]["newText"] == new


@pytest.mark.parametrize(
    "typed",
    [
        "`@|`",
        "$@|$",
        "// @|",
        "/* @| */",
        "= Words|",
        '#link("https://x.org/@|")',
        "Words|",
        "\\@|",
    ],
)
def test_nothing_is_suggested_elsewhere(author, typed):
    begin(author, f"Words in contexts @harris1954.\n\n{typed}")
    assert author.items() == []


def test_a_key_that_typst_reads_in_a_string_only_is_written_so(author):
    begin(
        author,
        "Words of the world wide web @|.",
        more="@misc{conf/web/Words, title={Words of the world wide web}}\n",
    )
    assert 'web #cite(label("conf/web/Words")).' in author.accept("conf/web/Words")


def test_hover_shows_the_sentences_that_support_the_claim(author):
    begin(author, "Words that stand in like contexts have like meanings @harr|is1954[p. 3].")
    shown = author.hover().replace("*", "")
    assert "Words that stand in like contexts have like meanings." in shown
    assert "Frogs" not in shown


def test_actions_cite_and_fill(author):
    begin(author, "Words that stand in like contexts have like mean|ings. More words.")
    (first, *_) = [
        each for each in author.actions() if each["title"].startswith("Cite Harris 1954")
    ]
    resolved = author.client.request("codeAction/resolve", first)["result"]
    (edits,) = edits_of(resolved["edit"]).values()
    assert "like meanings @harris1954. More words." in applied(author.text, edits)
    for gap in ("[citation nee|ded]", "#cite(<|>)", "@TO|DO"):
        begin(author, f"Words that stand in like contexts have like meanings {gap}.")
        (first, *_) = [action for action in author.actions() if "Harris" in action["title"]]
        resolved = author.client.request("codeAction/resolve", first)["result"]
        (edits,) = edits_of(resolved["edit"]).values()
        written = "#cite(<harris1954>)" if "cite(" in gap else "@harris1954"
        assert f"like meanings {written}." in applied(author.text, edits)


def test_a_work_is_named_in_the_sentence_after_by(author):
    begin(
        author,
        "Words that stand in like contexts have like meanings, as shown by [citation nee|ded].",
    )
    (first, *_) = [action for action in author.actions() if "Harris" in action["title"]]
    resolved = author.client.request("codeAction/resolve", first)["result"]
    (edits,) = edits_of(resolved["edit"]).values()
    assert 'shown by #cite(<harris1954>, form: "prose").' in applied(author.text, edits)


def test_diagnostics_mark_undefined_keys_and_placeholders_but_no_labels(author):
    begin(
        author,
        "= Words <words>\n\nAs in @words and @eq, @harris1954 @nowhere; #cite(<alsonowhere>), #cite(<>).|\n\n$ x $ <eq>",
    )
    found = {
        (each["code"], each.get("data", {}).get("key") if each.get("data") else None)
        for each in author.problems()
    }
    assert found == {
        ("undefined-key", "nowhere"),
        ("undefined-key", "alsonowhere"),
        ("placeholder", None),
    }


def test_a_missing_bibliography_is_marked_where_it_is_named(author):
    begin(author, "Words @harris1954.|", end='#bibliography(("gone.yml", "refs.bib"))\n')
    (problem,) = author.problems()
    assert problem["code"] == "missing-bibliography"
    start = problem["range"]["start"]
    assert author.text.splitlines()[start["line"]][start["character"] :].startswith("gone.yml")


def test_a_key_is_renamed_in_typst_latex_and_the_bibliography(author):
    latex = "%! main.tex\n\\documentclass{article}\\begin{document}\\cite{frogs}\\bibliography{refs}\\end{document}\n"
    begin(author, "Frogs @fr|ogs; see #cite(<frogs>).", more=latex)
    edits = edits_of(author.ask("textDocument/rename", newName="cold:frogs"))
    assert set(edits) == {"main.typ", "main.tex", "refs.bib"}
    assert "Frogs @cold:frogs; see #cite(<cold:frogs>)." in applied(author.text, edits["main.typ"])


def test_definition_references_and_links(author):
    begin(author, "Frogs @fro|gs. Cold frogs @frogs.")
    assert "refs.bib" in str(author.ask("textDocument/definition"))
    places = author.ask("textDocument/references", context={"includeDeclaration": True})
    assert sorted(place["uri"].rsplit("/", 1)[-1] for place in places) == [
        "main.typ",
        "main.typ",
        "refs.bib",
    ]
    begin(author, "Frogs.", end='#bibliography("re|fs.bib")\n')
    assert "refs.bib" in str(author.ask("textDocument/definition"))


def test_a_chapter_is_a_place_of_the_draft_that_includes_it(author):
    main = '#include "two.typ"\nCold frogs @frogs, as in @two.\n#bibliography("refs.bib")\n'
    author.begin(
        f"%! two.typ\n= Two <two>\nFrogs @fro|gs, see @later.\n%! main.typ\n{main}$ x $ <later>\n{REFS}"
    )
    places = author.ask("textDocument/references", context={"includeDeclaration": False})
    assert sorted(place["uri"].rsplit("/", 1)[-1] for place in places) == ["main.typ", "two.typ"]
    assert author.problems() == []


def test_the_bibliography_of_a_template_and_in_hayagriva(author):
    author.begin(
        """%! main.typ
#import "@preview/charged-ieee:0.1.3": ieee
#show: ieee.with(
  title: [Frogs],
  abstract: [Frogs are cold @fro|gs.],
  bibliography: bibliography("works.yml"),
)
%! works.yml
frogs:
  type: article
  title: Frogs are cold
  author: Frost, A.
  date: 2001
"""
    )
    assert "works.yml" in str(author.ask("textDocument/definition"))
    assert author.problems() == []


ODD = "@misc{conf/web/Words, title={Words of the world wide web}}\n"


@pytest.mark.parametrize(
    ("typed", "filled"),
    [
        ("the web @TO|DO.", 'the web #cite(label("conf/web/Words")).'),
        ("the web @TO|DO[p. 3].", 'the web #cite(label("conf/web/Words"), supplement: [p. 3]).'),
        ("the web #cite(<TO|DO>).", 'the web #cite(label("conf/web/Words")).'),
    ],
)
def test_a_placeholder_is_filled_with_a_key_that_typst_reads_in_a_string_only(
    author, typed, filled
):
    begin(author, f"Words of the world wide web, and of {typed}", more=ODD)
    (first, *_) = [each for each in author.actions() if "world wide web" in each["title"]]
    resolved = author.client.request("codeAction/resolve", first)["result"]
    (edits,) = edits_of(resolved["edit"]).values()
    assert filled in applied(author.text, edits)


def test_a_key_may_be_renamed_to_one_that_typst_reads_in_a_string_only(author):
    begin(author, 'Frogs @fro|gs[p. 3] and #cite(<frogs>, form: "prose").')
    edits = edits_of(author.ask("textDocument/rename", newName="cold/frogs"))
    assert applied(author.text, edits["main.typ"]).count('#cite(label("cold/frogs")') == 2
    assert "supplement: [p. 3]) and" in applied(author.text, edits["main.typ"])


def test_without_a_bibliography_or_a_call_a_text_sees_nothing_of_us(author):
    author.begin("%! cv.typ\n= CV\n\nWrite to me@example.org, or to @han|dle. See @fig.\n")
    assert author.items() == []
    assert author.hover() == ""
    assert author.problems() == []


OWN = '#let says(key, supplement: none) = cite(key, form: "prose")\n#let all(..keys) = keys.pos().map(label).map(cite).join()\n#let pair(one, other, more: none) = [#cite(one) #cite(other) #cite(more)]\n'


@pytest.mark.parametrize(
    ("typed", "chosen"),
    [
        ("contexts #says(<|>).", "contexts #says(<harris1954>)."),
        ("contexts #says(<harr|", "contexts #says(<harris1954>)"),
        ("contexts #says(|).", "contexts #says(<harris1954>)."),
        ("contexts #s(<harr|>).", "contexts #s(<harris1954>)."),
        ("contexts #pair(<frogs>, <|>).", "contexts #pair(<frogs>, <harris1954>)."),
        ("contexts #pair(<frogs>, <harr|", "contexts #pair(<frogs>, <harris1954>)"),
        ("contexts #pair(<frogs>, more: <|>).", "contexts #pair(<frogs>, more: <harris1954>)."),
        ('contexts #all("frogs", "|").', 'contexts #all("frogs", "harris1954").'),
        ('#all("frogs") in contexts #all(|).', '#all("frogs") in contexts #all("harris1954").'),
    ],
)
def test_a_key_is_suggested_in_calls_of_an_own_function(author, typed, chosen):
    before = f'#import "own.typ": says, says as s, all, pair\nWords that stand in like {typed}'
    begin(author, before, more=f"%! own.typ\n{OWN}")
    assert author.suggested()[0] == "harris1954"
    assert chosen in author.accept("harris1954")


def test_a_call_of_an_own_function_is_a_citation_everywhere(author):
    begin(author, f'{OWN}Cold frogs #says(<fro|gs>) and #all("harris1954", "frogs", "nowhere").')
    assert "Frogs are cold" in author.hover()
    assert "refs.bib" in str(author.ask("textDocument/definition"))
    assert len(author.ask("textDocument/references", context={"includeDeclaration": False})) == 2
    assert [each["data"]["key"] for each in author.problems()] == ["nowhere"]
    edits = edits_of(author.ask("textDocument/rename", newName="cold"))
    assert '#says(<cold>) and #all("harris1954", "cold", ' in applied(
        author.text, edits["main.typ"]
    )


def test_terms_and_labels_that_code_makes_are_no_keys(author):
    terms = "%! terms.yml\n- key: api\n  short: API\n"
    text = (
        '#import "@preview/glossarium:0.5.8": register-glossary\n#register-glossary(yaml("terms.yml"))\n'
        '#let fig(name) = [#figure([A]) #label("fig:" + name)]\n#fig("a")\n'
        "See @api:pl, @fig:a and @nowhere.|"
    )
    begin(author, text, more=terms)
    assert [each["data"]["key"] for each in author.problems()] == ["nowhere"]
