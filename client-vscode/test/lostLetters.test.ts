import assert from 'node:assert/strict';
import test from 'node:test';

import { losesLetters } from '../src/lostLetters';

const ENTRY = '@article{a, author = {Müller, Jörg}, year = 2001}';
const LOST_BEFORE = `${ENTRY}\n% lost before: \ufffd\n`;

test('a file in Latin-1 that was read as UTF-8 would lose its letters', () => {
  const file = Buffer.from(ENTRY, 'latin1');
  assert.ok(losesLetters(file.toString('utf8'), file));
  assert.ok(losesLetters(`${file.toString('utf8')}\n@misc{b}`, file));
});

test('a bad byte in a file that is UTF-8 otherwise would be lost', () => {
  const file = Buffer.concat([Buffer.from(LOST_BEFORE), Buffer.from([0xe9])]);
  assert.ok(losesLetters(file.toString('utf8'), file));
});

test('what was read in its encoding loses nothing', () => {
  assert.ok(!losesLetters(ENTRY, Buffer.from(ENTRY)));
  assert.ok(!losesLetters(ENTRY, Buffer.from(ENTRY, 'latin1')));
  assert.ok(!losesLetters(LOST_BEFORE.replace('2001', '2002'), Buffer.from(LOST_BEFORE)));
  assert.ok(!losesLetters(LOST_BEFORE, Buffer.from(`\ufeff${LOST_BEFORE}`)));
});
