"""``python -m pincite``."""

import os
import sys

# With -m, Python searches the current folder for modules first: a project's own `secrets.py` would
# run. Child processes must not search it either (Python 3.11).
if not getattr(sys.flags, "safe_path", False) and sys.path[:1] == [os.getcwd()]:  # noqa: PTH109
    del sys.path[0]
os.environ["PYTHONSAFEPATH"] = "1"

from .cli import main

if __name__ == "__main__":
    main()
