"""Citation resolution (Duma and Klein 2014)."""
