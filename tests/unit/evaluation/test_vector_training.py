from __future__ import annotations

import gzip
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from pincite.matching.vectors import UNKNOWN, WordVectors
from pincite.model.problems import InputError
from pincite_evaluation.baselines.encoders import Encoder, open_encoder
from pincite_evaluation.commands.vectors import app
from pincite_evaluation.vector_training import VectorRecipe, encoded_words, save, sentences, train
from tiny_transformer import tiny_transformer

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


def test_papers_and_bibliographies_are_read_as_authors_have_them(tmp_path: Path) -> None:
    (draft := tmp_path / "draft.tex").write_text(
        "\\documentclass{article}\\begin{document}Lattices \\emph{grow} \\input{next}\\end{document}"
    )
    (tmp_path / "next.tex").write_text("in salt $x$.")
    (article := tmp_path / "article.xml").write_text(
        "<article><front><article-meta><title-group><article-title>Crystals</article-title>"
        "</title-group></article-meta></front>"
        "<body><sec><title>Results</title><p>Salt melts. It cools.</p></sec></body></article>"
    )
    (library := tmp_path / "library.bib").write_text(
        "@article{a, title = {Growing {Crystals}}, abstract = {We grow them.}}"
    )
    assert joined(draft) == ["Lattices grow in salt x"]
    assert joined(article) == ["Salt melts", "It cools"]
    assert joined(library) == ["Growing Crystals We grow them"]


def test_files_and_folders_are_left_out_or_alone_read_by_name(corpus: Path, jsonl: Path) -> None:
    others = ["Cells charts more", "Second one", "cut off"]
    assert joined(corpus, exclude=("X1", "a", "b")) == others
    read = sentences([corpus], only=["Reference_XML", "b"])
    both = ["First paragraph wraps", "Next one"]
    assert [" ".join(words) for words in read] == ["Read before", *both]
    assert joined(jsonl, corpus, exclude=("X1", "X2")) == both


def test_citation_markers_stay_if_asked_for(jsonl: Path) -> None:
    assert [" ".join(words) for words in sentences([jsonl], markers="keep")] == [
        "A chart parser Smith 2001 fills cells",
        "We use multilingual text as Lee et al 1999 did",
    ]


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.pdf", b"%PDF"), ("a.json", b"{"), ("a.jsonl", b"{}\n]"), ("a.txt.gz", b"no gzip")],
)
def test_unreadable_text_is_an_input_error(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=name):
        list(sentences([path]))


