"""A hundred real drafts: `citations` finds what an independent few lines find in them.

The scan below reads each file by itself, with expressions for the usual ways to cite, and counts
what an entry of the project's bibliographies defines. What it and the command see differently is
explained here, one by one.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from where import SHARED

_DRAFTS = SHARED / "data" / "drafts"
_LISTED = _DRAFTS / "drafts.json"
DRAFTS = json.loads(_LISTED.read_text("utf-8")) if _LISTED.exists() else {}

#: Files that cite and are no part of the draft, by a part of their path.
NO_PART = {
    "bhattacharya-phd": ["_006-data-analysis.Rmd"],  # bookdown leaves out names with an underscore
    "castillo-tesis-es": ["source/"],  # another document, made with other commands
    "haduong-paper": ["_includes/"],  # of other documents of the same project
    "heiss-paper": ["appendix.Rmd"],  # a document of its own
    "howes-phd": [".Rmd"],  # its main file is a single chapter
    "ragno-phd": ["isotopes.qmd", "materials.qmd"],  # not among the book's chapters
}
#: Drafts that cite keys of no entry, and how many such keys.
UNDEFINED = {
    "aml4td-book": 1,
    "barrowman-phd": 18,  # some only as biblatex's `ids`; three in the `nocite` of a template
    "bartholdy-paper": 7,
    "escribano-phd": 1,  # defined in Data.bib, which the draft does not read
    "novakowski-phd": 38,
    "tanwar-phd": 3,
    "whitehouse-phd": 1,
}

_ENTRY = re.compile(r"@\s*(?!comment|string|preamble)\w+\s*[{(]\s*([^\s,{}]+)\s*,", re.IGNORECASE)
_ITEM = re.compile(r'^\s*-\s*id:\s*(\S+)\s*$|^([\w:.-]+):\s*$|"id"\s*:\s*"([^"]+)"', re.MULTILINE)
_HIDDEN_TEX = (
    r"\\begin\{(verbatim\*?|lstlisting|minted|comment|Verbatim|filecontents\*?)\}[\s\S]*?\\end\{\1\}",
    r"\\iffalse\b[\s\S]*?\\fi\b",
    r"(?<!\\)((?:\\\\)*)%[^\n]*",
    r"(?m)^\s*\\(?:endinput\b|end\{document\})[\s\S]*",
)
_OPTIONS = r"(?:\s*(?:\[(?:[^\[\]{}]|\{[^{}]*\})*\]|\([^(){}]*\)|<[^<>{}]*>))*\s*"
_IN_TEX = re.compile(
    rf"\\(?:[A-Za-z]*[Cc]ite[A-Za-z]*|apud|apudonline)\*?((?:{_OPTIONS}\{{[^{{}}]*\}})+)"
)
_HIDDEN_MARKDOWN = (
    r"\A---\n[\s\S]*?\n(?:---|\.\.\.)\s*\n",
    r"(?m)^\s*(```+|~~~+)[\s\S]*?^\s*\1`*\s*$",
    r"(`+)(?!`)[\s\S]+?(?<!`)\1(?!`)",
    r"<!--[\s\S]*?-->",
    r"\\begin\{comment\}[\s\S]*?\\end\{comment\}",
)
_IN_MARKDOWN = re.compile(r"(?<![\w@.\\/])@(?:\{([^}\s]+)\}|(\w(?:[\w:.#$%&\-+?<>~/]*\w)?))")
_HIDDEN_TYPST = (r"(?<!:)//[^\n]*", r"/\*[\s\S]*?\*/", r"(```+)[\s\S]*?\1", r"`[^`\n]*`")
_IN_TYPST = re.compile(r"(?<![\w@\\])@([\w:.\-]*\w)|<([\w:.\-]+)>")


def _in_latex(text: str) -> Iterator[tuple[int, str]]:
    for command in _IN_TEX.finditer(_without(_HIDDEN_TEX, text)):
        for listed in re.finditer(r"\{([^{}]*)\}", command[1]):
            start = command.start(1) + listed.start(1)
            yield from ((start + key.start(), key[0]) for key in re.finditer(r"[^\s,]+", listed[1]))


def _in_markdown(text: str) -> Iterator[tuple[int, str]]:
    for key in _IN_MARKDOWN.finditer(_without(_HIDDEN_MARKDOWN, text)):
        yield key.start(), key[1] or key[2]


def _in_typst(text: str) -> Iterator[tuple[int, str]]:
    for key in _IN_TYPST.finditer(_without(_HIDDEN_TYPST, text)):
        yield key.start(), key[1] or key[2]


SCANS = {".tex": _in_latex, ".typ": _in_typst} | dict.fromkeys(
    (".Rmd", ".qmd", ".md"), _in_markdown
)


def _without(patterns: tuple[str, ...], text: str) -> str:
    for pattern in patterns:
        text = re.sub(pattern, lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    return text


def _read(path: Path) -> str:
    data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("cp1252", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _defined(project: Path) -> set[str]:
    keys: set[str] = set()
    for path in project.rglob("*"):
        if path.suffix.lower() == ".bib":
            keys |= set(_ENTRY.findall(_read(path)))
        elif path.suffix in (".yml", ".yaml", ".json", ".Rmd", ".qmd", ".md"):
            keys |= {key for found in _ITEM.findall(_read(path)) for key in found}
    return keys


@pytest.mark.parametrize("name", DRAFTS)
def test_no_citation_is_lost(name, run_json):
    main = _DRAFTS / DRAFTS[name]
    project, defined = _DRAFTS / name, _defined(_DRAFTS / name)
    _, found, _ = run_json("citations", str(main))
    citations = found["citations"]
    seen = Counter(
        ((main.parent / citation["file"]).resolve(), key["line"], key["key"])
        for citation in citations
        for key in citation["keys"]
    )
    files = {main.resolve(), *(path for path, _, _ in seen)}
    for path in sorted(project.rglob("*")):
        if path.suffix not in SCANS or not path.is_file():
            continue
        text, relative = _read(path), path.relative_to(project).as_posix()
        scanned = Counter(
            (path.resolve(), text.count("\n", 0, offset) + 1, key)
            for offset, key in SCANS[path.suffix](text)
            if key in defined
        )
        if path.resolve() not in files:
            is_no_part = any(part in relative for part in NO_PART.get(name, ()))
            assert not scanned or is_no_part, f"{relative} is not read"
        else:
            assert scanned - seen == Counter()
    undefined = {key for citation in citations for key in citation["undefined"]}
    assert len(undefined) == UNDEFINED.get(name, 0), sorted(undefined)
