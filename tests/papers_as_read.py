"""What tests compare of a paper."""

from pincite.model.papers import ReferencePaper


def texts(paper: ReferencePaper) -> list[str]:
    return [sentence.text for sentence in paper.sentences]


def marked(paper: ReferencePaper) -> list[tuple[str, tuple[int, ...]]]:
    """What is printed at each marker, with the references that it cites."""
    return [
        (paper.sentences[marker.sentence].text[marker.start : marker.end], marker.references)
        for marker in paper.markers
    ]


def listed(paper: ReferencePaper) -> list[tuple[tuple[str, ...], str, str]]:
    return [(item.surnames, item.year, item.title) for item in paper.references]
