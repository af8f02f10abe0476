import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import test from 'node:test';

import { Latest } from '../src/latest';

/** Runs that end on demand. */
function runs(context: test.TestContext) {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const begun: { cancelled: boolean; end: () => void }[] = [];
  const latest = new Latest<{ cancelled: boolean }>(
    (token) => new Promise((end) => begun.push(Object.assign(token, { end }))),
    () => {
      const token = { cancelled: false };
      return { token, cancel: () => { token.cancelled = true; }, dispose: () => undefined };
    },
    150,
  );
  const pass = async (ms: number): Promise<void> => {
    context.mock.timers.tick(ms);
    await setImmediate();
  };
  return { begun, latest, pass };
}

test('of requests in quick succession the last one is run', async (context) => {
  const { begun, latest, pass } = runs(context);
  latest.request();
  await pass(100);
  latest.request();
  await pass(100);
  assert.equal(begun.length, 0);
  await pass(50);
  assert.equal(begun.length, 1);
});

test('a request cancels what is running', async (context) => {
  const { begun, latest, pass } = runs(context);
  latest.request(0);
  await pass(0);
  latest.request(0);
  assert.equal(begun[0]?.cancelled, true);
  await pass(0);
  begun[0].end();
  await setImmediate();
  assert.deepEqual(begun.map(({ cancelled }) => cancelled), [true, false]);
});

test('repeats wait for what is running, and are one', async (context) => {
  const { begun, latest, pass } = runs(context);
  latest.request(0);
  await pass(0);
  latest.repeat();
  latest.repeat();
  await pass(1000);
  assert.equal(begun.length, 1);
  begun[0]?.end();
  await setImmediate();
  await pass(150);
  begun[1]?.end();
  await setImmediate();
  await pass(1000);
  assert.deepEqual(begun.map(({ cancelled }) => cancelled), [false, false]);
});

test('who waits is notified when all is done, or given up', async (context) => {
  const { begun, latest, pass } = runs(context);
  await latest.idle();
  let idle = 0;
  const wait = (): void => void latest.idle().then(() => { idle += 1; });
  latest.request(0);
  wait();
  await pass(0);
  latest.request(0);
  await pass(0);
  assert.equal(idle, 0);
  begun[1]?.end();
  await setImmediate();
  assert.equal(idle, 1);
  latest.request();
  wait();
  latest.cancel();
  await setImmediate();
  assert.equal(idle, 2);
});
