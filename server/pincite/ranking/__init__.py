"""From a citation context to ranked entries."""
