/** The items of the list of “Suggest citations here”. */

import type { Recommendations, Supporting, Work } from '../wire';
import { onOneLine, shortened, withoutIcons } from '../wording';

const MAX_CITANCE = 150;

export interface Row {
  label: string;
  description: string;
  detail: string;
}

/** Return the works to choose from: those that are not already cited there. */
export function suggested({ items, cited }: Recommendations): Work[] {
  return items.filter(({ key }) => !cited.includes(key));
}

/** Return the item for a work: author and year, title, and the reason for its rank. */
export function rowOf(work: Work): Row {
  return {
    label: shown(work.authorYear || work.key),
    description: shown(work.title, work.authorYear && work.key),
    detail: shown(work.fromLibrary && 'from your library', preview(work)),
  };
}

/** Return the citance that the works are ranked for, as a hint in the input box. */
export function hintFor(citance: string): string {
  return citance === '' ? 'Filter by author, title or key' : `“${shortened(citance, MAX_CITANCE)}”`;
}

/** Return the best supporting sentence of a work, or else what is known about it. */
function preview({ supporting, remark, reason, discovered }: Work): string {
  // Nobody cites a work for its abstract alone: first, how it is connected with those that are cited.
  if (discovered && reason !== undefined) return reason;
  const [best] = supporting ?? [];
  if (best) return `${pageOf(best)}“${best.text}”`;
  return [reason, remark?.replaceAll('`', '')].filter(Boolean).join(' · ') || 'Nothing in common with this text.';
}

function pageOf({ page, pageLabel }: Supporting): string {
  const named = pageLabel ?? page;
  return named === undefined ? '' : `p. ${named} `;
}

function shown(...parts: (string | false | undefined)[]): string {
  return withoutIcons(onOneLine(parts.filter(Boolean).join(' · ')));
}
