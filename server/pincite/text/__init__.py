"""Words, sentences, citation markers, quantities and languages; offsets are preserved."""
