"""A draft that names no bibliography gets one, where its markup and its packages want it."""

from __future__ import annotations

from pathlib import Path

import pytest

from markup import write_project
from pincite.edits.naming import missing_files, naming_edits
from pincite.model.edits import applied
from pincite.parsing.drafts import DraftReader
from pincite.parsing.encoding import read_text

ARTICLE = "\\documentclass{article}\n"
BODY = "\\begin{document}\nWords \\cite{a}.\n"
END = "\\end{document}\n"


def named(folder, text, name="main.tex", bibliography="references.bib", **more):
    """Return the text of a main file that has come to name a bibliography; None where it cannot."""
    path = folder / name
    path.write_bytes(text.encode())
    for other, content in more.items():
        (folder / other.replace("_", ".")).write_text(content, "utf-8")
    draft = DraftReader().read(path)
    edits = naming_edits(draft, folder / bibliography, read_text)
    if not edits:
        return None
    assert {edit.path for edit in edits} == {path}
    return applied(read_text(path), edits)


@pytest.mark.parametrize(
    ("preamble", "before_end"),
    [
        ("", "\\bibliographystyle{plain}\n\\bibliography{references}\n"),
        ("\\bibliographystyle{alpha}\n", "\\bibliography{references}\n"),
        ("% \\bibliographystyle{alpha}\n", "\\bibliographystyle{plain}\n\\bibliography{references}\n"),
        ("\\usepackage[round]{natbib}\n", "\\bibliographystyle{plainnat}\n\\bibliography{references}\n"),
        ("\\usepackage{url,apacite}\n", "\\bibliographystyle{apacite}\n\\bibliography{references}\n"),
    ],
)  # fmt: skip
def test_bibtex_is_asked_at_the_end_for_a_style_that_the_packages_accept(
    tmp_path, preamble, before_end
):
    text = f"{ARTICLE}{preamble}{BODY}{END}"
    assert named(tmp_path, text) == f"{ARTICLE}{preamble}{BODY}{before_end}{END}"


def test_a_class_brings_its_style_or_has_one_already(tmp_path):
    for of_class, style in [
        ("llncs", "\\bibliographystyle{splncs04}\n"),
        ("revtex4-2", ""),
        ("own", ""),
    ]:
        text = f"\\documentclass{{{of_class}}}\n{BODY}{END}"
        own = "\\LoadClass{article}\\AtBeginDocument{\\bibliographystyle{own}}"
        found = named(tmp_path, text, own_cls=own)
        assert found == text.replace(END, f"{style}\\bibliography{{references}}\n{END}")


@pytest.mark.parametrize(
    ("preamble", "changed"),
    [
        ("\\usepackage[style=apa,\n  backend=bibtex]{biblatex} % all\n\\x", "\\usepackage[style=apa,\n  backend=bibtex]{biblatex} % all\n+\n\\x"),
        ("\\usepackage{csquotes, biblatex}[2020/01/01]\n", "\\usepackage{csquotes, biblatex}[2020/01/01]\n+\n"),
        ("\\usepackage{biblatex}\\usepackage{x}\n", "\\usepackage{biblatex}+\\usepackage{x}\n"),
        # In a file of the author's own.
        ("\\usepackage{own}\n", "\\usepackage{own}\n+\n"),
    ],
)  # fmt: skip
def test_biblatex_gets_a_resource_after_the_package_and_prints_at_the_end(
    tmp_path, preamble, changed
):
    found = named(tmp_path, f"{ARTICLE}{preamble}{BODY}{END}", own_sty="\\RequirePackage{biblatex}")
    expected = f"{ARTICLE}{changed}{BODY}\\printbibliography\n{END}"
    assert found == expected.replace("+", "\\addbibresource{references.bib}")


def test_a_bibliography_that_is_printed_is_not_printed_twice(tmp_path):
    text = f"{ARTICLE}\\usepackage{{biblatex}}\n{BODY}\\printbibliography[title=Works]\n{END}"
    found = named(tmp_path, text)
    assert found == text.replace("{biblatex}", "{biblatex}\n\\addbibresource{references.bib}")


@pytest.mark.parametrize(
    "text",
    [
        "A part \\cite{a}.\n",
        f"{ARTICLE}{BODY}\\bibliography{{\\refs}}\n{END}",
        f"{ARTICLE}{BODY}\\bibliography{{gone}}\n{END}",
        f"{ARTICLE}{BODY}\\begin{{thebibliography}}{{1}}\\bibitem{{a}} A.\\end{{thebibliography}}\n{END}",
    ],
)
def test_a_part_and_a_draft_that_names_one_are_left_alone(tmp_path, text):
    assert named(tmp_path, text) is None


