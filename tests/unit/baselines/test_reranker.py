"""UniHD's re-ranker on a model made for the test: its score of a pair is known."""

from dataclasses import replace

import numpy as np
import pytest

from pincite.model.papers import ReferencePaper, Sentence
from pincite.model.problems import InputError
from pincite_evaluation.baselines.bm25 import CrossEncoder, RerankerMatcher, pieces_of_pairs

tokenizers = pytest.importorskip("tokenizers")
pytest.importorskip("onnxruntime")

WORDS = "entity grid text coherence models record of in the predicts parser chart a we".split()
PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *WORDS, "."]
PAPER = ReferencePaper(
    "Entities",
    "full text",
    (
        Sentence("The entity grid models text coherence.", page=1),
        Sentence("A grid of the text (Smith et al., 2001).", page=2, section="Grids"),
        Sentence("The parser predicts coherence.", page=3),
        Sentence("We record.", page=4),
    ),
)
CITANCE = "The entity grid models text coherence (Lee, 2005)."


def word_pieces():
    return tokenizers.BertWordPieceTokenizer({piece: n for n, piece in enumerate(PIECES)})


@pytest.fixture(scope="module", name="folder")
def parser_lover(tmp_path_factory):
    """A model whose logit is the number of "parser" among the pieces of the second text."""
    onnx = pytest.importorskip("onnx")
    node, value = onnx.helper.make_node, onnx.helper.make_tensor_value_info
    weights = np.zeros((len(PIECES), 1), np.float32)
    weights[PIECES.index("parser")] = 1.0
    integers = onnx.TensorProto.INT64
    graph = onnx.helper.make_graph(
        [
            node("Gather", ["weights", "input_ids"], ["own"]),
            node("Mul", ["token_type_ids", "attention_mask"], ["second"]),
            node("Cast", ["second"], ["counted"], to=onnx.TensorProto.FLOAT),
            node("Unsqueeze", ["counted", "axis"], ["column"]),
            node("Mul", ["own", "column"], ["weighted"]),
            node("ReduceSum", ["weighted", "places"], ["logits"], keepdims=0),
        ],
        "parser lover",
        [
            value(name, integers, ["B", "L"])
            for name in ("input_ids", "attention_mask", "token_type_ids")
        ],
        [value("logits", onnx.TensorProto.FLOAT, ["B", 1])],
        [
            onnx.numpy_helper.from_array(weights, "weights"),
            onnx.numpy_helper.from_array(np.array([2]), "axis"),
            onnx.numpy_helper.from_array(np.array([1]), "places"),
        ],
    )
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)])
    model.ir_version = 8
    folder = tmp_path_factory.mktemp("reranker")
    onnx.save(model, str(folder / "model.onnx"))
    word_pieces().save(str(folder / "tokenizer.json"))
    return folder


@pytest.fixture(scope="module", name="matcher")
def loaded_matcher(folder):
    return RerankerMatcher(CrossEncoder.load(folder))


def found(matcher, citance=CITANCE, number=None):
    return matcher.match(citance, matcher.fit(PAPER), number)


def positions(matcher, citance=CITANCE, number=None):
    return [each.position for each in found(matcher, citance, number)]


def test_bm25_chooses_the_candidates_and_the_model_their_order(matcher):
    candidates = {each.position for each in found(matcher.bm25)}
    assert candidates == {0, 1, 2}
    assert positions(matcher.bm25)[0] == 0
    assert positions(matcher) == [2, 0, 1]
    best, *others = found(matcher)
    assert best.score == pytest.approx(1 / (1 + np.exp(-1)))
    assert [each.score for each in others] == [0.5, 0.5]
    # "parser" in the citance is not in the sentence.
    assert [each.score for each in found(matcher, "The parser predicts text.")][1:] == [0.5, 0.5]


def test_place_and_marks_are_those_of_bm25(matcher):
    by_bm25 = {each.position: each for each in found(matcher.bm25)}
    for each in found(matcher):
        assert each == replace(by_bm25[each.position], score=each.score)
        assert each.matched
    assert found(matcher)[2].section == "Grids"


def test_pairs_are_read_with_marks_and_the_end_of_the_sentence_is_left_out():
    def read(longest, first, second):
        ((ids, types),) = pieces_of_pairs(word_pieces(), longest, [(first, second)])
        return " ".join(PIECES[number] for number in ids), types

    assert read(512, "the grid", "we record") == (
        "[CLS] the grid [SEP] we record [SEP]",
        [0, 0, 0, 0, 1, 1, 1],
    )
    assert read(6, "the grid", "we record")[0] == "[CLS] the grid [SEP] we [SEP]"
    # A long citance leaves a quarter to the sentence.
    assert read(11, "the " * 20, "we record the chart")[0] == (
        f"[CLS] {'the ' * 6}[SEP] we record [SEP]"
    )
    assert read(11, "the " * 20, "we")[0] == f"[CLS] {'the ' * 7}[SEP] we [SEP]"
    assert read(11, "", "")[0] == "[CLS] [SEP] [SEP]"
    assert pieces_of_pairs(word_pieces(), 6, []) == []


def test_probabilities_do_not_depend_on_what_else_is_asked_for(folder):
    model = CrossEncoder.load(folder)
    texts = ["the parser", "a grid of the text", "parser parser"]
    together = model.probabilities("text", texts).tolist()
    assert together == [model.probabilities("text", [each])[0] for each in texts]
    assert together[0] < together[2]


def test_a_folder_without_a_model_is_refused_in_one_line(tmp_path, folder):
    with pytest.raises(InputError, match=r"model\.onnx: no such file; `pincite train reranker`"):
        CrossEncoder.load(tmp_path)
    (tmp_path / "model.onnx").write_bytes(b"no model")
    with pytest.raises(InputError, match=r"tokenizer\.json: no such file"):
        CrossEncoder.load(tmp_path)
    (tmp_path / "tokenizer.json").write_bytes((folder / "tokenizer.json").read_bytes())
    with pytest.raises(InputError, match="not a usable re-ranker") as raised:
        CrossEncoder.load(tmp_path)
    assert "\n" not in str(raised.value)
    (tmp_path / "tokenizer.json").write_text("{}", "utf-8")
    with pytest.raises(InputError, match="not a usable re-ranker"):
        CrossEncoder.load(tmp_path)
