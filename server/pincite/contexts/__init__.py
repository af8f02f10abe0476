"""From a place in a text to the words around it: keys and authors' names are part of none."""
