"""Inserting citations: as the author writes them, where the author would."""

from pathlib import Path

import pytest

from pincite.edits.citations import (
    cited_at,
    cited_at_end,
    conventions,
    filled,
    sentence_at,
    with_key,
)
from pincite.model.edits import applied
from pincite.parsing.drafts import DraftReader


def read(marked, name="main.tex", cursor="|"):
    """Return the file that `marked` is, how it cites, and the offset of its cursor."""
    before, after = marked.split(cursor)
    draft = DraftReader(lambda _: before + after).read(Path(name).absolute())
    (file,) = draft.files
    return file, conventions(draft), len(before)


def fill(marked):
    file, ways, offset = read(marked)
    gap = next(gap for gap in file.placeholders if gap.span.covers(offset))
    return applied(file.text, filled(file, gap, "KEY", ways, offset))


def add(marked):
    file, ways, offset = read(marked)
    citation = next(c for c in file.citations if c.span.covers(offset))
    return applied(file.text, with_key(file, citation, "KEY", ways, offset))


def cite_sentence(marked, name="main.tex", cursor="|"):
    file, ways, offset = read(marked, name, cursor)
    sentence = sentence_at(file, offset)
    return sentence and applied(file.text, cited_at_end(file, sentence, "KEY", ways))


def cite_here(marked, name="main.tex", cursor="|"):
    file, ways, offset = read(marked, name, cursor)
    assert sentence_at(file, offset, min_words=0) is None
    edits = cited_at(
        file, offset, "KEY", ways, lambda text: read(f"{text}\0", name, cursor="\0")[0]
    )
    return applied(file.text, edits)


@pytest.mark.parametrize(
    ("marked", "after"),
    [
        (r"\cite{|}", r"\cite{KEY}"),
        (r"\citep[see][]{ | }", r"\citep[see][]{KEY}"),
        (r"\cite{?|}", r"\cite{KEY}"),
        (r"\cite{a, |?}", r"\cite{a, KEY}"),
        (r"\cite<|>", r"\cite{KEY}"),
        (r"Words \citep*<>| here", r"Words \citep*{KEY} here"),
        # In words: as the author cites elsewhere.
        ("Words [citation |needed].", "Words~\\cite{KEY}."),
        (r"A \citep{a}. Words[citation needed|].", r"A \citep{a}. Words \citep{KEY}."),
        (r"A~\cn{a}. B [citation needed|] \newcommand{\cn}{\citep}", r"A~\cn{a}. B~\cn{KEY} \newcommand{\cn}{\citep}"),
        (r"\newcommand{\needed}{[citation needed]} A \needed|{}.", r"\newcommand{\needed}{[citation needed]} A~\cite{KEY}."),
        # Not closed, or cited already.
        (r"\cite{|", r"\cite{"),
        (r"\cite{KEY, |?}", r"\cite{KEY, ?}"),
        ("\\cite{% which?\n|}", "\\cite{% which?\n}"),
    ],
)  # fmt: skip
def test_filling_a_placeholder(marked, after):
    assert fill(marked) == after


@pytest.mark.parametrize(
    ("marked", "after"),
    [
        (r"\cite{a|, b}", r"\cite{a, b, KEY}"),
        (r"\cite{a|} \cite{b, c}", r"\cite{a, KEY} \cite{b, c}"),
        (r"\cite{a|, ?}", r"\cite{a, KEY}"),
        ("\\cite{a, % one\n b|% two\n}", "\\cite{a, % one\n b,KEY% two\n}"),
        (r"|\citep[see][]{a}", r"\citep[see][]{a,KEY}"),
        # Behind it, the note would be printed as one of the new key.
        (r"\citep[see][p.~3]{a, b|}", r"\citep[see][p.~3]{a, KEY, b}"),
        (r"\parencites[3]{a|}[4]{b}", r"\parencites[3]{a}[4]{b}{KEY}"),
        (r"\volcite{2}{a|}", r"\volcite{2}{a,KEY}"),
        # These print no citation of the work.
        (r"By \citeauthor*{a|} \citep{b}.", r"By \citeauthor*{a} \citep{KEY} \citep{b}."),
        (r"By~\cite{b}, \citefield{a|}{title}.", r"By~\cite{b}, \citefield{a}{title}~\cite{KEY}."),
        (r"\nocite{a|}", r"\nocite{a}"),
        (r"\cite{a|", r"\cite{a"),
        (r"\cite{KEY|, a}", r"\cite{KEY, a}"),
    ],
)
def test_adding_a_key_to_a_citation(marked, after):
    assert add(marked) == after


