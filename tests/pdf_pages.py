"""PDFs for tests: pages written line by line, and files whose font maps its codes as a test wants."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from fpdf import FPDF

from pincite.model.papers import ReferencePaper
from pincite.parsing.papers import read_paper


class Page:
    """Writes lines at places of a PDF, on its first page or that added last."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.pdf = FPDF(unit="pt", format=(612, 792))
        self.pdf.set_auto_page_break(False)

    def text(self, x: float, y: float, lines: list[str], size: float = 10, style: str = "") -> None:
        if not self.pdf.pages:
            self.pdf.add_page()
        self.pdf.set_font("Times", style=style, size=size)
        for number, line in enumerate(lines):
            self.pdf.text(x, y + 1.2 * size * number, line)

    def save(self) -> Path:
        self.pdf.output(str(self.path))
        return self.path

    def read(self) -> ReferencePaper:
        return read_paper(self.save())


def mapped(path: Path, lines: Iterable[tuple[float, float, str]], to: Mapping[str, str]) -> Path:
    """Write a page of lines `(x, y, codes)` in a font whose map has `to` for its codes."""
    entries = "".join(
        f"<{ord(code):02X}> <{text.encode('utf-16-be').hex()}>\n" for code, text in to.items()
    )
    cmap = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def\n"
        "1 begincodespacerange <00> <FF> endcodespacerange\n"
        f"{len(to)} beginbfchar\n{entries}endbfchar endcmap end end"
    )
    shown = "".join(
        f"BT /F 10 Tf {x} {y} Td <{codes.encode('latin-1').hex()}> Tj ET\n" for x, y, codes in lines
    )
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R"
        " /Resources << /Font << /F 4 0 R >> >> >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Times-Roman /Encoding /WinAnsiEncoding"
        " /ToUnicode 6 0 R >>",
        f"<< /Length {len(shown)} >> stream\n{shown}endstream",
        f"<< /Length {len(cmap)} >> stream\n{cmap}\nendstream",
    ]
    data = "%PDF-1.7\n"
    offsets = []
    for number, content in enumerate(objects, 1):
        offsets.append(len(data))
        data += f"{number} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    data += (
        f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
        f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(data)}\n%%EOF\n"
    )
    path.write_text(data, encoding="latin-1")
    return path
