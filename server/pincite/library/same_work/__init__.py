"""Match a work, given as a reference in another paper or as a file, to an entry.

If both sides have a DOI or arXiv identifier, these decide; else titles are compared, and authors
and years must agree. A wrong match is worse than none, so contradicting evidence in a reference or
file rules an entry out.

Candidates are the entries whose title mostly occurs, with words weighted by rarity, in what is
known about the work; only these are compared letter by letter.
"""

from .matcher import WorkMatcher, as_reference, same_works

__all__ = ["WorkMatcher", "as_reference", "same_works"]
