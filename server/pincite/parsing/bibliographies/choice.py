"""Which form a bibliography has: by the name of its file, in YAML also by its content."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from .forms import Form
from .json_form import CSL_JSON

_JSON: Final = (".json",)
#: A header of a Markdown file may hold ``references:`` as well.
_YAML: Final = (".yaml", ".yml", ".md", ".markdown", ".qmd", ".rmd")


def form_of(path: Path, text: str) -> Form | None:
    """Return the form of a bibliography; None for BibTeX."""
    suffix = path.suffix.lower()
    if suffix in _JSON:
        return CSL_JSON
    if suffix in _YAML:
        from .yaml_forms import yaml_form

        return yaml_form(text)
    return None


def has_items(path: Path) -> bool:
    """Return whether a bibliography is in one of these forms, by its name."""
    return path.suffix.lower() in (*_JSON, *_YAML)


def is_yaml(path: Path) -> bool:
    """Return whether a bibliography is in YAML, by its name."""
    return path.suffix.lower() in _YAML
