/** “Rebuild library index”: read the papers of all open drafts again. */

import { commands, type Disposable, ProgressLocation, window } from 'vscode';

import type { Server } from '../server';
import { counted, messageOf } from '../wording';
import { showState } from '../messages';
import { knownOf, type SetupHolder } from '../setupState';

export function registerRebuildIndex(server: Server, setup: SetupHolder): Disposable {
  return commands.registerCommand('pincite.rebuildIndex', async () => {
    try {
      await rebuild(server, setup);
    } catch (error) {
      void window.showErrorMessage(`The papers could not be read again. ${messageOf(error)}`);
    }
  });
}

async function rebuild(server: Server, setup: SetupHolder): Promise<void> {
  const options = { location: ProgressLocation.Notification, title: 'Reading the papers again', cancellable: true };
  const { status, stopped } = await window.withProgress(options, async (progress, token) => {
    token.onCancellationRequested(() => void server.stopReading());
    const following = server.onDidReadPapers(({ draft, read, papers, done }) => {
      progress.report({ message: `${draft}, ${done < 1 ? `${read} of ${counted(papers, 'paper')}` : 'all papers'}` });
    });
    try {
      return { status: await server.reindex(), stopped: token.isCancellationRequested };
    } finally {
      following.dispose();
    }
  });
  if (!status) {
    await showState(setup.current);
  } else if (status.entries === 0) {
    void window.showInformationMessage('There is nothing to read: no open draft has entries.');
  } else {
    void window.showInformationMessage(`${stopped ? 'Stopped. Read so far' : 'Read again'}: ${knownOf(status)}.`);
  }
}
