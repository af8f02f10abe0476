/** The texts of the language status item. */

import type { ServerState } from './server';
import type { Status } from './wire';
import { counted, percent } from './wording';

export interface StatusText {
  readonly text: string;
  readonly detail?: string;
  readonly busy?: boolean;
  readonly severity?: 'warning' | 'error';
  readonly command?: { readonly title: string; readonly command: string };
}

/** Return a short summary of what is known of the entries. */
export function knownOf({ entries, fullTexts }: Pick<Status, 'entries' | 'fullTexts'>): string {
  return `${counted(entries, 'entry', 'entries')}, ${fullTexts} with full text`;
}

/** Return the text of the status item; `read` is the progress while papers are read. */
export function statusText(state: ServerState, status: Status | undefined, read: number | undefined): StatusText {
  if (state === 'missing') {
    return {
      text: 'No server',
      detail: 'Nothing is suggested until it is installed.',
      severity: 'warning',
      command: { title: 'Set up', command: 'pincite.restartServer' },
    };
  }
  if (state === 'stopped') {
    return {
      text: 'Server stopped',
      detail: '“Pincite: Restart server” starts it again.',
      severity: 'error',
      command: { title: 'Show logs', command: 'pincite.showLogs' },
    };
  }
  if (read !== undefined || status?.state === 'reading') {
    const text = read === undefined ? 'Reading papers' : `Reading papers, ${percent(read)}`;
    return { text, busy: true, ...(status && { detail: knownOf(status) }) };
  }
  if (state === 'starting' || !status) return { text: 'Starting', busy: true };
  if (status.entries === 0) return { text: 'No entries', detail: 'No bibliography of an open draft was found.' };
  const rest = status.entries - status.fullTexts;
  return {
    text: knownOf(status),
    detail: rest === 0 ? 'Every work can be searched.' : `${rest} by abstract or title only`,
    command:
      rest === 0
        ? { title: 'Rebuild library index', command: 'pincite.rebuildIndex' }
        : { title: 'Add library folder…', command: 'pincite.addLibraryFolder' },
  };
}
