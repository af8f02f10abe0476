"""What is known of each entry: full texts, inlink contexts, and the index that keeps them."""
