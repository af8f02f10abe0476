/** Messages for a command that needs the server while it is not running. */

import { commands, window } from 'vscode';

import type { ServerState } from '../server';

export async function tellNoServer(state: ServerState): Promise<void> {
  if (state === 'missing') {
    const setUp = 'Set up';
    const answer = await window.showWarningMessage('The Pincite server is not installed yet.', setUp);
    if (answer === setUp) await commands.executeCommand('pincite.restartServer');
  } else if (state === 'stopped') {
    const [restart, logs] = ['Restart server', 'Show logs'];
    const answer = await window.showErrorMessage('The Pincite server has stopped.', restart, logs);
    if (answer === restart) await commands.executeCommand('pincite.restartServer');
    if (answer === logs) await commands.executeCommand('pincite.showLogs');
  } else {
    void window.showInformationMessage('Pincite is still starting. Try again in a moment.');
  }
}
