import assert from 'node:assert/strict';
import test from 'node:test';

import { TrackedText } from '../src/trackedText';

const DRAFT = 'As shown \\citep{halliday1976cohesion}.';
const KEY = 'halliday1976cohesion';

/** Apply changes one after the other, as an editor does. */
function after(draft: string, changes: { rangeOffset: number; rangeLength: number; text: string }[]): string {
  return changes.reduce((text, { rangeOffset, rangeLength, text: put }) =>
    text.slice(0, rangeOffset) + put + text.slice(rangeOffset + rangeLength), draft);
}

test('a text is followed through changes before and after it', () => {
  const tracked = new TrackedText(DRAFT.indexOf(KEY), KEY);
  const changes = [
    { rangeOffset: DRAFT.length, rangeLength: 0, text: ' More.' },
    { rangeOffset: 0, rangeLength: 2, text: 'It is' },
    { rangeOffset: 5, rangeLength: 6, text: '' },
  ];
  tracked.follow(changes);
  const now = after(DRAFT, changes);
  assert.ok(tracked.isIn(now));
  assert.equal(now.slice(tracked.range.start, tracked.range.end), KEY);
});

test('it is gone once it is changed itself', () => {
  const tracked = new TrackedText(DRAFT.indexOf(KEY), KEY);
  const undone = [{ rangeOffset: DRAFT.indexOf(KEY), rangeLength: KEY.length, text: 'hallid' }];
  tracked.follow(undone);
  assert.ok(!tracked.isIn(after(DRAFT, undone)));
});

test('what comes right before it moves it', () => {
  const tracked = new TrackedText(DRAFT.indexOf(KEY), KEY);
  const changes = [{ rangeOffset: DRAFT.indexOf(KEY), rangeLength: 0, text: 'firth1957,' }];
  tracked.follow(changes);
  assert.ok(tracked.isIn(after(DRAFT, changes)));
});
