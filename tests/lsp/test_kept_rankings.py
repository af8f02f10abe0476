"""A second server process ranks with what the first one fitted."""

import os
from pathlib import Path

import pytest

from pincite.project.workspace import Workspace
from pincite.ranking import kept
from pincite.recommend import fit
from pincite.settings import Settings
from protocol_client import Client, eventually

DRAFT = """\
\\documentclass{article}
\\begin{document}
They wrote grammars of trees \\cite{}.
\\bibliography{refs}
\\end{document}
"""
LINE, CHARACTER = 2, DRAFT.splitlines()[2].index("}")
#: More than are ranked at once.
OTHERS = "".join(f"@misc{{k{n:04}, title = {{Paper {n}}}}}\n" for n in range(2_100))


TREES, BEES = "Grammars of trees", "Bees on flowers"


def bibliography(y, z):
    return f"{OTHERS}@misc{{y, title = {{{y}}}}}\n@misc{{z, title = {{{z}}}}}\n"


@pytest.fixture(name="home")
def thesis_with_a_large_bibliography(tmp_path, monkeypatch):
    monkeypatch.setenv("PINCITE_CACHE", str(tmp_path / "cache"))
    home = tmp_path / "thesis"
    home.mkdir()
    (home / "main.tex").write_text(DRAFT)
    (home / "refs.bib").write_text(bibliography(y=BEES, z=TREES))
    return home


@pytest.fixture(name="start")
def starting_servers():
    clients = []

    def start(home):
        client = Client(home)
        clients.append(client)
        client.open(home / "main.tex", DRAFT)
        return client

    yield start
    for client in clients:
        client.close()


def first(client, home):
    return client.complete(home / "main.tex", LINE, CHARACTER)["result"]["items"][0]["label"]


def kept_rankers():
    folder = Path(os.environ["PINCITE_CACHE"], "rankings")
    found = folder.iterdir() if folder.exists() else ()
    return [path for path in found if not path.name.startswith("unfinished")]


def test_the_second_process_ranks_without_fitting(start, home, tmp_path):
    client = start(home)
    eventually(lambda: first(client, home) == "z", "a ranked list")
    (ranker,) = eventually(kept_rankers, "a ranker on the disk")
    client.stop()

    # Two works are swapped: what is on the disk can be told from what would be fitted.
    other = tmp_path / "swapped"
    other.mkdir()
    (other / "refs.bib").write_text(bibliography(y=TREES, z=BEES))
    draft = Workspace(other).without_text(other / "main.tex", [other / "refs.bib"])
    swapped = fit(Workspace(other).recommender(draft).candidates, Settings())
    for path in ranker.iterdir():
        path.unlink()
    kept.write(ranker, swapped)

    client = start(home)
    assert first(client, home) == "y"
    client.stop()
