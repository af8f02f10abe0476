"""Hover: what the cited work says in support of this very citance, and nothing that others show."""

import re
import threading

import pytest
from lsprotocol import types

from pincite.lsp.features.evidence import Style, evidence_markup, hover, pdf_uri
from pincite.lsp.session import Client as Capabilities
from pincite.model.papers import Candidate, ReferencePaper
from pincite.model.results import SupportingSentence
from pincite.model.spans import TextSpan
from pincite.settings import EditorSettings, Settings
from where import EXAMPLES

PROJECT = r"""
%! main.tex
\documentclass{article}
\begin{document}
Frogs are cold.
Words that stand in like
contexts \citep{harris1954,
  firth1957} have like meanings \cite[see][p.~3]{marked}. Nothing is \nocite{harris1954} said
of \cite{bare} or of \cite{lost}, \cite{scanned} and \cite{unknown}.
\bibliography{refs}
\end{document}
%! refs.bib
@article{harris1954, author={Harris, Zellig}, title={Distributional structure}, year=1954,
  doi={10.1080/00437956.1954.11659520}}
@article{firth1957, author={Firth, J. R.}, title={A synopsis of linguistic theory}, year=1957,
  abstract={A word is known by the company of words in its contexts. Frogs are cold.}}
@misc{marked, title={Mark_up and *stars*}, doi={10.1002/(SICI)1097:6<391::AID>3.0.CO;2-9}}
@misc{bare, author={Bare, A.}, title={Only a title}, year=2001}
@misc{lost, author={Lost, B.}, title={Gone}, year=2002, file={gone `away`.pdf}}
@misc{scanned, author={Scan, C.}, title={Scanned}, year=2003, file={scanned.pdf}}
@misc{strange, author={Strange, D.}, abstract={Quaxi blubbo zorpa frimel gnutzen.}}
@misc{no:file/name, title={Free}}
%! papers/harris1954.txt
Words that stand in like contexts have like meanings. Frogs have nothing to do with it.
%! papers/marked.txt
1990) A *list* of like [contexts](x) & meanings <b>is</b> #no markup.
%! scanned.pdf
No PDF.
"""
DUMA = r"""
%! main.tex
\documentclass{article}
\begin{document}
The reference is hidden and the method gives it back from the list \cite{duma}.
\bibliography{refs}
\end{document}
%! refs.bib
@misc{duma, author={Duma, Daniel}, year=2014, file={duma.pdf}}
"""


@pytest.fixture(name="author")
def author_with_a_project(editing):
    author = editing(PROJECT)
    author.session.client = Capabilities(markdown_hovers=True)
    return author


