"""The evaluations of the papers that Pincite implements, and one on whole drafts.

Every task has runs and judgements. A *run* is what one system answers to each citation, and
*judgements* say what is right; `results` compares the two, and has the published figures and what
`evaluate(...)` in each task's `run` returns (docs/evaluation.md). Each task's `report` turns it
into text, Markdown and HTML with `report/`.

`resolution/` is citation resolution: `protocol` is that of Duma and Klein, `evidence` that of the
learned ranker. `cited_text/` is cited text identification: `overlap` and `rouge` score it,
`model_training` and `transformer_training` train. `facets/` is Task 1B, `drafts/` ranks in whole
drafts, `evidence/` is judged evidence; `ranker_lists` and `ranker_training` train the learned
ranker.

`baselines/` are the systems of the papers, `corpora/` and `collection` read collections of papers.
`processes` distributes the work. `training` assigns papers to folds and trains models of annotated
papers; `vector_training` trains word vectors.
"""