@pytest.mark.parametrize(
    ("marked", "after"),
    [
        ("These |words are shown. Next.", "These words are shown~\\cite{KEY}. Next."),
        ("These words are |shown .", "These words are shown~\\cite{KEY} ."),
        # French punctuation is parted from the words.
        ("Ces |mots sont vrais~:\n\nOui", "Ces mots sont vrais~\\cite{KEY}~:\n\nOui"),
        ("Ces |mots sont vrais~\\citep{a}~! Oui", "Ces mots sont vrais~\\citep{a,KEY}~! Oui"),
        ("\\item Three words |here\n\\item go", "\\item Three words here~\\cite{KEY}\n\\item go"),
        ("These |words are \\emph{bold}. Next", "These words are \\emph{bold}~\\cite{KEY}. Next"),
        (
            "We |see\n\\begin{align} a &= b \\end{align}\nfrom it.",
            "We see\n\\begin{align} a &= b \\end{align}\nfrom it~\\cite{KEY}.",
        ),
        ("Its |value is $a=b$. Next", "Its value is $a=b$~\\cite{KEY}. Next"),
        ("Words % |a. b\n are here", "Words % a. b\n are here~\\cite{KEY}"),
        ("These |words (or so)\n\nare here", "These words (or so)~\\cite{KEY}\n\nare here"),
        ("(These |words in brackets.) Next", "(These words in brackets~\\cite{KEY}.) Next"),
        # The full stop stays inside the quotation, where the author has put it.
        ("These ``|words are so.'' Next", "These ``words are so.''~\\cite{KEY} Next"),
        # The last word's own full stop.
        ("Words, |phrases, etc. Next one", "Words, phrases, etc.~\\cite{KEY}. Next one"),
        ("Its |friction is $\\mu=0.5$. Next", "Its friction is $\\mu=0.5$~\\cite{KEY}. Next"),
        # What is there takes the key in.
        ("These |words are shown~\\citep{a}. Next", "These words are shown~\\citep{a,KEY}. Next"),
        ("These |words are shown\n\\nocite{a}.", "These words are shown\n\\nocite{a}~\\cite{KEY}."),
    ],
)
def test_citing_at_the_end_of_a_sentence(marked, after):
    assert (cite_sentence(marked) or marked.replace("|", "")) == after


@pytest.mark.parametrize(
    ("row", "after"),
    [
        (r"Otters sw|im & in rivers & 9 \\", r"Otters swim~\cite{KEY} & in rivers & 9 \\"),
        (r"Otters swim & |in rivers & 9 \\", r"Otters swim & in rivers~\cite{KEY} & 9 \\"),
        (r"Otters swim & in rivers| & 9 \\", r"Otters swim & in rivers~\cite{KEY} & 9 \\"),
        (r"Otters swim & in rivers & |9 \\", r"Otters swim & in rivers & 9~\cite{KEY} \\"),
        (r"They swim. They |fly. & in rivers \\", r"They swim. They fly~\cite{KEY}. & in rivers \\"),
        (r"Cats \& ott|ers & in rivers \\", r"Cats \& otters~\cite{KEY} & in rivers \\"),
        ("Otters sw|im % & x\n so & 9 \\\\", "Otters swim % & x\n so~\\cite{KEY} & 9 \\\\"),
        # What is at the end of the cell takes the key in, not what is in another.
        (r"Otters \cite{a} & in ri|vers & \cite{b} \\", r"Otters \cite{a} & in rivers \cite{KEY} & \cite{b} \\"),
        (r"Ot|ters \cite{a} & in rivers & \cite{b} \\", r"Otters \cite{a,KEY} & in rivers & \cite{b} \\"),
        (r"Otters   | & in rivers & 9 \\", r"Otters~\cite{KEY}    & in rivers & 9 \\"),
        (r"Otters & &| & 9 \\", None),
        (r"& &| & otters \\", None),
    ],
)  # fmt: skip
def test_a_cell_of_a_table_is_cited_in(row, after):
    file, ways, offset = read(f"\\begin{{tabular}}{{lll}}\n{row}\n\\end{{tabular}}")
    sentence = sentence_at(file, offset, min_words=0)
    edited = sentence and applied(file.text, cited_at_end(file, sentence, "KEY", ways))
    assert edited == (after and f"\\begin{{tabular}}{{lll}}\n{after}\n\\end{{tabular}}")


