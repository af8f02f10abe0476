"""Render templates: a self-contained HTML page, or Markdown."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from pincite import __version__
from pincite.model.problems import InputError
from pincite.text.escaping import escape_markdown, valid

from .figures import require_plots
from .tables import cell, markdown_table
from .words import count, fraction, percent

if TYPE_CHECKING:
    from jinja2 import Environment

_TEMPLATES = Path(__file__).with_name("templates")


def require_templates() -> None:
    """Raise `InputError` without Jinja2; call this before a long run."""
    try:
        import jinja2  # noqa: F401
    except ImportError as error:
        raise InputError("a report needs Jinja2: pip install 'pincite[report]'") from error


def html(task: str, **content: object) -> str:
    """Render the HTML page of a task; content is escaped.

    Raises `InputError` without Jinja2 or matplotlib.
    """
    require_plots()
    return _filled(f"{task}.html", content)


def markdown(task: str, **content: object) -> str:
    """Render the Markdown of a task; the template escapes names. `InputError` without Jinja2."""
    return _filled(f"{task}.md", content)


def _filled(template: str, content: dict[str, object]) -> str:
    require_templates()
    return valid(_environment().get_template(template).render(content))


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

    made = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=select_autoescape(("html",)),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters |= {
        "cell": cell,
        "count": count,
        "escape_markdown": escape_markdown,
        "fraction": fraction,
        "markdown_table": markdown_table,
        "percent": percent,
    }
    made.globals["version"] = __version__
    return made
