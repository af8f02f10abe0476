"""The claim check of a whole draft."""

from dataclasses import replace
from textwrap import dedent

import pytest

from markup import write_project
from pincite.cancellation import CancelledError, cancelled_by
from pincite.checking.whole_draft import KINDS, CheckedDraft, check_citations, check_draft
from pincite.project.workspace import Workspace

PROJECT = r"""
%! main.tex
\documentclass{article}\begin{document}
Frogs quak loudly in ponds at night because they want to be heard \cite{frogs}.
\input{middle}
Words in like contexts have like meanings in all of the texts that were seen \cite{frogs, gone}.
Nobody knows \cite{TODO}. Much \nocite{listed} is said \cite{bare}.

Entity grids have been proposed for this purpose.
\bibliography{refs}\end{document}
%! middle.tex
Only a title \cite{bare} is known here, and again \cite{gone}.
%! refs.bib
@article{frogs, title={Frogs in Ponds}, author={Frog, A.}, year=1954}
@article{bare, title={A Synopsis}, author={Firth, J.}, year=1957}
@article{listed, title={Ponds}}
%! papers/frogs.txt
Frogs quak loudly in ponds at night because they want to be heard. The pond is deep and cold.
"""


class Checked:
    def __init__(self, folder, project=PROJECT, name="main.tex"):
        main = write_project(folder, project)
        self.workspace = Workspace(folder)
        self.draft = self.workspace.draft(main.parent / name)
        self.workspace.read_library(self.draft)
        known = self.workspace.bibliography(self.draft)
        recommender = self.workspace.recommender(self.draft, extent="keys")
        self.checked = CheckedDraft(self.draft, known.files, known.find, recommender)

    def found(self, kinds=KINDS, **more):
        return [
            (each.place.file.name, each.place.line, each.kind, each.key)
            for each in check_draft(self.checked, kinds, **more)
        ]


@pytest.fixture(scope="module")
def checked(tmp_path_factory):
    """The project, which is only looked at."""
    return Checked(tmp_path_factory.mktemp("project"))


def test_findings_are_in_reading_order_over_all_files(checked):
    assert checked.found() == [
        ("middle.tex", 1, "title-only", "bare"),
        ("middle.tex", 1, "undefined-key", "gone"),
        ("main.tex", 4, "weak-support", "frogs"),
        ("main.tex", 4, "undefined-key", "gone"),
        ("main.tex", 5, "placeholder", ""),
        ("main.tex", 7, "missing-citation", ""),
    ]


def test_a_finding_has_its_place_and_the_words_around_it(checked):
    (finding,) = check_draft(checked.checked, ["placeholder"])
    file = checked.draft.file(finding.place.file)
    assert file.text[finding.start : finding.end] == r"\cite{TODO}"
    assert (finding.place.line, finding.place.column) == (5, 14)
    assert finding.message == "A citation is missing here."
    assert "Nobody knows \\cite{TODO}. Much" in finding.excerpt
    assert "\n" not in finding.excerpt


def test_the_words_around_a_place_are_of_its_paragraph_whatever_ends_lines(tmp_path):
    checked = Checked(
        tmp_path, "%! main.md\nPonds.\r\n\r\nSee [@TODO].\r\n \r\nFrogs.\r\n", "main.md"
    )
    (finding,) = check_draft(checked.checked, ["placeholder"])
    assert finding.excerpt == "See [@TODO]."


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("[@frogs; bare] and [see @frogs, p. 3;\nlisted1, p. 4].", ["bare", "listed1"]),
        (
            "[@frogs, listed1] and [[@frogs; bare]] and @frogs [p. 3; bare].",
            ["listed1", "bare", "bare"],
        ),
        # Locators and words, links, code, notes, and what is no key.
        (
            "[@frogs, bare] [@frogs, 3; @bare] [@frogs; see bare] [@frogs; ponds] [bare; listed1]",
            [],
        ),
        ("[@frogs; bare](ponds.html) `[@frogs; bare]` ^[As @frogs, listed1, and others.]", []),
    ],
)
def test_keys_without_their_sign_in_a_citation_are_placeholders(tmp_path, text, missing):
    header = "---\nbibliography: refs.bib\n---\n\n"
    entries = "".join(
        f"@misc{{{key}, title={{Ponds}}}}\n" for key in ("frogs", "bare", "listed1", "3")
    )
    checked = Checked(tmp_path, f"%! main.md\n{header}{text}\n%! refs.bib\n{entries}", "main.md")
    found = check_draft(checked.checked, ["placeholder"])
    assert [each.key for each in found] == missing
    assert all("is missing" in each.message for each in found)


def test_the_words_around_a_place_are_of_its_environment(tmp_path):
    text = r"""%! main.tex
\begin{document}
\begin{quote}[wide] See \cite{TODO}, and
ponds.
\end{quote}
Frogs.
\end{document}
"""
    checked = Checked(tmp_path, text, "main.tex")
    (finding,) = check_draft(checked.checked, ["placeholder"])
    assert finding.excerpt == r"See \cite{TODO}, and ponds."


