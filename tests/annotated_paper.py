"""A small annotated paper for tests of training."""

from pincite.model.papers import ReferencePaper, Sentence
from pincite_evaluation.corpora.annotations import AnnotatedPaper, Citance, GoldFile, Row


def annotated_paper(name, texts, written, golds):
    """A paper with these sentences (ids from 11) and citances; `golds` are annotators' offsets."""
    citances = tuple(
        Citance(str(number), f"C{number}", text, text)
        for number, text in enumerate(written, start=1)
    )
    files = tuple(
        GoldFile(
            f"{name}_{number}",
            tuple(
                Row(each.number, name, each.citing, each.written, offset, '<S sid="1">text</S>')
                for each, offset in zip(citances, gold, strict=True)
            ),
        )
        for number, gold in enumerate(golds)
    )
    return AnnotatedPaper(
        name,
        ReferencePaper(name, "full text", tuple(map(Sentence, texts))),
        tuple(str(sid) for sid in range(11, 11 + len(texts))),
        citances,
        files,
    )
