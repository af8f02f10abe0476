"""Small annotated papers for tests, in memory and as the corpus has them."""

import csv

from pincite.model.papers import ReferencePaper, Sentence
from pincite_evaluation.corpora.scisumm import AnnotatedPaper, Citance, GoldFile, Row


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


def write_training(corpus, papers, part="Training-Set-2019/Task1/From-Training-Set-2018"):
    """Write papers by name: sentences, and rows of a citing paper, a text, sentence ids, a facet."""
    for name, (sentences, rows) in papers.items():
        files = corpus / part / name / "Reference_XML", corpus / part / name / "annotation"
        for folder in files:
            folder.mkdir(parents=True)
        (files[0] / f"{name}.xml").write_text(marked_paper(sentences), "utf-8")
        lines = [
            f"Citance Number: {number} | Reference Article: {name}.xml | Citing Article: {citing}.xml | "
            f'Citation Text: <S sid="1">{text}</S> | '
            f"Reference Offset: ['{sids.replace(',', chr(39) + ',' + chr(39))}'] | "
            f"Reference Text: {copied(sentences, sids)} | "
            f"Discourse Facet: {facet[0] if facet else 'Method_Citation'} |\n"
            for number, (citing, text, sids, *facet) in enumerate(rows, start=1)
        ]
        (files[1] / f"{name}.ann.txt").write_text("\n".join(lines), "utf-8")
    return corpus


def marked_paper(sentences):
    marked = "".join(f'<S sid="{n}" ssid="1">{text}</S>\n' for n, text in enumerate(sentences))
    return f"<PAPER>\n{marked}</PAPER>\n"


def copied(sentences, sids):
    known = dict(enumerate(sentences))
    return "".join(f'<S sid="{n}">{known.get(int(n), "")}</S>' for n in sids.split(","))


COLUMNS = (
    *("Citance Number", "Reference Article", "Citing Article", "Citation Text"),
    *("Reference Offset", "Reference Text", "Discourse Facet"),
)


def write_test(corpus, papers, annotators, facet=""):
    """Write test papers whose rows have the sentences of each of the annotators in place of one."""
    for name, (sentences, rows) in papers.items():
        folder = corpus / "Test-Set-2018" / name
        (folder / "Reference_XML").mkdir(parents=True, exist_ok=True)
        (folder / "Reference_XML" / f"{name}.xml").write_text(marked_paper(sentences), "utf-8")
        tables = {folder / "annotation" / f"{name}.csv": None}
        tables |= {
            corpus / "Test-Set-2018-Gold" / "Task1" / f"{name}_{one}.csv": one for one in annotators
        }
        for path, annotator in tables.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("w", newline="", encoding="utf-8") as file:
                writer = csv.writer(file)
                writer.writerow(COLUMNS)
                for number, (citing, text, *chosen) in enumerate(rows, start=1):
                    sids = chosen[annotators.index(annotator)] if annotator else ""
                    gold = (f"'{sids}'", copied(sentences, sids)) if sids else ("", "")
                    writer.writerow([number, f"{name}.xml", f"{citing}.xml", text, *gold, facet])
    return corpus
