"""Constructs of each format that a file may repeat or nest arbitrarily often."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import torture.hostile.pdf as pdf
from torture.hostile.readers import BY_NAME, Reader

SENTENCE = pdf.SENTENCE


class Pair(NamedTuple):
    """The opening and closing of a construct, with `inside` between them."""

    opening: str
    closing: str = ""
    inside: str = "x"


@dataclass(frozen=True)
class Construct:
    """A construct of a reader's format; `make` returns a file with n of them."""

    reader: Reader
    name: str
    make: Callable[[int], bytes]


#: How n of a pair are put together.
PATTERNS: dict[str, Callable[[Pair, int], str]] = {
    "repeated": lambda pair, n: (pair.opening + pair.inside + pair.closing + " ") * n,
    "nested": lambda pair, n: pair.opening * n + pair.inside + pair.closing * n,
    "unclosed": lambda pair, n: (pair.opening + pair.inside + " ") * n,
    "only closed": lambda pair, n: (pair.inside + pair.closing + " ") * n,
    "closed first": lambda pair, n: (pair.closing + pair.inside + pair.opening + "\n") * n,
}

LATEX = (
    *(Pair("{", "}"), Pair("[", "]"), Pair("$", "$"), Pair("$$", "$$"), Pair("\\[", "\\]")),
    *(Pair("\\(", "\\)"), Pair("\\cite{", "}"), Pair("\\cite[", "]{k}"), Pair("\\textit{", "}")),
    *(Pair("\\footnote{", "}"), Pair("\\section{", "}"), Pair("\\title{", "}"), Pair("\\'{", "}")),
    *(
        Pair("\\begin{itemize}", "\\end{itemize}", "\\item x"),
        Pair("\\verb|", "|"),
        Pair("%", "\n"),
    ),
    *(Pair("\\begin{equation}", "\\end{equation}"), Pair("\\iffalse ", "\\fi "), Pair("``", "''")),
    *(Pair("\\begin{verbatim}", "\\end{verbatim}"), Pair("\\ifx\\a\\b ", "\\else y\\fi ")),
    *(
        Pair("\\newcommand{\\ab}{", "}"),
        Pair("\\def\\ab#1{", "}"),
        Pair("\\bibitem{", "} A. 2001."),
    ),
    *(
        Pair("\\begin{comment}", "\\end{comment}"),
        Pair("\\cites{", "}{y}"),
        Pair("\\href{u}{", "}"),
    ),
    *(
        Pair("\\input{", "}"),
        Pair("\\bibliography{", "}"),
        Pair("\\begin{tabular}{l}", "\\end{tabular}"),
    ),
    *(
        Pair("\\frac{", "}{y}"),
        Pair("^{", "}"),
        Pair("\\let\\a=", "\\b"),
        Pair("\\csname ", "\\endcsname"),
    ),
)
BIBTEX = (
    *(Pair("{", "}"), Pair('"', '"'), Pair("(", ")"), Pair("@", "{k}"), Pair("@article{", "}")),
    *(Pair("@article{k, title = {", "}}"), Pair("@string{s = {", "}}"), Pair("@comment{", "}")),
    *(
        Pair("@preamble{", "}"),
        Pair("@xdata{k, xdata={", "}}"),
        Pair("a = ", " # s,"),
        Pair("\\'{", "}"),
    ),
    *(Pair("@book{k, author = {", " and A, B}}"), Pair("$", "$"), Pair("%", "\n"), Pair("=", ",")),
)
BIBTEX_FIELDS = (
    *(Pair("author = {A, B and ", "},"), Pair("file = {a:b", ":PDF;},"), Pair("title = {{", "}},")),
    *(Pair("crossref = {", "},"), Pair("ids = {a,", "},"), Pair("url = {http://", "},")),
    *(Pair("title = \\emph{", "},"), Pair("doi = {10.1/", "},"), Pair("month = jan # ", "s,")),
)
CSL_JSON = (
    *(Pair("[", "]", "1"), Pair('{"id":', "}", "1"), Pair('"', '",', "a"), Pair("1,", "", "")),
    *(Pair('{"id": "a", "author": [', "]},\n"), Pair("\\u00e9"), Pair('"<i>', '</i>",')),
)
YAML = (
    *(Pair("[", "]", "1"), Pair("{a: ", "}", "1"), Pair('"', '"'), Pair("'", "'"), Pair("- ", "")),
    *(Pair("\n- id: a\n  x: "), Pair("\n  x:\n  - "), Pair("&a ", "\n  y: *a")),
    *(Pair("? "), Pair("!!x "), Pair("|\n"), Pair("#", "\n"), Pair("\nk:\n  type: ")),
)
MARKDOWN = (
    *(Pair("[", "]"), Pair("![", "](y)"), Pair("[", "](y)"), Pair("<b>", "</b>"), Pair("*", "*")),
    *(
        Pair("**", "**"),
        Pair("`", "`"),
        Pair("\n```\n", "\n```\n"),
        Pair("<!--", "-->"),
        Pair("\n> "),
    ),
    *(
        Pair("\n# ", "\n"),
        Pair("\n- "),
        Pair("\n| ", " |"),
        Pair("[^1]", "\n[^1]: Tern 2001. Seals.\n"),
    ),
    *(Pair("&", ";", "amp"), Pair("\\"), Pair("$", "$"), Pair("[@", "]"), Pair("<http://", ">")),
    *(
        Pair("\n---\n", "\n---\n"),
        Pair("_", "_"),
        Pair("\n\n[x]: ", "y\n"),
        Pair("(", ")"),
        Pair("\t"),
    ),
)
TYPST = (
    *(
        Pair("[", "]"),
        Pair("#[", "]"),
        Pair("#f(", ")"),
        Pair("#f[", "]"),
        Pair("#{", "}"),
        Pair("@a[", "]"),
    ),
    *(
        Pair("$", "$"),
        Pair("$ ", " $"),
        Pair("$ #[", "] $"),
        Pair("$#(", "$"),
        Pair("`", "`"),
        Pair("```", "```"),
        Pair("/*", "*/"),
        Pair("// ", "\n"),
    ),
    *(
        Pair('#"', '"'),
        Pair("#cite(<", ">)"),
        Pair("#cite(", ")"),
        Pair("*", "*"),
        Pair("_", "_"),
        Pair("<a", ">"),
    ),
    *(
        Pair("@a"),
        Pair("@a "),
        Pair("@a.:"),
        Pair("#a."),
        Pair("\\"),
        Pair("\n= "),
        Pair("\n- "),
        Pair("\n\n"),
    ),
    *(
        Pair("#let x = "),
        Pair("#if a [", "]"),
        Pair("https://("),
        Pair("#f(\n\n", ")"),
        Pair("#context "),
    ),
)
PLAIN = (
    *(
        Pair("(", ")"),
        Pair("[", "]", "1"),
        Pair("(", ", 2001)", "Tern"),
        Pair("Tern et al. (", ")", "2001"),
    ),
    *(
        Pair(". "),
        Pair(", "),
        Pair("; "),
        Pair("\n\n"),
        Pair("\f"),
        Pair("\u201c", "\u201d"),
        Pair("\u00b9"),
    ),
    *(
        Pair("\nReferences\n", "\n\n"),
        Pair("\n[", "] A. Tern. 2001. Seals.", "1"),
        Pair("e.g. "),
        Pair("\u2013"),
    ),
    *(
        Pair("[1", "\u20139]", ", 3"),
        Pair("and "),
        Pair("A."),
        Pair("10.1/"),
        Pair("http://"),
        Pair("-\n"),
    ),
)
XML = (
    *(
        Pair("<p>", "</p>"),
        Pair("<div>", "</div>"),
        Pair("<s>", "</s>"),
        Pair("<sec><title>", "</title></sec>"),
    ),
    *(
        Pair('<ref type="bibr" target="#b0">', "</ref>"),
        Pair('<xref ref-type="bibr" rid="r">', "</xref>"),
    ),
    *(
        Pair("<!--", "-->"),
        Pair("<![CDATA[", "]]>"),
        Pair("<?x ", "?>"),
        Pair("&", ";", "amp"),
        Pair("<figure>", "</figure>"),
    ),
    *(
        Pair("<formula>", "</formula>"),
        Pair("<note>", "</note>"),
        Pair("<list><list-item>", "</list-item></list>"),
    ),
    *(
        Pair('<biblStruct xml:id="b0">', "</biblStruct>"),
        Pair("&#", ";", "65"),
        Pair("(Tern, ", ")", "2001"),
    ),
)
JSON = (Pair("[", "]", "1"), Pair('{"a":', "}", "1"), Pair('"', '",', "a"), Pair("1,", "", ""))
_PDF_CONTENT = (
    *(Pair("q ", "Q "), Pair("BT ", "ET ", "(x) Tj "), Pair("[(", ") 9] TJ "), Pair("(", ") Tj ")),
    *(Pair("/F1 9 Tf ", "", "(word) Tj "), Pair("0 -12 Td ", "", "(A line of seals.) Tj ")),
    *(
        Pair("<", "> Tj ", "7365"),
        Pair("/P << ", ">> BDC EMC "),
        Pair("9 9 m ", "9 8 l S "),
        Pair("1 0 0 1 1 1 cm "),
    ),
)

