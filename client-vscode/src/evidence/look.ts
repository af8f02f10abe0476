/** Queries the server for the state to show for a place. */

import type { CancellationToken } from 'vscode';

import type { Place, Server } from '../server';
import type { Recommendations, Work } from '../wire';
import { type Citation, NOTHING_OPENED, type Placeholder, samePlace, type State } from './state';

/** Works ranked for a place, and how many of them come with their supporting sentences. */
const RANKED = 10;
const SUPPORTED = 3;

/**
 * Return the state to show for a place; undefined while no server runs. Works that the author expanded in the previous
 * state stay expanded at the same place.
 */
export async function look(
  server: Pick<Server, 'evidence' | 'recommendations' | 'status'>,
  place: Place,
  before: State,
  token: CancellationToken,
): Promise<State | undefined> {
  const [evidence, known] = await Promise.all([
    server.evidence(place, undefined, token),
    server.status(place.uri),
  ]);
  if (evidence === undefined) return undefined;
  const read = known?.state !== 'reading';
  const uri = place.uri.toString();
  if (evidence === null) return { kind: 'prose', uri, start: place.position, complete: read, known };

  const { citance, works, key, range } = evidence;
  // The cursor may be anywhere in the sentence.
  const at: Place = { uri: place.uri, position: range.start };
  const cites = range.start.line !== range.end.line || range.start.character !== range.end.character;
  const shared = { uri, start: range.start, complete: read && evidence.complete, known, citance };
  const found: Placeholder | Citation = evidence.placeholder || !cites
    ? { kind: 'placeholder', ...shared, opened: NOTHING_OPENED, works: [] }
    : { kind: 'citation', ...shared, opened: NOTHING_OPENED, works, ...(key !== undefined && { key }) };
  if (before.kind === found.kind && samePlace(before, found)) found.opened = before.opened;

  const { opened } = found;
  const withOpened = async (ranked: Work[]): Promise<Work[]> =>
    Promise.all(ranked.map(async (work) => {
      if (work.supporting !== undefined || !opened.keys.has(work.key)) return work;
      return { ...work, ...(await server.evidence(cites && !evidence.placeholder ? place : at, work.key, token))?.works[0] };
    }));
  if (found.kind === 'placeholder') {
    const ranked = await server.recommendations(at, { limit: RANKED, supporting: SUPPORTED }, token);
    found.works = await withOpened(ranked?.items ?? []);
  } else if (opened.others) {
    found.others = await withOpened(uncited(await server.recommendations(at, { limit: RANKED + works.length }, token)));
  }
  return found;
}

function uncited(ranked: Recommendations | null | undefined): Work[] {
  if (!ranked) return [];
  return ranked.items.filter(({ key }) => !ranked.cited.includes(key)).slice(0, RANKED);
}
