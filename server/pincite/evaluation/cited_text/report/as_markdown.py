"""The report as a Markdown table, for a README."""

from __future__ import annotations

from ...page import escape_markdown, markdown_table
from ..results import CitedTextResult
from .columns import RULERS, Column, as_percent, columns_of, human_figures, in_groups, sizes_of

_MARKDOWN = {
    ("Official script", "P"): "Official P",
    ("Official script", "R"): "Official R",
    ("Official script", "F1"): "Official F1",
    ("Official script", "published"): "Published official F1",
    ("Citances", "F1"): "Citance F1 (95%)",
    ("Union", "F1"): "Union F1",
    ("Union", "published"): "Published union F1",
    ("Union", "published (test set)"): "Published union F1 (test set)",
    ("ROUGE-S*", "here"): r"ROUGE-S\*",
    ("Chosen", "sentences"): "Sentences",
    ("Chosen", "words"): "Words",
}


def markdown(result: CitedTextResult) -> str:
    """Return the result as a Markdown table with a line of its sizes, for a README.

    Raise `InputError` for a result without rows.
    """
    found = {(column.subject, column.head): column for column in columns_of(result)}
    columns = {head: found[key] for key, head in _MARKDOWN.items() if key in found}
    lines = [
        ["System", *columns],
        [":--", *("--:" for _ in columns)],
        *(
            [escape_markdown(result.rows[row].name), *(_cell(one, row) for one in columns.values())]
            for rows in in_groups(result.rows).values()
            for row in rows
        ),
    ]
    human = [
        f"- {name}: official F1 {as_percent(official.f1)}, citance F1 {as_percent(citance.f1)}"
        for name, (official, citance) in human_figures(result).items()
    ]
    return "\n".join(
        [
            f"Cited text identification on {escape_markdown(result.corpus)}: {sizes_of(result)}. "
            "Scores in percent.",
            "",
            *markdown_table(lines),
            "",
            *human,
            *[""][: len(human)],
            "Bold: the best of a column; in brackets: the 95% interval (bootstrap over reference "
            "papers). Sentences: chosen for a citance; words: of a chosen sentence. " + RULERS,
            "",
        ]
    )


def _cell(column: Column, row: int) -> str:
    value = column.write(column.values[row])
    value = f"**{value}**" if column.is_best(row) else value
    return f"{value} ({column.intervals[row]})" if column.intervals else value
