/** Context keys for steps of the walkthrough that no command or setting completes. */

import { commands } from 'vscode';

const sent = new Map<string, boolean>();

export function tellWalkthrough(what: 'serverRuns' | 'hasSuggested', is = true): void {
  if (sent.get(what) === is) return;
  sent.set(what, is);
  void commands.executeCommand('setContext', `pincite.${what}`, is);
}
