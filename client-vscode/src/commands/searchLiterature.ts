/** “Search the literature…”: words that the author sees and changes are sent to services; what they find is ranked for the place, and cited. */

import { commands, type Disposable, type Extension, ProgressLocation, window, workspace } from 'vscode';

import { MovingPlace, placeIn } from '../follow';
import { isDraft } from '../languages';
import { showState } from '../messages';
import { openSetting } from '../openSetting';
import type { Server } from '../server';
import { SECTION } from '../settings';
import type { SetupHolder } from '../setupState';
import type { FoundLiterature } from '../wire';
import { messageOf } from '../wording';
import { foundRow, problemWith, promptFor } from './literature';
import { cite } from './suggestHere';

const TITLE = 'Search the literature';
const SETTING = 'searchLiterature';

export function registerSearchLiterature(server: Server, setup: SetupHolder, extension: Extension<unknown>): Disposable {
  return commands.registerCommand('pincite.searchLiterature', async () => {
    const editor = window.activeTextEditor;
    if (!workspace.isTrusted) {
      void window.showInformationMessage('Nothing is sent from a workspace that you do not trust.');
    } else if (!editor || !isDraft(editor.document)) {
      void window.showInformationMessage('Open a draft and put the cursor where you want to cite.');
    } else if (server.state === 'missing' || server.state === 'stopped') {
      await showState(setup.current);
    } else if (workspace.getConfiguration(SECTION).get<boolean>(SETTING) !== true) {
      await offerSetting(extension);
    } else {
      // It takes a while, and the author may go on writing.
      const moving = new MovingPlace(placeIn(editor));
      try {
        await search(server, moving);
      } catch (error) {
        void window.showErrorMessage(`The literature could not be searched: ${messageOf(error)}`);
      } finally {
        moving.dispose();
      }
    }
  });
}

async function offerSetting(extension: Extension<unknown>): Promise<void> {
  const open = 'Open the Setting';
  const why = `Nothing was sent: this search is off, since it sends words to services. The setting ${SECTION}.${SETTING} turns it on.`;
  if ((await window.showInformationMessage(why, open)) === open) await openSetting(`${SECTION}.${SETTING}`, extension);
}

async function search(server: Server, moving: MovingPlace): Promise<void> {
  const proposed = await server.literature(moving.current);
  if (!proposed) {
    void window.showInformationMessage('Pincite cannot suggest citations in this document.');
    return;
  }
  if (proposed.problem !== undefined) {
    void window.showWarningMessage(proposed.problem.replaceAll('`', ''));
    return;
  }
  const words = await window.showInputBox({
    title: TITLE, value: proposed.words, prompt: promptFor(proposed), validateInput: problemWith, ignoreFocusOut: true,
  });
  if (words === undefined) return;
  const found = await asked(server, moving, words);
  if (!found) return;
  const { items, failures } = found;
  if (failures.length > 0) void window.showWarningMessage(`Pincite: ${failures.join('; ')}.`);
  if (items.length === 0) {
    void window.showInformationMessage('Pincite found no works that you do not have already.');
    return;
  }
  const rows = items.map((work) => ({ ...foundRow(work), work }));
  const chosen = await window.showQuickPick(rows, {
    title: TITLE, placeHolder: words, matchOnDescription: true, matchOnDetail: true, ignoreFocusOut: true,
  });
  if (chosen) await cite(server, moving.current, chosen.work);
}

function asked(server: Server, { current }: MovingPlace, words: string): Thenable<FoundLiterature | null | undefined> {
  const options = { location: ProgressLocation.Notification, title: 'Pincite: searching the literature', cancellable: true };
  return window.withProgress(options, (_progress, token) => server.searchLiterature(current, words, token).catch((error: unknown) => {
    if (token.isCancellationRequested) return undefined;
    throw error;
  }));
}
