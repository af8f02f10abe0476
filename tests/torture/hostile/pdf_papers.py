"""Hostile PDFs, each with the outcome expected of it."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from fpdf import FPDF
from fpdf.enums import EncryptionMethod

from torture.hostile.pdf import LINES, SENTENCE, Pdf, kids, page_object, paper, shown, stream

TEXT, REFUSED = "text", "refused"
#: Lines that all pages have are running heads.
OTHER_TEXT = "other text"
#: PDFium follows these references without end.
CRASH = "crash"
Papers = Iterator[tuple[str, bytes, str]]


def pdf_papers() -> Papers:
    """Yield the name of each, its bytes and what is expected, as `Hostile.expected`."""
    yield from _cut()
    yield from _protected()
    yield from _of_other_kinds()
    yield from _with_wrong_tables()
    yield from _with_wrong_trees()
    yield from _with_wrong_streams()
    yield from _with_odd_pages()


def _made(*lines: str, password: str | None = None, owner: str | None = None) -> bytes:
    """Return a PDF that a library makes, with compressed contents."""
    pdf = FPDF(unit="pt", format=(612, 792))
    pdf.add_page()
    pdf.set_font("Times", size=11)
    for number, line in enumerate(lines or LINES):
        pdf.text(60, 60 + 14 * number, line)
    if owner is not None:
        pdf.set_encryption(
            owner_password=owner, user_password=password, encryption_method=EncryptionMethod.RC4
        )
    return bytes(pdf.output())


def _cut() -> Papers:
    """Yield sound papers of which the end is missing."""
    whole, made = paper(), _made()
    table = whole.index(b"xref\n")
    yield "sound", whole, TEXT
    yield "sound and compressed", made, TEXT
    second_page = whole.index(b"6 0 obj")
    for percent in range(5, 100, 10):
        at = len(whole) * percent // 100
        # PDFium finds the objects that are there; without a trailer, it does not know the first.
        yield f"cut at {percent} percent", whole[:at], REFUSED
    yield "cut at the table", whole[:table], REFUSED
    yield "cut in the table", whole[: table + 40], REFUSED
    yield "cut behind the trailer", whole[: whole.index(b"startxref")], TEXT
    yield "cut before the end mark", whole[: whole.index(b"%%EOF")], TEXT
    yield "without a page in its middle", whole[: second_page - 500] + whole[second_page:], TEXT
    yield "compressed, cut in the middle", made[: len(made) // 2], REFUSED
    yield "its second half twice", whole + whole[len(whole) // 2 :], TEXT
    yield "two papers in a row", whole + whole, TEXT


def _protected() -> Papers:
    yield "with a password", _made(password="seal", owner="pier"), REFUSED
    yield "with an owner's password", _made(owner="pier"), TEXT
    broken = Pdf.of(shown())
    broken.trailer = "/Encrypt << /Filter /Standard /V 99 /R 99 /O (x) /U (y) /P -1 >>"
    yield "with an unknown protection", broken.written(), REFUSED
    broken.trailer = "/Encrypt 99 0 R"
    yield "with a protection that is missing", broken.written(), TEXT


def _of_other_kinds() -> Papers:
    whole = paper()
    yield "empty", b"", REFUSED
    yield "only spaces", b" \n" * 10_000, REFUSED
    yield "only null bytes", b"\0" * 1_000_000, REFUSED
    yield "only the magic bytes", b"%PDF-1.7\n", REFUSED
    yield "magic bytes and null bytes", b"%PDF-1.7\n" + b"\0" * 1_000_000, REFUSED
    yield "wrong magic bytes", whole.replace(b"%PDF", b"%FDP"), REFUSED
    yield "something short before it", b"x" * 500 + whole, TEXT
    yield "something long before it", b"x" * 5_000 + whole, REFUSED
    yield "html", b"<!doctype html><title>404</title>" * 99, REFUSED
    yield "an image", b"\x89PNG\r\n\x1a\n" + b"\0" * 999, REFUSED
    yield "text", SENTENCE.encode() * 99, REFUSED
    yield "something behind it", whole + b"\0" * 900, TEXT
    yield "megabytes behind it", whole + b"\0" * 3_000_000, TEXT


def _with_wrong_tables() -> Papers:
    pdf = Pdf.of(shown())
    body, starts = pdf.body()
    table = pdf.table(starts)
    for name, start in (
        ("far away", 10**9),
        ("gigantic", 10**30),
        ("negative", -1),
        ("at the front", 0),
    ):
        yield f"table {name}", body + table + pdf.end(start), TEXT
    yield "no table", body + pdf.end(len(body)), TEXT
    wrong = pdf.table({number: 10**9 + number for number in starts})
    yield "table with wrong places", body + wrong + pdf.end(len(body)), TEXT
    gigantic = table.replace(b"0 6\n", b"0 99999999999999999999\n")
    yield "table with a gigantic count", body + gigantic + pdf.end(len(body)), TEXT
    ten_digits = table.replace(b"00000 n", b"99999 n")
    yield "table with gigantic generations", body + ten_digits + pdf.end(len(body)), TEXT
    for name, entry in (
        ("itself before it", f"/Prev {len(body)}"),
        ("a gigantic size", "/Size 99999999999"),
        ("a stream of itself", f"/XRefStm {len(body)}"),
    ):
        pdf.trailer = entry
        yield f"table with {name}", pdf.written(), TEXT
    pdf.trailer = ""
    root = pdf.written().replace(b"/Root 1 0 R", b"/Root 77 0 R")
    yield "without its first object", root, REFUSED
    pdf.objects[4_294_967_295] = b"<< >>"
    yield "an object of a gigantic number", body + table + pdf.end(len(body)), TEXT


def _with_wrong_trees() -> Papers:
    pdf = Pdf.of(shown())
    for name, tree, expected in (
        ("of itself", kids([2, 4]), TEXT),
        ("of itself alone", kids([2]), REFUSED),
        ("of missing pages", kids([77, 78, 79]), REFUSED),
        ("of a missing page more", kids([4, 77]), TEXT),
        ("of its catalog", kids([1, 4]), TEXT),
        ("with a gigantic count", kids([4], count=2**31), TEXT),
        ("with a negative count", kids([4], count=-5), TEXT),
        ("without kids", b"<< /Type /Pages /Count 1 >>", REFUSED),
        ("with kids that are numbers", b"<< /Type /Pages /Kids [1 2 3] /Count 3 >>", REFUSED),
        ("that is missing", b"null", REFUSED),
    ):
        pdf.objects[2] = tree
        yield f"page tree {name}", pdf.written(), expected
    pages = Pdf.of(*[shown()] * 2)
    pages.objects[2] = kids([4] * 100_000)
    yield "the same page 100000 times", pages.written(), OTHER_TEXT
    deep = Pdf.of(shown())
    deep.objects.update({at: kids([at + 1], count=1) for at in range(100, 5_100)})
    deep.objects[2], deep.objects[5_100] = kids([100], count=1), deep.objects[4]
    yield "page tree 5000 deep", deep.written(), REFUSED
    many = Pdf.of(shown())
    many.objects.update({at: page_object(5) for at in range(100, 100_100)})
    many.objects[2] = kids(range(100, 100_100))
    yield "100000 pages", many.written(), OTHER_TEXT
    labels = Pdf.of(shown())
    labels.objects[1] = b"<< /Type /Catalog /Pages 2 0 R /PageLabels 90 0 R /Outlines 91 0 R >>"
    labels.objects[90] = b"<< /Kids [90 0 R 90 0 R] >>"
    labels.objects[91] = b"<< /First 91 0 R /Last 91 0 R /Next 91 0 R /Count 9 >>"
    yield "labels and outlines of themselves", labels.written(), CRASH


def _with_wrong_streams() -> Papers:
    sound = shown()
    compressed = stream(sound, compressed=True)
    for name, content, expected in (
        ("of a gigantic length", stream(sound).replace(b"/Length ", b"/Length 9999999999"), TEXT),
        ("of a negative length", stream(sound).replace(b"/Length ", b"/Length -"), TEXT),
        ("whose length is itself", b"<< /Length 5 0 R >>\nstream\n" + sound + b"\nendstream", TEXT),
        ("that is damaged", compressed[:-200] + b"x" * 180 + compressed[-20:], REFUSED),
        ("of an unknown filter", stream(sound, "/Filter /Seal"), TEXT),
        ("of a hundred filters", stream(sound, f"/Filter [{'/FlateDecode ' * 100}]"), TEXT),
        ("that is a bomb", stream(b" " * 200_000_000, compressed=True), REFUSED),
        ("that is a bomb in a bomb", _bomb(), REFUSED),
        (
            "that begins well and is a bomb",
            stream(sound + b" " * 99_999_999, compressed=True),
            TEXT,
        ),
        ("that saves its state a million times", stream(b"q " * 1_000_000 + sound), TEXT),
        ("of nested lists", stream(sound + b"[" * 1_000_000), TEXT),
        ("of nested dictionaries", stream(sound + b"/P << /A " * 200_000), TEXT),
        ("of megabytes of brackets", stream(sound + b"(" * 3_000_000), TEXT),
        ("of gigantic numbers", stream(sound + b"BT /F1 1e38 Tf 1e38 9e99 Td (x) Tj ET"), TEXT),
        ("of unknown commands", stream(sound + b"seal pier " * 100_000), TEXT),
    ):
        pdf = Pdf.of(sound)
        pdf.objects[5] = content
        yield f"content {name}", pdf.written(), expected
    form = Pdf.of(
        sound + b"/X Do", page="/Resources << /Font << /F1 3 0 R >> /XObject << /X 90 0 R >> >>"
    )
    again = (
        "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 90 0 R >> >>"
    )
    form.objects[90] = stream(b"/X Do /X Do", again)
    yield "a form of itself", form.written(), CRASH
    packed = Pdf.of(sound)
    packed.objects[90] = stream(b"91 0 " * 9, "/Type /ObjStm /N 999999999 /First 5")
    yield "packed objects of a wrong number", packed.written(), TEXT


def _bomb() -> bytes:
    inner = zlib.compress(zlib.compress(b"\0" * 100_000_000))
    head = f"<< /Length {len(inner)} /Filter [/FlateDecode /FlateDecode] >>\nstream\n"
    return head.encode() + inner + b"\nendstream"


def _with_odd_pages() -> Papers:
    sound = shown()
    for name, entry, expected in (
        ("no size", "/MediaBox [0 0 0 0]", TEXT),
        ("a gigantic size", "/MediaBox [0 0 1e30 1e30]", TEXT),
        ("a size of words", "/MediaBox [/a /b (c) null]", TEXT),
        ("an odd turn", "/Rotate 45", TEXT),
        ("a gigantic unit", "/UserUnit 1e30", TEXT),
        (
            "a link to a program",
            "/Annots [<< /Subtype /Link /A << /S /Launch /F (/bin/sh) >> >>]",
            TEXT,
        ),
        ("a program", "/AA << /O << /S /JavaScript /JS (app.alert\\(1\\)) >> >>", TEXT),
        ("itself as a parent", "/Parent 4 0 R", TEXT),
    ):
        yield f"page with {name}", Pdf.of(sound, page=entry).written(), expected
    image = "/Resources << /Font << /F1 3 0 R >> /XObject << /X 90 0 R >> >>"
    for name, size, content in (
        ("a huge image", 8_000, b"\xff" * (8_000 * 1_000)),
        ("an image of a gigantic size", 2_000_000, b"x"),
    ):
        pdf = Pdf.of(b"q 600 0 0 700 0 0 cm /X Do Q", page=image)
        looks = f"/Type /XObject /Subtype /Image /Width {size} /Height {size} /BitsPerComponent 1"
        pdf.objects[90] = stream(content, looks, "/ColorSpace /DeviceGray", compressed=True)
        yield f"page with {name} and no text", pdf.written(), REFUSED
    for name, font, expected in (
        ("that is missing", b"null", TEXT),
        ("of itself", b"<< /Type /Font /Subtype /Type0 /DescendantFonts [3 0 R] >>", REFUSED),
        (
            "with a map of itself",
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Times-Roman /ToUnicode 3 0 R >>",
            TEXT,
        ),
    ):
        pdf = Pdf.of(sound)
        pdf.objects[3] = font
        yield f"font {name}", pdf.written(), expected
    yield "invisible text", Pdf.of(b"3 Tr " + sound).written(), TEXT
    yield "no text", Pdf.of(b"9 9 m 99 99 l S").written(), REFUSED
    yield "no content", Pdf.of(b"").written(), REFUSED
    signs = shown(["()[]{}<> " * 20] * 30, 6)
    yield "only brackets", Pdf.of(signs).written(), REFUSED
    title = Pdf.of(sound)
    title.objects[90] = b"<< /Title (" + b"x" * 1_000_000 + b") >>"
    title.trailer = "/Info 90 0 R"
    yield "a title of a megabyte", title.written(), TEXT
