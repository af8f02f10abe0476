"""Citation markers and the references that they cite."""

from itertools import pairwise

import pytest

from pincite.model.papers import Reference, Sentence
from pincite.parsing.papers.citations import find_markers


def ref(who: str, year: str = "", label: str = "", text: str = "") -> Reference:
    return Reference(
        surnames=tuple(filter(None, who.split("; "))), year=year, label=label, text=text
    )


HALE = ref("Hale", "2001a")
HALE_B = ref("Hale", "2001b")
HALE_ORR = ref("Hale; Orr", "2001")
HALE_ORR_POE = ref("Hale; Orr; Poe", "2003")
VAN_DYK = ref("van Dyk; Łoś", "1999")
MULLER = ref("Müller", "1998")
TOLSTANOVA = ref("Tolstanova; Orr; Poe", "2003")
GARCIA = ref("Garcia-Verde; Casanueva", "2001")
LIST = (HALE, HALE_B, HALE_ORR, HALE_ORR_POE, VAN_DYK, MULLER, TOLSTANOVA, GARCIA)

NUMBERED = tuple(ref(name, "2000", str(number)) for number, name in enumerate("ABCDEFGHI", 1))


def cited(
    *texts: str, references: tuple[Reference, ...] = LIST
) -> list[tuple[str, tuple[int, ...]]]:
    """The markers as printed, with the indices of what they cite."""
    sentences = [Sentence(text) for text in texts]
    return [
        (texts[marker.sentence][marker.start : marker.end], marker.references)
        for marker in find_markers(sentences, references)
    ]


def works(*texts: str, references: tuple[Reference, ...] = LIST) -> list[tuple[int, ...]]:
    return [indices for _, indices in cited(*texts, references=references)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Trees (Hale and Orr '01).", [2]),
        ("Trees (van Dyk and Łoś '99).", [4]),
        ("Hale, Orr, and Poe (2003) parse.", [3]),
        ("Hale et al.’s (2003) trees.", [3]),
        ("Hale and Orr, Poe and others (2003) parse.", [3]),
        ("Hale (2001a,b) parses.", [0, 1]),
        ("Trees (Hale 2001a, 2001b).", [0, 1]),
        ("Trees (e.g. Hale, 2001a, p. 5; van Dyk and Łoś 1999; see also Müller 1998).", [0, 4, 5]),
        ("Dyk and Los (1999) parse.", [4]),
        ("Mu¨ller (1998) parses.", [5]),
        ("Trees (Tol- stanova et al., 2003).", [6]),
        ("Trees (GarciaVerde and Casanueva, 2001).", [7]),
        ("Trees (Haleetal.,2003).", [3]),
        ("Hale and Orr(2001) parse.", [2]),
        ("The trees of Müller and their leaves (1998).", [5]),
        ("A Treebank Parser Müller (1998) made.", [5]),
    ],
)  # fmt: skip
def test_author_and_year(text: str, expected: list[int]) -> None:
    assert [index for indices in works(text) for index in indices] == expected


@pytest.mark.parametrize(
    "text",
    [
        "Trees (Hale, 2001).",  # a or b
        "Trees (Hale, 2001c).",
        "Trees (Orr, 2001).",
        "Trees (Hale and Poe, 2001).",
        "Trees (Mohler, 1998).",
        "Müller (1999) parses.",  # one surname does not make up for the year
        "In May 2001 and (in June 2003) trees were parsed.",
        "The parser (2001) is fast.",
        "We parse 1998 trees.",
    ],
)
def test_a_wrong_reference_is_worse_than_none(text: str) -> None:
    assert not any(works(text))


ORR_HALE = (ref("Orr", "2001"), ref("Hale", "1990"))
TILLMANN = (ref("Tillmann; Neys", "2000"), ref("Hale; Orr", "2001"))
UNDATED = (ref("Hale; Orr", "", text="B. Hale and C. Orr. To appear."), ref("Hale", "2001"))
SPELT = (
    ref("Daumas III; Poe", "2005"),
    ref("Mari", "2006", text="José B. Mari ño, Ana Orr, and Bo Poe. 2006. Trees."),
)


