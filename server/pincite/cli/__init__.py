"""The command line: ``pincite recommend | evidence | citations | index | evaluate | serve ...``."""

from __future__ import annotations

import gc
import sys


def main() -> None:
    """Run the command line in `app`; ``serve`` bypasses it, because editors wait for its start."""
    if sys.argv[1:] == ["serve"]:
        # Imported modules are never freed: collecting them takes a tenth of the start-up time.
        gc.disable()
        from ..lsp.server import serve

        gc.freeze()
        gc.enable()
        serve()
    else:
        from .app import main as run

        run()
