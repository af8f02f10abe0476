import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fpdf.enums import AccessPermission

from papers_as_read import listed, texts
from pdf_pages import Page
from pincite.model.papers import ReferencePaper
from pincite.model.problems import InputError
from pincite.parsing.papers import read_paper
from pincite.parsing.papers.pdf.structure import page_labels
from where import SHARED

LIBRARY = SHARED / "data" / "pdf-library"

LEFT = [
    "Birds are counted in many towns, but the",
    "counts differ. We propose to count from a high",
    "tower, which is easy. The tower sees every bird",
    "that flies over the town during a whole day. An",
    "observer writes each of them down with the meas-",
    "ured time and the weather of the day. The well-",
    "known method of nets is slower. Our results were",
    "found over ten days in the spring of the year and",
]
RIGHT = [
    "agree with those of the nets. We also asked what",
    "the birds do at night, when nobody can see them",
    "from a tower. A microphone helps. The well-known",
    "sounds of owls are easy to tell from others, and",
    "they were measured in the same way as the birds",
    "of the day. No bird was harmed by our method.",
]


def two_columns(path: Path, pages: int = 3) -> Path:
    page = Page(path)
    for number in range(pages):
        page.pdf.add_page()
        page.text(72, 40, ["Journal of Counting, Volume 3"], size=8)
        page.text(300, 760, [str(41 + number)])
        if number == 0:
            page.text(160, 90, ["Counting Birds from a Tower"], size=16, style="B")
            page.text(250, 115, ["A. Person"], size=11)
            page.text(72, 150, ["Abstract"], size=12, style="B")
            page.text(72, 170, ["Birds are counted. This is new and useful."])
            page.text(72, 210, ["1 Introduction"], size=12, style="B")
            # The right column is written first: the order in the file is not the reading order.
            page.text(330, 230, RIGHT)
            page.text(72, 230, LEFT)
        elif number == 1:
            page.text(72, 100, ["2 The Method of Counting"], size=12, style="B")
            page.text(330, 120, RIGHT)
            page.text(72, 120, LEFT)
        else:
            page.text(72, 100, ["We thank the town for its tower and its birds."])
            page.text(72, 140, ["References"], size=12, style="B")
            page.text(72, 160, ["Person, A. 2001. A book about nets and birds. Town Press."])
    return page.save()


@pytest.fixture
def paper(tmp_path: Path) -> ReferencePaper:
    return read_paper(two_columns(tmp_path / "two.pdf"))


def found(paper: ReferencePaper, start: str) -> list[tuple[int | None, str | None, str | None]]:
    return [(s.page, s.page_label, s.section) for s in paper.sentences if s.text.startswith(start)]


def test_pages_sections_title_and_abstract(paper: ReferencePaper) -> None:
    assert found(paper, "A microphone helps") == [
        (1, "41", "1 Introduction"),
        (2, "42", "2 The Method of Counting"),
    ]
    assert found(paper, "We thank the town") == [(3, "43", "2 The Method of Counting")]
    assert paper.page_count == 3
    assert paper.title == "Counting Birds from a Tower"
    assert paper.abstract == "Birds are counted. This is new and useful."
    body = " ".join(texts(paper))
    for absent in ("Journal of Counting", "Person", "Town Press", "41", "References"):
        assert absent not in body


def test_an_author_above_an_abstract_without_a_heading_is_no_section(page: Page) -> None:
    page.text(72, 90, ["Counting Birds"], size=16, style="B")
    page.text(72, 130, ["Ann Person"], size=12, style="B")
    page.text(72, 160, RIGHT)
    page.text(72, 260, ["1 Introduction"], size=12, style="B")
    page.text(72, 280, LEFT)
    paper = page.read()
    assert [s.section for s in paper.sentences if "We also asked" in s.text] == [None]
    assert [s.section for s in paper.sentences if "We propose" in s.text] == ["1 Introduction"]
    assert "We also asked what the birds do" in paper.abstract


