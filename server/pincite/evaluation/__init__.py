"""Corpora and, with later releases, the evaluations of the papers that Pincite implements."""
