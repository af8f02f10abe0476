/** “Merge duplicates…”: show what would be changed, ask, and make the edit in all files at once. */

import { isDeepStrictEqual } from 'node:util';

import { ProgressLocation, type Uri, window, workspace } from 'vscode';

import type { Server } from '../server';
import { messageOf } from '../wording';
import { mergeQuestion, nothingToMerge, whatStays } from './merging';

const MERGE = 'Merge';
const KEEP_KEYS = 'Merge, Keep Old Keys';
const STAYS = 'Show Those That Stay';

/** Merge the duplicates of a draft, if the author agrees; return whether anything was changed. */
export async function mergeDuplicates(server: Server, uri: Uri | undefined): Promise<boolean> {
  const look = (aliases: boolean) => window.withProgress(
    { location: ProgressLocation.Window, title: 'Pincite: looking for duplicates' },
    async () => uri && server.merging(uri, aliases),
  );
  try {
    for (;;) {
      const found = await look(false);
      if (!found) {
        void window.showInformationMessage('Open a draft to merge the duplicates of its references.');
        return false;
      }
      const stays = found.unmerged.length > 0 ? [STAYS] : [];
      if (!found.edit) {
        if ((await window.showInformationMessage(nothingToMerge(found), ...stays)) === STAYS) await show('markdown', whatStays(found));
        return false;
      }
      await show('diff', found.diff);
      const renames = found.merges.some(({ kept, gone }) => gone.some(({ key }) => key !== kept.key));
      // Not modal: the author reads the changes meanwhile.
      const answer = await window.showInformationMessage(
        mergeQuestion(found), MERGE, ...(found.byBiber && renames ? [KEEP_KEYS] : []), ...stays,
      );
      if (answer === STAYS) await show('markdown', whatStays(found));
      if (answer !== MERGE && answer !== KEEP_KEYS) return false;
      const now = await look(answer === KEEP_KEYS);
      const isSame = answer === MERGE ? now?.diff === found.diff : isDeepStrictEqual(now?.merges, found.merges);
      // The files were edited meanwhile: the author sees what would be changed now.
      if (now?.edit && isSame) return await workspace.applyEdit(now.edit, { isRefactoring: true });
    }
  } catch (error) {
    void window.showErrorMessage(`Nothing was merged: ${messageOf(error)}`);
    return false;
  }
}

async function show(language: string, content: string): Promise<void> {
  await window.showTextDocument(await workspace.openTextDocument({ language, content }), { preview: true });
}
