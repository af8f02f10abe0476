"""What is on a page beside its sentences, and fonts and scripts that need care."""

import textwrap
from itertools import count
from pathlib import Path

import pytest

from pdf_pages import Page, mapped
from pincite.model.problems import InputError
from pincite.parsing.papers import read_paper
from pincite.parsing.papers.hyphenation import LineJoiner
from pincite.parsing.papers.pdf.legibility import is_language
from pincite.parsing.papers.pdf.right_to_left import logical

SENTENCES = [
    "The ferry crosses the strait six times a day, and its crew writes down every whale it meets.",
    "In winter nobody counts, since the waves hide what little there is.",
    "Our model takes the gaps of the record for what they are.",
    "It gives the number of whales in each of 14 weeks with an interval that grows in autumn.",
    "Fishermen told us that they see fewer animals than their fathers did.",
    "We can neither confirm this nor deny it with what the ferry has seen in 3 years.",
    "A second ferry would cross the path of the whales nearer to their winter quarters.",
    "Its owner has agreed to carry an observer from the next season on.",
    "The counts of both ships will then be compared, week by week, with those of drones.",
]


def prose(page: int, length: int = 27) -> list[str]:
    """Return the sentences of a page, which begins with a sentence of its own."""
    first = ("Whales are large.", "Ferries are slow in ice.", "Crews watch.", "Straits divide us.")
    return [first[page], *(SENTENCES * length)[5 * page :][: length - 1]]


def wrapped(page: int, width: int = 80, length: int = 27) -> list[str]:
    return textwrap.wrap(" ".join(prose(page, length)), width)


def body(path: Path) -> list[str]:
    return [sentence.text for sentence in read_paper(path).sentences]


def numbered(path: Path, *, side: str, every: int, size: float, gap: float, restart: bool) -> Path:
    """Write two pages of one column with line numbers at a side."""
    page = Page(path)
    numbers = count(1)
    for number in range(2):
        page.pdf.add_page()
        if restart:
            numbers = count(1)
        if number == 0:
            page.text(100, 60, ["Counting Whales from a Ferry"], size=16, style="B")
        for row, line in enumerate(wrapped(number)):
            y = 100 + 16 * row
            page.text(100, y, [line])
            value = next(numbers)
            if value % every == 0:
                page.pdf.set_font("Times", size=size)
                left = 100 - gap - page.pdf.get_string_width(str(value))
                page.text(left if side == "left" else 470 + gap, y, [str(value)], size=size)
    return page.save()


@pytest.mark.parametrize(
    ("side", "every", "size", "gap", "restart"),
    [
        ("left", 1, 5, 12, False),
        ("left", 5, 10, 20, True),
        ("left", 1, 10, 4, True),
        ("right", 5, 5, 12, False),
        ("right", 1, 10, 20, True),
        ("right", 5, 10, 4, False),
    ],
)
def test_line_numbers_are_no_text(
    tmp_path: Path, side: str, every: int, size: float, gap: float, restart: bool
) -> None:
    path = tmp_path / "a.pdf"
    written = numbered(path, side=side, every=every, size=size, gap=gap, restart=restart)
    assert body(written) == prose(0) + prose(1)


@pytest.mark.parametrize("second", [306, 540])
def test_rulers_of_two_columns_are_no_text(page: Page, second: float) -> None:
    for number in range(2):
        page.pdf.add_page()
        page.text(160, 60, [f"Counting Whales from {number + 1} Ferries"], size=16, style="B")
        for column, x in enumerate((80, 330)):
            page.text(x, 100, wrapped(2 * number + column, 42))
            rulers = [f"{100 * number + 50 * column + row:03}" for row in range(50)]
            page.text(second if column else 52, 100, rulers)
    written = page.save()
    assert body(written) == [sentence for number in range(4) for sentence in prose(number)]


def test_line_numbers_of_a_short_last_page_go_on(page: Page) -> None:
    number = count(1)
    for text in (wrapped(0), wrapped(1), wrapped(2, length=2)):
        page.pdf.add_page()
        page.text(100, 100, text)
        page.text(80, 100, [str(next(number)) for _ in text])
    assert body(page.save()) == prose(0) + prose(1) + prose(2, 2)


