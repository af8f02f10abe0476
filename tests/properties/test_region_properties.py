"""A file read region by region says what it says as a whole, whatever is edited."""

from __future__ import annotations

import re
from pathlib import Path
from unittest import mock

from hypothesis import given, settings
from hypothesis import strategies as st
from pincite.lsp.blocks import Blocks
from test_latex_properties import latex

from pincite.contexts import windows
from pincite.lsp import blocks
from pincite.parsing.latex import regions
from pincite.parsing.latex.commands import CommandTable, find_definitions, learn_commands
from pincite.parsing.latex.draft.scan import Scan, ScannedRegion
from pincite.parsing.latex.parse import TexReader, parse_tex
from pincite.parsing.latex.regions import RegionReader
from pincite.settings import Window

PATH = Path("main.tex")
SMALL_BLOCKS = mock.patch.object(blocks, "_BLOCK", 30)
SMALL = mock.patch.multiple(regions, _LEAST=15, _MOST=40)
WHOLE = mock.patch.multiple(regions, _LEAST=10**9, _MOST=10**9)

#: Each ends what it begins, some of them behind headings and blank lines.
CLOSED = [
    *("Reeds hold the marsh. ", "Moss grows \\citep[see][3]{moss,fern}. ", "\\cite{}", "TODO "),
    *("\n\n", "\n", "\r\n\r\n", "% a comment\n", "\n% one\n\n% two\n", "\n\\section{Moss}\n"),
    *("\n\\chapter[short]{Reeds \\cite{a}}\n\n", "\n  \\subsection*{Ferns}\n", "[citation needed]"),
    "\\footnote{One.\n\nTwo \\cite{two}.\n\\paragraph{P}\nThree.}",
    "\n\\begin{verbatim}\n\\cite{no}\n\n\\section{No} {{ \\iffalse\n\\end{verbatim}\n",
    "\n\\begin{tikzpicture}\n\\node {\\cite{drawn}};\n\n\\node {};\n\\section{x}\n\\end{tikzpicture}\n",
    "\n\\begin{longtable}{ll}\na & b \\\\\n\n\\cite{c} & d \\\\\n\n\\end{longtable}\n",
    "\n\\iffalse\nhidden \\cite{no}\n\n\\section{No}\n\\else\nshown \\cite{shown}\n\n\\fi\n",
    "\n\\iftrue\n\nshown\n\n\\else\n\\section{no} \\cite{no}\n\n\\fi\n",
    "{\\small\n\n\\section{In a group} \\cite{group}\n\n}",
    "\\newcommand{\\moss}[1]{\n\\section{#1}\n\n\\cite{#1}}",
    "\\twocolumn[\n\\section{Wide}\n\nAcross \\cite{wide}.\n\n]",
    "\n\\begin{thebibliography}{9}\n\\bibitem{one} One.\n\n\\bibitem{two} Two.\n\n\\end{thebibliography}\n",
    "\n\\begin{filecontents}{a.bib}\n@book{a,\n\n title={\\section}}\n\\end{filecontents}\n",
    *("\\begin{document}\n", "A listing of |\\begin{document}| as text. "),
    *("$]0, 1]$ ", "\\input{a}", "\\bibliography{a,b}\n", "\\{ ", "\\verb|{[| "),
]
FILLER = "Reeds hold the marsh. " * 2
closed = st.lists(st.sampled_from(CLOSED), max_size=40).map("".join)


def table_of(text):
    return learn_commands([find_definitions(text)])


def said(file):
    """Everything that a file says; how many breaks stand between paragraphs does not count."""
    return (
        *(file.citations, file.placeholders, file.includes, file.bib_items, file.bibliographies),
        re.sub(r"\s*\n\n\s*", "\n\n", file.prose.text).strip(),
    )


@settings(deadline=None, max_examples=300)
@given(closed)
def test_regions_say_what_the_whole_says(text):
    table = table_of(text)
    with WHOLE:
        whole = parse_tex(PATH, text, table)
    with SMALL:
        file = parse_tex(PATH, text, table)
    assert len(whole.regions) == 1
    assert "".join(region.text for region in file.regions) == text
    assert said(file) == said(whole)


@settings(deadline=None, max_examples=200)
@given(closed, st.integers(0, 2_000), st.integers(0, 200), st.integers(0, 9))
def test_a_part_of_the_prose_is_that_of_the_whole(text, start, length, words):
    with SMALL:
        prose = (file := parse_tex(PATH, text, table_of(text))).prose
    assert prose.between(start, start + length) == prose.text[start : start + length]
    assert prose.length == len(prose.text)
    offset, window = min(start, len(text)), Window(words, words)
    with mock.patch.multiple(windows, _FARTHEST=20, _CHARACTERS_PER_WORD=2):
        context = windows.of_place(file, offset, window)
        assert context == windows.extract(prose.text, prose.offset_at(offset), window)


