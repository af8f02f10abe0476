r"""Pin cites: the page goes after the right key, and what the author wrote stays."""

from pathlib import Path

import pytest

from pincite.edits.citations import conventions, pin
from pincite.model.edits import applied
from pincite.parsing.conventions import with_page
from pincite.parsing.drafts import DraftReader

BIBLATEX = "\\usepackage[style=authoryear]{biblatex}\n"
NATBIB = "\\usepackage{natbib}\n"


def pinned(text, page, preamble="", key="k"):
    """Pin a page of `key` in `text`, which follows a preamble; return the new text."""
    whole = preamble + text
    draft = DraftReader(lambda _: whole).read(Path("main.tex").absolute())
    (file,) = draft.files
    citation, cited = next((c, k) for c in file.citations for k in c.keys if k.key == key)
    new = applied(whole, pin(file, citation, cited, page, conventions(draft)))
    assert new.startswith(preamble)
    return new[len(preamble) :]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (r"\citep{k}", r"\citep[p.~361]{k}"),
        (r"\citep[see][]{k}", r"\citep[see][p.~361]{k}"),
        (r"\citep[see][chap. 2]{k}", r"\citep[see][chap. 2, p.~361]{k}"),
        (r"\citep[{[sic]}]{k}", r"\citep[{[sic]}, p.~361]{k}"),
        (r"\citep [ see ] [ chap. 2 ] {k}", r"\citep [ see ] [ chap. 2, p.~361 ] {k}"),
        (r"\cite<see>{k}", r"\cite<see>[p.~361]{k}"),
        (r"\shortciteA<see>[p.~3]{k}", r"\shortciteA<see>[pp.~3, 361]{k}"),
    ],
)
def test_the_note_of_a_command_that_prints_it_as_it_is(before, after):
    assert pinned(before, "361") == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (r"\parencite{k}", r"\parencite[361]{k}"),
        (r"\autocite*[see][]{k}", r"\autocite*[see][361]{k}"),
        (r"\footcite[chap. 2]{k}", r"\footcite[chap. 2, \pno~361]{k}"),
        (r"\parencite[\pno~5]{k}", r"\parencite[\ppno~5, 361]{k}"),
        (r"\volcite[see]{2}{k}", r"\volcite[see]{2}[361]{k}"),
        (r"\volcite{2}[12]{k}", r"\volcite{2}[12, 361]{k}"),
        (r"\textcquote{k}{Words}", r"\textcquote[361]{k}{Words}"),
        (r"\foreigntextcquote{german}[see][]{k}{W}", r"\foreigntextcquote{german}[see][361]{k}{W}"),
    ],
)
def test_biblatex_sets_the_abbreviation_itself(before, after):
    assert pinned(before, "361", BIBLATEX) == after


@pytest.mark.parametrize("command", ["parencite", "textcite", "autocite", "footcite", "smartcite"])
def test_a_command_of_biblatex_shows_that_it_is_used(command):
    """The preamble may be in another file."""
    assert pinned(f"\\{command}{{k}}", "361") == f"\\{command}[361]{{k}}"
    assert pinned(f"\\{command}{{a}} \\cite{{k}}", "3") == f"\\{command}{{a}} \\cite[3]{{k}}"


@pytest.mark.parametrize("package", ["natbib", "jurabib"])
def test_beside_another_package_a_command_is_not_biblatex_s(package):
    """It is the author's own, and the form with groups does not exist."""
    own = r"\newcommand{\footcite}[2][]{\footnote{\citet[#1]{#2}}}"
    preamble = f"\\usepackage{{{package}}}{own} \\footcite{{a}}\n"
    assert pinned(r"\citep{k}", "3", preamble) == r"\citep[p.~3]{k}"
    assert pinned(r"\footcite{a,k}", "3", preamble) == r"\footcite[p.~3]{a,k}"


def test_what_is_no_numeral_biblatex_takes_for_no_page():
    assert pinned(r"\parencite{k}", "xii") == r"\parencite[xii]{k}"
    assert pinned(r"\parencite{k}", "A3") == r"\parencite[\pno~A3]{k}"
    assert pinned(r"\parencite[5]{k}", "A-3") == r"\parencite[\ppno~5, A-3]{k}"
    assert pinned(r"\citep{k}", "A3") == r"\citep[p.~A3]{k}"


