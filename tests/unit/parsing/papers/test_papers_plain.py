from pathlib import Path
from textwrap import fill

import pytest

from papers_as_read import listed, marked, texts
from pincite.model.problems import InputError
from pincite.parsing.papers import read_paper

MARKDOWN = """---
title: "Counting birds"
author: A. Person
---
<!-- a note
for nobody -->
# Counting birds

## Abstract

We count *birds* from a [tower](https://example.org/t_(1)). It is **easy**.

## 2 Method

The tower is 30 m high
and stands in `town`.

![the tower](tower.png)

```python
birds = 1. Not a sentence.
```

- One item of a list. It has two sentences.
- Another &amp; last item.

| a | b |
|---|---|
| 1 | 2 |

Counts
------

We saw a snake_case_name and 2 * 3 * 4 gulls[^1].

[^1]: At noon.

## References

Person, A. 2001. A book. Town.

## Appendix

More counts follow here.
"""

TEXT = """A Study of Rain

Abstract

Rain falls from clouds. We meas-
ured it with a bucket of 3.5
litres.

1. Introduction

It rained on the first day. The bucket was full.

METHODS

We used one bucket.

Data
----
There were ten days.

References

Person, A. 2001. A book. Town.
"""


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_markdown_reads_as_it_is_shown(tmp_path: Path) -> None:
    paper = read_paper(write(tmp_path, "birds.md", MARKDOWN))
    assert paper.title == "Counting birds"
    assert paper.abstract == "We count birds from a tower. It is easy."
    assert [(s.section, s.text) for s in paper.sentences] == [
        ("Abstract", "We count birds from a tower."),
        ("Abstract", "It is easy."),
        ("2 Method", "The tower is 30 m high and stands in town."),
        ("2 Method", "the tower"),
        ("2 Method", "One item of a list."),
        ("2 Method", "It has two sentences."),
        ("2 Method", "Another & last item."),
        ("Counts", "We saw a snake_case_name and 2 * 3 * 4 gulls."),
        ("Counts", "At noon."),
        ("Appendix", "More counts follow here."),
    ]
    assert {s.page for s in paper.sentences} == {None}
    paper = read_paper(write(tmp_path, "a.markdown", "Counting\n========\n\nBirds fly.\n"))
    assert (paper.title, texts(paper)) == ("Counting", ["Birds fly."])


def test_plain_text(tmp_path: Path) -> None:
    paper = read_paper(write(tmp_path, "rain.TXT", TEXT))
    assert paper.title == "A Study of Rain"
    assert paper.abstract == ("Rain falls from clouds. We measured it with a bucket of 3.5 litres.")
    assert [(s.section, s.text) for s in paper.sentences][2:] == [
        ("1. Introduction", "It rained on the first day."),
        ("1. Introduction", "The bucket was full."),
        ("METHODS", "We used one bucket."),
        ("Data", "There were ten days."),
    ]


def test_any_encoding_and_line_ends_are_read(tmp_path: Path) -> None:
    path = write(tmp_path, "a.txt", "Größe\rzählt.\r\n\rEs regnet.".encode("cp1252"))
    assert texts(read_paper(path)) == ["Größe zählt.", "Es regnet."]


