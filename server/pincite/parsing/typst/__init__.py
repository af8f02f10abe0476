"""Typst → what it says and cites.

`scanner` reads a text once, with the words of `tokens` and the open parts of `frames`; `parse` does
so in regions, so that an edit affects only one, and `reader` builds drafts. Which functions of the
project cite, `functions` says, and which names may be labels, `names`. `syntax` says how keys are
typed and written.
"""

from .reader import TypstDraftReader

__all__ = ["TypstDraftReader"]