def test_a_page_label_of_the_document_is_used(page: Page) -> None:
    for number in (5, 6):
        page.pdf.add_page(label_style="r", label_start=number)
        page.text(72, 100, LEFT)
    labels = {s.page_label for s in page.read().sentences}
    assert labels <= {"v", "vi"}
    assert labels


def test_tables_and_numbers_are_no_sentences(page: Page) -> None:
    page.text(72, 100, LEFT)
    for row in range(4):
        for column in range(4):
            page.text(72 + 60 * column, 230 + 14 * row, [f"{row}.{column}5"])
    page.text(72, 300, ["Table 1: Birds that were seen on each day."])
    paper = page.read()
    sentences = texts(paper)
    assert "Table 1: Birds that were seen on each day." in sentences
    assert not any("2.15" in text for text in sentences)
    ((number, listed),) = paper.numbers
    assert number == 1
    assert "2.15" in listed.split(), "a claim may cite it"


@pytest.mark.parametrize("caption", [74, 170])
def test_a_table_of_two_columns_between_columns_of_text(page: Page, caption: int) -> None:
    page.text(72, 100, [*RIGHT, *LEFT])
    page.text(330, 100, ["Kind of bird", "Crows", "Owls of the town", "Swifts"])
    page.text(470, 100, ["Count", "about 12", "none", "many"])
    page.text(330, caption, ["Table 1: Birds that were seen."])
    page.text(330, 210, RIGHT)
    sentences = texts(page.read())
    assert "Table 1: Birds that were seen." in sentences
    end = "over ten days in the spring of the year and agree with those of the nets."
    assert any(text.endswith(end) for text in sentences)
    assert "Owls of the town" not in " ".join(sentences)


def test_text_and_lists_at_a_caption_stay(page: Page) -> None:
    page.text(72, 100, LEFT)
    page.text(72, 200, ["Crows", "Owls"])
    page.text(172, 200, ["12", "none"])
    page.text(72, 224, ["We note that one of the owls that we saw was a toy."])
    page.text(72, 260, ["Table 1: Birds that were seen."], 8)
    for number, item in enumerate(["The crow is a large bird.", "The owl is awake at night."]):
        page.text(72, 280 + 14 * number, ["\x95"])
        page.text(90, 280 + 14 * number, [item])
    sentences = " ".join(texts(page.read()))
    assert "We note that one of the owls that we saw was a toy." in sentences
    assert "The crow is a large bird." in sentences
    assert "The owl is awake at night." in sentences


@pytest.mark.parametrize("formula", ["score(b) = count(b) / n", "s = c / n"])
def test_a_displayed_formula_is_not_part_of_the_sentence_after_it(page: Page, formula: str) -> None:
    page.text(72, 100, [*LEFT[:7], "summed over all the days of the year, as given by"])
    page.text(120, 200, [formula])
    page.text(275, 200, ["(6)"])
    page.text(72, 216, ["That is, we count each of the birds b that are seen."])
    sentences = texts(page.read())
    assert sentences[-2].endswith("summed over all the days of the year, as given by")
    assert sentences[-1] == "That is, we count each of the birds b that are seen."


def test_a_figure_named_at_the_start_of_a_line_is_no_caption(page: Page) -> None:
    lines = [*LEFT[:4], "sees them all on every single day, as is shown in", "Fig. 4. With a tower"]
    page.text(72, 100, [*lines, "we see the birds, and one exception is to be noted", "for owls."])
    page.text(72, 240, ["Figure 4: The tower."])
    sentences = texts(page.read())
    assert "With a tower we see the birds, and one exception is to be noted for owls." in " ".join(
        sentences
    )
    assert "Figure 4: The tower." in sentences


