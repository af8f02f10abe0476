"""What authors get today, recorded, so that a refactoring can be compared with it."""
