"""What the world says of a work: abstracts and citing sentences, from services on the network.

Nothing is sent before the author has agreed to a plan (`missing`) of what is sent to whom.
`sources` knows what the services are asked and answer, `service` asks them, politely, and caches
their answers on the disk, so that an interrupted run goes on where it was. `enrich` looks an entry
up, `believing` judges whether an answer is about its work, and `running` connects them, for the
command and the server alike.
"""
