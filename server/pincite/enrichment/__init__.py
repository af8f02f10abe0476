"""What the world says of a work: abstracts and citing sentences, from services on the network.

Nothing is sent before the author has agreed to a plan (`missing`) of what is sent to whom. A
*source* (`openalex`, `crossref`, `semantic_scholar`) knows the paths and answers of one service and
nothing of the network; `service` asks it, politely; `answers` keeps what it said on the disk, so
that an interrupted run goes on where it was. `enrich` looks an entry up, `believing` judges whether
an answer is about its work, `kept` keeps what came in, and `running` connects them, for the command
and the server alike.
"""
