"""Hostile papers, each with the outcome expected of it, and what comes of them in the product."""

from __future__ import annotations

import itertools
import json
import os
import re
import socket
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from torture.hostile.pdf import SENTENCE
from torture.hostile.pdf_papers import pdf_papers
from torture.hostile.readers import seeds

#: "text": the known sentence is read. "other text": what is read lacks it. "refused": a message states
#: what is wrong with which file. "crash": the process that reads it ends, which is reported.
#: "nothing": the file is passed over.
Outcome = Literal["text", "other text", "refused", "crash", "nothing"]
TEXT, REFUSED, NOTHING = "text", "refused", "nothing"


@dataclass(frozen=True, slots=True)
class Hostile:
    """A hostile paper: its file's name, its bytes or what makes it, and what is expected of it."""

    name: str
    content: bytes | Callable[[Path], None]
    expected: Outcome
    needs: Literal["", "posix", "user"] = ""

    def make(self, folder: Path) -> Path:
        """Make the paper in a folder; return its path."""
        path = folder / self.name
        if callable(self.content):
            self.content(path)
        else:
            path.write_bytes(self.content)
        return path

    @property
    def can_be_made(self) -> bool:
        """Whether this system has such files; root reads what nobody may."""
        is_root = hasattr(os, "geteuid") and os.geteuid() == 0
        return (os.name == "posix" and not (self.needs == "user" and is_root)) or not self.needs


def hostile_papers() -> list[Hostile]:
    """Return all of them."""
    pdfs = (Hostile(f"{name}.pdf", content, expected) for name, content, expected in pdf_papers())
    return [*pdfs, *_xml(), *_json(), *_texts(), *_latex(), *_files()]


# XML ---------------------------------------------------------------------------------------------

_TEI = f"<TEI><text><body><div><p>{SENTENCE} %s</p></div></body></text></TEI>"
_JATS = f"<article><body><sec><p>{SENTENCE} %s</p></sec></body></article>"


def _xml() -> Iterator[Hostile]:
    entities = (f'<!ENTITY l{at} "' + f"&l{at - 1};" * 10 + '">' for at in range(1, 12))
    laughs = f'<!DOCTYPE x [<!ENTITY l0 "ha">{"".join(entities)}]>'
    attributes = " ".join(f'a{at}="1"' for at in range(20_000))
    blow_up = f'<!DOCTYPE x [<!ENTITY a "{100_000 * "a"}">]>'
    file = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
    address = '<!DOCTYPE x [<!ENTITY e SYSTEM "http://127.0.0.1:9/e">]>'
    parameter = '<!DOCTYPE x [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]>'
    external = '<!DOCTYPE x SYSTEM "http://127.0.0.1:9/x.dtd">'
    for kind, form, suffix in (("tei", _TEI, ".tei.xml"), ("jats", _JATS, ".nxml")):
        for name, head, inside in (
            ("billion laughs", laughs, "&l11;"),
            ("quadratic blow-up", blow_up, "&a;" * 10_000),
            ("external entity of a file", file, "&e;"),
            ("external entity of the web", address, "&e;"),
            ("parameter entity of a file", parameter, ""),
            ("document type of the web", external, "&e;"),
            ("xinclude", "", '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="x"/>'),
            ("nested below the limit", "", "<hi>" * 200 + "x" + "</hi>" * 200),
            ("a long attribute", "", f'<hi rend="{"x" * 1_000_000}">x</hi>'),
            ("many attributes", "", f"<hi {attributes}>x</hi>"),
            ("unclosed", "", "<hi><hi>"),
            ("unknown entities", "", "&nbsp;&eacute;&unknown;&#0;&#xFFFFFFFF;"),
            ("control characters", "", "a\x01b\x1fc"),
        ):
            yield Hostile(f"{kind} {name}{suffix}", (head + form % inside).encode(), TEXT)
    tei = _TEI % "x"
    declared = '<?xml version="1.0" encoding="UTF-16"?>' + tei
    yield Hostile("tei utf-16.tei.xml", declared.encode("utf-16"), TEXT)
    yield Hostile("tei utf-16 without mark.tei.xml", declared.encode("utf-16-le"), TEXT)
    yield Hostile(
        "tei invalid utf-8.tei.xml",
        tei.replace("x</p>", "\udcff</p>").encode(errors="surrogateescape"),
        TEXT,
    )
    yield Hostile(
        "tei unknown encoding.tei.xml",
        b'<?xml version="1.0" encoding="klingon"?>' + tei.encode(),
        TEXT,
    )
    yield Hostile("tei truncated at the text.tei.xml", tei.encode()[: tei.index("</p>")], TEXT)
    yield Hostile("tei truncated at the root.tei.xml", b"<TEI><te", REFUSED)
    yield Hostile("tei nested 100000 deep.tei.xml", (_TEI % ("<hi>" * 100_000)).encode(), TEXT)
    yield Hostile("tei empty root.tei.xml", b"<TEI/>", REFUSED)
    yield Hostile("tei spaces before it.tei.xml", b" \n" + tei.encode(), TEXT)
    yield Hostile("html.xml", b"<html><body><p>x</p></body></html>", REFUSED)
    yield Hostile("empty.xml", b"", REFUSED)
    yield Hostile("only spaces.xml", b" \n\t" * 1000, REFUSED)
    yield Hostile("null bytes.xml", b"\0" * 100_000, REFUSED)
    yield Hostile("json.xml", b'{"a": 1}', REFUSED)
    yield Hostile("megabytes of brackets.xml", b"<" * 4_000_000, REFUSED)


