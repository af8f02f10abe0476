/** Texts for “Search the literature…”: who gets the words, and what was found. */

import type { Literature, Work } from '../wire';
import { onOneLine, withoutIcons } from '../wording';
import { type Row, rowOf } from './suggestions';

/** Return who gets the words that the author enters, and what else. */
export function promptFor({ sent, email = '' }: Literature): string {
  const withEmail = sent.filter(({ hasEmail }) => hasEmail);
  const withKey = sent.filter(({ hasKey }) => hasKey);
  const more = [
    withEmail.length > 0 && `${named(withEmail)} also your address ${email}`,
    withKey.length > 0 && `${named(withKey)} also your key`,
  ].filter(Boolean);
  return `${[`These words are sent to ${named(sent)}`, ...more].join(', ')}. Nothing else from your draft is sent.`;
}

/** Return why words search for nothing. */
export function problemWith(words: string): string | undefined {
  return /[\p{L}\p{N}]/u.test(words) ? undefined : 'Enter words to search for.';
}

/** Return the item for a work that was found: also why it is there, and what it is in. */
export function foundRow(work: Work): Row {
  const row = rowOf(work);
  return work.venue === undefined ? row : { ...row, detail: `${row.detail} · ${withoutIcons(onOneLine(work.venue))}` };
}

function named(services: readonly { service: string }[]): string {
  const names = services.map(({ service }) => service);
  return [names.slice(0, -1).join(', '), ...names.slice(-1)].filter(Boolean).join(' and ');
}
