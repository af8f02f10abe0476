"""References as printed, style by style (the works are real), and lists cut into references."""

import pytest

from pincite.parsing.papers.reference_authors import read_authors
from pincite.parsing.papers.reference_lists import ListLine, split_references
from pincite.parsing.papers.references import parse_reference, read_references

#: Style, authors and year, and the reference with its title in braces.
STYLES = """
ACL: Tillmann; Ney (2003)
    Christoph Tillmann and Hermann Ney. 2003. {Word reordering and a dynamic programming beam search algorithm for statistical machine translation}. Computational Linguistics, 29(1):97–133.
ACL, all names inverted: Berger; Della Pietra; Della Pietra (1996)
    Berger, Adam L., Della Pietra, Stephen A., and Della Pietra, Vincent J. 1996. {A maximum entropy approach to natural language processing}. Computational Linguistics, 22(1):39–72.
ACL, initials: Daelemans; Zavrel; van der Sloot; van den Bosch (2004)
    W. Daelemans, J. Zavrel, K. van der Sloot, and A. van den Bosch. 2004. {TiMBL: Tilburg memory based learner, version 5.1}. Technical Report ILK 04-02, Tilburg University.
ACL of the 1990s: Brown (1993)
    Brown, P. et al: 1993. {The Mathematics of Statistical Machine Translation: Parameter Estimation}. Computational Linguistics, 19(2):263-311.
no year, no comma before the next name: Chiang (2007)
    D. Chiang. {Hierarchical phrase-based translation}. Computational Linguistics, 33(2):201–228, June 2007.
capitals: Aho; Ullman (1972)
    AHO, A. V., AND ULLMAN, J. D. {The Theory of Parsing, Translation, and Compiling}. Prentice-Hall, 1972.
IEEE: Blei; Ng; Jordan (2003)
    [7] D. M. Blei, A. Y. Ng, and M. I. Jordan, “{Latent Dirichlet allocation},” J. Mach. Learn. Res., vol. 3, pp. 993–1022, 2003.
ACM: Porter (1980)
    [3] Martin F. Porter. 1980. {An algorithm for suffix stripping}. Program 14, 3 (1980), 130–137. https://doi.org/10.1108/eb046814
LNCS: Och; Ney (2003)
    7. Och, F.J., Ney, H.: {A systematic comparison of various statistical alignment models}. Comput. Linguist. 29(1), 19–51 (2003)
APA, particles: de Marneffe; MacCartney; Manning (2006)
    de Marneffe, M.-C., MacCartney, B., & Manning, C. D. (2006). {Generating typed dependency parses from phrase structure parses}. In Proceedings of LREC.
APA, a body: World Health Organization (2001)
    World Health Organization. (2001). {The world health report 2001: Mental health: New understanding, new hope}. Geneva.
Nature, no title: LeCun; Bengio; Hinton (2015)
    12. LeCun, Y., Bengio, Y. & Hinton, G. Nature 521, 436–444 (2015).
Science, no title: Watson; Crick (1953)
    4. J. D. Watson, F. H. C. Crick, Nature 171, 737 (1953).
Elsevier, numbered: Hochreiter; Schmidhuber (1997)
    [3] S. Hochreiter, J. Schmidhuber, {Long short-term memory}, Neural Computation 9 (8) (1997) 1735–1780.
Elsevier, names and year: Blei; Ng; Jordan (2003)
    Blei, D.M., Ng, A.Y., Jordan, M.I., 2003. {Latent Dirichlet allocation}. J. Mach. Learn. Res. 3, 993–1022.
Vancouver: Tillmann; Ney (2003)
    5. Tillmann C, Ney H. {Word reordering and a dynamic programming beam search algorithm for statistical machine translation}. Comput Linguist. 2003;29(1):97-133.
MLA: Knuth (1968)
    Knuth, Donald E. {The Art of Computer Programming}. Addison-Wesley, 1968.
Chicago: Shannon (1948)
    Shannon, Claude E. “{A Mathematical Theory of Communication}.” Bell System Technical Journal 27, no. 3 (1948): 379–423.
German: Zuse; Wössner (1972)
    Zuse, K.; Wössner, H.: {Der Plankalkül}. Gesellschaft für Mathematik, Bonn 1972.
not yet printed: im Walde; Ó Séaghdha ()
    Sabine Schulte im Walde and Ó Séaghdha, D. in press. {A made-up study of verbs}. Cognition.
a question as title: Kübler; Hinrichs; Maier (2006)
    Sandra Kübler, Erhard W. Hinrichs, and Wolfgang Maier. 2006. {Is it really that difficult to parse German?} In Proceedings of EMNLP, pages 111–119.
""".strip().split("\n")


@pytest.mark.parametrize(
    ("facts", "text"), [*zip(STYLES[::2], STYLES[1::2], strict=True)], ids=STYLES[::2]
)
def test_styles(facts: str, text: str) -> None:
    reference = parse_reference(text.strip().replace("{", "").replace("}", ""))
    names = "; ".join(reference.surnames)
    assert f"{names} ({reference.year})" == facts.rpartition(": ")[2]
    assert reference.title == text.partition("{")[2].partition("}")[0]


