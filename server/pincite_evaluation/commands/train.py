"""`pincite train`: train models on annotated papers, drafts and collections of papers."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pincite.cli.options import WholeSentences, option
from pincite.cli.output import counted, echo
from pincite.model.problems import InputError
from pincite.whole_files import require_writable

from .evaluate import CorpusArgument, progress, report_problems, require_model_file

if TYPE_CHECKING:
    from ..corpora.scisumm import AnnotatedPaper
    from ..training import Trainer

app = typer.Typer(
    cls=WholeSentences,
    help="Train models on annotated papers, or on drafts.",
    epilog="Example: pincite train ranker DATA/drafts.json -o ranker.npz",
    no_args_is_help=True,
)

OutputOption = Annotated[Path, option("--output FOLDER", "The folder to write the model to.", "-o")]
FileOption = Annotated[Path, option("--output FILE", "The model file to write.", "-o")]
SampleOption = Annotated[
    int, option("--sample N", "Also train on N random papers of ScisummNet.", min=0)
]
SeedOption = Annotated[int, option("--seed", "Seed of the random numbers.", min=0)]
FoldsOption = Annotated[
    int, option("--folds N", "Folds of cross-validation, a model for each.", min=2)
]
BaseOption = Annotated[
    Path | None,
    option(
        "--base FOLDER",
        "Folder with the base transformer in Hugging Face format (default: an installed one).",
    ),
]


@app.command()
def citret(
    corpus: CorpusArgument,
    output: OutputOption,
    base: BaseOption = None,
    sample: SampleOption = 0,
    seed: SeedOption = 0,
    folds: FoldsOption = 5,
) -> None:
    """Fine-tune the sentence encoder of sbert and citret (CitRet's recipe)."""
    from ..cited_text.model_training import CitRetRecipe, transformer_trainer

    recipe = CitRetRecipe(seed=seed)
    _train(partial(transformer_trainer, recipe, base), corpus, output, sample, folds)


@app.command()
def reranker(
    corpus: CorpusArgument,
    output: OutputOption,
    base: BaseOption = None,
    sample: SampleOption = 0,
    seed: SeedOption = 0,
    folds: FoldsOption = 5,
    fields: Annotated[
        int, option("--fields", "Text fields of BM25 that find candidates.", min=2, max=3)
    ] = 2,
    supervised: Annotated[
        bool,
        option("--supervised", "Also train on cited sentences that BM25 does not find."),
    ] = False,
    negatives: Annotated[
        int | None,
        option(
            "--negatives N",
            "Train on N random irrelevant candidates per citance (default: all).",
            min=1,
        ),
    ] = None,
) -> None:
    """Train the cross-encoder of bm25-rerank (UniHD's two training sets)."""
    from ..cited_text.model_training import RerankerRecipe, transformer_trainer

    recipe = RerankerRecipe(seed=seed, fields=fields, supervised=supervised, negatives=negatives)
    _train(partial(transformer_trainer, recipe, base), corpus, output, sample, folds)


@app.command()
def neal(
    corpus: CorpusArgument,
    output: OutputOption,
    sample: SampleOption = 0,
    seed: SeedOption = 0,
    folds: FoldsOption = 5,
) -> None:
    """Train the embeddings of neal."""
    from ..baselines.neal import NealRecipe
    from ..cited_text.model_training import neal_trainer

    _train(partial(neal_trainer, NealRecipe(seed=seed)), corpus, output, sample, folds)


@app.command()
def ranker(
    data: Annotated[
        list[Path],
        typer.Argument(
            metavar="DATA...",
            help="Training data: main files, articles and JSON lists of them as in evaluate "
            "drafts, collections of papers as in evaluate resolution.",
        ),
    ],
    output: FileOption,
    seed: SeedOption = 0,
    rounds: Annotated[int | None, option("--rounds N", "Trees of the model.", min=1)] = None,
    with_meaning: Annotated[
        bool,
        option(
            "--with-meaning",
            "Use features of meaning; needs the encoder of pincite[transformers].",
        ),
    ] = False,
) -> None:
    """Train the ranker of entries on the citations of drafts and papers."""
    from pincite.trees import TreeModel

    from ..ranker_lists import train_ranker
    from ..ranker_training import ROUNDS

    require_model_file(output, TreeModel.load, "a ranker model")
    with progress():
        model, counts, problems = train_ranker(
            data, with_meaning=with_meaning, rounds=rounds or ROUNDS, seed=seed
        )
        model.trees.save(output)
    report_problems(problems)
    nouns = (noun for noun in ("project", "paper") if counts[f"{noun}s"])
    sources = " and ".join(counted(counts[f"{noun}s"], noun) for noun in nouns)
    size = output.stat().st_size / 1024
    echo(f"{counted(counts['lists'], 'list')} of {sources}; {size:,.0f} KiB in {output}")


@app.command()
def matcher(
    corpus: CorpusArgument,
    output: Annotated[
        Path,
        option("--output OUT", "The file to write; with --folds, the folder.", "-o"),
    ],
    data: Annotated[
        list[Path] | None,
        option(
            "--data DIR",
            "The texts of judged pairs and sources of marked sentences, as in evaluate "
            "evidence (repeatable).",
        ),
    ] = None,
    judgements: Annotated[
        Path, option("--judgements FILE", "Readers' judgements of the pairs.")
    ] = Path("benchmarks/data/judged_evidence.json"),
    encoder: Annotated[
        bool,
        option("--encoder", "Train the model of fused-encoder (extra transformers)."),
    ] = False,
    folds: Annotated[
        int | None,
        option(
            "--folds N",
            "Also a model for each of N folds of the annotated papers, for evaluate "
            "cited-text --model.",
            min=2,
        ),
    ] = None,
    seed: SeedOption = 0,
) -> None:
    """Train the model of fused, which finds supporting sentences; --data calibrates it."""
    from pincite.library.indexing import available_processors
    from pincite.matching.asymmetric import AsymmetricMatcher
    from pincite.matching.sentence_features import SentenceFeatures
    from pincite.matching.vectors import WordVectors

    from ..baselines.encoders import CachingEncoder, open_encoder
    from ..cited_text.model_training import ENCODED, FUSED, fused_trainer, samples_of_papers
    from ..evidence.run import Material
    from ..sentence_training import regression, train

    regression()
    if folds is None:
        require_writable(output)
    read = Material.read(data or (), judgements, available_processors(), report_problems)
    if folds is not None:
        kind = ENCODED if encoder else FUSED
        _train(partial(fused_trainer, kind, read.samples), corpus, output, 0, folds)
        return
    words = AsymmetricMatcher(WordVectors.packaged())
    features = SentenceFeatures(words, CachingEncoder(open_encoder()) if encoder else None)
    papers, _ = _papers(corpus, 0, seed)
    with progress():
        samples = samples_of_papers(papers, features, seed) + read.samples(features, seed)
        train(samples, features.names, seed=seed).save(output)
    pairs = sum(len(each.grades) for each in read.judged)
    marked = sum(bool(each.marked) for each in read.marked)
    learnt = counted(pairs, "judged pair"), counted(marked, "marked citance")
    echo(f"{counted(len(papers), 'paper')}, {' and '.join(learnt)}: {output}")


def _train(
    make: Callable[[], Trainer], corpus: Path, output: Path, sample: int, folds: int
) -> None:
    from ..training import train_folds

    above = (output.absolute(), *output.absolute().parents)
    place = next((each for each in above if each.exists()), above[-1])
    if not place.is_dir() or not os.access(place, os.W_OK):
        raise InputError(f"{output}: cannot be written")
    trainer = make()
    papers, more = _papers(corpus, sample, trainer.recipe.seed)
    try:
        with progress():
            model = train_folds(papers, output, trainer, folds=folds, more=more)
    except KeyboardInterrupt:
        if any(each.is_dir() for each in output.glob("*")):
            echo(f"pincite: finished models are in {output}; rerun to continue", err=True)
        raise
    base = f" from {model.base}" if model.base else ""
    echo(f"{counted(len(model.folds), 'fold')} and a model of all papers{base} in {model.folder}")


def _papers(
    corpus: Path, sample: int, seed: int
) -> tuple[tuple[AnnotatedPaper, ...], list[AnnotatedPaper]]:
    from ..corpora.scisumm import AnnotatedCorpus, read_scisumm
    from ..training import sampled

    with progress():
        read = read_scisumm(corpus, "train")
        others = read_scisumm(corpus, "scisummnet") if sample else AnnotatedCorpus("scisummnet", ())
    report_problems(read.problems + others.problems)
    return read.papers, sampled(others.papers, sample, seed)
