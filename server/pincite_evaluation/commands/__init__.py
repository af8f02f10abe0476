"""The commands of research, which the command line finds by entry points (pyproject.toml)."""
