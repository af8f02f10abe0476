"""What to tell the author about a draft and its bibliographies, as data.

`findings` is what is found, with its place and fixes. `keys` finds undefined and repeated keys,
`citations` gaps, `bibliographies` broken entries and how to fix them, `support` weakly supported
citations, `uncited` sentences that lack a citation, `unused` entries that
nobody cites.
"""
