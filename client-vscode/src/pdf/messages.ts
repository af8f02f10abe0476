/** Messages between the panel and its page. */

import type { FullTextPlace } from './place';

/** A target in a PDF. */
export type Spot = Pick<FullTextPlace, 'page' | 'sentence'>;

/** The state that the page saves for the next start of the editor. */
export type SavedState = FullTextPlace;

export type ToPage =
  | { kind: 'open'; uri: string; bytes: Uint8Array; spot: Spot }
  | { kind: 'show'; spot: Spot }
  | { kind: 'missing' };

export type FromPage = { kind: 'ready' } | { kind: 'openOutside' };
