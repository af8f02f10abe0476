"""The report of a claim check, as a self-contained HTML page or as Markdown.

Authors get it without the extra `report`: it needs no template engine.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from string import Template
from typing import Final

from ..model.drafts import Draft
from ..text.escaping import escape_markdown, valid
from .whole_draft import KINDS, DraftFinding, FindingKind

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


@dataclass(frozen=True, slots=True)
class Report:
    """The findings in a draft, in reading order; `citations` is how many keys it cites.

    Files are named from `folder`.
    """

    draft: str
    citations: int
    findings: Sequence[DraftFinding]
    folder: Path

    @classmethod
    def of(cls, name: str, draft: Draft, found: Sequence[DraftFinding], folder: Path) -> Report:
        """Return the report on a draft, called `name`."""
        citations = (citation for file in draft.files for citation in file.citations)
        keys = sum(len(citation.keys) for citation in citations if not citation.listed_only)
        return cls(name, keys, found, folder)

    def markdown(self) -> str:
        """Return the report as Markdown."""
        parts = [f"# {_TITLE} {escape_markdown(self.draft)}", self._summary]
        for title, note, found in self._sections():
            items = []
            for each in found:
                key = f" {_code(each.key)}" if each.key else ""
                excerpt = f"  \n  {escape_markdown(each.excerpt)}" if each.excerpt else ""
                message = escape_markdown(each.message)
                items.append(f"- {_code(self._place(each))}{key}: {message}{excerpt}")
            parts += [f"## {title} ({len(found)})\n\n{note}", "\n".join(items)]
        return valid("\n\n".join(parts) + "\n")

    def html(self) -> str:
        """Return the report as an HTML page."""
        sections = []
        for title, note, found in self._sections():
            rows = []
            for each in found:
                excerpt = f"<q>{escape(each.excerpt)}</q>" if each.excerpt else ""
                cells = escape(self._place(each)), escape(each.key), escape(each.message) + excerpt
                rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>\n")
            sections.append(
                f"<h2>{escape(title)} ({len(found)})</h2>\n"
                f'<p class="note">{escape(note)}</p>\n'
                "<table>\n<tr><th>Place</th><th>Key</th><th>Finding</th></tr>\n"
                f"{''.join(rows)}</table>"
            )
        title = escape(f"{_TITLE} {self.draft}")
        summary, tables = escape(self._summary), "\n".join(sections)
        return valid(_PAGE.substitute(title=title, summary=summary, sections=tables))

    @property
    def _summary(self) -> str:
        return (
            f"{len(self.findings)} finding{'' if len(self.findings) == 1 else 's'}; the draft has "
            f"{self.citations} citation{' of a key' if self.citations == 1 else 's of keys'}."
        )

    def _sections(self) -> Iterator[tuple[str, str, list[DraftFinding]]]:
        for kind in KINDS:
            if found := [each for each in self.findings if each.kind == kind]:
                yield *_KIND_TITLES[kind], found

    def _place(self, finding: DraftFinding) -> str:
        return f"{relative(finding.path, self.folder)}:{finding.line}:{finding.column}"


def begins_report(text: str) -> bool:
    """Return whether a file that begins with this text is a report, or has no text."""
    return not text.strip() or text.startswith(f"# {_TITLE} ") or f"<title>{_TITLE} " in text


def relative(path: Path, folder: Path) -> str:
    """Return the path of a file from a folder, with slashes."""
    return Path(os.path.relpath(path, folder)).as_posix()


def _code(text: str) -> str:
    """Return a code span; a backtick in a key would end it."""
    return "`" + " ".join(text.split()).replace("`", "'") + "`"
