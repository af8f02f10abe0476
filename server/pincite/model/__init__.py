"""The nouns of Pincite: frozen values, standard library only."""
