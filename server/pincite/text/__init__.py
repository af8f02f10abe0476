"""Words, sentences and citation markers of a text; every function keeps offsets."""
