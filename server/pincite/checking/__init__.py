"""Findings to report to the author about a draft and its bibliographies, as data.

`citations` finds undefined keys, missing bibliographies and placeholders, and suggests keys,
`bibliographies` repeated keys, broken entries with their fixes, and entries that are never cited,
`claims` weakly supported citations and sentences that lack one; it finds the evidence of a cited
work for a citation, and `verdicts` words it for all front ends. `numbers` looks up those that the
draft attributes to the work. `library_health` shows what is known about entries and papers, and
what is wrong with them; `whole_draft` checks a whole draft before submission, and `draft_report`
writes a report of what it found. `references` judges entries by what services know of their works
(`same_people` compares them), `retractions` reads the author's file of them, and `decisions` has
what authors have accepted.
"""
