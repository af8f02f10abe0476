"""The public API, which the command line uses as well; `pincite` looks its names up here.

`project` opens drafts, `indexing` reads libraries ahead, `enriching` fetches what is missing of
them from the network, and `nouns` are their results. Only these modules use the project, the
recommender and the checks; none of them prints.
"""
