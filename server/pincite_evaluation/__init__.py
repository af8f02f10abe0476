"""The evaluations of the papers that Pincite implements, and one on whole drafts.

Every task has runs and judgements. A *run* is what one system answers to each citation, and
*judgements* say what is right; `measures` compares the two and resamples the papers or drafts that
citations belong to. `results` has the published figures and what `evaluate(...)` in each task's
`run` returns, for a notebook too (docs/evaluation.md): rows of figures, findings, and a
record of every citation. Each task's `report` turns it into text, Markdown and HTML with `report/`:
tables whose columns are figures of the rows, charts, and one page.

`resolution/` is citation resolution: `protocol` is that of Duma and Klein, `table` counts the bags
of a collection once and computes the rows, `evidence` is that of the learned ranker. `cited_text/`
is cited text identification: `choices` runs a matcher over a corpus, `overlap` and `rouge` score
it, `human` scores the annotators; `trained_vectors`, `model_training` and `transformer_training`
train. `facets/` is Task 1B. In `drafts/`, `projects` reads drafts and articles, `rankers` has the
rankers by name. `evidence/` is judged evidence. `ranker_lists` and `ranker_training` train the
learned ranker.

`baselines/` are the systems of the papers, `corpora/` and `collection` read collections of papers.
`processes` distributes the work and reports its progress. `training` assigns papers to folds and
trains models of annotated papers; `vector_training` trains word vectors.
"""
