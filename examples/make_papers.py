"""Set the Markdown summaries of papers-src/ as PDFs in papers/; a rerun gives the same bytes."""

from __future__ import annotations

import re
from datetime import datetime, timezone
from pathlib import Path

from fpdf import FPDF
from fpdf.enums import Align, XPos, YPos

HERE = Path(__file__).resolve().parent
PAGE_MM = (176, 250)  # B5
MARGIN_MM = 20
LINE = 1.22  # leading, as a share of the type size
MM_PER_POINT = 0.3528
HEAD = re.compile(r"(columns|first-page): (.*)\n+")
NOTICE = "A summary written for the Pincite examples, not the paper's text"


class Paper(FPDF):
    """A short paper with a notice at the head of each page and its number at the foot."""

    def __init__(self, first_page: int) -> None:
        super().__init__(format=PAGE_MM)
        self.first_page = first_page
        self.set_margin(MARGIN_MM)
        self.set_auto_page_break(True, MARGIN_MM)
        self.set_creation_date(datetime(2024, 1, 1, tzinfo=timezone.utc))
        self.set_producer("fpdf2")
        self.set_compression(False)  # the bytes do not depend on the zlib at hand

    def header(self) -> None:
        """Print the notice that this is not the paper itself."""
        self.set_font("Times", "I", 8)
        self.set_y(MARGIN_MM - 9)
        self.cell(0, 4, NOTICE, align="C")
        self.set_y(MARGIN_MM)

    def footer(self) -> None:
        """Print the page number."""
        self.set_font("Times", "", 9)
        self.set_y(-MARGIN_MM + 6)
        self.cell(0, 4, str(self.page_no() - 1 + self.first_page), align="C")

    def centred(self, text: str, style: str, points: float, after: float) -> None:
        """Set one centred block across the whole page."""
        self.set_font("Times", style, points)
        height = points * MM_PER_POINT * LINE
        self.multi_cell(0, height, text, align="C", new_x=XPos.LMARGIN, new_y=YPos.NEXT)
        self.ln(after)


def blocks(source: str) -> list[str]:
    """Split Markdown into headings, list items and paragraphs, each on one line."""
    parts = re.split(r"\n\s*\n|\n(?=- )", source.strip())
    return [" ".join(part.split()).replace("\\-", "\u00ad").replace("*", "") for part in parts]


def make(source: Path, made: Path) -> None:
    """Set one paper."""
    text, head = source.read_text("utf-8"), {}
    while found := HEAD.match(text):
        head[found[1]], text = found[2], text[found.end() :]
    title, authors, *body = blocks(text)
    columns, first_page = int(head.get("columns", "1")), int(head.get("first-page", "1"))
    points = 10.0 if columns == 2 else 10.5
    pdf = Paper(first_page)
    pdf.set_title(title.lstrip("# "))
    pdf.set_author(authors)
    pdf.add_page(label_style="D", label_start=first_page)
    pdf.centred(title.lstrip("# "), "B", 15, after=1)
    pdf.centred(authors, "", 11, after=4)
    pdf.set_font("Times", "", points)
    with pdf.text_columns(ncols=columns, gutter=7, balance=True, line_height=LINE) as set_text:
        for block in body:
            heading = block.startswith("## ")
            pdf.set_font("Times", "B" if heading else "", points + heading)
            above = 2.4 if heading else 0 if block.startswith("- ") else 1.2
            align = Align.L if heading else Align.J
            with set_text.paragraph(text_align=align, top_margin=above) as paragraph:
                paragraph.write(block.removeprefix("## "))
    pdf.output(str(made))


if __name__ == "__main__":
    for markdown in sorted((HERE / "papers-src").glob("*.md")):
        make(markdown, HERE / "papers" / f"{markdown.stem}.pdf")