def test_only_the_number_that_starts_a_note_or_caption_is_left_out(page: Page) -> None:
    page.text(72, 100, LEFT)
    page.text(
        72, 300, ["Figure 3 Counts of 12 Birds at 2003 Houses of the town until", "19 May."], 8
    )
    page.text(
        72,
        400,
        [
            "We have heard all the owls of the town for many nights at",
            "20 Hz, and the others were silent.",
        ],
        8,
    )
    page.text(72, 500, ["7 See the 806 Owls of the book."], 8)
    sentences = texts(page.read())
    assert sentences[-3:] == [
        "Figure 3 Counts of 12 Birds at 2003 Houses of the town until 19 May.",
        "We have heard all the owls of the town for many nights at 20 Hz, and the others were silent.",
        "See the 806 Owls of the book.",
    ]


def test_the_label_of_a_caption_at_the_edge_of_a_page_is_no_running_head(page: Page) -> None:
    for number, town in enumerate(["northern", "southern", "eastern"], 1):
        page.pdf.add_page()
        page.text(72, 50, [f"Table {number}", f"Birds of the {town} town."])
        page.text(72, 120, LEFT)
    assert "Table 2 Birds of the southern town." in texts(page.read())


def test_the_label_of_a_caption_over_both_columns_belongs_to_it(page: Page) -> None:
    page.text(72, 100, LEFT)
    page.text(330, 100, RIGHT)
    first = (
        "The tower in the middle of the town from which the observers have counted all of the birds"
    )
    page.text(72, 300, ["Figure 4", first, "that are in this paper."])
    sentences = texts(page.read())
    assert sentences[-1] == f"Figure 4 {first} that are in this paper."


@pytest.mark.parametrize(("text", "margin"), [(180, 40), (60, 500)])
def test_notes_in_the_margin_are_not_within_the_text(page: Page, text: int, margin: int) -> None:
    lines = [f"{one} {other}" for one, other in zip(RIGHT[::2], RIGHT[1::2], strict=True)]
    page.text(text, 160, lines)
    page.text(margin, 162, ["Received: 1 May 2021", "Licensee: Town Press", "Towers are old."], 7)
    assert texts(page.read()) == [
        "agree with those of the nets.",
        "We also asked what the birds do at night, when nobody can see them from a tower.",
        "A microphone helps.",
        "The well-known sounds of owls are easy to tell from others, and they were measured in the"
        " same way as the birds of the day.",
        "No bird was harmed by our method.",
        "Received: 1 May 2021 Licensee: Town Press Towers are old.",
    ]


def test_a_large_capital_before_several_lines_begins_the_first(page: Page) -> None:
    page.text(60, 162, ["B"], size=24, style="B")
    page.text(78, 150, [LEFT[0][1:], LEFT[1]])
    page.text(60, 174, LEFT[2:])
    assert texts(page.read())[:2] == [
        "Birds are counted in many towns, but the counts differ.",
        "We propose to count from a high tower, which is easy.",
    ]


def test_a_last_page_of_few_lines_has_the_columns_of_the_others(page: Page) -> None:
    for left, right in ((LEFT, RIGHT), (LEFT, RIGHT[:2])):
        page.pdf.add_page()
        page.text(72, 200, left)
        page.text(330, 200, right)
    assert [each.text for each in page.read().sentences if each.page == 2] == [
        "Birds are counted in many towns, but the counts differ.",
        "We propose to count from a high tower, which is easy.",
        "The tower sees every bird that flies over the town during a whole day.",
        "An observer writes each of them down with the measured time and the weather of the day.",
        "The well-known method of nets is slower.",
        "Our results were found over ten days in the spring of the year and agree with those of the"
        " nets.",
        "We also asked what the birds do at night, when nobody can see them",
    ]


