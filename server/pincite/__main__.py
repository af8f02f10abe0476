"""``python -m pincite``."""

import os
import sys

# With -m, Python looks for modules in the current folder first: a project's own `secrets.py` would
# run. The processes that this one starts must not look there either (Python 3.11).
if not getattr(sys.flags, "safe_path", False) and sys.path[:1] == [os.getcwd()]:  # noqa: PTH109
    del sys.path[0]
os.environ["PYTHONSAFEPATH"] = "1"

from .cli import main

if __name__ == "__main__":
    main()
