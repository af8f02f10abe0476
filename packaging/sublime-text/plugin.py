"""The package LSP-pincite for Sublime Text: starts `pincite serve` for the package LSP."""

from LSP.plugin import AbstractPlugin, register_plugin, unregister_plugin


class Pincite(AbstractPlugin):
    """Its settings are in LSP-pincite.sublime-settings."""

    @classmethod
    def name(cls) -> str:
        """Return the name, from which LSP derives that of the settings."""
        return "pincite"


def plugin_loaded() -> None:
    """Let LSP know the server; Sublime Text calls this."""
    register_plugin(Pincite)


def plugin_unloaded() -> None:
    """Let LSP forget the server; Sublime Text calls this."""
    unregister_plugin(Pincite)
