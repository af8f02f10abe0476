/** The server's commands that give a draft a bibliography: saves what they change besides the draft in hand, and shows why they cannot. */

import { type TextDocument, window, workspace } from 'vscode';

import { messageOf } from './wording';

export const CREATE_BIBLIOGRAPHY = 'pincite.createBibliography';
const GIVING = [CREATE_BIBLIOGRAPHY, 'pincite.nameBibliography'];

/** Return whether a command of the server gives a draft a bibliography. */
export function givesBibliography(command: string): boolean {
  return GIVING.includes(command);
}

/** Execute such a command. */
export async function givingBibliography(execute: () => unknown): Promise<unknown> {
  try {
    return await savingOthers(execute);
  } catch (error) {
    void window.showWarningMessage(`Pincite: ${messageOf(error)}`);
    return false;
  }
}

/** Do something, and save what it changes besides the document in hand, of those that `may` be saved. */
export async function savingOthers(execute: () => unknown, may: (document: TextDocument) => boolean = () => true): Promise<unknown> {
  const dirty = (): ReadonlySet<unknown> => new Set(workspace.textDocuments.filter(({ isDirty }) => isDirty));
  const before = dirty();
  const given = await execute();
  // The main file of a part: what typesets it reads what is on disk.
  for (const document of workspace.textDocuments) {
    const isInHand = document === window.activeTextEditor?.document;
    if (document.isDirty && !before.has(document) && !isInHand && may(document)) await document.save();
  }
  return given;
}