def test_a_name_that_bibtex_cannot_read_is_not_written(tmp_path):
    text = f"{ARTICLE}{BODY}{END}"
    assert named(tmp_path, text, bibliography="my refs.bib") is None
    assert named(tmp_path, text, bibliography="50%.bib") is None
    assert "{../shared/all_refs}" in named(tmp_path, text, bibliography="../shared/all_refs.bib")
    biblatex = text.replace(BODY, "\\usepackage{biblatex}\n" + BODY)
    assert "{my refs.bib}" in named(tmp_path, biblatex, bibliography="my refs.bib")


def test_a_part_has_its_main_file_edited(tmp_path):
    main = write_project(
        tmp_path,
        """
        %! main.tex
        \\documentclass{book}
        \\begin{document}
        \\input{part}
        \\end{document}
        %! part.tex
        Words \\cite{a}.
        """,
    )
    part = DraftReader().read(tmp_path / "part.tex", main)
    (edit,) = naming_edits(part, tmp_path / "references.bib", read_text)
    assert edit.path == main
    changed = applied(read_text(main), [edit])
    assert changed.endswith("\\bibliography{references}\n\\end{document}\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Words [@a].\n", "---\n+\n---\n\nWords [@a].\n"),
        ("\ufeffWords.\n", "---\n+\n---\n\nWords.\n"),
        ("% Words\n% Ann\n\nText", "% Words\n% Ann\n\n---\n+\n---\n\nText"),
        ("% Words", "% Words\n\n---\n+\n---\n"),
        ("---\ntitle: W # mine\n---\n\nText", "---\ntitle: W # mine\n+\n---\n\nText"),
        ("---\nabstract: |\n  Words\n\n  more\n...\nText", "---\nabstract: |\n  Words\n\n  more\n+\n...\nText"),
        ("---\ntitle: [broken\n---\n", "---\ntitle: [broken\n+\n---\n"),
        ("---\n{title: W, author: [A, B]}\n---\n", "---\n{title: W, author: [A, B], +}\n---\n"),
        ("---\n{title: W, # mine\n}\n---\n", "---\n{title: W, +, # mine\n}\n---\n"),
        ("---\n{}\n---\nText", "---\n{+}\n---\nText"),
        ("---\nbibliography:\nlang: de\n---\n", "---\n+\nlang: de\n---\n"),
        ("---\nbibliography: []\n---\n", "---\n+\n---\n"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("suffix", [".md", ".qmd", ".Rmd"])
def test_a_header_gets_an_entry_and_keeps_the_others(tmp_path, before, after, suffix):
    found = named(tmp_path, before, f"paper{suffix}")
    assert found == after.replace("+", "bibliography: references.bib")


@pytest.mark.parametrize(
    "text", ["---\nbibliography: gone.bib\n---\n", "---\nreferences:\n- id: a\n---\n"]
)
def test_a_header_that_names_entries_is_left_alone(tmp_path, text):
    assert named(tmp_path, text, "paper.md") is None


def test_no_header_is_written_into_a_comment(tmp_path):
    assert named(tmp_path, "% Title <!-- [@a]\n--> ", "paper.qmd") is None


def test_names_that_yaml_would_read_otherwise_are_in_quotes(tmp_path):
    found = named(tmp_path, "Text", "paper.md", "Müller: 1 #2.bib")
    assert found == '---\nbibliography: "Müller: 1 #2.bib"\n---\n\nText'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("= Words\n@a says so.\n", "= Words\n@a says so.\n\n+\n"),
        ("Words #cite(<a>).", "Words #cite(<a>).\n\n+\n"),
        ("Words #cite(<", "Words #cite(<\n\n+\n"),
    ],
)
def test_typst_calls_its_function_at_the_end(tmp_path, before, after):
    assert named(tmp_path, before, "paper.typ") == after.replace(
        "+", '#bibliography("references.bib")'
    )


def test_typst_takes_one_bibliography(tmp_path):
    assert named(tmp_path, '#bibliography("gone.bib")\n', "paper.typ") is None


@pytest.mark.parametrize(
    ("name", "text", "missing"),
    [
        ("main.tex", f"{ARTICLE}{BODY}\\bibliography{{a,sub/b}}{END}", ["a.bib", "sub/b.bib"]),
        ("paper.md", "---\nbibliography: [a.bib, b.json, https://x.org/c.bib]\n---\n", ["a.bib"]),
        ("paper.typ", '#bibliography("a.bib")', ["a.bib"]),
        ("main.tex", f"{ARTICLE}{BODY}\\bibliography{{IEEEabrv}}{END}", []),
    ],
)
def test_files_that_are_named_and_missing_are_known(tmp_path, name, text, missing):
    (tmp_path / name).write_text(text, "utf-8")
    draft = DraftReader().read(tmp_path / name)
    assert [*missing_files(draft)] == [tmp_path / Path(each) for each in missing]
