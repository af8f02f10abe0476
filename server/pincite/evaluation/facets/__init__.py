"""Discourse facets (CL-SciSumm, Task 1B): training, and what it is worth."""
