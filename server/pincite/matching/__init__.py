"""From a citance and a reference paper to supporting sentences."""
