"""The domain model: immutable values that need only the standard library."""