@pytest.mark.parametrize(
    ("before", "page", "after"),
    [
        (r"\cites[361]{k}[12]{a}", "19", r"\cites[19, 361]{k}[12]{a}"),
        ("\\textcites[see][]{a}%\n  {k}{b}", "3", "\\textcites[see][]{a}%\n  [3]{k}{b}"),
        (r"\cites{a}{b,k}", "3", r"\cites{a}{b}[3]{k}"),
        (r"\parencite{k,a}", "3", r"\parencites[3]{k}{a}"),
        (r"\parencite[see][5]{a, b, k, c}", "3", r"\parencites[see][]{a, b}[3]{k}[5]{c}"),
        (r"\footcite{a,k}{\itshape x}", "3", r"\footcite[3]{a,k}{\itshape x}"),
        (r"\footcite{k,a} [sic]", "3", r"\footcite{k,a} [sic]"),
        ("\\parencite{k, % the first\n a}", "3", "\\parencite{k, % the first\n a}"),
    ],
)
def test_of_several_keys_in_biblatex_the_right_one_gets_the_note(before, page, after):
    assert pinned(before, page, BIBLATEX) == after


@pytest.mark.parametrize(
    ("before", "after", "preamble"),
    [
        (r"\citep{a,k}", r"\citep[p.~3]{a,k}", NATBIB),
        (r"\citep[see][]{a, k}", r"\citep[see][p.~3]{a, k}", NATBIB),
        # natbib prints a note after the last key only, and the order of the keys is the author's.
        (r"\citep{k,a}", r"\citep{k,a}", NATBIB),
        # The last key may be printed as the first.
        (r"\citep{a,k}", r"\citep{a,k}", "\\usepackage[numbers,sort&compress]{natbib}\n"),
        (r"\cite{a,k}", r"\cite{a,k}", "\\usepackage{cite}\n"),
        (r"\cite{a,k}", r"\cite[p.~3]{a,k}", "\\usepackage[nosort]{cite}\n"),
    ],
)
def test_of_several_keys_elsewhere_only_the_last_can_have_a_note(before, after, preamble):
    assert pinned(before, "3", preamble) == after


@pytest.mark.parametrize(
    ("definition", "before", "after"),
    [
        ("\\newcommand{\\own}{\\citep}", r"\own{k}", r"\own[p.~3]{k}"),
        ("\\newcommand{\\own}{~\\parencite}", r"\own[see][]{k}", r"\own[see][3]{k}"),
        ("\\let\\own\\cites", r"\own{a}[2]{k}", r"\own{a}[2--3]{k}"),
        ("\\def\\other{\\citep}\\let\\own\\other", r"\own{k}", r"\own[p.~3]{k}"),
        ("\\newcommand{\\own}[2][]{\\citep[#1]{#2}}", r"\own{k}", r"\own[p.~3]{k}"),
        ("\\newcites{own}{Own}", r"\citepown{k}", r"\citepown[p.~3]{k}"),
        ("\\DeclareCiteCommand{\\own}{}{}{}{}", r"\own{k}", r"\own[3]{k}"),
        # What these do to their arguments is not guessed at.
        ("\\newcommand{\\own}{\\citep[see][]}", r"\own{k}", r"\own{k}"),
        ("\\newcommand{\\own}[2][]{\\citep[see #1][]{#2}}", r"\own{k}", r"\own{k}"),
        ("\\newcommand{\\own}[1]{\\citep{#1}}", r"\own{k}", r"\own{k}"),
        ("\\newcommand{\\own}[2]{#1 \\cite{#2}}", r"\own{x}{k}", r"\own{x}{k}"),
        (
            "% \\newcommand{\\own}{\\citep}\n\\newcommand{\\own}[1]{\\cite{#1}}",
            r"\own{k}",
            r"\own{k}",
        ),
    ],
)
def test_the_draft_s_own_commands(definition, before, after):
    assert pinned(before, "3", f"{definition}\n") == after


