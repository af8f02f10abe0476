import assert from 'node:assert/strict';
import test from 'node:test';

import type { CancellationToken } from 'vscode';

import { look } from '../src/evidence/look';
import { moved } from '../src/moved';
import { type State, worksOf } from '../src/evidence/state';
import type { Place } from '../src/server';
import type { Evidence, Recommendations, Work } from '../src/wire';

const START = { line: 3, character: 7 };
const PLACE = { uri: { toString: () => 'file:///draft.tex' }, position: START } as unknown as Place;
const TOKEN = {} as CancellationToken;
const BEFORE: State = { kind: 'looking' };
const RANGE = { start: START, end: { line: 3, character: 20 } };
const SHARED = { range: RANGE, citance: 'Words count.', complete: true };

const work = (key: string, more: Partial<Work> = {}): Work => ({ key, authorYear: key, title: key, basis: ['full text'], ...more });

/** A server that answers so, and keeps which works it was asked the sentences of. */
function server({ evidence, items = [], cited = [], state = 'ready' }: {
  evidence: Evidence | null | undefined;
  items?: Work[];
  cited?: string[];
  state?: 'ready' | 'reading';
}) {
  const asked: (string | undefined)[] = [];
  return {
    asked,
    evidence: (_: Place, key?: string) => {
      asked.push(key);
      if (key === undefined || !evidence) return Promise.resolve(evidence);
      return Promise.resolve({ ...evidence, works: [work(key, { supporting: [] })] });
    },
    recommendations: (_: Place, { limit = 30 }): Promise<Recommendations> =>
      Promise.resolve({ ...SHARED, placeholder: true, cited, items: items.slice(0, limit) }),
    status: () => Promise.resolve({ state, entries: 9, fullTexts: 9, abstracts: 0, titles: 0, broken: 0 } as const),
  };
}

const keys = (state: State | undefined): string[] => worksOf(state ?? BEFORE).map(({ key }) => key);

test('without a server there is nothing to show, and in prose there is no citation', async () => {
  assert.equal(await look(server({ evidence: undefined }), PLACE, BEFORE, TOKEN), undefined);
  const prose = await look(server({ evidence: null, state: 'reading' }), PLACE, BEFORE, TOKEN);
  assert.equal(prose?.kind, 'prose');
  assert.equal('complete' in prose && prose.complete, false);
});

test('a citation has its works, and no others until they are opened', async () => {
  const asked = server({ evidence: { ...SHARED, placeholder: false, key: 'b', works: [work('a'), work('b')] }, items: [work('c')] });
  const state = await look(asked, PLACE, BEFORE, TOKEN);
  assert.deepEqual(keys(state), ['a', 'b']);
  assert.ok(state?.kind === 'citation' && state.key === 'b');
});

test('a sentence without a citation has the works that fit at its end, wherever the cursor is', async () => {
  const end = { line: 4, character: 2 };
  const asked: unknown[] = [];
  const base = server({ evidence: { ...SHARED, range: { start: end, end }, placeholder: false, works: [work('x')] }, items: [work('a'), work('b')] });
  const asking = {
    ...base,
    recommendations: (place: Place, options: { limit?: number }) => {
      asked.push(place.position);
      return base.recommendations(place, options);
    },
  };
  const state = await look(asking, PLACE, BEFORE, TOKEN);
  assert.ok(state?.kind === 'placeholder');
  assert.deepEqual([state.start, keys(state), asked], [end, ['a', 'b'], [end]]);
});

test('what is cited is not among the other works', async () => {
  const evidence = { ...SHARED, placeholder: false, works: [work('a', { supporting: [] })] };
  const items = ['c', 'a', 'd'].map((key) => work(key));
  const first = await look(server({ evidence }), PLACE, BEFORE, TOKEN);
  assert.ok(first?.kind === 'citation');
  first.opened = { others: true, keys: new Set(['d']) };
  const asked = server({ evidence, items, cited: ['a'] });
  const state = await look(asked, PLACE, first, TOKEN);
  assert.deepEqual(keys(state), ['a', 'c', 'd']);
  assert.deepEqual(asked.asked, [undefined, 'd']);
});

test('what was opened stays open at the same place only', async () => {
  const items = [work('a', { supporting: [] }), work('b')];
  const here = server({ evidence: { ...SHARED, placeholder: true, works: [] }, items });
  const first = await look(here, PLACE, BEFORE, TOKEN);
  assert.ok(first?.kind === 'placeholder');
  first.opened = { others: false, keys: new Set(['b']) };
  const again = await look(here, PLACE, first, TOKEN);
  assert.ok(again?.kind === 'placeholder' && again.works[1]?.supporting);
  const range = { ...RANGE, start: { line: 9, character: 0 } };
  const elsewhere = server({ evidence: { ...SHARED, range, placeholder: true, works: [] }, items });
  const next = await look(elsewhere, PLACE, again, TOKEN);
  assert.ok(next?.kind === 'placeholder' && !next.works[1]?.supporting);
});

test('a position moves with what is written before it', () => {
  const at = (line: number, character: number) => ({ line, character });
  const change = (start: object, end: object, text: string) => [{ range: { start, end } as typeof RANGE, text }];
  const here = at(5, 10);
  assert.deepEqual(moved(here, change(at(5, 10), at(5, 10), 'key')), at(5, 13));
  assert.deepEqual(moved(here, change(at(5, 11), at(5, 12), 'behind\n')), here);
  assert.deepEqual(moved(here, change(at(1, 0), at(3, 4), 'one line')), at(3, 10));
  assert.deepEqual(moved(here, change(at(5, 2), at(5, 4), 'a\nbc')), at(6, 8));
  assert.deepEqual(moved(here, change(at(4, 7), at(5, 4), '')), at(4, 13));
  assert.deepEqual(moved(here, change(at(5, 6), at(5, 20), 'else')), at(5, 6));
});
