import assert from 'node:assert/strict';
import test from 'node:test';

import { statusText } from '../src/statusText';
import type { Status } from '../src/wire';

const ready: Status = { state: 'ready', entries: 32, fullTexts: 13, abstracts: 12, titles: 7 };

test('the status says what is known of the entries, and how more can be', () => {
  assert.deepEqual(statusText('running', ready, undefined), {
    text: '32 entries, 13 with full text',
    detail: '19 by abstract or title only',
    command: { title: 'Add library folder…', command: 'pincite.addLibraryFolder' },
  });
  const all = statusText('running', { ...ready, entries: 1, fullTexts: 1, abstracts: 0, titles: 0 }, undefined);
  assert.equal(all.text, '1 entry, 1 with full text');
  assert.equal(all.command?.command, 'pincite.rebuildIndex');
  assert.equal(statusText('running', { ...ready, entries: 0 }, undefined).text, 'No entries');
});

test('while papers are read, it says how far', () => {
  const reading = statusText('running', ready, 0.404);
  assert.deepEqual(reading, { text: 'Reading papers, 40 %', busy: true, detail: '32 entries, 13 with full text' });
  assert.equal(statusText('running', { ...ready, state: 'reading' }, undefined).text, 'Reading papers');
  assert.equal(statusText('running', undefined, 0).text, 'Reading papers, 0 %');
});

test('without a server, it says what to do', () => {
  assert.deepEqual(statusText('starting', undefined, undefined), { text: 'Starting', busy: true });
  assert.deepEqual(statusText('running', undefined, undefined), { text: 'Starting', busy: true });
  const missing = statusText('missing', undefined, undefined);
  assert.deepEqual([missing.severity, missing.command?.command], ['warning', 'pincite.restartServer']);
  const stopped = statusText('stopped', undefined, undefined);
  assert.deepEqual([stopped.severity, stopped.command?.command], ['error', 'pincite.showLogs']);
});