@pytest.mark.parametrize(
    ("beside", "heading"),
    [("a r t i c l e  i n f o", "a b s t r a c t"), ("ARTICLE INFO", "ABSTRACT")],
)
def test_an_abstract_beside_dates_and_keywords(page: Page, beside: str, heading: str) -> None:
    page.text(72, 60, ["Counting Birds from a Tower"], size=16, style="B")
    page.text(72, 90, ["Anna Person, Bert Other"], size=11)
    page.text(72, 120, [beside])
    page.text(230, 120, [heading])
    page.text(
        72, 140, ["Article history:", "Received 1 May 2021", "Keywords:", "Birds", "Nets"], 7.5
    )
    abstract = "We count birds of the towns in the region from high towers and with the nets of"
    page.text(
        230, 140, [abstract, "all seasons.", abstract, "all years.", "They differ."], size=8.5
    )
    page.text(72, 220, ["1. Introduction"], size=12, style="B")
    page.text(72, 240, LEFT)
    page.text(330, 240, RIGHT)
    paper = page.read()
    assert paper.abstract == f"{abstract} all seasons. {abstract} all years. They differ."
    assert "The tower sees every bird that flies over the town during a whole day." in texts(paper)


def test_an_abstract_that_begins_after_its_heading_without_a_sign(page: Page) -> None:
    page.text(72, 60, ["Counting Birds from a Tower"], size=16, style="B")
    page.text(72, 90, ["Anna Person, Bert Other"], size=11)
    page.text(72, 120, ["Abstract The birds of the towns are counted from towers.", "This is new."])
    page.text(72, 170, ["1 Introduction"], size=12, style="B")
    page.text(72, 190, RIGHT[1:])
    assert page.read().abstract == "The birds of the towns are counted from towers. This is new."


def test_a_structured_abstract_ends_where_the_paper_proper_begins(page: Page) -> None:
    page.text(72, 60, ["Counting Birds from a Tower"], size=16, style="B")
    page.text(72, 90, ["Anna Person, Bert Other"], size=11)
    page.text(72, 120, ["Abstract"], size=12, style="B")
    parts = {"Background": 140, "Design and setting": 180, "Results": 220, "Conclusions": 260}
    for heading, y in parts.items():
        page.text(72, y, [heading], style="B")
        page.text(72, y + 12, [f"This is {heading.lower()} of the birds in the town."])
    page.text(72, 310, ["Background"], size=12, style="B")
    page.text(72, 330, RIGHT[1:])
    paper = page.read()
    assert paper.abstract == " ".join(
        f"This is {heading.lower()} of the birds in the town." for heading in parts
    )
    assert [*dict.fromkeys(s.section for s in paper.sentences)] == ["Abstract", "Background"]


def test_captions_beside_each_other_or_beside_text(page: Page) -> None:
    page.text(72, 100, [f"{line} in all of the seasons" for line in RIGHT[1:3]])
    page.text(72, 200, ["Figure 1: The birds of", "the tower."])
    page.text(300, 200, ["Figure 2: The birds of", "the nets."])
    page.text(72, 240, LEFT[:4])
    page.text(330, 240, ["Figure 3: The birds that", "nobody counts at night."], size=9)
    found = texts(page.read())
    assert [text for text in found if text.startswith("Figure")] == [
        "Figure 1: The birds of the tower.",
        "Figure 2: The birds of the nets.",
        "Figure 3: The birds that nobody counts at night.",
    ]
    assert "We propose to count from a high tower, which is easy." in found


def test_a_caption_of_several_parts_on_one_line_is_whole(page: Page) -> None:
    page.text(72, 100, ["Figure 1: The birds of the tower where", "nobody lives."])
    page.text(226, 100, ["s"], size=12)
    page.text(234, 100, ["stands for a town by the sea and for"])
    (caption,) = texts(page.read())
    assert caption.endswith("stands for a town by the sea and for nobody lives.")


def test_items_of_a_list_without_full_stops_are_separate(page: Page) -> None:
    page.text(72, 100, ["Every observer of the town knows this:"])
    page.text(
        90, 115, ["\x95 The tower sees most birds", "\x95 A net is low, and it sees few birds"]
    )
    page.text(98, 139, ["of the town"])
    page.text(72, 155, ["We now turn to the nets of the town."])
    assert texts(page.read()) == [
        "Every observer of the town knows this:",
        "• The tower sees most birds",
        "• A net is low, and it sees few birds of the town",
        "We now turn to the nets of the town.",
    ]