ITEMS = [
    "1 Gray whales pass in March and in November, in pairs",
    "2 Fin whales pass in May, alone or with a single calf",
    "3 Sperm whales pass at night, when the ferry is in port",
    "4 Minke whales do not pass, they stay for all the year",
    "5 Blue whales have been seen only once since the war",
]


def test_numbers_that_belong_to_the_text_stay(page: Page) -> None:
    page.text(100, 100, [*wrapped(0)[:9], *ITEMS, *wrapped(1)[:9]])
    page.pdf.add_page()
    # Rows of a table with numbers, and those of verses in the margin.
    page.text(100, 100, wrapped(2)[:9])
    page.text(100, 220, [str(row) for row in range(1, 9)])
    page.text(130, 220, [f"Ferry {row} of the strait" for row in "ABCDEFGH"])
    page.pdf.add_page()
    page.text(
        100, 100, [f"The {row}th winter was long, and the ferry lay in ice" for row in range(4, 24)]
    )
    page.text(400, 148, ["5"])
    page.text(400, 208, ["10"])
    page.text(400, 268, ["15"])
    text = " ".join(body(page.save()))
    for item in ITEMS:
        assert item in text


def test_years_at_the_start_of_each_line_stay(page: Page) -> None:
    chronicle = [f"{year} was a year in which the crew saw whales." for year in range(1980, 2000)]
    chronicle += [f"{year} brought ice to the strait in winter." for year in range(2000, 2020)]
    for years in (chronicle[:20], chronicle[20:]):
        page.pdf.add_page()
        page.text(200, 80, [f"Years of {years[3][:4]}"], size=16)
        page.text(100, 100, years)
    text = " ".join(body(page.save()))
    assert [line for line in chronicle if line not in text] == []


def test_the_numbers_of_references_stay(page: Page) -> None:
    page.text(100, 100, wrapped(0))
    page.pdf.add_page()
    page.text(100, 80, ["References"], size=12, style="B")
    for number in range(1, 41):
        y = 90 + 16 * number
        page.text(85, y, [str(number)])
        page.text(
            105, y, [f"Abel, A. {1960 + number}. Whales of the strait, part {number}. Press."]
        )
    paper = page.read()
    assert [item.year for item in paper.references] == [str(1961 + row) for row in range(40)]


@pytest.mark.parametrize("angle", [-60, 6, 20, 45, 90])
def test_a_watermark_is_no_text(page: Page, angle: float) -> None:
    for number in range(2):
        page.pdf.add_page()
        with page.pdf.rotation(angle, 200, 180):
            page.text(150, 180, ["DRAFT"], size=48)
        page.text(100, 100, wrapped(number))
        with page.pdf.rotation(angle, 300, 160):
            page.text(300, 160, ["RECEIVED"], size=11)
    assert body(page.save()) == prose(0) + prose(1)


def test_a_large_word_over_the_text_is_no_text(page: Page) -> None:
    page.text(160, 60, ["Counting Whales from a Ferry"], size=20, style="B")
    page.text(100, 100, wrapped(0))
    page.text(120, 165, ["CONFIDENTIAL"], size=50)
    paper = page.read()
    assert [sentence.text for sentence in paper.sentences] == prose(0)
    assert paper.title == "Counting Whales from a Ferry"


@pytest.mark.parametrize("angle", [90, -90, 180])
def test_a_page_set_sideways_is_read_in_its_direction(page: Page, angle: float) -> None:
    page.pdf.add_page()
    with page.pdf.rotation(angle, 306, 396):
        page.text(60, 200, wrapped(0))
    page.text(300, 770, ["17"])
    assert body(page.save()) == prose(0)


@pytest.mark.parametrize("angle", [-3, 20])
def test_a_page_that_was_scanned_askew_is_read(page: Page, angle: float) -> None:
    page.pdf.add_page()
    with page.pdf.rotation(angle, 306, 396):
        page.text(100, 100, wrapped(0))
    assert body(page.save()) == prose(0)