class TestTraining:
    TINY = VectorRecipe(dimensions=8, min_count=2, epochs=2)

    @pytest.fixture(autouse=True)
    def _gensim(self) -> None:
        pytest.importorskip("gensim", reason="training needs the extra pincite[vectors]")

    @pytest.fixture
    def text(self, tmp_path: Path) -> Path:
        path = tmp_path / "text.txt"
        path.write_text("the parser reads the tree\n\nthe tagger reads the word once\n\n" * 30)
        return path

    def test_rare_words_are_left_out_or_one_word(self) -> None:
        text = [["tree", "once", "tree"], ["Once", "tree"]]
        unknown = replace(self.TINY, unknown=True)
        trained = train(text, unknown)
        assert (trained.words, trained.counts) == (["tree", UNKNOWN], [3, 2])
        assert trained.vectors.shape == (2, 8)
        assert np.abs(trained.vectors[1]).max() > 0
        assert train(text, self.TINY).words == ["tree"]
        # It stays, however rare it is: it is what all unheard words will be.
        assert train([["tree", "tree", "rare"]], unknown).counts == [2, 1]
        assert train([["tree", "tree"]], unknown).words == ["tree"]

    def test_metadata_records_the_recipe(self) -> None:
        text = [["tree"] * 3]
        usual = train(text, self.TINY).metadata
        assert usual == {
            "method": "word2vec skip-gram",
            "tokens": "3",
            "dimensions": "8",
            "window": "5",
            "negative": "5",
            "min_count": "2",
            "epochs": "2",
            "seed": "1",
        }
        other = replace(self.TINY, cased=False, markers="keep", unknown=True)
        assert train(text, other).metadata == {
            **usual,
            "cased": "false",
            "markers": "keep",
            "unknown": "true",
        }

    def test_two_processes_give_the_same_bytes(self, text: Path, tmp_path: Path) -> None:
        code = (
            "import sys; from pincite_evaluation.commands.vectors import app;"
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

    def test_command_writes_a_model_and_how_it_was_made(self, text: Path, tmp_path: Path) -> None:
        output = tmp_path / "model.safetensors"
        arguments = ["train", str(text), "-o", str(output), "--dimensions", "8", "--epochs", "1"]
        made = CliRunner().invoke(app, arguments)
        assert made.exit_code == 0, made.output
        assert WordVectors.load(output).dimensions == 8
        shown = CliRunner().invoke(app, ["info", str(output)])
        assert "epochs: 1\n" in shown.output
        assert "words: 7\n" in shown.output
        for usual in ("cased: true\n", "markers: remove\n", "unknown: false\n"):
            assert usual in shown.output


class TestEncodedWords:
    @pytest.fixture
    def encoder(self, tmp_path: Path) -> Encoder:
        pytest.importorskip("onnxruntime", reason="needs the extra pincite[transformers]")
        return open_encoder(tiny_transformer(tmp_path, ["tree", "trees", "parser"]))

    def test_each_word_is_encoded_alone(self, encoder: Encoder) -> None:
        text = [["Tree", "parser", "12", "of"], ["tree", "trees", "parser", "12", "once"]] * 2
        recipe = VectorRecipe(dimensions=4, min_count=2, cased=False)
        made = encoded_words(text, recipe, encoder)
        counts = {"of": 2, "once": 2, "parser": 4, "tree": 4, "trees": 2}
        assert dict(zip(made.words, made.counts, strict=True)) == counts
        # Numbers have no vector; they are words of the text.
        assert made.metadata["tokens"] == "18"
        alone = encoder.sentences(made.words)
        centred = alone - alone.mean(axis=0)
        # Five centred vectors lie in four directions: nothing is lost.
        np.testing.assert_allclose(
            made.vectors @ made.vectors.T, centred @ centred.T, rtol=1e-3, atol=1e-3
        )


def test_coverage_lists_the_words_that_a_model_does_not_know(tmp_path: Path) -> None:
    (text := tmp_path / "text.txt").write_text(
        "A tree of quarks and quarks in 1984, trees and Parsers of lattices."
    )
    (tmp_path / "other.txt").write_text("Frogs.")
    model = tmp_path / "model.safetensors"
    save(model, ["tree", "parser"], np.eye(2), [2, 1], {}, stems=True)
    (only := tmp_path / "only.txt").write_text("text\n")
    arguments = ["coverage", str(tmp_path), "--model", str(model), "--only", str(only)]
    shown = CliRunner().invoke(app, arguments)
    assert shown.output == "0.500 of 6 words have no vector (quarks, lattices)\n"
    assert CliRunner().invoke(app, ["coverage", str(text)]).exit_code == 0
    absent = CliRunner().invoke(app, ["coverage", str(tmp_path / "absent")])
    assert isinstance(absent.exception, InputError)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train", "absent", "-o", "m"], "absent: no such file or folder"),
        (["train", "paper.md", "-o", "paper.md"], "paper.md: exists and is not a model"),
        (["train", "paper.md", "-o", "."], "cannot be written"),
        (["info", "absent"], "absent"),
    ],
)
def test_command_reports_a_wrong_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (paper := tmp_path / "paper.md").write_text("Words of a paper.")
    made = CliRunner().invoke(app, arguments)
    assert isinstance(made.exception, InputError)
    assert message in str(made.exception)
    assert paper.read_text() == "Words of a paper."
    assert not (tmp_path / "m").exists()


def test_the_editor_path_never_loads_gensim() -> None:
    code = "import sys, pincite.matching.vectors; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert b"gensim" not in loaded.stdout
    assert b"scipy" not in loaded.stdout