@pytest.mark.parametrize(
    ("names", "surnames"),
    [
        ("BEAN, D. and RILOFF, E. 2004", ["Bean", "Riloff"]),
        (
            "A. L. Berger, P. F. Brown, S. A. Della Pietra, et al. 1994",
            ["Berger", "Brown", "Della Pietra"],
        ),
        ("Rada Mihalcea and others. 2004", ["Mihalcea"]),
        ("J.-C. Chappelier, M. Rajman. 1999", ["Chappelier", "Rajman"]),
        ("Ph. Koehn and Ll. Màrquez. 2007", ["Koehn", "Màrquez"]),
        ("D.B.Rubin. 1977", ["Rubin"]),
        ("Hal Daumé III and Daniel Marcu. 2006", ["Daumé", "Marcu"]),
        ("Martin Luther King, Jr. 1963", ["King"]),
        ("Yaser Al-Onaizan and Jan Curin. 1999", ["Al-Onaizan", "Curin"]),
        ("R. Weischedel, and the Annotation Group. 1998", ["Weischedel"]),
    ],
)
def test_names(names: str, surnames: list[str]) -> None:
    assert read_authors(names).surnames == surnames


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("[Och03] F. Och. 2003. Title.", "Och03"),
        ("[Och and Ney, 2003a] F. Och and H. Ney. Title. Venue.", "Och and Ney, 2003a"),
        ("(Bikel 1997) Daniel M. Bikel: Title, 1997", "Bikel 1997"),
        ("¹² F. Och. 2003. Title.", "12"),
    ],
)
def test_labels(text: str, label: str) -> None:
    reference = parse_reference(text)
    assert reference.label == label
    assert reference.surnames[0] in ("Och", "Bikel")


@pytest.mark.parametrize(
    ("stated", "doi", "arxiv"),
    [
        ("doi:10.1162/089120103321337421.", "10.1162/089120103321337421", ""),
        ("https://doi.org/10.1016/S0004-3702(97)00043-X", "10.1016/s0004-3702(97)00043-x", ""),
        ("CoRR, abs/1706.03762.", "", "1706.03762"),
    ],
)
def test_identifiers(stated: str, doi: str, arxiv: str) -> None:
    reference = parse_reference(f"F. Och. 2003. Title. {stated}")
    assert (reference.doi, reference.arxiv, reference.label) == (doi, arxiv, "")
    assert reference.surnames == ("Och",)


def test_the_year_of_a_label_is_the_references_own() -> None:
    reference = parse_reference("[Och and Ney, 2003a] F. Och and H. Ney. A title. Venue, 2003.")
    assert reference.year == "2003a"


@pytest.mark.parametrize("text", ["", " ", "[3]", "12.", "…", "“", "———.", "(2001)", "A"])
def test_what_is_no_reference_is_no_error(text: str) -> None:
    assert parse_reference(text).title == ""


# Lists ------------------------------------------------------------------------------------------

ITEMS = [
    ["Al-Onaizan, Y. and Knight, K. 2002. Machine", "transliteration of names in Arabic text. In", "Proceedings of a workshop, pages 1–13."],
    ["Brown, P. 1993. The mathematics of statistical", "machine translation. Computational", "Linguistics, 19(2):263–311."],
    ["———. 1990. A statistical approach to machine", "translation. Computational Linguistics."],
    ["Knight, K. 1999. Decoding complexity."],
    ["Och, F. J. 1999. An efficient method to determine", "bilingual word classes. In Proceedings of EACL,", "pages 71–76. Bergen."],
]  # fmt: skip


def lines_of(first: float, others: float, gap: float = 1.0) -> list[ListLine]:
    return [
        ListLine(text, others if number else first, 1.0 if number else gap)
        for item in ITEMS
        for number, text in enumerate(item)
    ]


@pytest.mark.parametrize(
    "lines",
    [lines_of(0, 1), lines_of(1, 0), lines_of(0, 0, gap=2.0), lines_of(0, 0)],
    ids=["hanging indent", "indented first lines", "gaps", "words alone"],
)
def test_a_list_is_cut_into_references(lines: list[ListLine]) -> None:
    assert split_references(lines) == ITEMS


def test_columns_without_indentation_go_by_the_words() -> None:
    lines = lines_of(0, 1)
    lines[-3:] = [ListLine(line.text, None, None) for line in lines[-3:]]
    assert split_references(lines) == ITEMS


@pytest.mark.parametrize("form", ["[{}] ", "{}. ", "({}) ", "{} ", "[Bro9{}] "])
def test_numbered_lists(form: str) -> None:
    items = [[form.format(number) + item[0], *item[1:]] for number, item in enumerate(ITEMS, 1)]
    # A number at the start of a line that does not count on is no label.
    items[1][-1:] = ["19. Computational Linguistics."]
    lines = [ListLine(text) for item in items for text in item]
    assert split_references(lines) == items


def test_a_bare_number_is_a_label_in_a_numbered_list_only() -> None:
    text = "2 Brown P. The mathematics of translation. Comput Linguist. 1993;19:263."
    assert read_references([text], labelled=True)[0].label == "2"
    assert read_references([text])[0].label == ""


def test_an_empty_list() -> None:
    assert split_references([]) == []
    assert read_references(["", "12"]) == ()