def test_text_under_many_stamps_is_read(page: Page) -> None:
    page.text(100, 100, wrapped(0))
    for y in range(60, 780, 30):
        for x in range(20, 600, 90):
            with page.pdf.rotation(45, x, y):
                page.text(x, y, ["Printed for the harbour master"], size=8)
    assert body(page.save()) == prose(0)


def placed(lines: list[str]) -> list[tuple[float, float, str]]:
    return [(60, 700 - 14 * row, line) for row, line in enumerate(lines)]


#: Capitals stand for Hebrew letters.
HEBREW = dict(zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ[", "אבגדהוזחטיךכלםמןנסעףפץצקרשת", strict=True))
#: Lines as they are read, and as they are seen from left to right.
LINES = [
    ("WE COUNTED IN-19 TOWNS OF THE COAST", "TSAOC EHT FO SNWOT 19-NI DETNUOC EW"),
    ("BETWEEN 2001 AND-2010. THE OTHERS", "SREHTO EHT .2010-DNA 2001 NEEWTEB"),
    ("COUNTED (smith et al., 2005) LESS.", ".SSEL (smith et al., 2005) DETNUOC"),
    ("IS IT THEIR FERRY (12.5%)? THE WORD", "DROW EHT ?(12.5%) YRREF RIEHT TI SI"),
    ("h2o (water) CAME ON 3/4/2010 WITH", "HTIW 3/4/2010 NO EMAC h2o (water)"),
    ("OF 95% (n = 20) THAT", "TAHT (n = 20) 95% FO"),
    ("[10-20] OTHERS, THEY SAY.", ".YAS YEHT ,SREHTO [10-20]"),
]


@pytest.mark.parametrize(("read", "seen"), LINES)
def test_a_line_from_right_to_left_is_in_logical_order(read: str, seen: str) -> None:
    hebrew = str.maketrans({code: letter for code, letter in HEBREW.items() if code != "["})
    assert logical(seen.translate(hebrew), backward=True) == read.translate(hebrew)


def test_numbers_in_arabic_are_in_logical_order() -> None:
    # "between 2001-2010, 12.5% of the carbon" in Arabic, as it is seen.
    seen = "نوبركلا نم %12.5 ،2010-2001 نيب"
    assert logical(seen, backward=True) == "بين 2001-2010، 12.5% من الكربون"


def test_a_page_from_right_to_left_is_read_in_its_order(tmp_path: Path) -> None:
    lines = [(560 - 5 * len(seen), 700 - 14 * row, seen) for row, (_, seen) in enumerate(LINES[:5])]
    paper = read_paper(mapped(tmp_path / "a.pdf", lines, HEBREW))
    text = " ".join(read for read, _ in LINES[:5])
    text = text.translate(str.maketrans(HEBREW))
    assert " ".join(sentence.text for sentence in paper.sentences) == text


def test_columns_from_right_to_left(tmp_path: Path) -> None:
    words = ("FIRST", "SECOND", "THIRD", "FOURTH")
    lines = [
        (x, 700 - 14 * row, f".{word[::-1]} ERA EHT")
        for x, words in ((320, words[:2]), (60, words[2:]))
        for half, word in enumerate(words)
        for row in range(3 * half, 3 * half + 3)
    ]
    text = body(mapped(tmp_path / "a.pdf", lines, HEBREW))
    ends = [sentence.rstrip(".").rpartition(" ")[2] for sentence in text]
    hebrew = [word.translate(str.maketrans(HEBREW)) for word in words]
    assert list(dict.fromkeys(ends)) == hebrew


def test_words_from_right_to_left_in_a_line_from_left_to_right(tmp_path: Path) -> None:
    lines = [
        "they call it A YRREF (a ferry) or A PIHS in",
        "the towns of the coast of this country.",
    ]
    text = body(mapped(tmp_path / "a.pdf", placed(lines), HEBREW))
    hebrew = "FERRY A|SHIP A".translate(str.maketrans(HEBREW)).split("|")
    assert text == [
        f"they call it {hebrew[0]} (a ferry) or {hebrew[1]} in the towns of the coast of this country."
    ]


def test_arabic_ligatures_are_letters_in_their_order(tmp_path: Path) -> None:
    # A glyph for lam with alef, mapped to two letters or to one presentation form.
    to = {"A": "لا", "B": "ب", "C": "ن", "D": "\ufefb", "E": "\ufee3", "F": "س"}
    lines = placed(["CAB FFB CDB BBB CCC", "EBB CCF BCE FFF BFC", "BFB CFC BFF"])
    text = " ".join(body(mapped(tmp_path / "a.pdf", lines, to)))
    assert text == "ننن ببب بلان بسس بلان نسب سسس منب سنن ببم سسب نسن بسب"


#: Codes of glyphs as wide as the ligatures, and these.
GLYPHS = {"1": "fi", "0": "fl", "+": "ff", "M": "ffi", "W": "ffl"}
WORDS = (
    "The efficient filter classified five different flow fields well, and a sufficient office file"
    " flies off the shelf. The final coefficient defines the reflection of the first film. It is"
    " difficult to find the effect of the influx on the profile of the cliff. The staff offered"
    " benefits to the affected firms in conflict, the traffic was shuffled scientifically, and the"
    " refined figures suffered from inflation."
)


@pytest.mark.parametrize("to", ["\x00", "\ufffd", "\ue0a1", "\x02", "\u00ad", "-", " "])
def test_lost_ligatures_are_restored(tmp_path: Path, to: str) -> None:
    lines = textwrap.wrap(WORDS, 80)
    for code, ligature in sorted(GLYPHS.items(), key=lambda item: -len(item[1])):
        lines = [line.replace(ligature, code) for line in lines]
    path = mapped(tmp_path / "a.pdf", placed(lines), dict.fromkeys(GLYPHS, to))
    assert " ".join(body(path)) == WORDS


def test_lost_ligatures_at_gaps_without_spaces_are_restored(tmp_path: Path) -> None:
    pdf = Page(tmp_path / "b.pdf").pdf
    pdf.set_font("Times", size=10)
    places = []
    for row, line in enumerate(["The sta+ could 1nd the cli+", "in no map of 1ne detail."]):
        x = 60.0
        for word in line.split():
            places.append((x, 700.0 - 14 * row, word))
            x += pdf.get_string_width(word) + 3
    path = mapped(tmp_path / "a.pdf", places, {"+": " ", "1": " "})
    assert " ".join(body(path)) == "The staff could find the cliff in no map of fine detail."


def test_the_hyphens_of_typewriter_type_stay(page: Page) -> None:
    page.text(100, 100, ["The ship runs these programs on its way:", "some call"])
    page.pdf.set_font("Courier", size=10)
    page.pdf.text(142, 112, "count-whales and plot-winter or make-record.")
    text = " ".join(body(page.save()))
    assert "call count-whales and plot-winter or make-record" in text


def test_a_lost_glyph_that_is_no_ligature_is_marked(tmp_path: Path) -> None:
    lines = ["The m|n and the women of the ship saw whales that were gray.", "They were many."]
    path = mapped(tmp_path / "a.pdf", placed(lines), {"|": "\x00"})
    assert body(path)[0] == ("The m\ufffdn and the women of the ship saw whales that were gray.")


def test_a_soft_hyphen_within_a_line_is_a_hyphen(tmp_path: Path) -> None:
    lines = ["The well|known ship of the women saw first|rate whales in flight.", "They were many."]
    path = mapped(tmp_path / "a.pdf", placed(lines), {"|": "\u00ad"})
    assert body(path)[0] == "The well-known ship of the women saw first-rate whales in flight."


LANGUAGES = [
    " ".join(SENTENCES),
    "Die Fähre überquert die Meerenge sechsmal am Tag, und ihre Mannschaft schreibt jeden Wal auf,"
    " dem sie begegnet. Im Winter zählt niemand, weil die Wellen das Wenige verbergen, das es gibt."
    " Unser Modell nimmt die Lücken der Aufzeichnung als das, was sie sind. Fischer sagten uns,"
    " dass sie weniger Tiere sehen als ihre Väter, und wir können das weder bestätigen noch"
    " leugnen.",
    "Паром пересекает пролив шесть раз в день, и его команда записывает каждого кита, которого"
    " встречает. Зимой никто не считает, потому что волны скрывают то немногое, что есть. Наша"
    " модель принимает пробелы записи за то, что они есть. Рыбаки сказали нам, что видят меньше"
    " животных, чем видели их отцы, и мы не можем этого ни подтвердить, ни опровергнуть.",
]


def shifted(text: str, by: int) -> str:
    return "".join(chr(ord(char) + by) if char.isalpha() else char for char in text)


@pytest.mark.parametrize("text", LANGUAGES)
def test_a_language_is_known_by_its_letters(text: str) -> None:
    assert is_language(text)
    assert not any(is_language(shifted(text, by)) for by in (-3, -2, -1, 1, 2, 3, 5))
    assert is_language(text[:90])
    assert not is_language(shifted(text[:150], 3))


def test_text_of_shifted_letters_is_refused(tmp_path: Path) -> None:
    lines = [line for page in range(2) for line in wrapped(page)]
    letters = {code: shifted(code, 3) for code in set("".join(lines)) if code.isalpha()}
    path = mapped(tmp_path / "a.pdf", placed(lines), letters)
    with pytest.raises(InputError, match="its fonts lack a character map"):
        read_paper(path)


def test_signs_without_letters_are_not_called_scanned(tmp_path: Path) -> None:
    lines = wrapped(0)
    codes = dict.fromkeys("".join(lines).replace(" ", ""), "\x00")
    with pytest.raises(InputError, match="its fonts lack a character map"):
        read_paper(mapped(tmp_path / "a.pdf", placed(lines), codes))


@pytest.mark.parametrize(
    ("before", "after", "joined"),
    [
        ("of the X-", "ray images", "of the X-ray images"),
        ("a state-of-the-", "art classifier", "a state-of-the-art classifier"),
        ("the data-", "driven models", "the data-driven models"),
        ("from end-to-", "end training", "from end-to-end training"),
        ("with pre- and post-", "treatment samples", "with pre- and post-treatment samples"),
        ("in one-", "and two-way tests", "in one- and two-way tests"),
        ("of COVID-", "19 patients", "of COVID-19 patients"),
        ("the river–", "bed", "the river–bed"),
        ("a self-", "ish gene", "a selfish gene"),
        ("the cor-", "related counts", "the correlated counts"),
        ("an RNA-", "binding site", "an RNA-binding site"),
        ("an anti-", "inflammatory drug", "an anti-inflammatory drug"),
        ("the so-", "called whale", "the so-called whale"),
        ("a peer-", "reviewed count", "a peer-reviewed count"),
        ("a non-small-", "cell tumour", "a non-small-cell tumour"),
        ("a self-", "evident-looking count", "a self-evident-looking count"),
        ("of the (S)-", "and (R)-forms", "of the (S)- and (R)-forms"),
        ("from 10%-", "20% of", "from 10%-20% of"),
        ("at https://a.org/grey-", "whale", "at https://a.org/grey-whale"),
        ("die Haupt- und Neben-", "wirkung", "die Haupt- und Nebenwirkung"),
        ("the input/out-", "put of", "the input/output of"),
    ],
)
def test_a_hyphen_at_the_end_of_a_line(before: str, after: str, joined: str) -> None:
    assert LineJoiner([]).join(before, after) == joined


def test_the_words_of_a_paper_decide_about_hyphens() -> None:
    paper = [
        "The ferry-boat was late.",
        "A coworker and the shoreline.",
        "whale-watch and whalewatch",
    ]
    join = LineJoiner(paper).join
    assert join("a ferry-", "boat") == "a ferry-boat"
    assert join("a co-", "worker") == "a coworker"
    assert join("the shore-", "line") == "the shoreline"
    assert join("OUR SHORE-", "LINE") == "OUR SHORELINE"
