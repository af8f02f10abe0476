import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';

import { environmentsIn, probe, pythonOf } from '../src/installation/environment';
import { carriedWheel, failure, findBase, install, pipStep, pythonsOnPath, type Unfit } from '../src/installation/install';
import { ProcessError } from '../src/installation/processes';
import { newFolder, program, python } from './support';

const folder = newFolder();
const bin = path.join(folder, 'bin');

test('the wheel is found by its name, whatever its version', async () => {
  const bundled = newFolder();
  assert.equal(await carriedWheel(bundled), undefined);
  assert.equal(await carriedWheel(path.join(bundled, 'absent')), undefined);
  writeFileSync(path.join(bundled, 'pincite-0.3.1-py3-none-any.whl'), 'wheel');
  const wheel = await carriedWheel(bundled);
  assert.equal(wheel?.version, '0.3.1');
  assert.match(wheel.sha256, /^[0-9a-f]{64}$/);
});

test('the first Python that will do is taken; otherwise the nearest says what it lacks', async () => {
  const reason = async (PATH: string) => ((await findBase(pythonsOnPath({ PATH }), folder)) as Unfit).reason;
  assert.equal(await reason(path.join(folder, 'empty')), 'none');
  python(path.join(bin, 'python3'), '3.9.2', null);
  assert.equal(await reason(bin), 'too old');
  const answer = { executable: '/usr/bin/python3.11', version: '3.11.2', server: null, makesEnvironments: false };
  program(path.join(bin, 'python3.11'), `echo '${JSON.stringify(answer)}'`);
  assert.equal(await reason(bin), 'no environments');
  const good = python(path.join(bin, 'python3.10'), '3.10.4', null);
  assert.deepEqual(await findBase(pythonsOnPath({ PATH: bin }), folder), {
    executable: good,
    version: '3.10.4',
    server: null,
    makesEnvironments: true,
  });
});

test('this Python tells what it is', async () => {
  const found = await findBase(pythonsOnPath(), folder);
  assert.ok('executable' in found, 'these tests need a Python');
  const again = await probe({ command: found.executable, args: [] }, folder);
  assert.equal(again?.version, found.version);
});

test('a failed installation leaves nothing behind, and a stopped one neither', async () => {
  const environments = path.join(newFolder(), 'environments');
  const base = await findBase(pythonsOnPath(), folder);
  assert.ok('executable' in base, 'these tests need a Python');
  const file = path.join(folder, 'pincite-9.9.9-py3-none-any.whl');
  writeFileSync(file, 'not a wheel');
  const wheel = { file, version: '9.9.9', sha256: '0'.repeat(64) };
  const lines: string[] = [];
  const installation = { base, wheel, folder: environments, report: () => undefined, log: (line: string) => lines.push(line) };
  const failed = await install({ ...installation, signal: new AbortController().signal }).catch(failure);
  assert.match(failed, /wheel/i);
  assert.ok(lines.length > 2);
  assert.deepEqual(readdirSync(environments), []);
  await assert.rejects(install({ ...installation, signal: AbortSignal.abort() }), /was stopped/);
  assert.deepEqual(readdirSync(environments), []);
});

test('an installed server has its own Python and a stamp', { skip: offline() }, async () => {
  const environments = path.join(newFolder(), 'environments');
  const base = await findBase(pythonsOnPath(), folder);
  const wheel = await carriedWheel('bundled');
  assert.ok('executable' in base && wheel, 'these tests need a Python and the wheel');
  const steps: string[] = [];
  const signal = new AbortController().signal;
  const place = await install({ base, wheel, folder: environments, signal, report: (s) => steps.push(s), log: () => undefined });
  const [stamp] = await environmentsIn(environments);
  assert.deepEqual(stamp, { version: wheel.version, wheel: wheel.sha256, base: base.executable, folder: place });
  assert.equal((await probe({ command: pythonOf(place), args: ['-I'] }, folder))?.server, wheel.version);
  assert.equal(steps[0], 'Making an environment…');
  assert.equal(steps.at(-1), 'Installing…');
});

test('of what pip prints, the author is told what is fetched', () => {
  assert.equal(pipStep('Collecting numpy>=1.26 (from pincite==0.1.0)'), 'Fetching numpy…');
  assert.equal(pipStep('Installing collected packages: numpy, scipy'), 'Installing…');
  assert.equal(pipStep('  Using cached numpy-2.0-cp311.whl (18 MB)'), undefined);
});

test('why it failed is told in a line', () => {
  const tell = (output: string) => failure(new ProcessError('python ended with 1', output));
  assert.match(tell('WARNING: NewConnectionError(...)\nERROR: No matching distribution'), /could not be downloaded/);
  assert.match(tell('OSError: [Errno 28] No space left on device'), /disk is full/);
  assert.equal(tell('log\nERROR: Something else\nnotice: pip'), 'Something else');
  assert.equal(tell(''), 'python ended with 1');
  assert.equal(failure(new Error('no folder')), 'no folder');
});

/** The whole installation downloads packages: it is asked for by name. */
function offline(): string | false {
  return process.env.PINCITE_TEST_INSTALL === undefined && 'set PINCITE_TEST_INSTALL to download packages';
}
