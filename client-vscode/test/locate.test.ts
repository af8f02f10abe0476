import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';

import { environmentsIn, pythonOf, writeStamp } from '../src/installation/environment';
import { environmentFor } from '../src/installation/install';
import { locate, type Places } from '../src/installation/locate';
import { newFolder, program, python } from './support';

const wheel = { file: 'pincite-0.1.0-py3-none-any.whl', version: '0.1.0', sha256: 'abcdef0123456789' };

/** Places with a server in each; what a test takes away makes the next one count. */
async function everywhere(): Promise<Places & { bin: string; active: string; own: string }> {
  const folder = newFolder();
  const bin = path.join(folder, 'bin');
  program(path.join(bin, 'pincite'), 'echo pincite 0.1.4');
  const environments = path.join(folder, 'environments');
  const own = environmentFor(wheel, environments);
  mkdirSync(own, { recursive: true });
  python(pythonOf(own), '3.12.1', '0.1.0');
  await writeStamp(own, { version: '0.1.0', wheel: wheel.sha256, base: '/usr/bin/python3' });
  const active = python(path.join(folder, 'chosen', 'python'), '3.11.0', '0.1.2');
  return {
    serverCommand: [program(path.join(folder, 'opt', 'pincite'), ''), 'serve', '--log'],
    interpreter: python(path.join(folder, 'named', 'python'), '3.11.0', '0.1.2'),
    activeInterpreter: () => Promise.resolve(active),
    environments,
    wheel,
    extensionVersion: '0.1.0',
    cwd: folder,
    processEnvironment: { PATH: bin },
    bin,
    active,
    own,
  };
}

async function command(places: Places): Promise<readonly string[] | string> {
  const located = await locate(places);
  if (located.kind === 'found') return [located.server.command, ...located.server.args];
  if (located.kind === 'wrong') return `${located.setting}: ${located.value} ${located.problem}`;
  return located.kind === 'none' ? 'none' : `earlier: ${located.meanwhile?.command ?? 'does not run'}`;
}

const module = ['-m', 'pincite', 'serve'];

test('the command of the author, then the Python of the author, then what is there, then ours', async () => {
  const all = await everywhere();
  assert.deepEqual(await command(all), [path.join(all.cwd, 'opt', 'pincite'), 'serve', '--log']);
  const unset = { ...all, serverCommand: [] };
  assert.deepEqual(await command(unset), [all.interpreter, ...module]);
  const chosen = { ...unset, interpreter: '' };
  assert.deepEqual(await command(chosen), [all.active, ...module]);
  const installed = { ...chosen, activeInterpreter: () => Promise.resolve(undefined) };
  assert.deepEqual(await command(installed), [path.join(all.bin, 'pincite'), 'serve']);
  const ours = { ...installed, processEnvironment: { PATH: '' } };
  assert.deepEqual(await command(ours), [pythonOf(all.own), '-I', ...module]);
  assert.equal(await command({ ...ours, environments: all.bin }), 'none');
});

test('a command that is no program is reported with its setting', async () => {
  const all = await everywhere();
  const found = (name: string): Promise<readonly string[] | string> => command({ ...all, serverCommand: [name, 'serve'] });
  assert.equal(await found('/no/such/program'), 'pincite.serverCommand: /no/such/program is not a program that can be run');
  assert.equal(await found('no-such-program'), 'pincite.serverCommand: no-such-program is not a program that can be run');
  assert.deepEqual(await found('pincite'), ['pincite', 'serve']);
});

test('a server of another series is passed over', async () => {
  const all = await everywhere();
  python(all.active, '3.11.0', '0.2.0');
  program(path.join(all.bin, 'pincite'), 'echo pincite 1.0.0');
  const places = { ...all, serverCommand: [], interpreter: '' };
  assert.deepEqual(await command(places), [pythonOf(all.own), '-I', ...module]);
});

test('a program on the search path that is no Pincite is passed over', async () => {
  const all = await everywhere();
  program(path.join(all.bin, 'pincite'), 'exit 1');
  const places = { ...all, serverCommand: [], interpreter: '', activeInterpreter: () => Promise.resolve(undefined) };
  assert.deepEqual(await command(places), [pythonOf(all.own), '-I', ...module]);
});

test('a Python in the settings that cannot be used is reported, not passed over', async () => {
  const all = { ...(await everywhere()), serverCommand: [] };
  assert.match(String(await command({ ...all, interpreter: '/no/python' })), /is not a working Python/);
  python(all.interpreter, '3.8.10', '0.1.0');
  assert.match(String(await command(all)), /is Python 3.8.10; Pincite needs 3.10 or newer/);
});

test('a Python in the settings without Pincite is for an environment of ours', async () => {
  const all = { ...(await everywhere()), serverCommand: [] };
  python(all.interpreter, '3.11.0', null);
  assert.equal(await command(all), 'none');
  await writeStamp(all.own, { version: '0.1.0', wheel: wheel.sha256, base: all.interpreter });
  assert.deepEqual(await command(all), [pythonOf(all.own), '-I', ...module]);
});

test('our environment of another wheel serves until it is upgraded; one whose Python is gone is made again', async () => {
  const all = await everywhere();
  const none = () => Promise.resolve(undefined);
  const places = { ...all, serverCommand: [], interpreter: '', activeInterpreter: none, processEnvironment: { PATH: '' } };
  assert.equal(await command({ ...places, wheel: { ...wheel, sha256: '99' } }), `earlier: ${pythonOf(all.own)}`);
  program(pythonOf(all.own), 'exit 127');
  assert.equal(await command(places), 'earlier: does not run');
});

test('an environment that was not finished is none', async () => {
  const folder = newFolder();
  python(pythonOf(path.join(folder, '0.1.0-abcdef01.77')), '3.12.1', '0.1.0');
  assert.deepEqual(await environmentsIn(folder), []);
  assert.deepEqual(await environmentsIn(path.join(folder, 'absent')), []);
});
