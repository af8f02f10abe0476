r"""Code actions over the real server: cite, pin the page, show more, fix."""

import shutil

import pytest

from author import CAPABILITIES, applied, edits_of
from where import EXAMPLES

HEAD = "\\documentclass{article}\n\\usepackage{natbib}\n\\begin{document}\n"
TAIL = "\n\\bibliography{refs}\n\\end{document}\n"
BIB = """\
%! refs.bib
@article{harris, author={Harris, Zellig}, title={Distributional Structure of Words in Like Contexts}, year=1954}
@book{firth, author={Firth, J. R. and Palmer, F. R.}, title={Words and the Company They Keep, with a Subtitle That Goes On and On}, year=1957}
@misc{frogs, title={Words of Frogs}}
@misc{toads, author={Toad, A.}, title={Words of Toads}, year=2001}
@misc{mass, author={Mass, B.}, title={Gravity}, year=1916}
@inproceedings{duma, author={Duma, Daniel and Klein, Ewan}, title={Citation Resolution}, year=2014}
"""
CITES = "Words in like contexts have like meanings"
CLAIM = "The reference is hidden and the method gives it back from the paper's own list"
QUICK_FIX, REWRITE = "quickfix", "refactor.rewrite"


def project(marked, head=HEAD):
    return f"%! main.tex\n{head}{marked}{TAIL}{BIB}"


def with_paper(author, marked, head=HEAD):
    """Begin a project in which the text of one work is there."""
    papers = author.folder / "papers"
    papers.mkdir(parents=True)
    shutil.copy(EXAMPLES / "papers" / "duma-klein-2014.pdf", papers / "duma.pdf")
    author.begin(project(marked, head))
    author.execute("reindex", {"uri": author.path.as_uri()})


def asked(author, *, only=None, trigger=1, diagnostics=(), end=None):
    context = {"diagnostics": list(diagnostics), "triggerKind": trigger}
    if only is not None:
        context["only"] = only
    here = author.position()
    range_ = {"start": here, "end": author.position(end) if end is not None else here}
    return author.ask("textDocument/codeAction", range=range_, context=context) or []


def titled(actions, beginning):
    return [action for action in actions if action["title"].startswith(beginning)]


def chosen(author, action, head=HEAD):
    """Choose an action; return the text of the document then, without what is around it."""
    if "edit" not in action:
        action = author.client.request("codeAction/resolve", action)["result"]
    (document,) = action["edit"]["documentChanges"]
    assert document["textDocument"]["version"] == 1
    text = applied(author.text, edits_of(action["edit"])[author.path.name])
    assert text.startswith(head)
    assert text.endswith(TAIL)
    return text[len(head) : -len(TAIL)]


def test_a_placeholder_is_filled_with_one_of_the_first_three(author):
    author.begin(project(f"{CITES} \\citep{{|}}."))
    actions = asked(author)
    titles = [action["title"] for action in actions]
    assert len(titles) == 3
    assert "Cite Harris 1954: Distributional Structure of Words in Like Contexts" in titles
    assert not titled(actions, "Cite Mass")
    assert {action["kind"] for action in actions} == {QUICK_FIX}
    (harris,) = titled(actions, "Cite Harris")
    assert chosen(author, harris) == f"{CITES} \\citep{{harris}}."
    (problem,) = author.problems()
    for action in asked(author, diagnostics=[problem]):
        assert action["diagnostics"] == [problem]


def test_titles_are_short_and_name_what_is_known(author):
    author.begin(project("Words and the company of frogs they keep \\cite<|>."))
    titles = {action["title"] for action in asked(author)}
    assert "Cite Firth and Palmer 1957: Words and the Company They Keep, with a Subtitle…" in titles
    assert "Cite frogs: Words of Frogs" in titles


def test_works_that_are_cited_there_already_are_left_out(author):
    author.begin(project(f"{CITES} \\cite{{harris, ?|}}."))
    assert titled(asked(author), "Cite Firth")
    assert not titled(asked(author), "Cite Harris")


def test_a_placeholder_in_the_selection(author):
    author.begin(project(f"|{CITES} \\citep{{}} and so on."))
    (harris,) = titled(asked(author, end=author.offset + len(CITES) + 10), "Cite Harris")
    assert chosen(author, harris) == f"{CITES} \\citep{{harris}} and so on."


