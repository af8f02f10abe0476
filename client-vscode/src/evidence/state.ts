/** What the Evidence view can show. */

import type { Status, Work } from '../wire';

/** Why there is nothing to show. */
export type Idle = 'no draft' | 'starting' | 'missing' | 'stopped' | 'failed' | 'looking';

/** What the author has opened at a place. */
export interface Opened {
  others: boolean;
  keys: ReadonlySet<string>;
}

export const NOTHING_OPENED: Opened = { others: false, keys: new Set() };

interface Asked {
  uri: string;
  /** Where the citation or placeholder begins; the cursor elsewhere. */
  start: { line: number; character: number };
  /** False while papers are still being read. */
  complete: boolean;
  /** What is known of the draft's entries. */
  known: Status | undefined;
}

/** The cursor is in neither a citation nor a placeholder. */
export interface Prose extends Asked {
  kind: 'prose';
}

export interface Placeholder extends Asked {
  kind: 'placeholder';
  citance: string;
  opened: Opened;
  /** Best first; those without `supporting` are for the author to open. */
  works: Work[];
}

export interface Citation extends Asked {
  kind: 'citation';
  citance: string;
  opened: Opened;
  /** In the order of the keys. */
  works: Work[];
  /** The key at the cursor. */
  key?: string;
  /** Works that fit as well, once the author has opened them. */
  others?: Work[];
}

/** A work that is looked at before it is chosen. */
export interface Preview {
  kind: 'preview';
  work: Work;
}

export type State = { kind: Idle } | Prose | Placeholder | Citation | Preview;

/** Return the works that a state shows. */
export function worksOf(state: State): Work[] {
  if (state.kind === 'placeholder') return state.works;
  if (state.kind === 'citation') return [...state.works, ...(state.others ?? [])];
  return [];
}

/** Tell whether the author would call what two states are about the same place. */
export function samePlace(a: State, b: State): boolean {
  if (!('uri' in a && 'uri' in b)) return false;
  return a.uri === b.uri && a.start.line === b.start.line && a.start.character === b.start.character;
}
