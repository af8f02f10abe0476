"""The report of a claim check, as a self-contained HTML page or as Markdown.

Authors get it without the extra `report`: it needs no template engine.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import Final, Literal

from ..model.drafts import Draft
from ..text.characters import escape_markdown, valid
from .whole_draft import Finding, FindingKind

#: What the findings of each kind are called, and what they mean.
_KIND_TITLES: Final[dict[FindingKind, tuple[str, str]]] = {
    "undefined-key": ("Undefined keys", "No bibliography has these keys."),
    "placeholder": ("Placeholders", "Places where a citation is still to be chosen."),
    "weak-support": (
        "Weak support",
        "No sentence of the full text resembles what is said here. Only words are compared: a "
        "work may be cited for its data or idea, so read before you change anything.",
    ),
    "missing-citation": (
        "Claims without a citation",
        "Sentences about the work of others, with no citation in them or beside them.",
    ),
    "title-only": (
        "Known by the title only",
        "Works with neither full text nor abstract, where they are first cited: what is said of "
        "them was not checked. “pincite library” says what to do for each.",
    ),
}
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
p.note { margin: 0 0 .6rem; opacity: .75; }
table { border-collapse: collapse; width: 100%; }
td, th { border-bottom: 1px solid #8884; padding: .35rem .6rem .35rem 0; text-align: left;
  vertical-align: top; }
td:first-child, td:nth-child(2) { font-family: ui-monospace, monospace; font-size: .85rem;
  overflow-wrap: anywhere; }
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


def report(
    form: Literal["html", "markdown"],
    name: str,
    draft: Draft,
    found: Sequence[Finding],
    folder: Path,
) -> str:
    """Return the findings in a draft as a page or Markdown; its files are named from `folder`."""
    citations = (citation for file in draft.files for citation in file.citations)
    cited = sum(len(citation.keys) for citation in citations if not citation.listed_only)
    summary = (
        f"{len(found)} finding{'' if len(found) == 1 else 's'}; the draft has "
        f"{cited} citation{' of a key' if cited == 1 else 's of keys'}."
    )
    sections = []
    for kind, (title, note) in _KIND_TITLES.items():
        if not (of_kind := [each for each in found if each.kind == kind]):
            continue
        lines = []
        for each in of_kind:
            place = each.place
            where = f"{relative(place.file, folder)}:{place.line}:{place.column}"
            lines.append((_row if form == "html" else _item)(where, each))
        head = f"{title} ({len(of_kind)})"
        sections.append(
            f"<h2>{escape(head)}</h2>\n"
            f'<p class="note">{escape(note)}</p>\n'
            "<table>\n<tr><th>Place</th><th>Key</th><th>Finding</th></tr>\n"
            f"{''.join(lines)}</table>"
            if form == "html"
            else "\n\n".join((f"## {head}", note, "\n".join(lines)))
        )
    if form == "html":
        title, text = escape(f"{_TITLE} {name}"), "\n".join(sections)
        return valid(_PAGE.substitute(title=title, summary=escape(summary), sections=text))
    return valid("\n\n".join((f"# {_TITLE} {escape_markdown(name)}", summary, *sections)) + "\n")


def _row(where: str, finding: Finding) -> str:
    excerpt = f"<q>{escape(finding.excerpt)}</q>" if finding.excerpt else ""
    cells = escape(where), escape(finding.key), escape(finding.message) + excerpt
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>\n"


def _item(where: str, finding: Finding) -> str:
    key = f" {_code(finding.key)}" if finding.key else ""
    excerpt = f"  \n  {escape_markdown(finding.excerpt)}" if finding.excerpt else ""
    return f"- {_code(where)}{key}: {escape_markdown(finding.message)}{excerpt}"


def begins_report(text: str) -> bool:
    """Return whether a file that begins with this text is a report, or has no text."""
    return not text.strip() or text.startswith(f"# {_TITLE} ") or f"<title>{_TITLE} " in text


def relative(path: Path, folder: Path) -> str:
    """Return the path of a file from a folder, with slashes."""
    return Path(os.path.relpath(path, folder)).as_posix()


def _code(text: str) -> str:
    """Return a code span; a backtick in a key would end it."""
    return "`" + " ".join(text.split()).replace("`", "'") + "`"
