"""From a place in a text to the words around it."""
