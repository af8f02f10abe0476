/** The log, which the command “Show logs” opens. */

import { type LogOutputChannel, window } from 'vscode';

/** The logging interface that the extension's modules use. */
export type Log = Pick<LogOutputChannel, 'info' | 'warn' | 'error' | 'show'>;

export function createLog(): LogOutputChannel {
  return window.createOutputChannel('Pincite', { log: true });
}
