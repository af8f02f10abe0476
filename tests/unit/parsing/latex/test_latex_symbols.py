import unicodedata

import pytest

from pincite.parsing.latex.symbols import plain_text


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (r"\"{oe}", "öe"),
        (r"{\"{o}}", "ö"),
        (r"\" o", "ö"),
        (r"\v s", "š"),
        (r"\k{a}", "ą"),
        (r"\r{a}", "å"),
        (r"\u{g}", "ğ"),
        (r"\.{I}", "İ"),
        (r"\.{\i}", "i"),
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
        ("a~b\\ c\\,d", "a b c d"),
        (r"a\hspace{1em}b\hspace*{2pt}c\quad d", "a b c d"),
        (r"\unknown[3]{kept \inner{too}}", "[3]kept too"),
        (r"\url{http://example.org/~ann/a_b} seen", "http://example.org/~ann/a_b seen"),
        (r"\textcolor{red}{bold} and \noopsort{1973b}1973", "bold and 1973"),
        (r"example.org/\~{}ann", "example.org/~ann"),
        ("costs $5 or more", "costs $5 or more"),
        (r"\foreignlanguage{french}{th\`ese}", "thèse"),
        (r"\cite[p.~3]{knuth}done", "done"),
    ],
)
def test_markup_reads_as_prose(written, read):
    assert plain_text(written) == read


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (r"$10^{8}$ or 10\textsuperscript{-8}", "10⁸ or 10⁻⁸"),
        (r"Ca$^{2+}$, Na$^+$ and SO$_4^{2-}$", "Ca²⁺, Na⁺ and SO₄²⁻"),
        (r"$\alpha\beta x$", "αβx"),
        (r"$\frac{a}{b}$", "a b"),
        (r"\(n \leq 10\)", "n ≤ 10"),
        (r"$\hat{\Gamma} \to \infty$", "Γ → infinity"),
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
