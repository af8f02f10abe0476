/** Context keys for steps of the walkthrough: what completes them, and which of them are shown in a state of the set-up. */

import { commands } from 'vscode';

import type { SetupHolder } from './setupState';

const sent = new Map<string, boolean | string>();

export function setWalkthroughContext(what: 'serverRuns' | 'hasFullTexts' | 'hasSuggested' | 'hasShownSupport' | 'setup', is: boolean | string = true): void {
  if (sent.get(what) === is) return;
  sent.set(what, is);
  void commands.executeCommand('setContext', `pincite.${what}`, is);
}

/** Show the step of the state; its texts cannot change, so that there is one for each kind. */
export function followSetup(setup: SetupHolder): { dispose(): void } {
  const update = (): void => {
    const { current } = setup;
    setWalkthroughContext('setup', current.kind);
    if ('known' in current && (current.known?.fullTexts ?? 0) > 0) setWalkthroughContext('hasFullTexts');
  };
  update();
  return setup.onDidChange(update);
}
