"""Findings to report to the author about a draft and its bibliographies, as data.

`findings` defines a finding, with its place. `keys` suggests keys, `citations` finds undefined keys
and placeholders, `bibliographies` missing bibliographies, repeated keys and broken entries with
their fixes, `support` weakly supported citations, `uncited` sentences that lack a citation,
`unused` entries that are never cited. `library_health` shows what is known of all entries and
papers, and what is wrong with them; `whole_draft` checks a whole draft before submission, and
`draft_report` reports what it found.
"""
