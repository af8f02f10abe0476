/** Texts for what is merged, and for what stays. */

import type { Merging } from '../wire';
import { counted } from '../wording';

const MAX_FILES = 6;

/** What the texts are about. */
type Found = Omit<Merging, 'edit'>;

/** Return the question that the author is asked beside the changes. */
export function mergeQuestion({ draft, merges, unmerged, files }: Found): string {
  const gone = merges.reduce((sum, each) => sum + each.gone.length, 0);
  const more = files.length > MAX_FILES ? ` and ${files.length - MAX_FILES} more` : '';
  return [
    `Merge the duplicates of ${counted(merges.length, 'work')} of ${draft}, as shown?`,
    `${counted(gone, 'entry is', 'entries are')} deleted; files that change: ${files.slice(0, MAX_FILES).join(', ')}${more}.`,
    ...(unmerged.length > 0 ? [`${counted(unmerged.length, 'work differs and stays as it is', 'works differ and stay as they are')}.`] : []),
  ].join(' ');
}

export function nothingToMerge({ draft, unmerged }: Found): string {
  const left = unmerged.length === 0 ? '' : ` ${counted(unmerged.length, 'work has', 'works have')} several entries that cannot be merged.`;
  return `There are no duplicates to merge in ${draft}.${left}`;
}

/** Return what is not merged, and why, as a text to read. */
export function whatStays({ draft, unmerged }: Found): string {
  const works = unmerged.map(({ entries, why, fields }) => [
    `## ${[...new Set(entries.map(({ key }) => key))].join(', ')}`,
    `Not merged: ${why}.`,
    entries.map(({ key, file, line }) => `- ${key}: ${file}, line ${line}`).join('\n'),
    ...fields.map(({ field, values }) => values.map((value) => `    ${field} = {${value}}`).join('\n')),
  ].join('\n\n'));
  return [`# Entries of ${draft} that stay as they are`, ...works].join('\n\n').concat('\n');
}