# JSON --------------------------------------------------------------------------------------------


def _json() -> Iterator[Hostile]:
    good = {"body_text": [{"text": SENTENCE}]}
    span = {"start": 10**30, "end": -1, "text": None, "ref_id": []}

    def named(name: str, content: object, expected: Outcome) -> Hostile:
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        return Hostile(f"{name}.json", data, expected)

    yield named(
        "spans far away", {"body_text": [{"text": SENTENCE, "cite_spans": [span] * 9}]}, TEXT
    )
    yield named(
        "values of other types", {**good, "title": [], "authors": 1, "bib_entries": [1]}, TEXT
    )
    yield named("half characters", {**good, "title": "\ud800"}, TEXT)
    yield named("utf-8 with mark", b"\xef\xbb\xbf" + json.dumps(good).encode(), TEXT)
    yield named("utf-16 with mark", json.dumps(good).encode("utf-16"), TEXT)
    yield named("utf-32", json.dumps(good).encode("utf-32-le"), TEXT)
    yield named(
        "huge numbers", json.dumps({**good, "year": 0}).replace(": 0", ": 1e9999").encode(), TEXT
    )
    yield named(
        "million digits",
        json.dumps(good).encode()[:-1] + b', "year": ' + b"9" * 10**6 + b"}",
        REFUSED,
    )
    yield named("text that is a number", {"body_text": [{"text": 5}]}, REFUSED)
    yield named("nested lists", b"[" * 1_000_000, REFUSED)
    yield named("nested objects", b'{"body_text":' * 100_000, REFUSED)
    yield named(
        "section within section",
        b'{"body_text": [{"text": "'
        + SENTENCE.encode()
        + b'", "section": '
        + b"[" * 500
        + b"]" * 500
        + b"}]}",
        TEXT,
    )
    yield named("truncated", json.dumps(good).encode()[:-3], REFUSED)
    yield named("a list", [good], REFUSED)
    yield named("null", b"null", REFUSED)
    yield named("another thing", {"name": "x", "version": 1}, REFUSED)
    yield named("invalid utf-8", b'{"body_text": "\xff\xfe"}', REFUSED)
    yield named("empty", b"", REFUSED)


# Markdown and plain text -------------------------------------------------------------------------


