import unicodedata

import pytest

from pincite.parsing.latex.symbols import plain_text


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (r"\"{o}", "ö"),
        (r"\"{oe}", "öe"),
        (r"\"o", "ö"),
        (r"{\"o}", "ö"),
        (r"{\"{o}}", "ö"),
        (r"\" o", "ö"),
        (r"\'{\i}", "í"),
        (r"\'\i", "í"),
        (r"{\'\i}", "í"),
        (r"\c{c}", "ç"),
        (r"\c c", "ç"),
        (r"\v s", "š"),
        (r"\v{c}", "č"),
        (r"\H{o}", "ő"),
        (r"\k{a}", "ą"),
        (r"\r{a}", "å"),
        (r"\u{g}", "ğ"),
        (r"\.{I}", "İ"),
        (r"\.{\i}", "i"),
        (r"\d{\^e}", "ệ"),
        (r"\'{\^{E}}", "Ế"),
        (r"\b{d}", "ḏ"),
        (r"\t{oo}", "o͡o"),
        (r"\~n", "ñ"),
        (r"\ocirc{u} \polhk{a} \soft{d} \udot{d} \lfhook{s}", "ů ą ď ḍ ș"),
        (r"\={u}", "ū"),
    ],
)
def test_accents_in_every_form_compose_to_one_letter(written, read):
    assert plain_text(written) == read


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (r"S{\o}ren \O rsted", "Søren Ørsted"),
        (r"Stra{\ss}e", "Straße"),
        (r"{\L}{\'o}d{\'z}", "Łódź"),
        (r"Erd{\H o}s and {\AA}ngstr\"om", "Erdős and Ångström"),
        (r"D\i yarbak\i r", "Dıyarbakır"),
        (r"Il\cprime in and \Dbar{}okovi\'c", "Ilʹin and Đoković"),
        (r"{\TeX}nical notes on \LaTeX{} and \BibTeX", "TeXnical notes on LaTeX and BibTeX"),
        (r"\S 3, \copyright\ 1999, \pounds 5", "§3, © 1999, £5"),
        (r"wait\ldots\ and\textendash see", "wait… and–see"),
    ],
)
def test_letters_and_signs_of_their_own(written, read):
    assert plain_text(written) == read


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("a~b\\ c\\,d", "a b c d"),
        (r"a\hspace{1em}b\hspace*{2pt}c\quad d", "a b c d"),
        ("pages 1--9 --- all", "pages 1–9 — all"),
        ("``so'' they say", "“so” they say"),
        (r"\& \% \$ \# \_ \{ \}", "& % $ # _ { }"),
        (r"\emph{x} \textit{y} \mkbibquote{z}", "x y z"),
        (r"{\em very} {\sc Small}", "very Small"),
        (r"\unknown[3]{kept \inner{too}}", "[3]kept too"),
        ("{D}{NA} of the {{Max Planck}} group", "DNA of the Max Planck group"),
        ("two\n   lines\tof  text ", "two lines of text"),
        (r"\url{http://example.org/~ann/a_b} seen", "http://example.org/~ann/a_b seen"),
        (r"\href{http://example.org}{the page}", "the page"),
        (r"\textcolor{red}{bold} and \noopsort{1973b}1973", "bold and 1973"),
        (r"example.org/\~{}ann", "example.org/~ann"),
        ("costs $5 or more", "costs $5 or more"),
        ("snake_case^2", "snake_case^2"),
        (r"\foreignlanguage{french}{th\`ese}", "thèse"),
        (r"\cite[p.~3]{knuth}done", "done"),
    ],
)
def test_markup_reads_as_prose(written, read):
    assert plain_text(written) == read


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("$x_1$", "x₁"),
        (r"$10^{8}$ or 10\textsuperscript{-8}", "10⁸ or 10⁻⁸"),
        ("H$_2$O", "H₂O"),
        (r"$\alpha$-stable", "α-stable"),
        (r"$\alpha\beta x$", "αβx"),
        (r"3$\sigma$ events", "3σ events"),
        (r"$\frac{a}{b}$", "a b"),
        (r"\(n \leq 10\)", "n ≤ 10"),
        (r"$\hat{\Gamma} \to \infty$", "Γ → infinity"),
        (r"90$^\circ$C", "90°C"),
        (r"$x_i^{n}$ of $K_d$", "xᵢⁿ of Kd"),
        (r"$\overline{MS}$ and $\bar p$", "M̅S̅ and p̅"),
        (r"$\mathbf{W} \in \mathbb{R}^d$", "W in Rᵈ"),
    ],
)
def test_mathematics_becomes_signs_and_words(written, read):
    assert plain_text(written) == read


def test_text_without_markup_only_has_its_space_and_letters_normalised():
    decomposed = unicodedata.normalize("NFD", "Kähler  and\nnaïve")
    assert plain_text(decomposed) == "Kähler and naïve"
    assert plain_text("O'Brien's plan") == "O'Brien's plan"
    assert plain_text("") == ""


@pytest.mark.parametrize(
    "broken", ["\\", "\\'", "{", "}", "$", "\\'{", "\\cite{", "\\cite[", "\\v"]
)
def test_unfinished_markup_is_read_in_linear_time(broken):
    plain_text(broken)
    # Anything quadratic would need many minutes for this.
    plain_text(f"start {broken * 200_000} end")
