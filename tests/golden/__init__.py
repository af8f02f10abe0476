"""What authors get today, recorded, so that a change of the inside can be held against it."""