def _texts() -> Iterator[Hostile]:
    plain = f"Seals\n\n{SENTENCE}\n\nThey sleep.\n"
    marked = f"# Seals\n\n{SENTENCE}\n\nThey sleep.\n"
    for suffix, text in ((".txt", plain), (".md", marked)):
        for name, content, expected in (
            ("utf-8 with mark", b"\xef\xbb\xbf" + text.encode(), TEXT),
            ("utf-16 with mark", text.encode("utf-16"), TEXT),
            ("utf-16 without mark", text.encode("utf-16-le"), REFUSED),
            ("utf-32", text.encode("utf-32"), REFUSED),
            ("invalid utf-8", text.encode() + b"\xff\xfe\xfd A\xc3\n", TEXT),
            ("control characters", text.encode() + bytes(range(1, 32)), TEXT),
            ("carriage returns", text.replace("\n", "\r").encode(), TEXT),
            ("null bytes", text.encode() + b"\0" * 9, REFUSED),
            ("only null bytes", b"\0" * 1_000_000, REFUSED),
            ("empty", b"", REFUSED),
            ("only spaces", b" \n\t\r\f" * 10_000, REFUSED),
            ("megabytes of brackets", (text + "[(" * 1_000_000).encode(), TEXT),
            ("a line of megabytes", (text + "\n" + f"{SENTENCE} " * 20_000).encode(), TEXT),
            ("a word of megabytes", (text + "\n" + "x" * 3_000_000).encode(), TEXT),
            ("form feeds", ("\f" * 100_000 + text).encode(), TEXT),
            ("turned text", (text + "\u202e\u2066\u200d" * 50_000).encode(), TEXT),
            ("too large", text.encode() + b"x" * 21_000_000, REFUSED),
            ("a pdf", b"%PDF-1.7\n\0\0" + b"x" * 99, REFUSED),
        ):
            yield Hostile(f"{name}{suffix}", content, expected)
    for name, inside in (
        ("nested quotes", ">" * 200_000 + " x"),
        ("nested lists", "\n".join(" " * at + "- x" for at in range(1_500))),
        ("nested links", "[" * 100_000 + "x" + "](y)" * 100_000),
        ("nested emphasis", "**_" * 100_000),
        ("an open fence", "```\n" * 99_999),
        ("an open comment", "<!-- " * 200_000),
        ("footnotes of each other", "\n".join(f"[^{at}]: [^{at + 1}]" for at in range(20_000))),
        ("table rows", "| a " * 100_000),
    ):
        yield Hostile(f"{name} (Markdown).md", (marked + "\n" + inside + "\n").encode(), TEXT)
    front = f"---\ntitle: {'x' * 100_000}\nauthor: {'[' * 10_000}\n---\n{marked}"
    yield Hostile("front matter.md", front.encode(), TEXT)


# LaTeX -------------------------------------------------------------------------------------------


def _document(inside: str, preamble: str = "") -> str:
    body = f"{SENTENCE}\n\n{inside}\n"
    return f"\\documentclass{{article}}\n{preamble}\\begin{{document}}\n{body}\\end{{document}}\n"


def _latex() -> Iterator[Hostile]:
    letters = "abcdefghijklmnopqrstuvwxy"
    pairs = itertools.pairwise(letters)
    doubling = "".join(f"\\def\\m{new}{{\\m{old}\\m{old}}}" for old, new in pairs)
    for name, inside, preamble in (
        ("input of itself", "\\input{tex input of itself}", ""),
        ("input of devices", "\\input{/dev/zero}\\input{/dev/stdin}\\input{/proc/self/mem}", ""),
        ("input of a folder", "\\input{.}\\input{..}\\input{/}", ""),
        ("input of long names", "\\input{" + "x" * 100_000 + "}", ""),
        ("thousands of inputs", "\\input{missing}" * 5_000, ""),
        ("macros of themselves", "\\a\\b", "\\def\\a{\\a\\a}\\newcommand{\\b}{\\b\\b}\n"),
        ("doubling macros", "\\my", "\\def\\ma{ha}" + doubling + "\n"),
        ("nested braces", "{" * 100_000 + "x" + "}" * 100_000, ""),
        ("open braces", "{" * 200_000, ""),
        ("nested environments", "\\begin{a}" * 20_000, ""),
        ("megabytes of brackets", "[" * 2_000_000, ""),
        ("an open condition", "\\ifx" * 50_000, ""),
        ("open mathematics", "$" * 100_001, ""),
        ("changed categories", "\\catcode`\\%=12 \\catcode`\\{=12 %", ""),
        ("hidden characters", "a^^5c^^^^263a^^ b", ""),
        ("long control words", "\\" + "a" * 1_000_000, ""),
        ("redefined commands", "x", "\\renewcommand{\\begin}[1]{}\\let\\end\\relax\n"),
        ("commands of the shell", "\\immediate\\write18{touch ./pwned}\\openin1=/etc/passwd", ""),
    ):
        yield Hostile(f"tex {name}.tex", _document(inside, preamble).encode(), TEXT)
    yield Hostile("tex in latin-1.tex", _document("Caf\xe9.").encode("latin-1"), TEXT)
    yield Hostile("tex in utf-16.tex", _document("x").encode("utf-16"), TEXT)
    yield Hostile("tex with null bytes.tex", _document("x\0").encode(), REFUSED)
    yield Hostile("tex of no document.tex", SENTENCE.encode(), REFUSED)
    yield Hostile("tex of an empty document.tex", b"\\documentclass{a}\\begin{document}", REFUSED)
    yield Hostile("tex too long.tex", b"\\documentclass{a}" + b"%" * (33 << 20), REFUSED)


