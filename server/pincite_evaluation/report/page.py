"""Fill the template of a task: a self-contained HTML page, or Markdown."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from pincite import __version__
from pincite.model.problems import InputError
from pincite.text.escaping import valid

from . import tables
from .figures import require_plots

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
    """Return the HTML page of a task; content is escaped.

    Raises `InputError` without Jinja2 or matplotlib.
    """
    require_plots()
    require_templates()
    return render(f"{task}.html", **content)


def render(template: str, **content: object) -> str:
    """Return a template with its content, which is escaped in HTML only."""
    return valid(_environment().get_template(template).render(content))


def markdown(*parts: str) -> str:
    """Return the parts of a report in Markdown, which are escaped, without the empty ones."""
    return valid("\n\n".join(filter(None, parts))) + "\n"


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

    made = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=select_autoescape(),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    for name in ("between", "cell", "count", "percent", "thousands"):
        made.filters[name] = getattr(tables, name)
    made.globals["version"] = __version__
    return made