@pytest.mark.parametrize(
    ("references", "text", "expected"),
    [
        # The number of authors decides between equals; one alone is not taken from a pair.
        (
            (ref("Hale; Orr", "2001"), ref("Hale", "2001"), ref("Hale; Orr; Poe", "2001")),
            "(Hale 2001) (Hale and Orr 2001) (Hale et al. 2001)",
            [(1,), (0,), (2,)],
        ),
        (ORR_HALE, "Hale and Orr (2001)", [()]),
        # A typing error is forgiven where nothing else fits.
        (TILLMANN, "Tillman and Neys (2000)", [(0,)]),
        ((*TILLMANN, ref("Tillmans; Neys", "2000")), "Tillman and Neys (2000)", [()]),
        # So is a year off by one where two surnames agree, and a letter that the list lacks.
        (LIST, "van Dyk and Łoś (2000)", [(4,)]),
        (LIST, "van Dyk and Łoś (2001)", [()]),
        (UNDATED, "(Hale and Orr, to appear)", [(0,)]),
        (UNDATED, "(Hale and Orr, 2003)", [(0,)]),
        # Names that only the text of a reference has, or that the list spells or splits.
        (
            (ref("", "1987", text="World Tree Bank. 1987. A report."), ref("Hale", "1987")),
            "Trees (World Tree Bank, 1987).",
            [(0,)],
        ),
        (SPELT, "(Mariño et al., 2006)", [(1,)]),
    ],
)
def test_names_and_years_of_a_list(
    references: tuple[Reference, ...], text: str, expected: list[tuple[int, ...]]
) -> None:
    assert works(text, references=references) == expected


KEYED = (ref("Hale", "2003", "Hal03"), ref("Orr; Poe", "1998", "Orr et al. 98"))


@pytest.mark.parametrize(
    ("references", "text", "expected"),
    [
        (NUMBERED, "Trees [3, 7–9].", [(2,), (6, 7, 8)]),
        (NUMBERED, "A range [0, 1] and an element a[1].", []),
        # Raised, if the list is numbered; beside bracketed numbers they are footnotes.
        (NUMBERED, "Shown before³,⁷⁻⁹ and after.² It is x² long.", [(2,), (6, 7, 8), (1,)]),
        (LIST, "Shown before³,⁷⁻⁹ and after.² It is x² long.", []),
        (NUMBERED, "Shown before³ and after.² Trees [4].", [(3,)]),
        # In parentheses, if they are most of the list.
        (NUMBERED, "Shown (1), (2,3), (4-6), and in equation (7).", [(0,), (1,), (2,), (3, 4, 5)]),
        (NUMBERED, "As in example (1) and (2).", []),
        (KEYED, "Trees [Hal03] and [see Hal03; Orr et al. 98].", [(0,), (), (1,)]),
    ],
)
def test_labels(
    references: tuple[Reference, ...], text: str, expected: list[tuple[int, ...]]
) -> None:
    assert works(text, references=references) == expected


def test_each_work_is_a_marker_and_together_they_cover_the_brackets() -> None:
    found = cited("Trees (see Hale, 2001a; Hale and Orr, 2001, p. 5) grow.")
    assert found == [("(see Hale, 2001a; ", (0,)), ("Hale and Orr, 2001, p. 5)", (2,))]


def test_a_bracket_that_contains_more_keeps_its_words() -> None:
    assert cited("A model (the noisy trees of Müller, 1998) wins.") == [("Müller, 1998", (5,))]


def test_given_names_belong_to_the_marker_and_other_words_do_not() -> None:
    references = (ref("Orr", "2001", text="Ada Bea Orr. 2001. Trees."), ref("Dur Kah; Poe", "2003"))
    found = cited(
        "Trees (Ada Bea Orr 2001). Both Dur Kah and Poe (2003) parse.", references=references
    )
    assert found == [("(Ada Bea Orr 2001)", (0,)), ("Dur Kah and Poe (2003)", (1,))]
    assert cited("The System Orr (2001).", references=references) == [("Orr (2001)", (0,))]


def test_a_marker_that_a_sentence_ends_in() -> None:
    found = cited("As done by Hale et al.", "(2003).", "Trees grow.")
    assert found == [("Hale et al.", (3,)), ("(2003)", ())]


def test_what_is_in_no_list_is_a_marker_all_the_same() -> None:
    assert cited("Trees (Quux, 1950) grow [4].", references=()) == [
        ("(Quux, 1950)", ()),
        ("[4]", ()),
    ]
    assert find_markers([], LIST) == ()


def test_markers_are_in_order_and_apart() -> None:
    texts = ["Hale (2001a; 2001b), [3], Quux (1950)", "and (Müller 1998; Hale andOrr,2001)", ""]
    markers = find_markers([Sentence(text) for text in texts], LIST)
    assert len(markers) == 6
    for before, after in pairwise(markers):
        assert (before.sentence, before.end) <= (after.sentence, after.start) or (
            before.sentence < after.sentence
        )
    assert all(0 <= m.start < m.end <= len(texts[m.sentence]) for m in markers)
