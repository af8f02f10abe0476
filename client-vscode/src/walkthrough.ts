/** What the walkthrough “Get started with Pincite” checks off that no command or setting shows. */

import { commands } from 'vscode';

const told = new Map<string, boolean>();

export function tellWalkthrough(what: 'serverRuns' | 'hasSuggested', is = true): void {
  if (told.get(what) === is) return;
  told.set(what, is);
  void commands.executeCommand('setContext', `pincite.${what}`, is);
}
