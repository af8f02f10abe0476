"""The command line: ``pincite recommend | evidence | citations | index | evaluate | serve ...``."""

from __future__ import annotations

import gc
import sys


def main() -> None:
    """Run the command line, which is in `app`; ``serve``, which editors wait for, without it."""
    if sys.argv[1:] == ["serve"]:
        # Imported modules stay: collecting garbage among them takes a tenth of the start.
        gc.disable()
        from ..lsp.server import serve

        gc.freeze()
        gc.enable()
        serve()
    else:
        from .app import main as run

        run()