def test_a_large_symbol_within_a_line_begins_no_line(page: Page) -> None:
    page.text(72, 100, ["The same explanation is valid for this case where", "here"])
    page.text(92, 110, ["R"], size=24)
    page.text(112, 112, ["is one of the birds in every town."])
    assert texts(page.read())[0].startswith(
        "The same explanation is valid for this case where here"
    )


@pytest.mark.parametrize("is_titled", [True, False])
def test_the_cover_of_a_repository_is_no_part_of_the_paper(page: Page, is_titled: bool) -> None:
    page.text(60, 80, ["Counting Birds from a Tower"], size=14)
    page.text(60, 110, ["Author(s): A. Person", "Stable URL: https://www.jstor.org/stable/12"])
    page.text(60, 160, ["DOI: 10.1234/birds.12", "REFERENCES"])
    page.text(60, 190, ["Linked references are available on JSTOR for this article:"])
    page.pdf.add_page()
    page.text(60, 80, ["Counting Birds from a Tower"] if is_titled else [], size=14)
    page.text(60, 120, RIGHT)
    paper = page.read()
    assert (paper.title, paper.doi) == ("Counting Birds from a Tower", "10.1234/birds.12")
    assert len(paper.references) == 0
    assert [(found.page, found.text[:5]) for found in paper.sentences[:2]] == [
        (2, "agree"),
        (2, "We al"),
    ]
    assert len(paper.sentences) == 5


def test_a_running_head_that_columns_divide_elsewhere(page: Page) -> None:
    for columns in (2, 2, 1):
        page.pdf.add_page()
        page.text(72, 40, ["Journal of Counting, Volume 3"])
        page.text(330, 40, ["Town Press of all the Birds"])
        page.text(72, 120, LEFT)
        if columns == 2:
            page.text(330, 120, RIGHT)
    assert not any("Journal" in text or "Press" in text for text in texts(page.read()))


def test_white_text_below_other_text_is_hidden(page: Page) -> None:
    page.text(72, 100, LEFT)
    page.pdf.set_text_color(255)
    page.text(72, 300, ["The number of all birds"])
    page.text(72, 400, ["White letters on a dark bar can be read."])
    page.pdf.set_text_color(0)
    page.text(72, 300, ["Figure 2", "The number of all birds of each day."])
    sentences = texts(page.read())
    assert "Figure 2 The number of all birds of each day." in sentences
    assert "White letters on a dark bar can be read." in " ".join(sentences)


REFERENCES = [
    ["Bean, David and Ellen Riloff. 2004. Unsuper-", "vised learning of contextual role knowledge."],
    ["Charniak, Eugene. 1972. Toward a model of", "children's story comprehension. Ph.D. thesis,", "Massachusetts Institute of Technology."],
    ["---. 1997. Statistical parsing with a", "context-free grammar. In Proceedings of", "AAAI, pages 598-603. doi:10.5555/1867406.1867499"],
    ["Soon, W. M., H. T. Ng, and D. C. Y. Lim. 2001.", "A machine learning approach to coreference", "resolution. Computational Linguistics, 27(4)."],
    ["Vaswani, A., et al. 2017. Attention is all you", "need. arXiv:1706.03762v5."],
]  # fmt: skip
LISTED = [
    (("Bean", "Riloff"), "2004", "Unsupervised learning of contextual role knowledge"),
    (("Charniak",), "1972", "Toward a model of children's story comprehension"),
    (("Charniak",), "1997", "Statistical parsing with a context-free grammar"),
    (("Soon", "Ng", "Lim"), "2001", "A machine learning approach to coreference resolution"),
    (("Vaswani",), "2017", "Attention is all you need"),
]


def list_lines(
    items: list[list[str]], hang: float = 10, numbered: bool = False
) -> list[tuple[float, str]]:
    return [
        (hang if number else 0, f"[{count}] {text}" if numbered and not number else text)
        for count, item in enumerate(items, 1)
        for number, text in enumerate(item)
    ]


