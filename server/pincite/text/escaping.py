"""Text for files: on one line, without characters that do not belong there, and for Markdown."""

from __future__ import annotations

import re


def one_line(text: str) -> str:
    """Return a text without line breaks and double spaces."""
    return " ".join(text.split())


def valid(text: str) -> str:
    """Replace characters that do not belong in a text file: control characters, lone surrogates."""
    return re.sub(r"[^\t\n\r -~\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text)


def escape_markdown(text: str) -> str:
    """Escape a text for one line of Markdown."""
    return re.sub(r"([\\`*_{}\[\]<>#|~&!])", r"\\\1", one_line(valid(text)))
