/** Messages about the state of the set-up, with what can be done as buttons. */

import { commands, window } from 'vscode';

import { type SetupState, setupText } from './setupState';

/** Show the state to the author, and do what is chosen. */
export async function showState(state: SetupState): Promise<void> {
  const { title, text, offers, severity } = setupText(state);
  const show =
    severity === undefined ? window.showInformationMessage : severity === 'error' ? window.showErrorMessage : window.showWarningMessage;
  const message = text === '' ? `${title}.` : `${title}. ${text}`;
  const answer = await show(message, ...offers.map(({ label }) => label));
  const chosen = offers.find(({ label }) => label === answer);
  if (chosen) await commands.executeCommand(chosen.command);
}
