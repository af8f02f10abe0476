"""Drafts in any markup language: each file is read by the reader of its markup.

`reader` reads drafts, `syntax` says how keys are typed and written. `..markup` has the protocols.
"""

from .reader import DraftReader
from .syntax import syntax_of

__all__ = ["DraftReader", "syntax_of"]
