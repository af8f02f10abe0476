/** The log, which the command “Show logs” opens. */

import { type LogOutputChannel, window } from 'vscode';

/** What the extension writes into, without knowing what it is. */
export type Log = Pick<LogOutputChannel, 'info' | 'warn' | 'error' | 'show'>;

export function createLog(): LogOutputChannel {
  return window.createOutputChannel('Pincite', { log: true });
}
