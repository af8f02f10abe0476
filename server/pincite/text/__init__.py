"""Words, sentences, citation markers and languages; every function preserves offsets."""