def test_form_feeds_part_pages_and_a_sentence_is_where_it_starts(tmp_path: Path) -> None:
    text = "A first sentence. The second one runs\n\fover the page. A third.\n\n\fThe last page.\n"
    paper = read_paper(write(tmp_path, "p.txt", text))
    assert [(s.page, s.text) for s in paper.sentences] == [
        (1, "A first sentence."),
        (1, "The second one runs over the page."),
        (2, "A third."),
        (3, "The last page."),
    ]
    assert paper.page_count == 3


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", b"", "empty"),
        ("a.md", b" \n\n", "empty"),
        ("a.txt", b"PK\x03\x04\x00\x00", "binary"),
        ("README", b"text", "suffix"),
        ("a.md", b"# Only a title\n", "no sentences"),
    ],
)
def test_what_cannot_be_used(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    path = write(tmp_path, name, content)
    with pytest.raises(InputError, match=message.replace(".", r"\.")) as raised:
        read_paper(path)
    assert str(tmp_path) not in str(raised.value)


def test_missing_files_and_folders(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_paper(tmp_path / "absent.pdf")
    (tmp_path / "folder.pdf").mkdir()
    with pytest.raises(InputError, match="folder"):
        read_paper(tmp_path / "folder.pdf")


BEAN = "David Bean and Ellen Riloff. 2004. Unsupervised learning of contextual role knowledge. In *NAACL*."
SOON = "Soon, W. M., Ng, H. T., and Lim, D. C. Y. (2001). A machine learning approach to coreference resolution. *Computational Linguistics*, 27(4)."
LISTED = [
    (("Bean", "Riloff"), "2004", "Unsupervised learning of contextual role knowledge"),
    (("Soon", "Ng", "Lim"), "2001", "A machine learning approach to coreference resolution"),
]


@pytest.mark.parametrize(
    ("first", "second", "labels"),
    [
        (f"- {BEAN}\n", f"- {SOON}\n", ["", ""]),
        (f"[1] {BEAN}\n\n", f"[2] {SOON}\n", ["1", "2"]),
        (f"{fill(BEAN)}\n\n", f"{fill(SOON)}\n", ["", ""]),
        (f"[^bean]:\n    {BEAN}\n", f"[^soon]: {SOON}\n", ["bean", "soon"]),
    ],
)
def test_reference_lists_of_markdown(
    tmp_path: Path, first: str, second: str, labels: list[str]
) -> None:
    text = f"# Title\n\nThis was shown before.\n\n## References\n\n{first}{second}\n"
    text += "## Appendix\n\nMore follows.\n"
    paper = read_paper(write(tmp_path, "a.md", text))
    assert listed(paper) == LISTED
    assert [item.label for item in paper.references] == labels
    assert texts(paper) == ["This was shown before.", "More follows."]


def test_footnotes_of_markdown_that_are_references_are_cited(tmp_path: Path) -> None:
    text = f"We learn[^1][^soon], on Monday[^note]. It works[^1].\n\n[^1]: {BEAN}\n[^note]: At noon.\n[^soon]: {SOON}\n"
    paper = read_paper(write(tmp_path, "a.md", text))
    assert texts(paper) == [
        "We learn[1][soon], on Monday.",
        "It works[1].",
        "At noon.",
    ]
    assert listed(paper) == LISTED
    assert marked(paper) == [("[1]", (0,)), ("[soon]", (1,)), ("[1]", (0,))]


@pytest.mark.parametrize("layout", ["hanging", "lines", "blank lines", "numbers"])
def test_reference_lists_of_plain_text(tmp_path: Path, layout: str) -> None:
    items = [BEAN.replace("*", ""), SOON.replace("*", "")]
    if layout == "hanging":
        items = [fill(item, subsequent_indent="    ") for item in items]
    elif layout == "blank lines":
        items = [f"{fill(item)}\n" for item in items]
    elif layout == "numbers":
        items = [f"[{number}] {fill(item)}" for number, item in enumerate(items, 1)]
    text = "Title\n\nThis is old (Bean and Riloff, 2004).\n\nReferences\n\n" + "\n".join(items)
    paper = read_paper(write(tmp_path, "a.txt", text + "\n\nAppendix\n\nMore follows.\n"))
    assert listed(paper) == LISTED
    assert texts(paper)[-1] == "More follows."
    assert marked(paper) == [("(Bean and Riloff, 2004)", (0,))]


def test_the_paper_goes_on_after_the_list_of_a_chapter(tmp_path: Path) -> None:
    text = f"# Book\n\n## References\n\n- {BEAN}\n\n## 2 Methods\n\nWe go on.\n\n## References\n\n- {SOON}\n"
    paper = read_paper(write(tmp_path, "a.md", text))
    assert listed(paper) == LISTED
    assert [(s.section, s.text) for s in paper.sentences] == [("2 Methods", "We go on.")]


def test_the_front_matter_of_a_markdown_file(tmp_path: Path) -> None:
    text = """---
title: Counting birds
author:
  - Ada Person
  - Per van der Berg
date: 2021-03-04
doi: https://doi.org/10.1234/Birds.5
---
We count birds.

## References

- A. Other. 2001. Another work. doi:10.9999/other
"""
    paper = read_paper(write(tmp_path, "a.md", text))
    assert paper.surnames == ("Person", "van der Berg")
    assert (paper.year, paper.doi) == ("2021", "10.1234/birds.5")
    assert paper.front == "Counting birds Ada Person and Per van der Berg We count birds."


def test_the_front_of_a_text(tmp_path: Path) -> None:
    text = (
        "Counting birds\n\nAda Person\narXiv:2103.01234v2 [cs.CL] 4 Mar 2021\n\nWe count birds.\n"
    )
    paper = read_paper(write(tmp_path, "a.txt", text))
    assert paper.arxiv == "2103.01234"
    assert paper.front.startswith("Counting birds Ada Person arXiv:2103")
    long = read_paper(write(tmp_path, "b.txt", "Birds are counted here. " * 400))
    assert 1400 < len(long.front) <= 1500


@pytest.mark.parametrize(
    ("name", "least"), [("a.txt", 20), ("a.md", 20), ("a.pdf", 500), ("a.xml", 67), ("a.json", 67)]
)
def test_a_file_too_large_is_not_read(tmp_path: Path, name: str, least: int) -> None:
    with (tmp_path / name).open("wb") as file:
        file.truncate(600_000_000)
    message = rf"too large for a paper \(600 MB; at most {least} MB are read\)"
    with pytest.raises(InputError, match=message):
        read_paper(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "text", "numbers"),
    [
        ("a.md", "# Owls\n\nThere are 86 owls here.\n\n| a | 97.1 |\n|---|---|\n", ((None, "97.1"),)),
        ("a.txt", "Owls\n\nThere are 86 owls here.\n\f97.1 12\n", ((2, "97.1 12"),)),
    ],
)  # fmt: skip
def test_numbers_outside_of_sentences_are_known(name, text, numbers, tmp_path):
    path = tmp_path / name
    path.write_text(text)
    assert read_paper(path).numbers == numbers


STRUCTURED = """\
# Walking

## Abstract

### Aims

Walking is good.

### Methods

People walked.

### Conclusions

It is good.

## {after}

Many walk.

## Results

All are well.
"""


@pytest.mark.parametrize("after", ["Introduction", "Methods", "Conclusions", "Data", "1. Aims"])
def test_the_parts_of_a_structured_abstract_are_no_sections(tmp_path: Path, after: str) -> None:
    for suffix, text in (("md", STRUCTURED), ("txt", STRUCTURED.replace("#", ""))):
        path = tmp_path / f"paper.{suffix}"
        path.write_text(text.format(after=after))
        paper = read_paper(path)
        abstract = paper.abstract.removeprefix("Aims ")  # no heading that a plain text shows
        assert abstract == "Walking is good. People walked. It is good."
        assert [*dict.fromkeys(s.section for s in paper.sentences)] == [
            "Abstract",
            after,
            "Results",
        ]
    # A section of the paper proper is none of an abstract that has text before it.
    path.write_text("Walking\n\nAbstract\n\nIt is good.\n\nMethods\n\nPeople walked.\n")
    assert read_paper(path).abstract == "It is good."
