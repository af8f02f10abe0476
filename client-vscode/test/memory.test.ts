import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';

import { isSame, LastServer } from '../src/installation/memory';
import { newFolder } from './support';

test('the last server counts as long as what it was chosen by is the same', async () => {
  let settings = 'python3';
  const folder = newFolder();
  const last = new LastServer(folder, () => settings);
  assert.equal(last.recall(), undefined);
  const server = { command: '/usr/bin/python3', args: ['-m', 'pincite', 'serve'] };
  await last.remember(server);
  assert.deepEqual(last.recall(), server);
  assert.deepEqual(new LastServer(folder, () => settings).recall(), server);
  settings = 'python3.12';
  assert.equal(last.recall(), undefined);
  settings = 'python3';
  await last.remember(undefined);
  assert.equal(last.recall(), undefined);
});

test('a memory that cannot be read is none', () => {
  const folder = newFolder();
  writeFileSync(path.join(folder, 'last-server.json'), '{"server": ');
  assert.equal(new LastServer(folder, () => '').recall(), undefined);
});

test('servers are the same when they are started in the same way', () => {
  const server = { command: 'pincite', args: ['serve'] };
  assert.ok(isSame(server, { command: 'pincite', args: ['serve'] }));
  assert.ok(!isSame(server, { command: 'pincite', args: ['serve', '--log'] }));
});