def point(author, at, text=None):
    """Point at the middle of the first `at` in the draft, once its papers are read."""
    if text is not None:
        author.open("main.tex", text)
    here = author.indexed().here()
    return hover(here, here.text.index(at) + len(at) // 2)


def read(author, at, text=None):
    return point(author, at, text).contents.value


def test_a_hover_shows_what_supports_the_citance_and_what_that_rests_on(author, tmp_path):
    """The line has the words "contexts" only; what is before and after it makes the match."""
    header, _, quoted, *_ = read(author, "harris1954").split("\n")
    file = (tmp_path / "papers" / "harris1954.txt").as_uri()
    doi, title = "https://doi.org/10.1080/00437956.1954.11659520", "Distributional structure"
    assert header == f"**Harris 1954** · {title} · [full text]({file}) · [DOI]({doi})"
    assert "“**Words** that **stand** in **like** **contexts** have **like**" in quoted
    assert "Frogs" not in quoted
    # Of several keys the one under the cursor is shown.
    found = point(author, "firth1957")
    title = "A synopsis of linguistic theory"
    assert found.contents.value.startswith(f"**Firth 1957** · {title} · abstract")
    assert found.contents.value.endswith("From the abstract.")
    assert found.range == types.Range(types.Position(5, 2), types.Position(5, 11))
    # What to do about a title is for the library view.
    because = {"scanned": "no text could be read from its file"}
    for key in ("bare", "lost", "scanned"):
        why = because.get(key, "only the title is known")
        assert read(author, f"{{{key}").endswith(f"Not checked, because {why}.")
        assert ".pdf" not in read(author, f"{{{key}")
    for at in ("unknown", "\\nocite{harris1954}", "Frogs", "see", "\\citep"):
        assert point(author, at) is None


def test_an_alias_shows_the_work_of_its_entry(author):
    bib = author.main.with_name("refs.bib")
    bib.write_text("@misc{main, author={Bare, A.}, title={Named twice}, ids={bare}}")
    assert read(author, "{bare").startswith("**Bare** · Named twice")


def test_the_title_is_there_once_and_reads_as_it_is_printed(author):
    bib = author.main.with_name("refs.bib")
    written = "{G{\\\"o}del's {\\em proof}: $\\alpha$ \\& its\n   *limits*}"
    bib.write_text(f"@misc{{bare, author={{Bare, A.}}, title={written}, year=2001}}")
    header = read(author, "{bare").split("\n")[0]
    assert header == "**Bare 2001** · Gödel's proof: α \\& its \\*limits\\*"


@pytest.mark.parametrize("peer", ["texlab", "latex-workshop", "digestif"])
def test_a_hover_repeats_no_title_that_others_show_beside_it(author, peer):
    author.session.settings = Settings(editor=EditorSettings(peers=frozenset((peer,))))
    for key, title in {"harris1954": "Distributional", "firth1957": "synopsis", "bare": "Only a title"}.items():  # fmt: skip
        assert title not in read(author, key)


def test_the_text_of_a_paper_is_never_markup(author):
    shown = read(author, "marked")
    # A work without authors is named by its title.
    assert shown.startswith("**Mark\\_up and \\*stars\\*** · ")
    quoted = next(line for line in shown.split("\n") if line.startswith("“"))
    assert quoted.startswith("“1990) A \\*list\\*")
    assert "\\<b\\>" in quoted
    assert "\\#no" in quoted
    # Brackets of a DOI would end the link.
    assert "(https://doi.org/10.1002/%28sici%291097:6%3C391::aid%3E3.0.co;2-9)" in shown


def test_a_work_in_another_language_is_marked(author):
    remark = "The work is in English, the draft in German: only shared terms can match."
    german = PROJECT.replace("{article}", "{article}\\usepackage[ngerman]{babel}", 1)
    author.open("main.tex", german.split("%! refs.bib")[0].partition("%! main.tex\n")[2])
    assert read(author, "harris1954").endswith(remark)
    assert f"From the abstract. {remark}" in read(author, "firth1957")
    # A title alone shows no sentence.
    assert remark not in read(author, "{bare")


def test_an_entry_of_a_printed_list_is_known_by_its_title(author):
    item = "\\begin{thebibliography}{9}\\bibitem{p} A. Uthor. Work.\n\\end{thebibliography}"
    text = author.fixture.text.replace("\\bibliography{refs}", item).replace("{bare}", "{p}")
    assert read(author, "{p}", text).endswith("Not checked, because only the title is known.")


def test_while_papers_are_read_nobody_is_asked_to_attach_them(author):
    read_on = threading.Event()
    author.session.background.do("block", lambda: read_on.wait(20))
    shown = author.ask(hover, "citep{harris|1954").contents.value
    read_on.set()
    assert "Not checked, because papers are still being read." in shown
    assert "folder" not in shown


def test_a_client_with_our_command_opens_the_pdf_at_its_page(author, tmp_path):
    file = tmp_path / "a (1).pdf"
    file.write_bytes(b"")
    candidate = Candidate("a", ReferencePaper("Title", "full text", source=file))
    sentence = SupportingSentence("Words.", 0.5, (TextSpan(0, 5),), page=7, page_label="361")

    def shown(**options):
        return evidence_markup(candidate, [sentence], Style(**options)).value

    assert Capabilities.of({"experimental": {"pinciteOpenPdf": True}}).opens_pdf
    assert not Capabilities.of({"experimental": {"pinciteOpenPdf": False}}).opens_pdf
    assert pdf_uri(file, 7).endswith("/a%20%281%29.pdf#page=7")
    assert f"“**Words**.”  \n— [p. 361]({pdf_uri(file, 7)}) (PDF page 7)" in shown(markdown=True)
    command = shown(markdown=True, opens_pdf=True)
    assert "[p. 361](command:pincite.openPdf?%5B%7B%22uri%22" in command
    assert '%22page%22%3A%207%2C%20%22sentence%22%3A%20%22Words.%22%7D%5D "Open' in command
    assert shown(markdown=False) == "Title · full text\n\n“*Words*.” (p. 361 (PDF page 7))"


def test_plain_text_has_addresses_and_no_markup(author):
    author.session.client = Capabilities()
    cited = author.ask(hover, "{ba|re,", "refs.bib").contents.value.split("\n\n")[1]
    assert cited == "Cited once: main.tex:7"
    shown = read(author, "harris1954")
    assert shown.startswith(
        "Harris 1954 · Distributional structure · full text · https://doi.org/10.1080/00437956.1954"
    )
    assert "“*Words* that *stand* in *like* *contexts*" in shown
    assert "`" not in read(author, "{bare")


CITED = r"""
%! main.tex
\documentclass{article}
\begin{document}
One \cite{harris1954} and \citep[see][]{bare, harris1954}.
\input{parts/more}
\nocite{old}
\bibliography{refs}
\end{document}
%! parts/more.tex
% \cite{harris1954}
Two \cite{harris1954}

and \cite{harris1954}, \cite{HARRIS1954}, \cite{harris1954}.
%! talk.tex
\documentclass{beamer}
\begin{document}\cite{harris1954}\input{parts/more}\bibliography{refs}\end{document}
%! other.tex
\documentclass{article}
\begin{document}\cite{harris1954}\bibliography{elsewhere}\end{document}
%! refs.bib
@string{bare = "Bare"}
@article{harris1954, author={Harris, Zellig}, title={Distributional {\'e}t{\'e}}, year=1954}
@misc{new, author={New, A.}, title={N*w}, ids={older, old}, abstract={Words of its own.}}
@misc{bare, author={Bare, A.}, title={Only a title}, crossref={nobody}}
@misc{nobody, title={Nobody's}, note={nobody}}
@misc{bare, title={The second}}
%! elsewhere.bib
@misc{harris1954, title={Another}}
%! alone.bib
@misc{single, title={Single}, abstract={Something is said.}}
"""


@pytest.fixture(name="reader")
def reader_with_a_project(editing):
    reader = editing(CITED)
    reader.session.client = Capabilities(markdown_hovers=True)
    return reader.indexed()


def parts(reader, at, name="refs.bib"):
    return reader.ask(hover, at, name).contents.value.split("\n\n")


def test_an_entry_shows_what_is_known_of_its_work_and_where_it_is_cited(reader):
    work, cited = parts(reader, "{harris|1954,")
    assert work == "**Harris 1954** · Distributional été · title only"
    main, more = reader.main.as_uri(), (reader.folder / "parts" / "more.tex").as_uri()
    assert cited == (
        f"Cited 7 times: [main.tex:3]({main}#L3), [parts/more.tex:2]({more}#L2), "
        f"[parts/more.tex:4]({more}#L4), [talk.tex:2]({reader.folder.as_uri()}/talk.tex#L2)"
    )
    key = reader.ask(hover, "{harris|1954,", "refs.bib").range
    assert key == types.Range(types.Position(1, 9), types.Position(1, 19))


def test_of_many_places_a_few_are_shown(reader):
    text = "\\documentclass{article}" + "\n\\cite{bare}" * 8 + "\\bibliography{refs}"
    reader.open("main.tex", text)
    cited = parts(reader, "{ba|re,")[1]
    assert cited.startswith("Cited 8 times: [main.tex:2](")
    assert cited.count("[main.tex:") == 5
    assert cited.endswith(", and 3 more")


def test_an_entry_is_cited_by_its_other_names_too(reader):
    for at in ("{ne|w,", "ids={old|er", "older, ol|d}"):
        work, cited = parts(reader, at)
        assert work == "**New** · N\\*w · abstract only"
        assert cited == f"Cited once: [main.tex:5]({reader.main.as_uri()}#L5)"


def test_an_entry_that_nobody_cites_is_shown_as_such(reader):
    assert parts(reader, "{nob|ody,")[1] == "Not cited in the 2 drafts with this bibliography."


def test_an_entry_of_no_draft_shows_its_content(reader):
    work, remark = parts(reader, "{sing|le,", "alone.bib")
    assert work == "**Single** · abstract only"
    assert remark == "No draft of the workspace reads this bibliography."


def test_an_entry_with_a_full_text_names_its_file(editing, tmp_path):
    reader = editing(DUMA)
    reader.session.client = Capabilities(markdown_hovers=True)
    (tmp_path / "duma.pdf").write_bytes((EXAMPLES / "papers" / "duma-klein-2014.pdf").read_bytes())
    work, cited = parts(reader.indexed(), "{du|ma,")
    basis = work.split(" · ")[-1]
    assert re.fullmatch(r"\[full text\]\(file://\S+/duma\.pdf\) \(duma\.pdf, \d+ pages\)", basis)
    assert cited.startswith("Cited once: [main.tex:3](")
    reader.session.client = Capabilities(markdown_hovers=True, opens_pdf=True)
    reader.open("refs.bib", version=2)
    assert "[full text](command:pincite.openPdf?" in parts(reader, "{du|ma,")[0]


@pytest.mark.parametrize(
    "at", ["@string{ba|re", "@mi|sc{new", "crossref={nob|ody}", "note={nob|ody}", "The sec|ond"]
)
def test_only_keys_of_entries_count(reader, at):
    assert reader.ask(hover, at, "refs.bib") is None
