"""Candidates as counts of terms, and what they are compared by.

For the learned ranker: `entry_terms` gives one entry in numbers (stems of its texts, names, year);
`segments` counts entries by field (title, abstract, passages, inlink contexts, venue), and `fields`
has all of them, with what cosine and BM25 need.

For `mixed` (Duma and Klein 2014): `internal` and `external` make bags of what a work says itself
and of what others say of it, `mixed` joins them, `tfidf` is the vector space. The two parts of a
joined bag are kept as two matrices under one norm, so a score splits exactly into both.

`counting` counts terms, and `columns` keeps counts by term: a query looks at the columns of its
terms only. `live` says which entries of which segment an index has, and `squares` how long their
rows are then. `lists` keeps very many lists of numbers in two arrays.
"""
