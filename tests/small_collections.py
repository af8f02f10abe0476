"""Small collections of papers in the S2ORC schema, for the tests of citation resolution."""

import json
import random
import re

MARK = re.compile(r"\[([^\]]+)\]")


def paper(name: str, title: str, text: str, listed: str = "") -> dict:
    """Return a paper in the S2ORC schema; ``[B]`` in its text cites the paper B."""
    links = dict.fromkeys([*listed.split(), *MARK.findall(text)])
    numbers = {link: f"BIBREF{number}" for number, link in enumerate(links)}
    spans = [
        {"start": m.start(), "end": m.end(), "text": m[0], "ref_id": numbers[m[1]]}
        for m in MARK.finditer(text)
    ]
    return {
        "paper_id": name,
        "title": title,
        "pdf_parse": {
            "paper_id": name,
            "abstract": [],
            "body_text": [{"section": "Text", "text": text, "cite_spans": spans, "ref_spans": []}],
            "bib_entries": {
                numbers[link]: {"ref_id": numbers[link], "title": link, "authors": [], "link": link}
                for link in links
            },
        },
    }


def write(path, papers):
    path.write_text("".join(json.dumps(one) + "\n" for one in papers), "utf-8")
    return path


def some_papers(seed: int = 3, number: int = 9) -> list[dict]:
    """Return papers of random words that cite each other, some of them twice in a row."""
    chosen = random.Random(seed)
    vocabulary = [f"word{n}" for n in range(60)] + ["the", "of", "and"]
    names = [f"P{n}" for n in range(number)]
    papers = []
    for name in names:
        others = [other for other in names if other != name]
        text = ""
        for _ in range(30):
            text += " ".join(chosen.choices(vocabulary, k=12))
            if chosen.random() < 0.6:
                text += " " + " ".join(
                    f"[{n}]" for n in chosen.sample(others, chosen.choice((1, 1, 2)))
                )
            text += ". "
        papers.append(paper(name, " ".join(chosen.choices(vocabulary, k=5)), text))
    return papers


def topical_papers(number=14, seed=5) -> list[dict]:
    """Return papers with words of their own, which others use where they cite them."""
    chosen = random.Random(seed)
    names = [f"P{n:02}" for n in range(number)]
    own = {name: [f"{name.lower()}topic{n}" for n in range(5)] for name in names}
    filler = [f"filler{n}" for n in range(40)]

    def about(name: str, words: int) -> str:
        return " ".join(chosen.choices(own[name], k=words) + chosen.choices(filler, k=4))

    papers = []
    for name in names:
        others = [other for other in names if other != name]
        text = about(name, 8) + ". "
        for _ in range(24):
            cited = chosen.sample(others, chosen.choice((1, 1, 1, 2)))
            marks = " ".join(f"[{other}]" for other in cited)
            text += f"The {about(cited[0], 2)} {marks} {chosen.choice(filler)}. "
        papers.append(paper(name, " ".join(own[name]), text))
    return papers


def renamed(papers: list[dict], names) -> list[dict]:
    """Return papers with other ids, in the same order and with the same texts."""
    found = json.loads(json.dumps(papers))
    for one in found:
        one["paper_id"] = one["pdf_parse"]["paper_id"] = names(one["paper_id"])
        for entry in one["pdf_parse"]["bib_entries"].values():
            entry["link"] = names(entry["link"])
    return found


def backwards(name: str) -> str:
    """Return an id that sorts the other way round."""
    return f"Q{99 - int(name[1:])}"