def test_only_the_cell_with_a_citation_cites():
    file, _, _ = read(
        "|\\begin{tabular}{l} The words \\cite{a} go & and so do these. \\end{tabular}"
    )
    assert sentence_at(file, file.text.index("The")).cited
    assert not sentence_at(file, file.text.index("these")).cited


@pytest.mark.parametrize(
    ("name", "marked"),
    [
        ("main.typ", "- Otters |eat at most $n$"),
        ("main.typ", "#figure(caption: [Otters |eat at most $n$+])[]"),
        ("main.typ", "- Otters |eat _small fish_"),
        ("main.typ", "- Otters |eat at most $n = 2$"),
        ("main.tex", "- Otters |swim all day+..."),
        ("paper.md", "- Otters |swim all day+..."),
        ("main.typ", "- Otters |swim all day+... They fly."),
        ("paper.md", "- Otters |breathe out CO~2~"),
        ("paper.md", "- Otters |eat **small *fish***"),
        ("paper.md", "- Otters |read `fish`"),
    ],
)
def test_a_citation_goes_after_what_ends_without_a_full_stop(name, marked):
    after = marked.replace("|", "")
    after = after.replace("+", CITED[name]) if "+" in after else after + CITED[name]
    assert cite_sentence(marked.replace("+", ""), name) == after


@pytest.mark.parametrize(
    "marked",
    [
        "Otters swim well+.[^1]| They fly.",
        "They swim all day+.[^1][^b]|",
        "Otters **swim well+.**|",
    ],
)
def test_marks_of_footnotes_belong_to_the_sentence_before_them(marked):
    after = marked.replace("|", "").replace("+", CITED["paper.md"])
    assert cite_sentence(marked.replace("+", ""), "paper.md") == after


AT_CURSOR = {
    "main.tex": [
        r"Otters eat \gls{fish}+|",
        r"\item Otters eat \textbf{fish}+| \item go",
        r"So \enquote{they eat \emph{fish}}+|",
        r"They eat as in \ref{x}+  |",
        r"They eat fish\dots+|",
        r"Ot|ters+ eat \gls{fish}",
        r"\caption{Otters eat \gls{fish}+|}",
    ],
    "paper.md": ["They eat $n$+|", "- They eat $n$+ |\n- go", "They eat <br>+|"],
    "main.typ": ["They eat #strong[fish]+|", "$n = 2$+|", "- #emph[fish]+ |\n- go"],
}


@pytest.mark.parametrize(
    ("name", "marked"), [(name, each) for name, those in AT_CURSOR.items() for each in those]
)
def test_without_an_end_of_the_sentence_it_is_cited_at_the_cursor(name, marked):
    after = marked.replace("|", "").replace("+", CITED[name])
    assert cite_here(marked.replace("+", ""), name) == after