def test_a_sentence_is_cited_at_its_end_when_the_author_asks(author):
    author.begin(project(f"{CITES}| of words. And frogs~\\citep{{frogs}}."))
    (harris,) = titled(asked(author), "Cite Harris")
    assert harris["kind"] == REWRITE
    assert chosen(author, harris).startswith(f"{CITES} of words~\\citep{{harris}}. And")
    assert titled(asked(author, trigger=2, only=["refactor"]), "Cite") == []
    assert asked(author, trigger=2) == []


@pytest.mark.parametrize(
    "marked",
    ["\\section{Words in like |contexts}", "% Words in like |contexts\n", "Words \\cite{firth} in| like contexts."],
)  # fmt: skip
def test_nothing_is_offered_where_no_citation_is_wanted(author, marked):
    author.begin(project(marked))
    assert asked(author) == []


def test_the_page_of_a_supporting_sentence_goes_after_its_key(author):
    with_paper(author, f"{CLAIM} \\citep[see][]{{harris, du|ma}}.")
    pins = titled(asked(author, trigger=2), "Pin")
    assert [pin["kind"] for pin in pins] == [REWRITE] * len(pins)
    pages = [pin["title"].split(":")[0].removeprefix("Pin p. ") for pin in pins]
    assert set(pages) <= {"361", "362"}
    assert len(set(pages)) == len(pages) > 0
    first = pins[0]["title"].split(": ", 1)[1]
    assert first.startswith("“")
    assert first.endswith("…”")
    assert chosen(author, pins[0]) == f"{CLAIM} \\citep[see][p.~{pages[0]}]{{harris, duma}}."


def test_pages_are_pinned_from_anywhere_in_the_sentence(author):
    start, rest = CLAIM.split(" ", 1)
    with_paper(author, f"{start}| {rest} \\citep{{duma}}. Others do not say so much.")
    pins = titled(asked(author), "Pin")
    page = pins[0]["title"].split(":")[0].removeprefix("Pin p. ")
    assert f"{CLAIM} \\citep[p.~{page}]{{duma}}." in chosen(author, pins[0])
    author.offset = author.text.index("do not say")
    assert titled(asked(author), "Pin") == []


@pytest.mark.parametrize("cited", ["\\citep[pp.~361--362]{du|ma}", "\\citep{du|ma,harris}"])
def test_a_page_that_is_there_or_has_no_place_is_not_offered(author, cited):
    with_paper(author, f"{CLAIM} {cited}.")
    assert titled(asked(author), "Pin") == []


def test_a_chapter_is_cited_in_as_its_main_file_requires(author):
    author.begin(
        "%! chapter.tex\n% !TeX root = main.tex\n"
        f"{CITES}, \\own{{firth}} \\cite<|>. More [citation needed].\n"
        "%! main.tex\n\\documentclass{book}\n\\newcommand{\\own}{\\citep}\n"
        f"\\begin{{document}}\n\\own{{firth}} \\own{{mass}}\n\\include{{chapter}}{TAIL}{BIB}"
    )
    author.offset = author.text.index("needed]")
    (harris,) = titled(asked(author), "Cite Harris")
    answer = author.client.request("codeAction/resolve", harris)["result"]
    (edit,) = edits_of(answer["edit"])["chapter.tex"]
    assert edit["newText"] == " \\own{harris}"


def test_in_a_citation_others_may_be_added(author):
    author.begin(project(f"{CITES}~\\citep[p.~3]{{fir|th}}."))
    (harris,) = titled(asked(author), "Also cite Harris")
    assert chosen(author, harris) == f"{CITES}~\\citep[p.~3]{{harris,firth}}."
    assert asked(author, trigger=2) == []


@pytest.mark.parametrize(
    ("only", "found"),
    [
        (["quickfix"], True),
        (["quickfix.pincite"], False),
        ([""], True),
        (["refactor"], False),
        (["source.fixAll"], False),
    ],
)
def test_only_what_is_asked_for_is_offered(author, only, found):
    author.begin(project(f"{CITES} \\citep{{|}}."))
    assert bool(asked(author, only=only)) == found


def test_the_fixes_of_diagnostics_are_among_the_actions(author):
    author.begin(project(f"{CITES} \\citep{{hariss|}}."))
    (problem,) = author.problems()
    fixes = [action for action in asked(author, diagnostics=[problem]) if action["kind"] == QUICK_FIX]  # fmt: skip
    assert any("harris" in fix["title"] for fix in fixes)
    assert asked(author, diagnostics=[problem], only=["refactor.extract"]) == []


