"""From a citation context to ranked entries.

`base` has what all rankers share; the setting `ranker` chooses one of two. `learned`, the default
(docs/explanation/decisions/0008), judges evidence: `draft_citations` is what the draft cites in
reading order, `at_place` what is known at a place, `windows` the parts of the text that are
compared; `features` puts together the numbers of `text_features`, `name_features` and
`history_features`; the model consists of `pincite.trees`, `reasons` words what added most.
`tfidf` ranks by the cosine of a context with an entry's best bag (Duma and Klein 2014). Ties break
by key. Entries that changed since are ranked by a small ranker beside the earlier one.
"""
