/** The states of the Evidence view. */

import type { SetupState } from '../setupState';
import type { Status, Work } from '../wire';

/** Why there is nothing to show, while the server runs. */
export type Idle = 'no draft' | 'failed' | 'looking';

/** What the author has expanded at a place. */
export interface Opened {
  others: boolean;
  keys: ReadonlySet<string>;
}

export const NOTHING_OPENED: Opened = { others: false, keys: new Set() };

interface Asked {
  uri: string;
  /** The beginning of the citation or placeholder, or where the sentence would be cited; elsewhere, the cursor. */
  start: { line: number; character: number };
  /** False while papers are still being read. */
  complete: boolean;
  /** What is known of the draft's entries. */
  known: Status | undefined;
}

/** Nothing can be cited at the cursor. */
export interface Prose extends Asked {
  kind: 'prose';
}

/** A gap to fill, or a sentence without a citation. */
export interface Placeholder extends Asked {
  kind: 'placeholder';
  citance: string;
  opened: Opened;
  /** Best first; the author can expand those without `supporting`. */
  works: Work[];
}

/** The citations of a sentence; the one at the cursor alone, if there is one. */
export interface Citation extends Asked {
  kind: 'citation';
  citance: string;
  opened: Opened;
  /** In the order of the keys. */
  works: Work[];
  /** The key at the cursor. */
  key?: string;
  /** Other works that fit, once the author has expanded them. */
  others?: Work[];
}

/** A work that is previewed before it is chosen. */
export interface Preview {
  kind: 'preview';
  work: Work;
}

/** The server does not run. */
export interface NoServer {
  kind: 'setup';
  setup: SetupState;
}

export type State = { kind: Idle } | NoServer | Prose | Placeholder | Citation | Preview;

/** Return the works that a state shows. */
export function worksOf(state: State): Work[] {
  if (state.kind === 'placeholder') return state.works;
  if (state.kind === 'citation') return [...state.works, ...(state.others ?? [])];
  return [];
}

/** Return whether two states are about the same place from the author's point of view. */
export function samePlace(a: State, b: State): boolean {
  if (!('uri' in a && 'uri' in b)) return false;
  return a.uri === b.uri && a.start.line === b.start.line && a.start.character === b.start.character;
}
