"""Time completion while another thread computes, by the interpreter's switching interval.

Prints the median and the ninth decile of completion times, each after a typed letter, in
milliseconds: with an idle background, and with a thread that does nothing but compute.
"""

import argparse
import re
import shutil
import statistics
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from lsprotocol import types

from pincite.lsp.documents import Documents
from pincite.lsp.features.completion import complete
from pincite.lsp.session import Session

EXAMPLES = Path(__file__).parent.parent / "examples"
INTERVALS = (0.005, 0.0005)


class Author:
    """Types letters before a citation, and has a list after each."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "survey.tex"
        text = self.path.read_text("utf-8")
        self.documents = Documents()
        self.documents.open(self.path.as_uri(), text)
        self.session = Session(self.documents)
        self.session.folders = (folder,)
        self.offset = [match.end() for match in re.finditer(r"\\citep\{", text)][3]
        # As requests of the server.
        self.threads = ThreadPoolExecutor(4)
        assert self.session.wait_until_built(self.path, 600)

    def type_and_ask(self) -> float:
        lines = self.documents.now.lines(self.path.as_uri())
        assert lines is not None
        at = lines.position(self.offset - 12)
        started = time.perf_counter()
        change = types.TextDocumentContentChangePartial(types.Range(at, at), "a")
        self.documents.change(self.path.as_uri(), [change])
        self.offset += 1
        lines = self.documents.now.lines(self.path.as_uri())
        assert lines is not None
        asked = self.session.project(), self.path, lines, lines.position(self.offset)
        found = self.threads.submit(complete, *asked).result()
        assert found is not None
        assert found.items
        return (time.perf_counter() - started) * 1000


def compute(until: threading.Event) -> None:
    while not until.is_set():
        {number: str(number) for number in range(1000)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lists", type=int, default=60)
    number = parser.parse_args().lists
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(EXAMPLES, Path(folder, "examples"))
        author = Author(Path(folder, "examples"))
        print(
            "| switching interval | background | median ms | ninth decile ms |\n|---|---|---|---|"
        )
        for background in ("idle", "computes"):
            for interval in INTERVALS:
                sys.setswitchinterval(interval)
                ended = threading.Event()
                if background == "computes":
                    threading.Thread(target=compute, args=(ended,), daemon=True).start()
                taken = sorted(author.type_and_ask() for _ in range(number))
                ended.set()
                median, decile = statistics.median(taken), taken[int(0.9 * number)]
                print(f"| {interval * 1000:g} ms | {background} | {median:.1f} | {decile:.1f} |")
        author.session.stop()


if __name__ == "__main__":
    main()
