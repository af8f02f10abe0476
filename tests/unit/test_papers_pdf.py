from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fpdf import FPDF
from fpdf.enums import AccessPermission

from pincite.model.papers import ReferencePaper
from pincite.model.problems import InputError
from pincite.parsing.papers import read_paper

LIBRARY = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "pdf-library"

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


class Page:
    """Writes lines at places; a line is 12 points high."""

    def __init__(self) -> None:
        self.pdf = FPDF(unit="pt", format=(612, 792))
        self.pdf.set_auto_page_break(False)

    def text(self, x: float, y: float, lines: list[str], size: float = 10, style: str = "") -> None:
        self.pdf.set_font("Times", style=style, size=size)
        for number, line in enumerate(lines):
            self.pdf.text(x, y + 1.2 * size * number, line)

    def save(self, path: Path) -> Path:
        self.pdf.output(str(path))
        return path


def two_columns(path: Path, pages: int = 3) -> Path:
    page = Page()
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
    return page.save(path)


@pytest.fixture
def paper(tmp_path: Path) -> ReferencePaper:
    return read_paper(two_columns(tmp_path / "two.pdf"))


def found(paper: ReferencePaper, start: str) -> list[tuple[int | None, str | None, str | None]]:
    return [(s.page, s.page_label, s.section) for s in paper.sentences if s.text.startswith(start)]


def test_columns_are_read_one_after_the_other(paper: ReferencePaper) -> None:
    texts = [s.text for s in paper.sentences]
    across = (
        "Our results were found over ten days in the spring of the year and agree with those of "
        "the nets."
    )
    assert texts.count(across) == 2


def test_hyphenation_is_undone_and_compounds_stay(paper: ReferencePaper) -> None:
    body = " ".join(s.text for s in paper.sentences)
    assert "with the measured time" in body
    assert "The well-known method" in body


def test_pages_labels_and_sections(paper: ReferencePaper) -> None:
    assert found(paper, "A microphone helps") == [
        (1, "41", "1 Introduction"),
        (2, "42", "2 The Method of Counting"),
    ]
    assert paper.page_count == 3


def test_title_and_abstract(paper: ReferencePaper) -> None:
    assert paper.title == "Counting Birds from a Tower"
    assert paper.abstract == "Birds are counted. This is new and useful."


def test_running_heads_numbers_authors_and_references_are_left_out(paper: ReferencePaper) -> None:
    body = " ".join(s.text for s in paper.sentences)
    for absent in ("Journal of Counting", "Person", "Town Press", "41", "References"):
        assert absent not in body
    assert found(paper, "We thank the town") == [(3, "43", "2 The Method of Counting")]


def test_a_page_label_of_the_document_is_used(tmp_path: Path) -> None:
    page = Page()
    for _ in range(2):
        page.pdf.add_page(label_style="r", label_start=5)
        page.text(72, 100, LEFT)
    labels = {s.page_label for s in read_paper(page.save(tmp_path / "a.pdf")).sentences}
    assert labels <= {"v", "vi"}
    assert labels


def test_tables_and_numbers_are_no_sentences(tmp_path: Path) -> None:
    page = Page()
    page.pdf.add_page()
    page.text(72, 100, LEFT)
    for row in range(4):
        for column in range(4):
            page.text(72 + 60 * column, 230 + 14 * row, [f"{row}.{column}5"])
    page.text(72, 300, ["Table 1: Birds that were seen on each day."])
    texts = [s.text for s in read_paper(page.save(tmp_path / "a.pdf")).sentences]
    assert "Table 1: Birds that were seen on each day." in texts
    assert not any("2.15" in text for text in texts)


def test_a_figure_named_at_the_start_of_a_line_is_no_caption(tmp_path: Path) -> None:
    page = Page()
    page.pdf.add_page()
    lines = [*LEFT[:4], "sees them all on every single day, as is shown in", "Fig. 4. With a tower"]
    page.text(72, 100, [*lines, "we see the birds, and one exception is to be noted", "for owls."])
    page.text(72, 240, ["Figure 4: The tower."])
    texts = [s.text for s in read_paper(page.save(tmp_path / "a.pdf")).sentences]
    assert "With a tower we see the birds, and one exception is to be noted for owls." in " ".join(
        texts
    )
    assert "Figure 4: The tower." in texts


def test_encrypted(tmp_path: Path) -> None:
    page = Page()
    page.pdf.set_encryption(owner_password="owner", user_password="user")
    page.pdf.add_page()
    page.text(72, 100, LEFT)
    with pytest.raises(InputError, match="password"):
        read_paper(page.save(tmp_path / "a.pdf"))


def test_a_restriction_without_a_password_to_open_does_not_matter(tmp_path: Path) -> None:
    page = Page()
    page.pdf.set_encryption(owner_password="owner", permissions=AccessPermission.none())
    page.pdf.add_page()
    page.text(72, 100, LEFT)
    assert read_paper(page.save(tmp_path / "a.pdf")).sentences


def test_damaged_wrong_and_empty(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(b"%PDF-1.7\n" + b"nothing of use " * 50)
    with pytest.raises(InputError, match="damaged"):
        read_paper(path)
    path.write_bytes(b"<html>no access</html>")
    with pytest.raises(InputError, match="not a PDF"):
        read_paper(path)
    path.write_bytes(b"")
    with pytest.raises(InputError, match="empty"):
        read_paper(path)


def test_text_far_off_the_page_costs_nothing(tmp_path: Path) -> None:
    page = Page()
    page.pdf.add_page()
    page.text(72, 100, LEFT)
    page.text(9e8, 100, LEFT)
    page.text(72, -9e8, RIGHT)
    texts = [s.text for s in read_paper(page.save(tmp_path / "a.pdf")).sentences]
    assert "We propose to count from a high tower, which is easy." in texts
    assert not any("microphone" in text for text in texts)


def test_a_scan_has_no_text(tmp_path: Path) -> None:
    page = Page()
    for _ in range(2):
        page.pdf.add_page()
        page.pdf.rect(72, 72, 300, 300, style="F")
    page.text(300, 760, ["2"])
    with pytest.raises(InputError, match="scanned"):
        read_paper(page.save(tmp_path / "a.pdf"))


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
        ("P11-1082", 2, "815", "2 Preliminaries", "In this section, we describe the corpus, the"),
        ("C08-1098", 1, "777", "Abstract", "We present a HMM part-of-speech tagging"),
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
