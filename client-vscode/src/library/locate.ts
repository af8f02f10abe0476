/** “Locate missing files…”: choose the folder in which the files that entries name are on this computer. */

import { window } from 'vscode';

import { addFolders, chooseFolders } from '../commands/addLibraryFolder';
import type { LibraryHealth } from '../wire';
import { counted } from '../wording';
import { baseFolder } from './baseFolder';

/** Ask for a folder until one has missing files; `look` returns the library as it would be with base folders. */
export async function locateFiles(
  { counts: { missingFiles }, commonFolder }: LibraryHealth,
  look: (folders: readonly string[]) => Promise<LibraryHealth | null | undefined>,
): Promise<void> {
  const title = commonFolder ? `Where is “${commonFolder.folder}” on this computer?` : 'Where are your papers on this computer?';
  for (;;) {
    const [folder] = (await chooseFolders({ title, openLabel: 'Locate', canSelectMany: false })) ?? [];
    if (folder === undefined) return;
    const fixed = await baseFolder(folder, missingFiles, async (base) => (await look([base]))?.counts.missingFiles);
    if (fixed) {
      const found = fixed.found === missingFiles ? counted(fixed.found, 'missing file') : `${fixed.found} of ${missingFiles} missing files`;
      await addFolders('library.baseFolders', [fixed.base], () => `Found ${found}. Pincite now reads them.`);
      return;
    }
    const again = 'Choose another folder';
    const none = `None of the missing files is in “${folder}”.`;
    if ((await window.showWarningMessage(none, again)) !== again) return;
  }
}
