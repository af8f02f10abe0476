"""Tags of HTML, JATS and MathML in titles and abstracts."""

from pathlib import Path

import pytest

from pincite.parsing.bibtex import parse_bibliography
from pincite.text.tags import without_tags


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("CO<sub>2</sub> in <i>E. coli</i>", "CO₂ in E. coli"),
        ("<SUP>13</SUP>C and 10<sup>-3</sup>", "¹³C and 10⁻³"),
        ("Ca<sup>2+</sup> and SO<sub>4</sub><sup>2−</sup>", "Ca²⁺ and SO₄²⁻"),
        ("Salt &amp; sand, 5&#160;&lt;&#xa0;6", "Salt & sand, 5\xa0<\xa06"),
        ("&lt;i&gt;Castor&lt;/i&gt; dams", "Castor dams"),
        (
            "<jats:p>Dams hold water.</jats:p><jats:p>They leak.</jats:p>",
            "Dams hold water. They leak.",
        ),
        ("<jats:title>Abstract</jats:title><jats:p>Dams leak.</jats:p>", "Dams leak."),
        ("Near <mml:math xmlns:mml='m'><mml:mi>T</mml:mi></mml:math> = 0", "Near T = 0"),
        ("<span class='nocase'>pH</span> of ponds", "pH of ponds"),
    ],
)
def test_tags_are_left_out_and_entities_decoded(written: str, plain: str) -> None:
    assert without_tags(written) == plain


@pytest.mark.parametrize(
    "text",
    [
        "for a <b> c",
        "the type List<T>",
        "Netz <Vom Rand>",
        "&unknown;",
    ],
)
def test_what_only_looks_like_a_tag_remains(text: str) -> None:
    assert without_tags(text) == text


def test_fields_are_without_tags_however_these_are_escaped() -> None:
    bibliography = parse_bibliography(
        r"""
        @article{dams,
          title = {Dams of {\textless}i{\textgreater}Castor{\textless}/i{\textgreater}},
          journal = {Ponds \&amp; Rivers},
          abstract = {Of CO{$<$}SUB{$>$}2{$<$}/SUB{$>$}.{$<$}BR /{$>$}More.},
          url = {https://example.org/<i>a</i>?b&amp;c},
        }
        """,
        Path("references.bib"),
    )
    fields = bibliography.entries["dams"].fields
    assert fields["title"] == "Dams of Castor"
    assert fields["journal"] == "Ponds & Rivers"
    assert fields["abstract"] == "Of CO₂. More."
    assert fields["url"] == "https://example.org/<i>a</i>?b&amp;c"
