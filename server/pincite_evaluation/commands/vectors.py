"""`pincite vectors`: train word vectors, and show how a model was made."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from pincite.cli.options import WholeSentences, option
from pincite.cli.output import echo
from pincite.model.problems import InputError
from pincite.parsing.encoding import read_text

from .evaluate import progress, require_model_file

app = typer.Typer(
    cls=WholeSentences,
    help="Train word vectors, or show how a model was made.",
    epilog="Example: pincite vectors train texts/ -o vectors.safetensors",
    no_args_is_help=True,
)


@app.command()
def train(
    corpus: Annotated[
        list[Path],
        typer.Argument(
            metavar="CORPUS...",
            help="Training text: S2ORC JSON, CL-SciSumm XML, .txt, .md, or folders of them; "
            "JATS, TEI, .tex, .pdf or .bib files.",
        ),
    ],
    output: Annotated[Path, option("--output", "The model file to write.", "-o")],
    dimensions: Annotated[int, option("--dimensions", "Length of a vector.", min=1)] = 300,
    min_count: Annotated[
        int, option("--min-count", "Leave out words that occur less often.", min=1)
    ] = 10,
    epochs: Annotated[int, option("--epochs", "Passes over the text.", min=1)] = 10,
    seed: Annotated[int, option("--seed", "Seed of the random numbers.", min=0)] = 1,
    keep_markers: Annotated[
        bool, option("--keep-markers", "Leave citation markers in the text.")
    ] = False,
    uncased: Annotated[bool, option("--uncased", "Lower-case the text.")] = False,
    unknown: Annotated[bool, option("--unknown", "Merge all rare words into one, [UNK].")] = False,
    encode: Annotated[
        bool,
        option("--encode", "Take a word's vector from a sentence encoder (extra transformers)."),
    ] = False,
    stems: Annotated[
        bool,
        option("--stems", "Give a rare word the vector of a word with the same stem."),
    ] = False,
    workers: Annotated[
        int, option("--workers", "Threads; with more than one, runs are not reproducible.", min=1)
    ] = 1,
    exclude: Annotated[
        list[Path] | None,
        option(
            "--exclude",
            "A file with ids of papers, or names of files or folders, to leave out, one per "
            "line (repeatable).",
        ),
    ] = None,
    quantise: Annotated[
        bool, option("--quantise/--float", "Store vectors in 8 bits, or in 32.")
    ] = True,
) -> None:
    """Train skip-gram word vectors on text, or encode its words, and write a model file."""
    from pincite.matching.vectors import WordVectors

    from ..baselines.encoders import open_encoder
    from ..vector_training import VectorRecipe, encoded_words, save, sentences
    from ..vector_training import train as train_vectors

    recipe = VectorRecipe(
        min_count=min_count,
        cased=not uncased,
        markers="keep" if keep_markers else "remove",
        unknown=unknown,
        epochs=epochs,
        dimensions=dimensions,
        seed=seed,
    )
    left_out = [name for file in exclude or () for name in read_text(file).split()]
    encoder = open_encoder() if encode else None
    # Fail before an hour of training, not after it.
    require_model_file(output, WordVectors.load, "a model of word vectors; choose another name")
    for each in corpus:
        if not each.exists():
            raise InputError(f"{each}: no such file or folder")
    with progress():
        texts = list(sentences(corpus, left_out, recipe.markers))
        if encoder is None:
            trained = train_vectors(texts, recipe, workers=workers)
        else:
            trained = encoded_words(texts, recipe, encoder)
    save(output, *trained, quantise=quantise, stems=stems)
    echo(f"{len(trained.words)} words of {trained.metadata['tokens']} in {output}", err=True)


@app.command()
def coverage(
    corpus: Annotated[
        list[Path], typer.Argument(metavar="CORPUS...", help="Text as for train, such as a draft.")
    ],
    model: Annotated[
        Path | None, option("--model FILE", "A model file (default: the packaged one).")
    ] = None,
    only: Annotated[
        Path | None,
        option("--only", "A file with ids, or names of files or folders, to read exclusively."),
    ] = None,
) -> None:
    """Show the share of content words, without numbers, for which a model has no vector."""
    from pincite.matching.sentence_vocabulary import is_telling
    from pincite.matching.vectors import WordVectors

    from ..vector_training import sentences

    vectors = WordVectors.packaged() if model is None else WordVectors.load(model)
    names = read_text(only).split() if only else None
    words = [
        word
        for sentence in sentences(corpus, only=names)
        for word in sentence
        if is_telling(word) and not word.isdigit()
    ]
    unknown = [word for word, row in zip(words, vectors.rows(words), strict=True) if row < 0]
    share = len(unknown) / max(1, len(words))
    most = ", ".join(word for word, _ in Counter(unknown).most_common(10))
    echo(f"{share:.3f} of {len(words)} words have no vector ({most})")


@app.command()
def info(
    model: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="A model file (default: the packaged one)."),
    ] = None,
) -> None:
    """Show how a model was made."""
    from pincite.matching.vectors import WordVectors

    vectors = WordVectors.packaged() if model is None else WordVectors.load(model)
    usual = {"cased": "true", "markers": "remove", "unknown": "false"}  # not in the file
    for key, value in sorted({"words": str(len(vectors)), **usual, **vectors.metadata}.items()):
        echo(f"{key}: {value}")
