"""The report of a claim check, as a self-contained HTML page or as Markdown.

Authors get it without the extra `report`: it needs no template engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import Final, Literal

from ..model.drafts import Draft
from ..parsing.paths import relative
from ..text.characters import escape_markdown, valid
from .verdicts import VerdictCounts
from .whole_draft import CheckedCitation, Finding, FindingKind

#: The titles of the kinds of findings, and what they mean.
KIND_TITLES: Final[dict[FindingKind, tuple[str, str]]] = {
    "undefined-key": ("Undefined keys", "No bibliography has these keys."),
    "placeholder": ("Placeholders", "Places that still need a citation, or a sign of one."),
    "weak-support": (
        "Weak support",
        "The full text has no supporting sentence, or lacks a number that the draft gives. Only "
        "words and numbers are compared, and a work may be cited for its data or an idea: read it "
        "before you change anything.",
    ),
    "missing-citation": (
        "Claims without a citation",
        "Sentences about other people’s work with no citation in or beside them.",
    ),
    "title-only": (
        "Known by title only",
        "Works with neither full text nor abstract, each where it is first cited. What they are "
        "cited for was not checked. “pincite library” shows what to do about each.",
    ),
    "retracted": (
        "Retracted, withdrawn or corrected",
        "A notice about the work was published. Read it before you rely on the work.",
    ),
    "wrong-identifier": (
        "Identifiers of other works",
        "The identifier leads to a work with a different title and different authors, or to none.",
    ),
    "not-found": (
        "Works that could not be found",
        "None of the services asked knows the work. They do not cover everything, so look for it "
        "yourself.",
    ),
    "published": (
        "Preprints that have been published",
        "The published version is known; it may differ from the preprint.",
    ),
    "entry-differs": (
        "Entries that differ from what services agree on",
        "Two services agree on a value, and the entry has a different one.",
    ),
}
_UNCHECKED: Final = "Not checked for other reasons"
#: What is folded in a page: not checked, which the draft cannot change.
_FOLDED: Final = (KIND_TITLES["title-only"][0], _UNCHECKED)
#: The reasons for which citations are among the findings.
_FOUND: Final = ("undefined key", "title only")
_PAGE = Template("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<style>
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .2rem; }
summary { cursor: pointer; } summary h2 { display: inline-block; }
p.note { margin: 0 0 .6rem; opacity: .75; }
table { border-collapse: collapse; width: 100%; }
td, th { border-bottom: 1px solid #8884; padding: .35rem .6rem .35rem 0; text-align: left;
  vertical-align: top; }
td.code { font-family: ui-monospace, monospace; font-size: .85rem; }
td.code span { white-space: nowrap; }
td q { display: block; font-size: .9rem; opacity: .75; overflow-wrap: anywhere; quotes: none; }
</style>
</head>
<body>
<h1>$title</h1>
<p>$summary</p>
$sections
</body>
</html>
""")
_TITLE: Final = "Claim check of"


#: A place, a key, what was found, and the words around it.
_Row = tuple[str, str, str, str]


def report(
    form: Literal["html", "markdown"],
    name: str,
    draft: Draft,
    found: Sequence[Finding],
    folder: Path,
    cited: Sequence[CheckedCitation] = (),
) -> str:
    """Return what a check has found in a draft as a page or Markdown.

    `cited` are the citations with their verdicts, if papers were checked. The files of the draft
    are named from `folder`.
    """
    findings = f"{len(found)} finding{'' if len(found) == 1 else 's'}"
    if cited:
        summary = f"{findings}. {VerdictCounts.of(each.verdict for each in cited)}."
    else:
        citations = (citation for file in draft.files for citation in file.citations)
        number = sum(len(each.keys) for each in citations if not each.listed_only)
        of_keys = f"citation{' of a key' if number == 1 else 's of keys'}"
        summary = f"{findings}; the draft has {number} {of_keys}."
    listed: dict[tuple[str, str], list[_Row]] = {titles: [] for titles in KIND_TITLES.values()}
    for each in found:
        row = _place(each, folder), each.key, each.message, each.excerpt
        listed[KIND_TITLES[each.kind]].append(row)
    listed[_UNCHECKED, ""] = [
        (_place(each, folder), each.key, each.verdict.sentence(), each.sentence)
        for each in cited
        if each.verdict.reason is not None and each.verdict.reason not in _FOUND
    ]
    section = _section_of_page if form == "html" else _section_of_markdown
    sections = [section(title, note, rows) for (title, note), rows in listed.items() if rows]
    if form == "html":
        title, text = escape(f"{_TITLE} {name}"), "\n".join(sections)
        return valid(_PAGE.substitute(title=title, summary=escape(summary), sections=text))
    return valid("\n\n".join((f"# {_TITLE} {escape_markdown(name)}", summary, *sections)) + "\n")


def _place(of: Finding | CheckedCitation, folder: Path) -> str:
    return f"{relative(of.place.file, folder)}:{of.place.line}:{of.place.column}"


def _section_of_page(title: str, note: str, rows: Sequence[_Row]) -> str:
    has_keys = any(key for _, key, *_ in rows)
    heads = ("Place", "Key", "Finding") if has_keys else ("Place", "Finding")
    lines = []
    for place, key, message, excerpt in rows:
        quoted = f"<q>{escape(excerpt)}</q>" if excerpt else ""
        # A name is not broken, a path is broken between names.
        names = escape(place).replace("/", "/</span><wbr><span>")
        cells = [f'<td class="code"><span>{names}</span></td>']
        cells += [f'<td class="code"><span>{escape(key)}</span></td>'] * has_keys
        lines.append(f"<tr>{''.join(cells)}<td>{escape(message)}{quoted}</td></tr>\n")
    head = f"<h2>{escape(title)} ({len(rows)})</h2>"
    content = (
        f'<p class="note">{escape(note)}</p>\n' * bool(note)
        + f"<table>\n<tr>{''.join(f'<th>{each}</th>' for each in heads)}</tr>\n"
        + f"{''.join(lines)}</table>"
    )
    if title in _FOLDED:
        return f"<details>\n<summary>{head}</summary>\n{content}\n</details>"
    return f"{head}\n{content}"


def _section_of_markdown(title: str, note: str, rows: Sequence[_Row]) -> str:
    lines = []
    for place, key, message, excerpt in rows:
        cited = f" {_code(key)}" if key else ""
        quoted = f"  \n  {escape_markdown(excerpt)}" if excerpt else ""
        lines.append(f"- {_code(place)}{cited}: {escape_markdown(message)}{quoted}")
    return "\n\n".join(filter(None, (f"## {title} ({len(rows)})", note, "\n".join(lines))))


def begins_report(text: str) -> bool:
    """Return whether a file that begins with this text is a report, or has no text."""
    return not text.strip() or text.startswith(f"# {_TITLE} ") or f"<title>{_TITLE} " in text


def _code(text: str) -> str:
    """Return a code span; a backtick in a key would end it."""
    return "`" + " ".join(text.split()).replace("`", "'") + "`"
