"""One file for each feature of the protocol."""