# What is no plain file ---------------------------------------------------------------------------


def _files() -> Iterator[Hostile]:
    text = f"Seals\n\n{SENTENCE}\n\nThey sleep.\n"

    def linked(target: str) -> Callable[[Path], None]:
        return lambda path: path.symlink_to(target)

    def locked(path: Path) -> None:
        path.write_text(text)
        path.chmod(0)

    def plugged(path: Path) -> None:
        here = Path.cwd()
        os.chdir(path.parent)  # names of sockets are short
        try:
            with socket.socket(socket.AF_UNIX) as plug:
                plug.bind(path.name)
        finally:
            os.chdir(here)

    def looped(path: Path) -> None:
        path.mkdir()
        (path / "again").symlink_to(path)
        (path / "main.tex").write_text(_document("\\input{again/again/main}"))

    def without_document(path: Path) -> None:
        path.mkdir()
        (path / "part.tex").write_text("Nothing.")

    yield Hostile("a folder.pdf", Path.mkdir, NOTHING)
    yield Hostile("a folder of sources that links to itself", looped, TEXT, "posix")
    yield Hostile("a folder without document", without_document, REFUSED)
    yield Hostile("a link to nowhere.txt", linked("nowhere.txt"), REFUSED, "posix")
    yield Hostile("a link to itself.txt", linked("a link to itself.txt"), REFUSED, "posix")
    yield Hostile("a link to a device.txt", linked("/dev/zero"), REFUSED, "posix")
    yield Hostile("a link to the system.txt", linked("/proc/self/environ"), REFUSED, "posix")
    yield Hostile("a pipe.txt", lambda path: os.mkfifo(path), REFUSED, "posix")
    yield Hostile("a socket.txt", plugged, REFUSED, "posix")
    yield Hostile("a locked file.txt", locked, REFUSED, "user")
    yield Hostile("another format.docx", b"PK\3\4" + b"x" * 99, NOTHING)
    yield Hostile("without a suffix", text.encode(), NOTHING)
    yield Hostile("x" * 240 + ".txt", text.encode(), TEXT)
    yield Hostile("zip.pdf", b"PK\3\4" + b"\0" * 9999, REFUSED)
    yield Hostile("markdown.json", seeds("md")[0], REFUSED)
    yield Hostile("tei.json", seeds("tei.xml")[0], REFUSED)
    yield Hostile("json.tex", seeds("s2orc.json")[0], REFUSED)


# Reading ------------------------------------------------------------------------------------------

#: What the product reports where nobody thought of a fault: it must not come to that.
_UNFORESEEN = re.compile(r"cannot be read \(\w+: |takes longer than|too much memory")
_CRASH = re.compile(r"crashes the reader")


def wrong_outcomes(papers: Sequence[Hostile], folder: Path) -> list[str]:
    """Return which papers do not have the outcome that is expected of them.

    They are the files of a bibliography, read by the library in processes with their limits.
    """
    from pincite.library.file_fields import missing_file
    from pincite.library.index import PaperIndex
    from pincite.library.library import Library
    from pincite.parsing.bibtex import read_bibliography

    library_folder = folder / "papers"
    library_folder.mkdir()
    names = [paper.make(library_folder).name for paper in papers]
    bibliography = folder / "refs.bib"
    entries = (f"@book{{k{at}, file = {{papers/{name}}}}}\n" for at, name in enumerate(names))
    bibliography.write_text("".join(entries), encoding="utf-8")
    read = read_bibliography(bibliography).entries
    index = PaperIndex(folder / "cache" / "index.sqlite")
    library = Library(index=index)
    library.read(read.values())
    wrong: list[str] = []
    for at, paper in enumerate(papers):
        entry = read[f"k{at}"]
        text = library.paper(entry)
        problems = [str(each) for each in library.unreadable([entry])]
        if missing := missing_file(entry):
            problems.append(f"{missing}: there is no such file")
        message = "; ".join(problems)
        outcome: Outcome = "nothing"
        if problems:
            outcome = "crash" if _CRASH.search(message) else "refused"
        elif text.basis == "full text":
            has_sentence = any(SENTENCE in sentence.text for sentence in text.sentences)
            outcome = "text" if has_sentence else "other text"
        names_it = not problems or all(paper.name in problem for problem in problems)
        if outcome != paper.expected or not names_it or _UNFORESEEN.search(message):
            wrong.append(f"{paper.name}: {outcome}, not {paper.expected}; {message}"[:300])
    index.close()
    return wrong
