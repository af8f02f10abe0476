"""What is known about each entry: full texts, inlink contexts, and the index that keeps them."""
