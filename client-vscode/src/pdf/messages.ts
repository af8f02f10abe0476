/** What the panel and the page inside of it tell each other. */

import type { FullTextPlace } from './place';

/** Where to go in a PDF. */
export type Spot = Pick<FullTextPlace, 'page' | 'sentence'>;

/** What the page keeps for the next start of the editor. */
export type Kept = FullTextPlace;

export type ToPage =
  | { kind: 'open'; uri: string; bytes: Uint8Array; spot: Spot }
  | { kind: 'show'; spot: Spot }
  | { kind: 'missing' };

export type FromPage = { kind: 'ready' } | { kind: 'openOutside' };
