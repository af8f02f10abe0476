/** Context keys for steps of the walkthrough: what completes them, and which of them are shown in a state of the set-up. */

import { commands, window } from 'vscode';

import type { SetupHolder } from './setupState';

type Step = 'server' | 'papers' | 'suggestion' | 'support' | 'asked';

const done = new Set<Step>();

/** Check off a step, now or when the walkthrough is opened. */
export function checkOff(step: Step): void {
  if (done.has(step)) return;
  done.add(step);
  void complete(step);
}

/**
 * The editor completes a step when its key becomes true, and never if it was true when the walkthrough was loaded, which is
 * when it is first opened. So the key is true for a moment, and again when a page like the walkthrough appears.
 */
async function complete(step: Step): Promise<void> {
  for (const is of [true, false]) await commands.executeCommand('setContext', `pincite.completes.${step}`, is);
}

/** Show the step of the state; its texts cannot change, so that there is one for each kind. */
export function followSetup(setup: SetupHolder): { dispose(): void }[] {
  let kind: string | undefined;
  const update = (): void => {
    const { current } = setup;
    if (kind !== current.kind) void commands.executeCommand('setContext', 'pincite.setup', kind = current.kind);
    if ('known' in current && (current.known?.fullTexts ?? 0) > 0) checkOff('papers');
  };
  update();
  return [
    setup.onDidChange(update),
    window.tabGroups.onDidChangeTabs(({ opened, changed }) => {
      // Pages of the editor itself have no input.
      if ([...opened, ...changed].some((tab) => tab.input === undefined)) for (const step of done) void complete(step);
    }),
  ];
}