def test_an_action_for_a_text_that_has_changed_does_nothing(author):
    author.begin(project(f"{CITES} \\citep{{|}}."))
    action = asked(author)[0]
    author.client.change(author.path, 2, {"text": "New. " + author.text})
    assert "edit" not in author.client.request("codeAction/resolve", action)["result"]


@pytest.mark.parametrize("data", [None, 3, {}, {"uri": "untitled:x", "version": 1, "position": {}, "key": "a"}, {"uri": 5, "version": None, "position": 3, "key": []}])  # fmt: skip
def test_an_action_of_somebody_else_comes_back_as_it_is(author, data):
    author.begin(project(f"{CITES} \\citep{{|}}."))
    action = {"title": "Other", "data": data}
    answer = author.client.request("codeAction/resolve", action)["result"]
    assert answer["title"] == "Other"
    assert "edit" not in answer


@pytest.fixture(name="other")
def author_with_another_editor(author_with):
    def start(code_action, experimental=None):
        text_document = {**CAPABILITIES["textDocument"], "codeAction": code_action}
        return author_with({"textDocument": text_document, "experimental": experimental})

    return start


LITERALS = {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}}


def test_a_client_that_does_not_resolve_gets_the_edits_at_once(other):
    author = other(LITERALS)
    author.begin(project(f"{CITES} \\citep{{|}}."))
    (harris,) = titled(asked(author), "Cite Harris")
    # It takes no versions, either.
    assert edits_of(harris["edit"])["main.tex"][0]["newText"] == "harris"
    assert set(harris["edit"]) == {"changes"}


def test_a_client_of_before_code_actions_is_left_alone(other):
    author = other({"dynamicRegistration": False})
    author.begin(project(f"{CITES} \\citep{{|}}."))
    assert asked(author) == []


def test_what_only_a_client_can_show_is_offered_to_those_that_can(other):
    author = other(LITERALS, experimental={"pinciteShowEvidence": True, "pinciteSuggestHere": True})
    author.begin(project(f"{CITES}~\\citep{{fir|th}}."))
    here = author.here()
    assert [(action["title"], action["command"]) for action in asked(author, trigger=2)] == [
        ("Show supporting sentences", {"title": "Show supporting sentences", "command": "pincite.showEvidence", "arguments": [here]}),
        ("Suggest other citations here", {"title": "Suggest other citations here", "command": "pincite.suggestHere", "arguments": [here]}),
    ]  # fmt: skip
    assert asked(author, only=["refactor"]) == []
    author.begin(project(f"{CITES}~\\citep{{no|ne}}."))
    assert titled(asked(author, trigger=2), "Show") == []


def test_for_an_unknown_key_the_work_can_be_looked_for(other):
    author = other(LITERALS, experimental={"pinciteSuggestHere": True})
    author.begin(project(f"{CITES}~\\citep{{zz|z1999}}."))
    given = author.here(replaces="zzz1999")
    found = asked(author, only=["quickfix"])
    assert [(each["title"], each["command"]["arguments"]) for each in found] == [
        ("Search the library", [{**given, "typed": "zzz"}]),
        ("Suggest for this place", [given]),
    ]
    author.begin(project(f"{CITES}~\\citep{{har|riss}}."))
    (nearest,) = asked(author, only=["quickfix"])
    assert nearest["title"] == "Change to harris"


@pytest.mark.parametrize("between", ["; ", ";", " ", "\uff0c", "\u3001", "\u061b "])
def test_keys_without_a_comma_between_them_stay(author, between):
    author.begin(project(f"{CITES}~\\citep{{fir|th{between}harris}}."))
    (fix,) = asked(author, only=["quickfix"])
    assert fix["title"] == "Change to firth,harris"


@pytest.mark.parametrize(
    "half", ["\\citep{|", "\\citep{firth, |", "\\citep{firth, ?|", "\\citep{fir|th"]
)
def test_into_what_is_half_typed_nothing_is_put(author, half):
    author.begin(project(f"{CITES} {half}"))
    assert asked(author, only=[QUICK_FIX, "refactor"]) == []


def test_without_them_neither_is_offered(author):
    author.begin(project(f"{CITES}~\\citep{{fir|th}}."))
    assert all("command" not in action for action in asked(author))
