"""What the world says of a work: abstracts and citing sentences, from services on the network.

Nothing here is used before the author has agreed to a list of what is sent to whom. A *source*
(`openalex`, `crossref`, `semantic_scholar`) knows the paths and answers of one service and nothing
of the network; `service` asks it, politely; `answers` keeps what it said on the disk, so that an
interrupted run goes on where it was; `enrich` believes an answer only if title, authors and year
are those of the entry.
"""
