"""How ``--help`` lists commands: in groups, each with its whole first paragraph."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from typer.core import TyperGroup


class WholeSentences(TyperGroup):
    """Lists the commands under the titles of `groups`, all others under “Commands”."""

    groups: ClassVar[Mapping[str, tuple[str, ...]]] = {}

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - Click's own
        """Write the commands; Click itself would cut their sentences."""
        known = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        grouped = {name for names in self.groups.values() for name in names}
        others = tuple(name for name in known if name not in grouped)
        width = max(map(len, known), default=0)
        for title, names in (*self.groups.items(), ("Commands", others)):
            rows = [
                (f"{name:<{width}}", " ".join((found.help or "").split("\n\n")[0].split()))
                for name in names
                if (found := known.get(name)) is not None
            ]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)