_HEADS = {
    "LaTeX": (
        "\\documentclass{article}\n\\begin{document}\n" + SENTENCE + "\n",
        "\n" + SENTENCE + "\n\\end{document}\n",
    ),
    "BibTeX": ("", ""),
    "Markdown": (f"# Seals\n\n{SENTENCE}\n\n", f"\n\n{SENTENCE}\n"),
    "Typst": (f"= Seals\n\n{SENTENCE}\n\n", f"\n\n{SENTENCE}\n"),
    "plain": (f"Seals\n\n{SENTENCE}\n\n", f"\n\n{SENTENCE}\n"),
    "TEI": (f"<TEI><text><body><div><p>{SENTENCE}</p>", "</div></body></text></TEI>"),
    "JATS": (f"<article><body><sec><p>{SENTENCE}</p>", "</sec></body></article>"),
}


def constructs() -> Iterator[Construct]:
    """Yield all constructs, grouped by reader."""
    latex = _HEADS["LaTeX"]
    yield from _within(BY_NAME["LaTeX draft"], LATEX, *latex, PATTERNS)
    yield from _within(BY_NAME["LaTeX paper"], LATEX, *latex, ("repeated", "nested", "unclosed"))
    yield from _within(BY_NAME["BibTeX"], BIBTEX, "", "", PATTERNS)
    yield from _within(BY_NAME["BibTeX"], BIBTEX_FIELDS, "@article{k, ", "}", PATTERNS)
    yield from _numbered_entries()
    yield from _within(BY_NAME["CSL JSON"], CSL_JSON, "[", "]", PATTERNS)
    yield from _within(BY_NAME["CSL JSON"], CSL_JSON, '[{"id": "a", "x": ', "}]", PATTERNS)
    yield from _within(BY_NAME["CSL YAML"], YAML, "references:\n- id: a\n  x: ", "\n", PATTERNS)
    yield from _within(BY_NAME["Hayagriva"], YAML, "a:\n  title: x\n  x: ", "\n", PATTERNS)
    yield from _within(BY_NAME["Markdown"], MARKDOWN, *_HEADS["Markdown"], PATTERNS)
    yield from _within(BY_NAME["Markdown draft"], MARKDOWN, *_HEADS["Markdown"], PATTERNS)
    yield from _within(BY_NAME["Typst draft"], TYPST, *_HEADS["Typst"], PATTERNS)
    yield from _within(
        BY_NAME["plain text"], PLAIN, *_HEADS["plain"], ("repeated", "nested", "closed first")
    )
    for name, head in (("GROBID TEI", "TEI"), ("JATS", "JATS")):
        yield from _within(BY_NAME[name], XML, *_HEADS[head], ("repeated", "nested", "unclosed"))
    yield from _json()
    yield from _pdfs()