@pytest.mark.parametrize(
    "text",
    [
        r"\nocite{k}", r"\citenum{k}", r"\supercite{k}", r"\supercites{a}{k}", r"\bibentry{k}",
        r"\citep{k", r"\citep[see]{k", r"\cites{k}{b", r"\citep[a][b][c]{k}", r"\citeA[a][b]{k}",
        # In an optional argument, which a note would end.
        r"\section[Short, \citep{k}]{Long}", r"\begin{theorem}[\citealp{k}] It holds.",
        r"\cite[see \cite{k}]{b}", r"\caption[{a} and \cite{k}]{Long}",
    ],
)  # fmt: skip
def test_where_no_note_can_be_nothing_changes(text):
    assert pinned(text, "3") == text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (r"\section[{\citep{k}}]{Long}", r"\section[{\citep[p.~3]{k}}]{Long}"),
        (r"{\em So} it is [see \cite{k}].", r"{\em So} it is [see \cite[p.~3]{k}]."),
        ("\\item[One\n\n\\cite{k}", "\\item[One\n\n\\cite[p.~3]{k}"),
        # As far as LaTeX is concerned, the key list is not of the command whose note is not closed.
        (r"\citep[see {\em x} \citet{k}", r"\citep[see {\em x} \citet[p.~3]{k}"),
        ("\\citep% natbib\n{k}", "\\citep% natbib\n[p.~3]{k}"),
        ("\\citep[see]%\r\n[chap. 2% ]\r\n]{k}", "\\citep[see]%\r\n[chap. 2, p.~3% ]\r\n]{k}"),
        ("\\citep[p.~2 % {[\n]{k}", "\\citep[pp.~2--3 % {[\n]{k}"),
        # The new note would have to replace the comment.
        ("\\citep[p.~% 1\n2]{k}", "\\citep[p.~% 1\n2]{k}"),
        ("\\citep[% nothing\n]{k}", "\\citep[% nothing\n]{k}"),
    ],
)
def test_a_note_goes_after_what_is_around_it_and_comments_stay(before, after):
    assert pinned(before, "3") == after


@pytest.mark.parametrize("page", ["", " ", "the third", "3]", "3{", "_", "%", "3 4", "p. 3", "\\x"])
def test_what_is_no_page_is_not_written(page):
    assert pinned(r"\citep{k}", page) == r"\citep{k}"


@pytest.mark.parametrize(
    ("note", "page", "after"),
    [
        ("", "361", "p.~361"),
        ("", "361--363", "pp.~361--363"),
        ("p.~361", "362", "pp.~361--362"),
        ("p.~361", "365", "pp.~361, 365"),
        ("p.\\,361", "365", "pp.\\,361, 365"),
        ("pp.~3, 7--9", "8", "pp.~3, 7--9"),
        ("pp.~3, 7-9", "6", "pp.~3, 6-9"),
        ("pp.~361--2", "362", "pp.~361--2"),
        ("pp.~3 and 5", "4", "pp.~3--5"),
        ("p.~361f.", "362", "p.~361f."),
        ("p.~xii", "3", "pp.~xii, 3"),
        ("361, 365", "363", "361, 363, 365"),
        ("S.~3", "7", "S.~3, 7"),
        ("Seite 3", "7", "Seiten 3, 7"),
        ("chap. 2, p.~5", "9", "chap. 2, pp.~5, 9"),
        ("p.~5, chap. 2", "5", "p.~5, chap. 2"),
        ("chap. 2", "2", "chap. 2, p.~2"),
        ("IV, 5.13.5 and 0, 4.1.4", "2", "IV, 5.13.5 and 0, 4.1.4, p.~2"),
        ("p.~3.2", "3.4", "pp.~3.2, 3.4"),
    ],
)
def test_a_page_among_those_of_a_note(note, page, after):
    assert with_page(note, page) == after
    assert with_page(after, page) == after


def test_a_range_of_pages_has_the_plural():
    assert with_page("chap. 2", "3--4", biblatex=True) == "chap. 2, \\ppno~3--4"
    assert with_page("chap. 2", "3--4") == "chap. 2, pp.~3--4"
    assert with_page("", "3--4", biblatex=True) == "3--4"


@pytest.mark.parametrize(
    "source", [r"\apud{a}{k}", r"\Idem{k}", r"\addtocategory{c}{k}", r"\DeclareAcronym{c}{cite=k}"]
)
def test_a_command_whose_note_is_elsewhere_stays(source):
    assert pinned(source, "361", "\\usepackage{abntex2cite}\n") == source


def test_the_note_of_a_displayed_quotation():
    source = r"\begin{displaycquote}[see][12]{k} Words"
    assert pinned(source, "361", BIBLATEX) == r"\begin{displaycquote}[see][12, 361]{k} Words"
    assert pinned(r"\cfcite{k}", "3") == r"\cfcite[p.~3]{k}"
    assert pinned(r"\volcites{2}{a}{4}{k}", "3", BIBLATEX) == r"\volcites{2}{a}{4}[3]{k}"
