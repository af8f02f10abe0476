"""Discourse facets (CL-SciSumm, Task 1B): training and evaluation."""