def write_list(page: Page, x: float, y: float, lines: list[tuple[float, str]]) -> None:
    for number, (indent, text) in enumerate(lines):
        page.text(x + indent, y + 11 * number, [text], size=9)


@pytest.mark.parametrize("form", ["[{}] ", "{}. ", "raised", "names"])
def test_a_reference_list_without_a_heading(page: Page, form: str) -> None:
    page.text(72, 100, [*LEFT[:3], "tower, as others did before (Soon et al., 2001) and", "since."])
    page.text(72, 172, ["1. We count the birds of a day;", "2. and we count those of the night."])
    lines = list_lines(REFERENCES, numbered=form != "names")
    for number, (indent, text) in enumerate(lines):
        x, y = 72 + indent * (form == "names"), 240 + 11 * number
        if form == "raised" and text[0] == "[":
            label, text = text[1:].split("] ")
            page.text(x, y - 4, [label], size=5)
            page.text(x + 3, y, [text], size=9)
        else:
            page.text(x, y, [re.sub(r"^\[(\d)\] ", lambda to: form.format(to[1]), text)], size=9)
    page.text(72, 420, ["Received in March, and in final form in May of the same year."])
    paper = page.read()
    assert listed(paper) == LISTED
    assert [item.label for item in paper.references] == (
        [""] * 5 if form == "names" else [*"12345"]
    )
    assert not any("Riloff" in sentence.text for sentence in paper.sentences)
    assert {sentence.section for sentence in paper.sentences} == {None}
    assert "Received in March" in paper.sentences[-1].text


def test_a_footer_with_a_doi_is_no_reference_of_a_list_without_a_heading(page: Page) -> None:
    page.text(72, 100, LEFT)
    lines = list_lines(REFERENCES, numbered=True)
    lines[-1] = (lines[-1][0], "need. https://doi.org/10.1000/182.")
    for number, (_, text) in enumerate(lines):
        page.text(72, 640 + 11 * number, [text], size=9)
    paper = page.read()
    # The address is where publishers' notices are, and stays.
    assert paper.references[-1].doi == "10.1000/182"


def test_what_a_program_printed_is_no_text_and_cites_nothing(page: Page) -> None:
    page.text(72, 100, [*LEFT[:3], "tower, which is easy [2]. The tower sees every bird:"])
    page.pdf.set_font("Courier", size=9)
    for number, line in enumerate(["R> summary(birds)", "[1] 0.25 0.31 0.47", '[4] "owl" "crow"']):
        page.pdf.text(72, 160 + 11 * number, line)
    page.text(72, 205, ["This is seen in every town that we have counted in."])
    page.text(72, 240, ["References"], size=12, style="B")
    write_list(page, 72, 260, list_lines(REFERENCES, numbered=True))
    paper = page.read()
    assert [mark.references for mark in paper.markers] == [(1,)]
    assert not any("0.31" in text for text in texts(paper))


def test_an_appendix_ends_a_list_and_another_list_follows(page: Page) -> None:
    page.text(72, 100, LEFT)
    page.text(72, 220, ["References"], size=12, style="B")
    write_list(page, 72, 240, list_lines(REFERENCES[:2]))
    page.text(72, 320, ["Appendix A: Nets"], size=12, style="B")
    page.text(72, 340, ["More was counted with nets than we have said."])
    page.text(72, 380, ["References"], size=12, style="B")
    write_list(page, 72, 400, list_lines(REFERENCES[3:]))
    paper = page.read()
    assert listed(paper) == LISTED[:2] + LISTED[3:]
    assert [s.section for s in paper.sentences if s.text.startswith("More was")] == [
        "Appendix A: Nets"
    ]


def raised(page: Page, x: float, y: float, parts: list[str]) -> None:
    """Write a line in which every second part is raised and smaller."""
    for number, part in enumerate(parts):
        page.text(x, y - 4 * (number % 2), [part], size=6 if number % 2 else 10)
        x += page.pdf.get_string_width(part)