def _within(
    reader: Reader,
    pairs: tuple[Pair, ...],
    head: str,
    foot: str,
    patterns: object,
) -> Iterator[Construct]:
    for pair in pairs:
        for pattern in patterns:  # type: ignore[attr-defined]
            if pair.closing or pattern == "repeated":

                def make(n: int, pair: Pair = pair, pattern: str = pattern) -> bytes:
                    return (head + PATTERNS[pattern](pair, n) + foot).encode()

                yield Construct(reader, f"{pair.opening!r} {pair.closing!r} {pattern}", make)
    others = [*pairs[1:], pairs[0]]
    for pair, other in zip(pairs, others, strict=True):

        def alternate(n: int, pair: Pair = pair, other: Pair = other) -> bytes:
            return (head + (pair.opening + "x" + other.opening + "y ") * n + foot).encode()

        yield Construct(reader, f"{pair.opening!r} {other.opening!r} alternated", alternate)


def _numbered_entries() -> Iterator[Construct]:
    """Yield bibliographies of n entries that refer to each other."""
    forms = {
        "entries of different keys": "@book{k%d, title = {Seals %d}}\n",
        "entries that inherit from the one before": "@book{k%d, crossref = {k%d}}\n",
        "data that inherits from the one before": "@xdata{k%d, xdata = {k%d}}\n",
        "macros of the one before": "@string{s%d = s%d # {x}}\n",
        "aliases": "@book{k%d, ids = {a%d}}\n",
    }
    for name, form in forms.items():

        def make(n: int, form: str = form) -> bytes:
            return "".join(form % (at + 1, at) for at in range(n)).encode()

        yield Construct(BY_NAME["BibTeX"], name, make)