def test_every_citation_has_a_verdict_in_reading_order(tmp_path):
    project = PROJECT.replace(
        "Much \\nocite", "Doors are painted green \\cite{frogs}. Ponds \\cite{scanned} \\nocite"
    )
    scanned = "@article{scanned, title={Cold Ponds}}\n@article{listed"
    project = project.replace("@article{listed", scanned) + "%! papers/scanned.txt\n \n"
    checked = Checked(tmp_path, project)
    lacks_text = checked.workspace.lacks_text(checked.draft)
    found = check_citations(replace(checked.checked, lacks_text=lacks_text))
    assert [(each.place.line, each.key, each.verdict.kind, each.verdict.reason) for each in found] == [
        (2, "frogs", "supported", None),
        (1, "bare", "not checked", "title only"),
        (1, "gone", "not checked", "undefined key"),
        (4, "frogs", "nothing found", None),
        (4, "gone", "not checked", "undefined key"),
        (5, "frogs", "not checked", "too short"),
        (5, "scanned", "not checked", "no text"),
        (5, "bare", "not checked", "title only"),
    ]  # fmt: skip
    assert found[3].verdict.sentences == 2
    weak = check_draft(checked.checked, ["weak-support"])
    assert [each.message for each in weak] == ["Nothing found in 2 sentences of Frog 1954."]


@pytest.mark.parametrize(
    ("typed", "keys"), [("\\cite{fro", []), ("\\cite{frogs", ["frogs"]), ("\\cite{fro}", ["fro"])]
)
def test_what_follows_an_unclosed_brace_is_a_citation_only_if_an_entry_has_the_key(
    tmp_path, typed, keys
):
    main = f"%! main.tex\n\\documentclass{{article}}\\begin{{document}}\nFrogs quak {typed}\n\n"
    names = "\\bibliography{refs}\\end{document}\n%! refs.bib\n@article{frogs, title={Frogs}}\n"
    checked = Checked(tmp_path, main + names)
    assert [each.key for each in check_citations(checked.checked)] == keys
    undefined = [each.key for each in check_draft(checked.checked, ["undefined-key"])]
    assert undefined == [key for key in keys if key != "frogs"]
    unclosed = [each.message for each in check_draft(checked.checked, ["placeholder"])]
    expected = "This citation is not closed: its last bracket is missing."
    assert unclosed == ([] if typed.endswith("}") else [expected])


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_can_be_chosen(tmp_path, kind):
    assert {found[2] for found in Checked(tmp_path).found([kind])} == {kind}


def test_without_a_recommender_nothing_is_reported_about_papers(tmp_path):
    checked = Checked(tmp_path)
    known = checked.checked
    checked.checked = CheckedDraft(known.draft, known.files, known.find)
    assert {found[2] for found in checked.found()} == {
        "undefined-key",
        "placeholder",
        "missing-citation",
    }


def test_of_a_part_only_its_own_text_is_checked(tmp_path):
    found = Checked(tmp_path, name="middle.tex").found()
    assert {name for name, *_ in found} == {"middle.tex"}


def test_keys_are_looked_for_in_what_can_be_read_of_the_bibliographies(tmp_path):
    project = PROJECT.replace("\\bibliography{refs}", "\\bibliography{refs,lost}")
    checked = Checked(tmp_path, project)
    found = check_draft(checked.checked, ["undefined-key"])
    assert [each.key for each in found] == ["gone", "gone"]
    assert found[0].message == "No bibliography that could be read has the key “gone”."


def test_keys_that_a_remote_bibliography_may_have_are_not_reported(tmp_path):
    named = "\\addbibresource[location=remote]{https://a.b/c.bib}\\addbibresource{refs.bib}"
    checked = Checked(tmp_path, PROJECT.replace("\\bibliography{refs}", named))
    assert checked.found(["undefined-key"]) == []


def test_keys_that_a_bibliography_in_another_format_may_have_are_not_reported(tmp_path):
    project = """
    %! main.md
    ---
    bibliography: [refs.bib, more.ris]
    ---
    Known @frogs, perhaps known @toads.
    %! refs.bib
    @article{frogs, title={Frogs in Ponds}}
    %! more.ris
    TY  - JOUR
    ID  - toads
    """
    checked = Checked(tmp_path, dedent(project), "main.md")
    assert checked.found(["undefined-key"]) == []
    (problem,) = checked.workspace.bibliography(checked.draft).unread
    assert (problem.path.name, problem.message) == (
        "more.ris",
        "is in a format that is not read; convert it to BibTeX or CSL JSON",
    )


def test_progress_goes_over_all_citations(checked):
    reported = []
    checked.found(progress=lambda done, total: reported.append((done, total)))
    assert reported == sorted(reported)
    assert reported[-1] == (7, 7)
    assert len(reported) > 2


def test_a_check_that_nobody_waits_for_ends(tmp_path):
    checked = Checked(tmp_path)
    with cancelled_by(lambda: True), pytest.raises(CancelledError):
        checked.found()


def test_a_number_that_a_work_lacks_is_weak_support(tmp_path):
    claim = "In 63 \\% of ponds frogs quak loudly at night to be heard"
    project = PROJECT.replace("Nobody knows", f"{claim} \\cite{{frogs}}. Nobody knows")
    found = check_draft(Checked(tmp_path, project).checked, ["weak-support"])
    assert [each.message for each in found][1:] == ["No 63 % in the full text of Frog 1954."]
