"""The evaluations of the papers that Pincite implements, and one on whole drafts.

Each task is a package: `evaluate(...)` in its `run` compares what systems answer to each citation
with what is right (docs/explanation/evaluation.md), and its `report` writes the `results`.
`baselines/` are the systems of the papers, `corpora/` and `collection` read papers, and
`processes` distributes work.
"""