@pytest.mark.parametrize(
    ("name", "marked"),
    [
        ("main.tex", r"Fish\footnote{|}"),
        ("main.tex", "Fish.\n\\item |\n\\item go"),
        ("main.tex", r"\begin{tabular}{ll} fish & ¦ & so \\ \end{tabular}"),
        ("main.tex", "Fish.\n\n|\n\nSo."),
        ("main.tex", "|"),
        ("paper.md", "Fish^[|]"),
        ("paper.md", "- Fish\n- |\n"),
        ("paper.md", "1. |"),
        ("paper.md", "> |"),
        ("paper.md", "| a | b |\n|---|---|\n| a | ¦ |"),
        ("main.typ", "Fish#footnote[|]"),
        ("main.typ", "- Fish\n- |\n"),
        ("main.typ", "#table([fish], [|])"),
        ("main.typ", "#figure(caption: [|])[]"),
    ],
)
def test_where_nothing_is_written_yet_nothing_comes_before_the_citation(name, marked):
    cursor = "¦" if "¦" in marked else "|"
    expected = marked.replace(cursor, CITED[name].lstrip(" ~"))
    assert cite_here(marked, name, cursor) == expected


@pytest.mark.parametrize(
    ("name", "marked"),
    [
        ("main.tex", r"\section{Otters \gls{x}|}"),
        ("main.tex", r"Otters \gls{x|}"),
        ("main.tex", r"Otters \label{|}"),
        ("main.tex", r"Otters \ref{|x}"),
        ("main.tex", r"\caption[|]{}"),
        ("main.tex", r"\includegraphics[|]{x}"),
        ("main.tex", r"\textcolor{|}{x}"),
        ("main.tex", r"\begin{tabular}{l¦} \end{tabular}"),
        ("main.tex", r"So $|$"),
        ("main.tex", r"\[ | \]"),
        ("main.tex", "\\begin{align}\n|\n\\end{align}"),
        ("main.tex", "\\begin{verbatim}\n|\n\\end{verbatim}"),
        ("main.tex", r"So \verb+|+"),
        ("main.tex", "% |"),
        ("main.tex", "|\n\\begin{document}\n\\end{document}"),
        # A command that waits for its argument, or is not typed yet.
        ("main.tex", r"\textbf|{x}"),
        ("main.tex", r"Otters \ci|"),
        ("paper.md", "# Otters |"),
        ("paper.md", "So $n|$"),
        ("paper.md", "$$\n|\n$$"),
        ("paper.md", "```\n|\n```"),
        ("paper.md", "So [](|)"),
        ("paper.md", "---\ntitle: |\n---\n\nSo."),
        ("main.typ", "= Otters |"),
        ("main.typ", "So $n| = 2$"),
        ("main.typ", "```\n|\n```"),
        ("main.typ", "#let x = |"),
        ("main.typ", '#image("|")'),
        ("main.typ", "So <x|>"),
        ("main.typ", "// |"),
    ],
)
def test_only_text_is_cited_in_at_the_cursor(name, marked):
    cursor = "¦" if "¦" in marked else "|"
    assert cite_here(marked, name, cursor) == marked.replace(cursor, "")


FOOTNOTES = {
    "main.tex": lambda body, note: f"{body}\\footnote{{{note}}}",
    "paper.md": lambda body, note: f"{body}^[{note}]",
    "main.typ": lambda body, note: f"{body}#footnote[{note}]",
}
CITED = {"main.tex": "~\\cite{KEY}", "paper.md": " [@KEY]", "main.typ": " @KEY"}


@pytest.mark.parametrize("name", FOOTNOTES)
@pytest.mark.parametrize(
    ("host", "note", "rest"),
    [
        # `+` is where the citation goes.
        ("Otters swim all day.", "They live in ri|vers+", " They fly."),
        ("Otters swim all day", "They live in ri|vers+.", " and fly."),
        ("Otters swim all day", "|They live in rivers+.", "."),
        ("Otters swim all day", "They live in rivers+.|", ""),
        ("Otters swim all day.", "So is |this one+. They live in rivers.", " They fly."),
        ("Otters swim all day.", "So is this one. They live in ri|vers+.", " They fly."),
        ("Otters swim (all day", "They live in ri|vers (or so)+", "), and they fly."),
        # In the text, also before the mark and after the note.
        ("Otters sw|im all day+.", "They live in rivers", " They fly."),
        ("Otters swim all day+.|", "They live in rivers.", " They fly."),
        ("Otters swim all day+.", "They live in rivers.", "| They fly."),
        ("Otters swim all day.", "They live in rivers.", " They |fly so well+. So."),
        ("Otters sw|im all day", "They live in rivers.", " and fly+."),
        ("Otters swim all day", "They live in rivers.", "| and fly+."),
        ("Otters sw|im all day+", "They live in rivers.", ""),
    ],
)  # fmt: skip
def test_a_footnote_is_cited_in_from_within_it_only(name, host, note, rest):
    marked = FOOTNOTES[name](host, note) + rest
    after = marked.replace("|", "").replace("+", CITED[name])
    assert cite_sentence(marked.replace("+", ""), name) == after