def test_raised_charges_are_superscripts(page: Page) -> None:
    page.text(72, 100, ["The nets of the town are white with Ca", "in all of the seasons."])
    page.text(
        72 + page.pdf.get_string_width("The nets of the town are white with Ca"), 96, ["2+"], 6
    )
    assert texts(page.read()) == ["The nets of the town are white with Ca²⁺ in all of the seasons."]


def test_raised_numbers_are_superscripts(page: Page) -> None:
    page.text(72, 100, LEFT[:4])
    raised(
        page,
        72,
        160,
        ["This was shown before", "3,7-9", " and the tower", "12", " is 30 m", "2", " wide."],
    )
    raised(page, 72, 172, ["Nobody counted 10", "5", " birds, nor were 3.5 percent of them seen."])
    paper = page.read()
    body = " ".join(texts(paper))
    assert "shown before³,⁷⁻⁹ and the tower¹² is 30 m² wide." in body
    assert "counted 10⁵ birds, nor were 3.5 percent" in body


def test_the_stamp_of_arxiv_in_the_margin(page: Page) -> None:
    page.pdf.add_page()
    with page.pdf.rotation(90, 30, 560):
        page.text(30, 560, ["arXiv:1706.03762v5  [cs.CL]  2 Aug 2023"], size=20)
    page.text(160, 90, ["Counting Birds from a Tower"], size=16, style="B")
    page.text(72, 150, ["Abstract"], size=12, style="B")
    page.text(72, 170, LEFT)
    page.pdf.add_page()
    page.text(72, 100, ["A preprint of others is arXiv:1234.56789v1 [cs.CL] 3 Mar 2012."])
    paper = page.read()
    assert (paper.arxiv, paper.year, paper.doi) == ("1706.03762", "2023", "")
    assert paper.title == "Counting Birds from a Tower"
    assert paper.front.startswith("Counting Birds from a Tower Abstract Birds are counted in many")
    assert not any("arXiv:1706" in sentence.text for sentence in paper.sentences)


@pytest.mark.parametrize(
    ("foot", "doi", "year"),
    [
        (["Proceedings of Counting 2005.", "doi.org/10.1234/ABC.5"], "10.1234/abc.5", "2005"),
        (["https://doi.org/10.1234/one", "https://doi.org/10.1234/two"], "", ""),
    ],
)
def test_the_doi_and_year_at_the_foot(page: Page, foot: list[str], doi: str, year: str) -> None:
    page.text(72, 300, [*LEFT, "Their data are at https://doi.org/10.1234/data.7 for free."])
    page.text(72, 740, foot, size=8)
    paper = page.read()
    assert (paper.doi, paper.year) == (doi, year)


def test_the_doi_of_the_metadata(page: Page) -> None:
    page.pdf.set_subject("Journal of Counting, 3 (2005) 1-9. doi:10.1016/j.count.2005.01.002")
    page.text(72, 100, LEFT)
    assert page.read().doi == "10.1016/j.count.2005.01.002"


def test_a_truncated_file(tmp_path: Path) -> None:
    path = two_columns(tmp_path / "whole.pdf", pages=6)
    data, whole = path.read_bytes(), read_paper(path)
    for share in (0.3, 0.6, 0.9):
        path.write_bytes(data[: int(share * len(data))])
        with pytest.raises(InputError, match="the PDF is damaged: its end is missing"):
            read_paper(path)
    path.write_bytes(data.removesuffix(b"%%EOF\n"))
    assert read_paper(path).sentences == whole.sentences


