"""Run a notebook as Jupyter does: its code cells in order, in its own folder.

    MPLBACKEND=Agg python tests/notebooks.py NOTEBOOK [--write]

Prints the notebook with its outputs; `--write` stores them in it.
"""

import ast
import contextlib
import io
import json
import os
import sys
from base64 import b64encode
from pathlib import Path


def run(path):
    """Return a notebook with the outputs of its code cells, each run after those before."""
    notebook = json.loads(path.read_text("utf-8"))
    os.chdir(path.parent)
    names = {"__name__": "__main__"}
    number = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            number += 1
            cell["execution_count"] = number
            cell["outputs"] = _outputs("".join(cell["source"]), names, number)
    return notebook


def _outputs(source, names, number):
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, f"cell {number}", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), names)
    outputs = []
    if printed.getvalue():
        text = printed.getvalue().splitlines(keepends=True)
        outputs.append({"name": "stdout", "output_type": "stream", "text": text})
    outputs += [
        {"data": {"image/png": picture}, "metadata": {}, "output_type": "display_data"}
        for picture in _pictures()
    ]
    if value is not None:
        shown = {"text/plain": repr(value).splitlines(keepends=True)}
        result = {"data": shown, "execution_count": number, "metadata": {}}
        outputs.append({**result, "output_type": "execute_result"})
    return outputs


def _pictures():
    if "matplotlib.pyplot" not in sys.modules:
        return
    from matplotlib import pyplot

    for figure in map(pyplot.figure, pyplot.get_fignums()):
        data = io.BytesIO()
        figure.savefig(data, format="png", bbox_inches="tight", metadata={"Software": None})
        yield b64encode(data.getvalue()).decode() + "\n"
    pyplot.close("all")


if __name__ == "__main__":
    name = Path(sys.argv[1]).absolute()
    text = json.dumps(run(name), ensure_ascii=False, indent=1) + "\n"
    if "--write" in sys.argv:
        name.write_text(text, "utf-8")
    else:
        sys.stdout.buffer.write(text.encode("utf-8"))
