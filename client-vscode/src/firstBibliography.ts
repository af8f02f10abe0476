/** The server's commands that give a draft a bibliography: saves what they change besides the draft in hand, and shows why they cannot. */

import { window, workspace } from 'vscode';

export const CREATE_BIBLIOGRAPHY = 'pincite.createBibliography';
const GIVING = [CREATE_BIBLIOGRAPHY, 'pincite.nameBibliography'];

/** Return whether a command of the server gives a draft a bibliography. */
export function givesBibliography(command: string): boolean {
  return GIVING.includes(command);
}

/** Execute such a command. */
export async function givingBibliography(execute: () => unknown): Promise<unknown> {
  const dirty = (): ReadonlySet<unknown> => new Set(workspace.textDocuments.filter(({ isDirty }) => isDirty));
  const before = dirty();
  let given: unknown;
  try {
    given = await execute();
  } catch (error) {
    void window.showWarningMessage(`Pincite: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
  // The main file of a part: what typesets it reads what is on disk.
  for (const document of workspace.textDocuments) {
    const isInHand = document === window.activeTextEditor?.document;
    if (document.isDirty && !before.has(document) && !isInHand) await document.save();
  }
  return given;
}
