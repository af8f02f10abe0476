"""Which entry of a bibliography is this work: a reference of another paper, or a file.

DOI and arXiv identifier decide where both sides have them; else titles are compared, and authors
and years have to agree with them. A wrong match is worse than none, so what a reference or a file
says against an entry rules it out.

Candidates are the entries most of whose title, its words weighted by their rarity, occurs in what
is known about the work; only these are compared letter by letter.
"""

from .duplicates import same_works
from .matcher import Match, WorkMatcher, as_reference

__all__ = ["Match", "WorkMatcher", "as_reference", "same_works"]
