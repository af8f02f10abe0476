/** “Rebuild library index”: read the papers of all open drafts again. */

import { commands, type Disposable, ProgressLocation, window } from 'vscode';

import type { Server } from '../server';
import { messageOf, percent } from '../wording';
import { knownOf } from '../statusText';
import { tellNoServer } from './noServer';

export function registerRebuildIndex(server: Server): Disposable {
  return commands.registerCommand('pincite.rebuildIndex', async () => {
    try {
      await rebuild(server);
    } catch (error) {
      void window.showErrorMessage(`The papers could not be read again. ${messageOf(error)}`);
    }
  });
}

async function rebuild(server: Server): Promise<void> {
  const options = { location: ProgressLocation.Notification, title: 'Reading the papers again', cancellable: true };
  const { status, stopped } = await window.withProgress(options, async (progress, token) => {
    token.onCancellationRequested(() => void server.stopReading());
    const following = server.onDidReadPapers(({ draft, done }) => {
      progress.report({ message: `${draft}, ${percent(done)}` });
    });
    try {
      return { status: await server.reindex(), stopped: token.isCancellationRequested };
    } finally {
      following.dispose();
    }
  });
  if (!status) {
    await tellNoServer(server.state);
  } else if (status.entries === 0) {
    void window.showInformationMessage('There is nothing to read: no open draft has entries.');
  } else {
    void window.showInformationMessage(`${stopped ? 'Stopped. Read so far' : 'Read again'}: ${knownOf(status)}.`);
  }
}