@pytest.mark.parametrize(
    ("marked", "after"),
    [
        # What is at its end takes the key in.
        (r"It is.\footnote{They |live there \cite{a}} They \cite{b}.", r"It is.\footnote{They live there \cite{a,KEY}} They \cite{b}."),
        (r"It is\footnote{They |live there \cite{a}.} so.", r"It is\footnote{They live there \cite{a,KEY}.} so."),
        (r"It |is so\footnote{They live \cite{a}}", r"It is so \cite{KEY}\footnote{They live \cite{a}}"),
        (r"It is\footnote{They live\footnote{in |cold rivers} here} so.", r"It is\footnote{They live\footnote{in cold rivers~\cite{KEY}} here} so."),
        (r"It is\footnote{They |live\footnote{in cold rivers} here} so.", r"It is\footnote{They live\footnote{in cold rivers} here~\cite{KEY}} so."),
        (r"\caption{Otters in rivers\footnote{They |live there}.}", r"\caption{Otters in rivers\footnote{They live there~\cite{KEY}}.}"),
        (r"\caption[Otters]{Otters in |rivers\footnote{They live there}}", r"\caption[Otters]{Otters in rivers~\cite{KEY}\footnote{They live there}}"),
        (r"\begin{tabular}{l} Otters in rivers\footnote{They |live there} & so \\ \end{tabular}", r"\begin{tabular}{l} Otters in rivers\footnote{They live there~\cite{KEY}} & so \\ \end{tabular}"),
        # In several paragraphs.
        ("It is.\\footnote{So |it is here\n\nThey live} They fly.", "It is.\\footnote{So it is here~\\cite{KEY}\n\nThey live} They fly."),
        ("It is.\\footnote{So it is\n\nThey |live there} They fly.", "It is.\\footnote{So it is\n\nThey live there~\\cite{KEY}} They fly."),
        ("It is.\\footnote{So it is\n\nThey live} They |fly there.", "It is.\\footnote{So it is\n\nThey live} They fly there~\\cite{KEY}."),
        # Parentheses that are no footnotes.
        (r"\acro{o}{Otters} It is \emph{so} (\emph{they |live}) there.", r"\acro{o}{Otters} It is \emph{so} (\emph{they live}) there~\cite{KEY}."),
    ],
)  # fmt: skip
def test_citing_in_footnotes_of_latex(marked, after):
    assert cite_sentence(marked) == after


@pytest.mark.parametrize(
    ("others", "end"),
    [
        (r"A~\citep{a}. B~\citep{b}. C \cite{c}.", r"shown~\citep{KEY}."),
        (r"A \cite{a}. B \cite{b}.", r"shown \cite{KEY}."),
        (r"So \autocites{a}{b}.", r"shown~\autocite{KEY}."),
        (r"One\supercite{a} two\supercite{b}.", r"shown\supercite{KEY}."),
        (r"One.\footcite{a} Two.\footcite{b}", r"shown.\footcite{KEY}"),
        # A comment hides the line end before the command.
        ("One.%\n\\footcite{a} Two.%\n  \\footcite{b}", r"shown.\footcite{KEY}"),
        (r"Year \citeyear{a}. \nocite{b}", r"shown~\cite{KEY}."),
        (r"\usepackage{natbib}", r"shown~\citep{KEY}."),
        (r"\usepackage{biblatex}", r"shown~\parencite{KEY}."),
    ],
)
def test_citing_as_the_author_does(others, end):
    assert cite_sentence(f"{others}\n\nThese words are |shown.").endswith(end)


