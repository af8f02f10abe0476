"""The evaluations of the papers that Pincite implements, and one on whole drafts.

`run.py` of each task has `evaluate(...)`, which returns a result (`results.py`) and can be called
from a notebook (docs/evaluation.md). `measures/` has a measure a file; `corpora/` and `collection`
read collections of papers. `processes`, `cluster` and `workers` spread the work, `progress` and
`records` show and keep it.

`resolution/` is citation resolution: `papers_under_test` is the protocol of Duma and Klein,
`counts` counts the bags of a collection once, `table` makes the rows, `findings` says what they are
worth. `cited_text/` is cited text identification: `choices` runs a matcher over a corpus, `human`
says what annotators reach, `trained_vectors` and `*_training` train. `facets/` is Task 1B. In
`drafts/`, `projects` reads drafts and articles, `rankers` has the rankers by name, `ranks` ranks,
`figures` makes the rows. `ranker_lists` and `ranker_training` make the learned ranker.

Each task's `report` fills the templates of `report/` with tables and figures.
"""
