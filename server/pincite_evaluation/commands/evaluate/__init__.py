"""``pincite evaluate``: the published evaluations, and one on whole drafts."""

from __future__ import annotations

import typer

from .cited_text import cited_text
from .drafts import drafts
from .evidence import evidence
from .facets import facets
from .resolution import resolution

app = typer.Typer(help="Run the evaluations of the papers behind Pincite.", no_args_is_help=True)


@app.callback()
def _evaluate() -> None:
    """Run the evaluations of the papers behind Pincite."""


app.command()(resolution)
app.command("cited-text")(cited_text)
app.command("facets")(facets)
app.command("drafts")(drafts)
app.command("evidence")(evidence)