@settings(deadline=None, max_examples=400)
@given(st.lists(latex | closed, min_size=1, max_size=5).map("\n\n".join), st.data())
def test_a_file_read_again_after_edits_is_the_file_as_it_is(text, data):
    with SMALL, SMALL_BLOCKS:
        held = Blocks.of(text)
        reader = TexReader(PATH, CommandTable())
        reader.read(text, held.parts)
        for _ in range(3):
            start = data.draw(st.integers(0, len(text)))
            end = data.draw(st.integers(start, min(len(text), start + 20)))
            typed = data.draw(latex | st.sampled_from(["", "}", "\\fi"]))
            held = held.replaced(start, end, typed)
            text = text[:start] + typed + text[end:]
            if data.draw(st.booleans()):
                # Closed, and so as another program has saved it, which comes as one text.
                reader.read(data.draw(st.sampled_from([text[::-1], text[: len(text) // 2], ""])))
            again, anew = reader.read(text, held.parts), TexReader(PATH, CommandTable()).read(text)
            assert [region.text for region in again.regions] == [r.text for r in anew.regions]
            assert said(again) == said(anew)
            assert again.region_starts == anew.region_starts
            assert again.prose.text == anew.prose.text
            assert again.prose.length == anew.prose.length
            assert again.prose.region_starts == anew.prose.region_starts
            assert again.prose.with_prose == anew.prose.with_prose


@settings(deadline=None, max_examples=200)
@given(st.lists(latex | closed, min_size=1, max_size=5).map("\n\n".join), st.data())
def test_a_file_scanned_again_after_edits_is_scanned_as_it_is(text, data):
    with SMALL, SMALL_BLOCKS:
        held = Blocks.of(text)
        reader = RegionReader(ScannedRegion.of)
        scan = Scan(text, reader.read(text, held.parts))
        for _ in range(3):
            start = data.draw(st.integers(0, len(text)))
            end = data.draw(st.integers(start, min(len(text), start + 20)))
            typed = data.draw(latex | st.sampled_from(["", "}", *CLOSED]))
            held = held.replaced(start, end, typed)
            text = text[:start] + typed + text[end:]
            scan = Scan(text, reader.read(text, held.parts), scan)
            anew = Scan(text, RegionReader(ScannedRegion.of).read(text))
            assert scan.visible == anew.visible
            assert scan.document == anew.document
            assert scan.definitions == anew.definitions
            assert (scan.named, scan.embedded_files) == (anew.named, anew.embedded_files)
            assert scan.cut(start, len(text)) == text[start:]


def test_what_is_hidden_by_an_edit_in_front_ties_nothing_any_more():
    table = "\\begin{longtable}{ll}\na & b \\\\\n\n\\cite{c} & d \\\\\n\n\\end{longtable}\n"
    text = f"{FILLER}\n\nm}}{{\n\n\n{table}"
    hidden = "\\cite{\\begin{verbatim}" + text
    with SMALL:
        reader = TexReader(PATH, CommandTable())
        reader.read(text)
        again, anew = reader.read(hidden), TexReader(PATH, CommandTable()).read(hidden)
    assert [region.text for region in again.regions] == [r.text for r in anew.regions]


def test_what_was_merged_is_merged_with_more_after_an_edit_in_front():
    merged = "\\cite{\n\n\\newcommand{\\moss}[1]{\n\\section{#1}\n\n\\cite{#1}}$]0, 1]$ "
    text = f"{FILLER}\n\nMoss grows \\citep[see][3]{{moss}}. {FILLER}\n\n{merged}"
    edited = text.replace("[see]", "[[")
    with SMALL:
        reader = TexReader(PATH, CommandTable())
        assert reader.read(text).regions[-1].text == merged
        again, anew = reader.read(edited), TexReader(PATH, CommandTable()).read(edited)
    assert [region.text for region in again.regions] == [r.text for r in anew.regions]
    assert len(anew.regions) == 2


def test_an_edit_leaves_other_regions_the_same_objects():
    sections = [
        f"\\section{{Part {number}}}\nMoss \\cite{{m{number}}} {FILLER}\n\n" for number in range(9)
    ]
    with SMALL:
        reader = TexReader(PATH, CommandTable())
        before = reader.read("".join(sections)).regions
        sections[4] = sections[4].replace("Moss", "Ferns and moss")
        after = reader.read("".join(sections)).regions
    changed = [new.text for old, new in zip(before, after, strict=True) if old is not new]
    assert changed == [sections[4]]


def test_a_brace_that_is_not_closed_costs_its_own_region_only():
    text = "".join(f"\\section{{Part {n}}}\nMoss \\cite{{m{n}}}. {FILLER}\n\n" for n in range(9))
    with SMALL:
        reader = TexReader(PATH, CommandTable())
        before = reader.read(text).regions
        after = reader.read(text.replace("\\cite{m4}.", "\\cite{m4")).regions
    assert [old is new for old, new in zip(before, after, strict=True)].count(False) == 1