def test_of_a_pdf_of_very_many_pages_the_first_are_read(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pincite.parsing.papers.pdf.reader.MAX_PAGES", 2)
    for number in range(5):
        page.pdf.add_page()
        page.text(72, 400, [f"On page number {number} we have counted very many birds."])
    paper = page.read()
    assert paper.page_count == 5
    assert {sentence.page for sentence in paper.sentences} == {1, 2}


def test_encrypted(page: Page) -> None:
    page.pdf.set_encryption(owner_password="owner", user_password="user")
    page.text(72, 100, LEFT)
    with pytest.raises(InputError, match="password"):
        page.read()


def test_a_restriction_without_a_password_to_open_does_not_matter(page: Page) -> None:
    page.pdf.set_encryption(owner_password="owner", permissions=AccessPermission.none())
    page.text(72, 100, LEFT)
    assert page.read().sentences


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"%PDF-1.7\n" + b"nothing of use " * 50, "damaged"),
        (b"<html>no access</html>", "not a PDF"),
        (b"", "empty"),
    ],
)
def test_damaged_wrong_and_empty(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "a.pdf").write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_paper(tmp_path / "a.pdf")


def test_text_far_off_the_page_takes_no_time(page: Page) -> None:
    page.text(72, 100, LEFT)
    page.text(9e8, 100, LEFT)
    page.text(72, -9e8, RIGHT)
    sentences = texts(page.read())
    assert "We propose to count from a high tower, which is easy." in sentences
    assert not any("microphone" in text for text in sentences)


def test_a_scan_has_no_text(page: Page) -> None:
    for _ in range(2):
        page.pdf.add_page()
        page.pdf.rect(72, 72, 300, 300, style="F")
    page.text(300, 760, ["2"])
    with pytest.raises(InputError, match="scanned"):
        page.read()


def test_threads_take_turns(tmp_path: Path) -> None:
    path = two_columns(tmp_path / "a.pdf")
    with ThreadPoolExecutor(4) as pool:
        papers = list(pool.map(read_paper, [path] * 12))
    assert all(paper == papers[0] for paper in papers)


needs_library = pytest.mark.skipif(
    not LIBRARY.is_dir(), reason="the shared library of papers is not here"
)


@needs_library
@pytest.mark.parametrize(
    ("name", "page", "label", "section", "start"),
    [
        ("P11-1082", 1, "814", "1 Introduction", "Finally, while different world knowledge sour"),
        # Type 3 fonts without a map: ligatures come from TeX's encoding.
        ("C00-2123", 1, None, "1 Introduction", "In Section 2, we briefly review our approach"),
    ],
)
def test_named_sentences_of_real_papers(
    name: str, page: int, label: str | None, section: str, start: str
) -> None:
    paper = read_paper(LIBRARY / f"{name}.pdf")
    assert (page, label, section) in found(paper, start)


@needs_library
def test_real_papers_without_usable_text() -> None:
    with pytest.raises(InputError, match="scanned"):
        read_paper(LIBRARY / "E03-1007.pdf")
    with pytest.raises(InputError, match="character map"):
        read_paper(LIBRARY / "W01-0505.pdf")


@pytest.mark.parametrize(
    ("declared", "printed", "labels"),
    [
        # What is printed wins over what the file declares.
        (["0", "1", "2"], [set(), {2}, {3}], ["1", "2", "3"]),
        (["1", "2", "3"], [set(), {28}, {29}], ["27", "28", "29"]),
        # Where both agree, front matter keeps its own numerals.
        (["i", "1", "2", "3"], [set(), {1}, {2}, {3}], ["i", "1", "2", "3"]),
        (["", "361", "362"], [{360}, {361}, {362}], ["360", "361", "362"]),
        # A number of a table on one page is none of the page.
        (["1", "2", "3"], [{27}, {28, 4}, {29}], ["27", "28", "29"]),
        # Nothing is printed.
        (["1", "2", "3"], [set(), set(), set()], [None, None, None]),
        (["", ""], [{4}, {9}], [None, None]),
        # Two pages on a sheet.
        (["1", "2", "3"], [{1, 2}, {3, 4}, {5}], [None, None, None]),
    ],
)
def test_labels_are_what_is_printed_or_nothing(declared, printed, labels) -> None:
    assert page_labels(declared, printed) == labels
