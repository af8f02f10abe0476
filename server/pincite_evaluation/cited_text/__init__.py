"""Cited text identification (CL-SciSumm, Task 1A)."""
