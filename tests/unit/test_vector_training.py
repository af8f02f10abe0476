from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pincite.cli.vectors import app
from pincite.evaluation.corpora.text import sentences
from pincite.matching.training import TrainingSettings, train
from pincite.matching.vectors import WordVectors
from pincite.model.problems import InputError

S2ORC = {
    "paper_id": "X1",
    "abstract": "Not read twice.",
    "pdf_parse": {
        "abstract": [{"text": "A chart parser (Smith, 2001) fills cells."}],
        "body_text": [{"text": "We use multi\u00ad lingual text, as Lee et al. (1999) did."}],
    },
}


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    (folder / "X1" / "Reference_XML").mkdir(parents=True)
    (folder / "X1" / "annotation").mkdir()
    (folder / "X1" / "Reference_XML" / "X1.xml").write_text("<PAPER><S sid='1'>Read before.</S>")
    (folder / "X2.xml").write_text(
        '<PAPER><S sid="1">Cells &amp;amp; charts & more</S>\n<SECTION title="1 < 2">'
        '<S sid="2" ssid="1">Second one.</S><S>cut off'
    )
    (folder / "X1" / "annotation" / "X1.ann.txt").write_text("Citance Number: 1")
    (folder / "X1" / "citing_sentences.json").write_text('[{"clean_text": "A citance"}]')
    (folder / "a.md").write_text("First paragraph\nwraps.\n\nNext [12] one.")
    (folder / "b.txt").write_text("First paragraph\nwraps.\n\nNext [12] one.")
    (folder / "picture.png").write_bytes(b"\x89PNG")
    return folder


@pytest.fixture
def jsonl(tmp_path: Path) -> Path:
    path = tmp_path / "papers.jsonl.gz"
    with gzip.open(path, "wt", encoding="utf-8") as stream:
        stream.write(json.dumps(S2ORC) + "\n\n" + json.dumps({"paper_id": "X9"}) + "\n")
    return path


def joined(*paths: Path, exclude: tuple[str, ...] = ()) -> list[str]:
    return [" ".join(words) for words in sentences(paths, exclude)]


def test_s2orc(jsonl: Path) -> None:
    assert joined(jsonl) == ["A chart parser fills cells", "We use multilingual text as did"]


def test_a_folder_is_read_in_order_and_each_paper_once(corpus: Path, jsonl: Path) -> None:
    folder = ["Cells charts more", "Second one", "cut off", "First paragraph wraps", "Next one"]
    assert joined(corpus) == ["Read before", *folder]
    assert joined(jsonl, corpus, corpus) == [*joined(jsonl), *folder]


def test_excluded_papers_are_not_read(corpus: Path, jsonl: Path) -> None:
    assert joined(jsonl, corpus, exclude=("X1", "X2")) == ["First paragraph wraps", "Next one"]


def test_s2orc_with_a_plain_abstract(tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    path.write_text(json.dumps({"abstract": "Ours.", "body_text": [{"text": "Body."}, {}]}))
    assert joined(path) == ["Ours", "Body"]


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.pdf", b"%PDF"), ("a.json", b"{"), ("a.jsonl", b"{}\n]"), ("a.txt.gz", b"no gzip")],
)
def test_unreadable_text_is_an_input_error(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=name):
        list(sentences([path]))


def test_a_missing_corpus_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"absent\.txt"):
        list(sentences([tmp_path / "absent.txt"]))


def test_training_without_gensim_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gensim.models", None)
    with pytest.raises(InputError, match=r'pip install "pincite\[vectors\]"'):
        train([["a"]])


def test_the_editor_path_never_loads_gensim() -> None:
    code = "import sys, pincite.matching.vectors, pincite.matching.training; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert b"gensim" not in loaded.stdout
    assert b"scipy" not in loaded.stdout


class TestTraining:
    TINY = TrainingSettings(dimensions=8, min_count=2, epochs=2)

    @pytest.fixture(autouse=True)
    def _gensim(self) -> None:
        pytest.importorskip("gensim", reason="training needs the extra pincite[vectors]")

    @pytest.fixture
    def text(self, tmp_path: Path) -> Path:
        path = tmp_path / "text.txt"
        path.write_text("the parser reads the tree\n\nthe tagger reads the word once\n\n" * 30)
        return path

    def test_vectors_counts_and_total(self) -> None:
        trained = train([["tree", "tree", "rare"], ["tree"]], self.TINY)
        assert (trained.words, trained.counts) == (["tree"], [3])
        assert trained.vectors.shape == (1, 8)
        # Rare words count as text: N of section 2.2 is all of it.
        assert trained.metadata["tokens"] == "4"

    def test_progress_ends_at_one(self) -> None:
        told: list[float] = []
        train([["tree", "tree"]] * 1500, self.TINY, told.append)
        assert told == sorted(told)
        assert told[-1] == 1.0

    def test_no_frequent_word_is_an_input_error(self) -> None:
        with pytest.raises(InputError, match="occurs 2 times"):
            train([["once"]], self.TINY)

    def test_two_processes_give_the_same_bytes(self, text: Path, tmp_path: Path) -> None:
        code = (
            "import sys; from pincite.cli.vectors import app;"
            "app(['train', '--dimensions', '8', '--epochs', '2', *sys.argv[1:]])"
        )
        written = []
        for seed in ("1", "2"):
            output = tmp_path / seed
            subprocess.run(
                [sys.executable, "-c", code, str(text), "-o", str(output)],
                env={"PYTHONHASHSEED": seed},
                check=True,
                capture_output=True,
            )
            written.append(output.read_bytes())
        assert written[0] == written[1]

    def test_command_writes_a_model_and_tells_how_it_was_made(
        self, text: Path, tmp_path: Path
    ) -> None:
        output = tmp_path / "model.safetensors"
        arguments = ["train", str(text), "-o", str(output), "--dimensions", "8", "--epochs", "1"]
        made = CliRunner().invoke(app, arguments)
        assert made.exit_code == 0, made.output
        assert WordVectors.load(output).dimensions == 8
        told = CliRunner().invoke(app, ["info", str(output)])
        assert "epochs: 1\n" in told.output
        assert "words: 7\n" in told.output


def test_command_reports_a_wrong_input(tmp_path: Path) -> None:
    absent = CliRunner().invoke(app, ["train", str(tmp_path / "absent"), "-o", str(tmp_path / "m")])
    assert absent.exit_code == 2
    assert CliRunner().invoke(app, ["info", str(tmp_path / "absent")]).exit_code == 2
    assert not (tmp_path / "m").exists()
