/** What an author can do whose draft has no bibliography, or one without entries. */

import type { Offer } from './setupState';
import type { Status } from './wire';

export interface FirstSteps {
  /** What the draft lacks, in a sentence. */
  readonly why: string;
  readonly offers: readonly Offer[];
}

/** Return the first steps for a draft; undefined where nothing is lacking. */
export function firstSteps(known: Status | undefined): FirstSteps | undefined {
  const offered = known?.offers ?? [];
  if (!known || (offered.length === 0 && (known.entries > 0 || known.state === 'reading'))) return undefined;
  return {
    why: offered[0]?.why ?? 'There is no bibliography with an entry yet. Begin a citation, such as [@ or \\cite{, to be offered one.',
    offers: offered.map(({ title, command, arguments: given }) => ({ label: title, command, arguments: given })),
  };
}
