"""The evaluations of the papers that Pincite implements, and one on whole drafts.

`run.py` of each task has `evaluate(...)`, which returns a result (`results.py`) and can be called
from a notebook (docs/evaluation.md). `measures/` has one measure per file; `corpora/` and
`collection` read collections of papers. `processes`, `cluster` and `workers` distribute the work,
`progress` reports it, `records` has the outcome of each citation.

`resolution/` is citation resolution: `papers_under_test` is the protocol of Duma and Klein,
`counts` counts the bags of a collection once, `table` computes the rows, `findings` checks the
paper's claims. `cited_text/` is cited text identification: `choices` runs a matcher over a corpus,
`human` scores the annotators, `trained_vectors` and `*_training` train. `facets/` is Task 1B. In
`drafts/`, `projects` reads drafts and articles, `rankers` has the rankers by name, `ranks` ranks,
`figures` computes the rows. `ranker_lists` and `ranker_training` train the learned ranker.

Each task's `report` fills the templates of `report/` with tables and figures.
"""
