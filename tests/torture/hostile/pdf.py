"""PDFs written object by object, so that any part of them can be wrong."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

SENTENCE = "The harbour seals were counted from the pier on every morning of that winter."
LINES = (
    "Counting seals from a pier",
    SENTENCE,
    "Their number grew with the tide, as Tern (2001) had found for other shores.",
    "We repeat the count with a camera, which never sleeps and is never cold.",
    "The camera and the observer agree on nine of ten seals in calm weather.",
    "References",
    "A. Tern. 2001. Seals at high tide. Journal of Piers, 3:14-25.",
)


def shown(lines: Iterable[str] = LINES, size: int = 11) -> bytes:
    """Return the content of a page that shows some lines."""
    text = b"".join(b"(%s) Tj T*\n" % _escaped(line) for line in lines)
    return b"BT /F1 %d Tf 14 TL 60 740 Td\n%sET\n" % (size, text)


def _escaped(line: str) -> bytes:
    text = line.encode("latin-1", "replace")
    for sign in (b"\\", b"(", b")"):
        text = text.replace(sign, b"\\" + sign)
    return text


def stream(content: bytes, *entries: str, compressed: bool = False) -> bytes:
    """Return a stream object with its dictionary."""
    if compressed:
        content, entries = zlib.compress(content), (*entries, "/Filter /FlateDecode")
    head = f"<< /Length {len(content)} {' '.join(entries)} >>\n"
    return head.encode() + b"stream\n" + content + b"\nendstream"


@dataclass
class Pdf:
    """Objects by number. Object 1 is the catalog, 2 the page tree, 3 the font; pages follow."""

    objects: dict[int, bytes] = field(default_factory=dict)
    trailer: str = ""

    @classmethod
    def of(cls, *contents: bytes, page: str = "") -> Pdf:
        """Return a PDF with a page for each content; `page` is added to their dictionaries."""
        pdf = cls()
        numbers = [4 + 2 * at for at in range(len(contents))]
        pdf.objects[1] = b"<< /Type /Catalog /Pages 2 0 R >>"
        pdf.objects[2] = kids(numbers)
        pdf.objects[3] = b"<< /Type /Font /Subtype /Type1 /BaseFont /Times-Roman >>"
        for number, content in zip(numbers, contents, strict=True):
            pdf.objects[number] = page_object(number + 1, page)
            pdf.objects[number + 1] = stream(content)
        return pdf

    def add(self, content: bytes) -> int:
        """Add an object; return its number."""
        number = max(self.objects) + 1
        self.objects[number] = content
        return number

    def body(self) -> tuple[bytes, dict[int, int]]:
        """Return header and objects, and where each of these starts."""
        parts, starts, length = [b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"], {}, 15
        for number, content in self.objects.items():
            starts[number] = length
            parts.append(b"%d 0 obj\n%s\nendobj\n" % (number, content))
            length += len(parts[-1])
        return b"".join(parts), starts

    def table(self, starts: dict[int, int]) -> bytes:
        """Return the cross-reference table."""
        most = max(starts)
        rows = (
            b"%010d 00000 n \n" % starts[number] if number in starts else b"0000000000 65535 f \n"
            for number in range(1, most + 1)
        )
        return b"xref\n0 %d\n0000000000 65535 f \n%s" % (most + 1, b"".join(rows))

    def end(self, start: int) -> bytes:
        """Return the trailer of a file whose table is at `start`."""
        entries = f"/Size {max(self.objects) + 1} /Root 1 0 R {self.trailer}"
        return f"trailer << {entries} >>\nstartxref\n{start}\n%%EOF\n".encode()

    def written(self) -> bytes:
        """Return the whole file."""
        body, starts = self.body()
        return body + self.table(starts) + self.end(len(body))


def kids(numbers: Sequence[int], *, count: int | None = None) -> bytes:
    """Return a page tree with some kids."""
    names = " ".join(f"{number} 0 R" for number in numbers)
    total = len(numbers) if count is None else count
    return f"<< /Type /Pages /Kids [{names}] /Count {total} >>".encode()


def page_object(content: int, more: str = "") -> bytes:
    """Return a page that shows the content in an object."""
    resources = "" if "/Resources" in more else "/Resources << /Font << /F1 3 0 R >> >>"
    box = "" if "/MediaBox" in more else "/MediaBox [0 0 612 792]"
    return (
        f"<< /Type /Page /Parent 2 0 R {box} {resources} /Contents {content} 0 R {more} >>".encode()
    )


def paper() -> bytes:
    """Return a sound paper of two pages."""
    more = tuple(
        f"On day {day} we saw {day + 3} seals near the second buoy." for day in range(1, 30)
    )
    return Pdf.of(shown(LINES[:5] + more[:20]), shown((*more[20:], *LINES[5:]))).written()
