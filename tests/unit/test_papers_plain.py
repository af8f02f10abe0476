from __future__ import annotations

from pathlib import Path

import pytest

from pincite.model.problems import InputError
from pincite.parsing.papers import READABLE_SUFFIXES, read_paper

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


def test_the_first_heading_is_the_title_without_front_matter(tmp_path: Path) -> None:
    paper = read_paper(write(tmp_path, "a.markdown", "Counting\n========\n\nBirds fly.\n"))
    assert paper.title == "Counting"
    assert [s.text for s in paper.sentences] == ["Birds fly."]


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
    "data",
    [
        "Größe zählt.".encode(),
        b"\xef\xbb\xbf" + "Größe zählt.".encode(),
        "Größe zählt.".encode("cp1252"),
        "Größe zählt.".encode("utf-16"),
        "Größe zählt.\r\n".encode(),
    ],
)
def test_encodings(tmp_path: Path, data: bytes) -> None:
    paper = read_paper(write(tmp_path, "a.txt", data))
    assert [s.text for s in paper.sentences] == ["Größe zählt."]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", b"", "empty"),
        ("a.md", b" \n\n", "empty"),
        ("a.txt", b"PK\x03\x04\x00\x00", "binary"),
        ("a.md", b"%PDF-1.7 text", "binary"),
        ("a.docx", b"text", ".docx"),
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


def test_suffixes() -> None:
    assert {".pdf", ".md", ".markdown", ".txt", ".text"} <= READABLE_SUFFIXES
