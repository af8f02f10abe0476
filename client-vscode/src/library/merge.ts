/** “Merge duplicates…”: show what would be merged, ask, and have the changes looked at before they are made. */

import { ProgressLocation, type Uri, window, workspace, WorkspaceEdit } from 'vscode';

import type { Server } from '../server';
import { messageOf } from '../wording';
import { mergeQuestion, nothingToMerge, whatStays } from './merging';

const PREVIEW = 'Show the Changes';
const KEEP_KEYS = 'Keep Old Keys as Aliases';
const STAYS = 'Show What Stays';

/** Merge the duplicates of a draft, if the author agrees; return whether anything was changed. */
export async function mergeDuplicates(server: Server, uri: Uri | undefined): Promise<boolean> {
  const look = (aliases: boolean) => window.withProgress(
    { location: ProgressLocation.Window, title: 'Pincite: looking for duplicates' },
    async () => uri && server.merging(uri, aliases),
  );
  try {
    let found = await look(false);
    if (!found) {
      void window.showInformationMessage('Open a draft to merge the duplicates of its references.');
      return false;
    }
    const stays = found.unmerged.length > 0 ? [STAYS] : [];
    const { message, detail } = mergeQuestion(found);
    const renames = found.merges.some(({ kept, gone }) => gone.some(({ key }) => key !== kept.key));
    const choices = [PREVIEW, ...(found.byBiber && renames ? [KEEP_KEYS] : []), ...stays];
    const answer = found.edit
      ? await window.showInformationMessage(message, { modal: true, detail }, ...choices)
      : await window.showInformationMessage(nothingToMerge(found), ...stays);
    if (answer === STAYS) {
      await window.showTextDocument(await workspace.openTextDocument({ language: 'markdown', content: whatStays(found) }));
    }
    if (answer === KEEP_KEYS) found = await look(true);
    if ((answer !== PREVIEW && answer !== KEEP_KEYS) || !found?.edit) return false;
    return await workspace.applyEdit(toConfirm(found.edit), { isRefactoring: true });
  } catch (error) {
    void window.showErrorMessage(`Nothing was merged: ${messageOf(error)}`);
    return false;
  }
}

/** Return the same edit, which the editor shows to the author before it makes it. */
function toConfirm(edit: WorkspaceEdit): WorkspaceEdit {
  const shown = new WorkspaceEdit();
  for (const [uri, changes] of edit.entries()) {
    for (const { range, newText } of changes) {
      shown.replace(uri, range, newText, { needsConfirmation: true, label: 'Merge duplicates' });
    }
  }
  return shown;
}
