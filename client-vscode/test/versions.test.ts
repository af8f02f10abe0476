import assert from 'node:assert/strict';
import test from 'node:test';

import { isCompatible, isSupportedPython } from '../src/installation/versions';

test('Python is supported from 3.10 on, which is more than 3.9', () => {
  assert.deepEqual(
    ['2.7.18', '3.9.19', '3.10.0', '3.14.1', '4.0.0', 'nonsense'].map(isSupportedPython),
    [false, false, true, true, true, false],
  );
});

test('a server goes with the extension of its series', () => {
  assert.ok(isCompatible('0.1.0', '0.1.7'));
  assert.ok(isCompatible('pincite 0.1.3.dev2\n', '0.1.0'));
  assert.ok(!isCompatible('0.2.0', '0.1.0'));
  assert.ok(isCompatible('1.4.0', '1.2.0'));
  assert.ok(!isCompatible('2.0.0', '1.9.0'));
  assert.ok(!isCompatible('', '0.1.0'));
});