@pytest.mark.parametrize(
    "marked",
    [
        "\\section{These \\emph{are} |words}\nText.",
        "\\usepackage{x} Some |words go here.\n\\begin{document}\nText is here.\n\\end{document}",
        "\\begin{verbatim}\nThese are |words.\n\\end{verbatim}\nText is here, too.",
        "We have |it that $a=b.$ Next.",
        "We write |it as\n\\[ a = b. \\]\nNext one.",
        "We write |it as\n\\[ a\n% c\n = b. \\]\nNext one.",
        "\\section{These\n  % so\nare |words}\nText.",
        "One |word.",
        "We know $x$, and that is so.\n" * 400 + "Here $a = b$ or $c. |All of d = $ e.",
        "|",
    ],
)
def test_where_no_citation_can_be_nothing_changes(marked):
    assert cite_sentence(marked) is None


@pytest.mark.parametrize(
    ("marked", "after"),
    [
        ("Otters sw|im.", "Otters swim~\\cite{KEY}."),
        ("\\item Otters sw|im\n\\item go", "\\item Otters swim~\\cite{KEY}\n\\item go"),
        ("\\item ot|ter.", "\\item otter~\\cite{KEY}."),
        ("\\caption{Otters sw|im}", "\\caption{Otters swim~\\cite{KEY}}"),
        ("Fish\\footnote{Otters sw|im.} so", "Fish\\footnote{Otters swim~\\cite{KEY}.} so"),
        # A sentence without spaces.
        ("人沿河而行，可|辨成长足迹。", "人沿河而行，可辨成长足迹~\\cite{KEY}。"),
        ("\\section{Ot|ters}", None),
        ("\\[ ot|ters. \\]", None),
        (" |", None),
    ],
)
def test_a_citation_that_is_asked_for_needs_no_number_of_words(marked, after):
    file, ways, offset = read(marked)
    assert sentence_at(file, offset) is None
    sentence = sentence_at(file, offset, min_words=0)
    assert (sentence and applied(file.text, cited_at_end(file, sentence, "KEY", ways))) == after


@pytest.mark.parametrize(
    ("marked", "after"),
    [
        ("Otters swim in rivers |", "Otters swim in rivers~\\cite{KEY} "),
        ("Otters swim in rivers.  |\n\nNext", "Otters swim in rivers~\\cite{KEY}.  \n\nNext"),
        ("\\footnote{Otters swim in |}", "\\footnote{Otters swim in~\\cite{KEY} }"),
        ("\\item Otters swim here |\n\\item go", "\\item Otters swim here~\\cite{KEY} \n\\item go"),
        ("Otters swim here.\n\\item |\n\\item go", None),
        # A tie is there for the citation, unless it parts a French stop from the word.
        ("Otters swim in rivers~|\n\nNext", "Otters swim in rivers~\\cite{KEY}\n\nNext"),
        ("Otters swim in rivers~|. Next", "Otters swim in rivers~\\cite{KEY}. Next"),
        ("Les loutres nagent ici~|:\n\nNon", "Les loutres nagent ici~\\cite{KEY}~:\n\nNon"),
        ("Otters swim, dive, etc.~|\n\nNext", "Otters swim, dive, etc.~\\cite{KEY}.\n\nNext"),
        # A backslash stays with its space.
        ("Otters swim in rivers\\ |. Next", "Otters swim in rivers~\\cite{KEY}\\ . Next"),
    ],
)  # fmt: skip
def test_a_sentence_is_cited_in_that_the_author_is_still_writing(marked, after):
    assert cite_sentence(marked) == after


@pytest.mark.parametrize("more", range(0, 20, 3))
def test_a_long_paragraph_is_one_all_the_same(more):
    before = "x" * more + " We know that $x_1 + x_2 + x_3 + x_4$ is large here." * 150
    cited = cite_sentence(f"{before} These words are |shown.")
    assert cited.endswith("These words are shown~\\cite{KEY}.")


def test_a_sentence_knows_that_it_cites():
    file, _, offset = read("These words \\citep{a} are |shown. These are not.")
    assert sentence_at(file, offset).cited
    assert not sentence_at(file, len(file.text) - 5).cited
