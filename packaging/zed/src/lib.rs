//! Starts `pincite serve` in Zed: the one on the path, or the `binary` of the settings.

use zed_extension_api::settings::LspSettings;
use zed_extension_api::{self as zed, serde_json, Command, LanguageServerId, Result, Worktree};

const MISSING: &str =
    "there is no pincite on the path; install it with `uv tool install pincite` or `pipx install pincite`";

struct Pincite;

impl zed::Extension for Pincite {
    fn new() -> Self {
        Pincite
    }

    fn language_server_command(
        &mut self,
        server: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Command> {
        let binary = LspSettings::for_worktree(server.as_ref(), worktree)?.binary;
        let (path, arguments) = match binary {
            Some(own) => (own.path, own.arguments),
            None => (None, None),
        };
        Ok(Command {
            command: path.or_else(|| worktree.which("pincite")).ok_or(MISSING)?,
            args: arguments.unwrap_or_else(|| vec!["serve".to_string()]),
            env: worktree.shell_env(),
        })
    }

    fn language_server_initialization_options(
        &mut self,
        server: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Option<serde_json::Value>> {
        Ok(LspSettings::for_worktree(server.as_ref(), worktree)?.initialization_options)
    }
}

zed::register_extension!(Pincite);
