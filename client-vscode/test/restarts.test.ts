import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import test from 'node:test';

import { Restarts } from '../src/restarts';

test('of restarts asked for during one, one more is made, after it', async () => {
  const ends: (() => void)[] = [];
  let going = 0;
  const restarts = new Restarts(async () => {
    assert.equal((going += 1), 1);
    await new Promise<void>((resolve) => ends.push(resolve));
    going -= 1;
  });
  const asked = [restarts.request(), restarts.request(), restarts.request()];
  assert.equal(ends.length, 1);
  ends[0]?.();
  await setImmediate();
  assert.equal(ends.length, 2);
  ends[1]?.();
  await Promise.all(asked);
});

test('a restart that fails does not stop the next one', async () => {
  let made = 0;
  const restarts = new Restarts(() => {
    made += 1;
    return made === 1 ? Promise.reject(new Error('no server')) : Promise.resolve();
  });
  const [first, second] = [restarts.request(), restarts.request()];
  await assert.rejects(first, /no server/);
  await second;
  assert.equal(made, 2);
});
