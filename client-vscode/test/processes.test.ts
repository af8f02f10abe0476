import assert from 'node:assert/strict';
import path from 'node:path';
import test from 'node:test';

import { onPath, ProcessError, run } from '../src/installation/processes';
import { newFolder, program } from './support';

const folder = newFolder();
const options = { cwd: folder, timeoutMs: 20_000 };

test('a program gives what it prints, and its lines as they come', async () => {
  const command = program(path.join(folder, 'speak'), 'printf "one\\ntw"; echo o; echo aside >&2');
  const lines: string[] = [];
  const printed = await run({ command, args: [] }, { ...options, onLine: (line) => lines.push(line) });
  assert.equal(printed, 'one\ntwo\n');
  assert.deepEqual(lines.filter((line) => line !== 'aside'), ['one', 'two']);
});

test('how a program fails is reported, with its output', async () => {
  const command = program(path.join(folder, 'fail'), 'echo ERROR: no; exit 3');
  await assert.rejects(run({ command, args: [] }, options), (error) => {
    assert.ok(error instanceof ProcessError);
    assert.match(error.message, /ended with 3/);
    assert.match(error.output, /ERROR: no/);
    return true;
  });
  await assert.rejects(run({ command: path.join(folder, 'absent'), args: [] }, options), /does not start/);
});

test('nobody waits for a program that hangs, or for what it started', async () => {
  const command = program(path.join(folder, 'hang'), 'sleep 60 & sleep 60');
  await assert.rejects(run({ command, args: [] }, { ...options, timeoutMs: 200 }), /longer than 0.2 s/);
  const stopped = new AbortController();
  const running = run({ command, args: [] }, { ...options, signal: stopped.signal });
  stopped.abort();
  await assert.rejects(running, /was stopped/);
});

test('programs are found on the search path, but not in the folder one is in', async () => {
  const found = program(path.join(folder, 'bin', 'pincite'), 'true');
  const PATH = ['.', 'bin', path.join(folder, 'none'), path.join(folder, 'bin')].join(path.delimiter);
  assert.equal(await onPath('pincite', { PATH }), found);
  assert.equal(await onPath('pincite', { PATH: '.' }), undefined);
  assert.equal(await onPath('bin', { PATH: folder }), undefined);
});
