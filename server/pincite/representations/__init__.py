"""Candidates as counts of terms, and what they are compared by.

For the learned ranker: `entry_terms` gives one entry in numbers (stems of its texts, names, year);
`fields` is the index of all entries: counts by field (title, abstract, passages, inlink contexts,
venue), with what cosine and BM25 need.

For `mixed` (Duma and Klein 2014): `bags` has the words of a work itself and of what others say of
it, `tfidf` the vector space. The two parts of a joined bag are stored as two matrices under one
norm, so a score splits exactly into both.

`counting` counts terms, and `columns` has counts by term, and very many lists of numbers in two
arrays: a query looks at the columns of its terms only.
"""
