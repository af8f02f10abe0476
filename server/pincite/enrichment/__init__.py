"""What others publish about a work: abstracts and citing sentences, from services on the network.

Nothing is sent before the author has agreed to a plan (`plans`) of what is sent to whom. `sources`
has the queries and responses of each service; `service` sends them, politely, and caches the
responses on disk, so that an interrupted run resumes where it stopped. `enrich` looks an entry up,
and `verification` decides whether a response describes the same work.
"""
