"""Drafts of several files and papers as one text in reading order."""

from dataclasses import replace

from pincite.contexts.citing_text import text_of_draft
from pincite.model.drafts import CITATION_MARK
from pincite.model.papers import Marker, Reference, ReferencePaper, Sentence
from pincite.parsing.drafts import DraftReader
from pincite.parsing.latex import regions
from pincite_evaluation.collection import text_of_paper
from small_places import Opened

M = CITATION_MARK

TWO_FILES = r"""
%! main.tex
\documentclass{article}
\begin{document}
\section{Walls}
Moss grows \cite{moss} on walls.
\input{part}
Granite \cite{granite, lichen} is bare.
\include{last}
\end{document}
%! part.tex
\subsection{Marshes}
Reeds \cite{reed} hold the marsh.
%! last.tex
\section{Shade}
Ferns need shade \cite{fern}.
"""


def cited(opened):
    return [place.keys for place in opened.citing.places]


def test_files_are_read_where_they_are_named():
    opened = Opened(TWO_FILES)
    assert cited(opened) == [("moss",), ("reed",), ("granite", "lichen"), ("fern",)]
    text = opened.citing.text
    words = ("Moss", "Marshes", "Reeds", "Granite", "Shade", "Ferns")
    offsets = [text.index(word) for word in words]
    assert offsets == sorted(offsets)
    assert all(text.count(word) == 1 for word in words)
    behind = ("Moss grows ", "Reeds ", "Granite ", "Ferns need shade ")
    for place, before in zip(opened.citing.places, behind, strict=True):
        assert text[: place.start + 1].endswith(before + M)
    headings = [(text[start:end], level) for start, end, level in opened.citing.headings]
    assert headings == [("Walls", 2), ("Marshes", 3), ("Shade", 2)]


def test_a_draft_without_files_has_an_empty_text():
    draft = replace(Opened(TWO_FILES).draft, files=(), others=())
    assert text_of_draft(draft).text.text == ""
    assert text_of_draft(draft).place_of(draft.root, 9) == 0
    opened = Opened("%! main.tex\n")
    assert opened.citing.places == opened.citing.headings == ()
    assert opened.place_of(opened.folder / "main.tex", 0) == 0


# Papers

SENTENCES = (
    Sentence("Moss grows [1].", section="Walls"),
    Sentence("Granite [2, 3] is bare [1].", section="Walls"),
    Sentence("Ferns need shade [2].", section="Shade"),
)


def marked(*markers):
    references = tuple(Reference(label=str(number)) for number in range(1, 4))
    return ReferencePaper(
        "Walls", "full text", SENTENCES, references=references, markers=tuple(markers)
    )


def spans(*found):
    for sentence, sign, references in found:
        start = SENTENCES[sentence].text.index(sign)
        yield Marker(sentence, start, start + len(sign), references)


PAPER = marked(*spans((0, "[1]", (0,)), (1, "[2, 3]", (1, 2)), (1, "[1]", (0,)), (2, "[2]", (1,))))


def test_a_paper_has_a_mark_for_each_of_its_markers_under_its_headings():
    citing = text_of_paper(PAPER, ["moss", "granite", "lichen"].__getitem__)
    keys = [place.keys for place in citing.places]
    assert keys == [("moss",), ("granite", "lichen"), ("moss",), ("granite",)]
    assert all(citing.text[place.start] == M for place in citing.places)
    found = [citing.text[heading.start : heading.end] for heading in citing.headings]
    assert found == ["Walls", "Shade"]
    paragraphs = [part.strip() for part in citing.text.split("\n\n") if part.strip()]
    assert paragraphs == [
        "Walls",
        f"Moss grows {M}. Granite {M} is bare {M}.",
        "Shade",
        f"Ferns need shade {M}.",
    ]


def test_references_of_no_matter_keep_their_mark_but_are_no_places():
    citing = text_of_paper(PAPER, ["moss", None, "lichen"].__getitem__)
    assert [place.keys for place in citing.places] == [("moss",), ("lichen",), ("moss",)]
    assert citing.text.count(M) == 4
    same = text_of_paper(PAPER, lambda _reference: "same")
    assert [place.keys for place in same.places] == [("same",)] * 4


# Drafts that are edited


def long_draft(folder, words="Moss grows"):
    """Write a draft of two chapters with three sections each; return its main file."""
    filler = "Reeds hold the marsh. " * 20
    for name in ("one", "two"):
        sections = (
            f"\\section{{Part {n}}}\n{words if n == 2 else 'Ferns'} \\cite{{{name}{n}}}. {filler}\n"
            for n in range(3)
        )
        (folder / f"{name}.tex").write_text("\n".join(sections), "utf-8")
    main = folder / "main.tex"
    main.write_text(
        "\\documentclass{book}\\begin{document}\n\\input{one}\\input{two}\\input{one}\n"
        "End \\cite{last}.\\bibliography{refs}\\end{document}\n",
        "utf-8",
    )
    return main


def test_a_file_of_a_draft_has_the_text_of_the_whole_draft(tmp_path):
    main = long_draft(tmp_path)
    reader = DraftReader()
    whole = text_of_draft(reader.read(main))
    chapter = reader.read(tmp_path / "two.tex", main)
    assert [file.path.name for file in chapter.files] == ["two.tex"]
    assert [file.path.name for file in chapter.others] == ["main.tex", "one.tex"]
    text = text_of_draft(chapter)
    assert text.text.text == whole.text.text
    assert [key for place in text.text.places for key in place.keys] == [
        *("one0", "one1", "one2", "two0", "two1", "two2", "last")
    ]
    at = chapter.files[0].citations[1].span.start
    assert text.place_of(tmp_path / "two.tex", at) == text.text.places[4].start


def small_regions(monkeypatch):
    monkeypatch.setattr(regions, "_MIN_REGION", 10)
    monkeypatch.setattr(regions, "_MAX_REGION", 20)


def test_what_an_edit_leaves_alone_stays_the_same_object(tmp_path, monkeypatch):
    small_regions(monkeypatch)
    main = long_draft(tmp_path)
    reader = DraftReader()
    before = text_of_draft(reader.read(main)).text.parts
    chapter = tmp_path / "two.tex"
    chapter.write_text(chapter.read_text().replace("\\cite{two1}", "\\cite{other}"), "utf-8")
    after = text_of_draft(reader.read(main)).text.parts
    assert len(before) == len(after) > 6
    changed = [new for old, new in zip(before, after, strict=True) if old is not new]
    assert [part.places[0].keys for part in changed] == [("other",)]


def test_what_is_between_two_offsets_is_that_of_the_whole(tmp_path, monkeypatch):
    small_regions(monkeypatch)
    text = text_of_draft(DraftReader().read(long_draft(tmp_path))).text
    whole = text.text
    for start in range(-3, len(whole), 97):
        for length in (0, 1, 40, 2_000):
            assert (
                text.between(start, start + length) == whole[max(0, start) : max(0, start + length)]
            )
