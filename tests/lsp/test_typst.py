"""What only Typst has, over the real server."""

from __future__ import annotations

import pytest
from test_markups import REFS

from author import applied, edits_of

END = '#bibliography("refs.bib")\n'


def begin(author, marked, end=END, more=""):
    author.begin(f"%! main.typ\n{marked}\n\n{end}{REFS}{more}")


@pytest.mark.parametrize(
    ("typed", "chosen"),
    [
        ("have like meanings @harr|[p. 3].", "have like meanings @harris1954[p. 3]."),
        ("have like meanings @firth1957 @|.", "have like meanings @firth1957 @harris1954."),
        # There is no place for two keys.
        ("have like meanings #cite(<|frogs>).", "have like meanings #cite(<harris1954>)."),
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
    ("typed", "new"), [("@harr|", "harris1954"), ("@web|", '#cite(label("conf/web/Words"))')]
)
def test_a_sign_is_replaced_only_where_a_key_cannot_stand_behind_it(author, typed, new):
    begin(author, f"Words {typed}", more="@misc{conf/web/Words, title={Webs}}\n")
    (item,) = author.items()
    assert item["textEdit"]["newText"] == new


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