def _json() -> Iterator[Construct]:
    paragraph = {"text": SENTENCE, "cite_spans": [], "section": "A"}
    span = {"start": 4, "end": 11, "text": "harbour", "ref_id": "BIBREF0"}
    reference = {"title": "Seals", "authors": [{"last": "Tern"}], "year": 2001}
    makers: dict[str, Callable[[int], object]] = {
        "paragraphs": lambda n: {"body_text": [paragraph] * n},
        "sections": lambda n: {
            "body_text": [{**paragraph, "section": f"A::{at}"} for at in range(n)]
        },
        "spans at one place": lambda n: {"body_text": [{**paragraph, "cite_spans": [span] * n}]},
        "spans that lie elsewhere": lambda n: {
            "body_text": [{**paragraph, "cite_spans": [{**span, "start": 9, "end": 16}] * n}]
        },
        "references": lambda n: {
            "body_text": [paragraph],
            "bib_entries": {f"b{at}": reference for at in range(n)},
        },
        "authors": lambda n: {"body_text": [paragraph], "authors": [{"last": "Tern"}] * n},
        "long text": lambda n: {"body_text": [{"text": f"{SENTENCE} " * n}]},
        "letters": lambda n: {"body_text": [{"text": "x" * n}]},
        "annotations": lambda n: {
            "content": {
                "text": f"{SENTENCE} " * n,
                "annotations": {
                    "paragraph": [{"start": 78 * at, "end": 78 * at + 77} for at in range(n)],
                    "bibref": [{"start": 78 * at, "end": 78 * at + 3} for at in range(n)],
                },
            }
        },
    }
    for name, maker in makers.items():

        def make(n: int, maker: Callable[[int], object] = maker) -> bytes:
            return json.dumps(maker(n)).encode()

        yield Construct(BY_NAME["S2ORC JSON"], name, make)
    for pattern in ("repeated", "nested", "unclosed"):
        for pair in JSON:

            def broken(n: int, pair: Pair = pair, pattern: str = pattern) -> bytes:
                return b'{"body_text": [' + PATTERNS[pattern](pair, n).encode() + b"]}"

            name = f"{pair.opening!r} {pattern}"
            yield Construct(BY_NAME["S2ORC JSON"], name, broken)
            yield Construct(BY_NAME["settings"], name, broken)
    names: dict[str, Callable[[int], object]] = {
        "paths": lambda n: {"library.folders": [f"~/papers{at}" for at in range(n)]},
        "unknown settings": lambda n: {f"unknown{at}": at for at in range(n)},
        "a long name": lambda n: {"x" * n: 1},
    }
    for name, maker in names.items():

        def settings(n: int, maker: Callable[[int], object] = maker) -> bytes:
            return json.dumps(maker(n)).encode()

        yield Construct(BY_NAME["settings"], name, settings)


def _pdfs() -> Iterator[Construct]:
    for pair in _PDF_CONTENT:
        for pattern in ("repeated", "nested", "unclosed"):
            if pair.closing or pattern == "repeated":

                def make(n: int, pair: Pair = pair, pattern: str = pattern) -> bytes:
                    drawn = f"BT /F1 9 Tf 60 700 Td {PATTERNS[pattern](pair, n)} ET"
                    return pdf.Pdf.of(pdf.shown() + drawn.encode()).written()

                yield Construct(BY_NAME["PDF"], f"{pair.opening!r} {pattern}", make)
    makers: dict[str, Callable[[int], bytes]] = {
        "pages": lambda n: pdf.Pdf.of(*[pdf.shown()] * n).written(),
        "empty pages": lambda n: pdf.Pdf.of(pdf.shown(pdf.LINES * 9), *[b""] * n).written(),
        "objects without use": _idle_objects,
        "lines": lambda n: pdf.Pdf.of(pdf.shown(pdf.LINES * n, 1)).written(),
        "one long line": lambda n: pdf.Pdf.of(pdf.shown([" ".join(pdf.LINES * n)])).written(),
        "references": lambda n: pdf.Pdf.of(
            pdf.shown(pdf.LINES), *[pdf.shown(pdf.LINES[-1:] * 40)] * n
        ).written(),
    }
    for name, make_pdf in makers.items():
        yield Construct(BY_NAME["PDF"], name, make_pdf)


def _idle_objects(n: int) -> bytes:
    file = pdf.Pdf.of(pdf.shown())
    file.objects.update(dict.fromkeys(range(100, 100 + n), b"<< /A 1 >>"))
    return file.written()
