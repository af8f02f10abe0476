import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';

import { environmentsIn, probe, pythonOf } from '../src/installation/environment';
import { carriedWheel, failure, findBase, findUv, install, InstallationSteps, pythonsOnPath, type Unfit } from '../src/installation/install';
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

test('the first Python that will do is taken; otherwise the error names what the nearest lacks', async () => {
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

test('this Python reports what it is', async () => {
  const found = await findBase(pythonsOnPath(), folder);
  assert.ok('executable' in found, 'these tests need a Python');
  const again = await probe({ command: found.executable, args: [] }, folder);
  assert.equal(again?.version, found.version);
});

test('a failed installation leaves nothing behind, nor does a stopped one', async () => {
  const environments = path.join(newFolder(), 'environments');
  const base = await findBase(pythonsOnPath(), folder);
  assert.ok('executable' in base, 'these tests need a Python');
  const file = path.join(folder, 'pincite-9.9.9-py3-none-any.whl');
  writeFileSync(file, 'not a wheel');
  const wheel = { file, version: '9.9.9', sha256: '0'.repeat(64) };
  const lines: string[] = [];
  const installation = { base, uv: undefined, wheel, folder: environments, report: () => undefined, log: (line: string) => lines.push(line) };
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
  const place = await install({ base, uv: await findUv(), wheel, folder: environments, signal, report: (s) => steps.push(s), log: () => undefined });
  const [stamp] = await environmentsIn(environments);
  assert.deepEqual(stamp, { version: wheel.version, wheel: wheel.sha256, base: base.executable, folder: place });
  assert.equal((await probe({ command: pythonOf(place), args: ['-I'] }, folder))?.server, wheel.version);
  assert.equal(steps[0], 'Creating an environment…');
  assert.match(steps.at(-1) ?? '', /^Installing about \d+ MB…$/);
});

test('of what pip and uv print, the author is shown what is fetched, by its purpose, and how much of all', () => {
  const pip = new InstallationSteps();
  assert.equal(pip.message('Collecting numpy>=1.26 (from pincite==0.1.0)'), 'Fetching arithmetic…');
  assert.equal(pip.message('  Downloading numpy-2.4.6-cp311-cp311-manylinux_2_28_x86_64.whl (16.9 MB)'), 'Fetching arithmetic, 17 MB (17 of about 40 MB)…');
  assert.equal(pip.message('  Downloading attrs-26.1.0-py3-none-any.whl (67 kB)'), 'Fetching the link to the editor, less than 1 MB (17 of about 40 MB)…');
  assert.equal(pip.message('Installing collected packages: numpy, scipy'), 'Installing about 130 MB…');
  assert.equal(pip.message('  Using cached numpy-2.0-cp311.whl (18 MB)'), undefined);
  const uv = new InstallationSteps();
  assert.equal(uv.message('Downloading pydantic-core (2.2MiB)'), 'Fetching a small library, 2 MB (2 of about 40 MB)…');
  assert.equal(uv.message('Prepared 29 packages in 981ms'), 'Installing about 130 MB…');
  assert.equal(uv.message(' + numpy==2.4.6'), undefined);
});

test('uv makes do with a Python that cannot make environments; where it fails, pip is used', async () => {
  const answer = { executable: path.join(bin, 'bare'), version: '3.12.2', server: null, makesEnvironments: false };
  const bare = program(path.join(folder, 'bare'), `echo '${JSON.stringify(answer)}'`);
  const candidates = [{ command: bare, args: [] }];
  assert.ok('reason' in (await findBase(candidates, folder)));
  assert.deepEqual(await findBase(candidates, folder, '/usr/bin/uv'), answer);

  const environments = path.join(newFolder(), 'environments');
  const uv = program(path.join(folder, 'uv'), 'exit 3');
  // A Python that does as pip would.
  const base = program(path.join(folder, 'base'), 'case "$*" in *ensurepip*) exit 1 ;; esac; for made; do :; done; mkdir -p "$made/bin" && cp "$0" "$made/bin/python"');
  const lines: string[] = [];
  const interpreter = { executable: base, version: '3.12.2', server: null, makesEnvironments: true };
  const wheel = { file: 'pincite-1.2.3-py3-none-any.whl', version: '1.2.3', sha256: '0'.repeat(64) };
  const signal = new AbortController().signal;
  const installation = { base: interpreter, uv, wheel, folder: environments, signal, report: () => undefined, log: (line: string) => lines.push(line) };
  await install(installation);
  assert.ok(lines.some((line) => line.startsWith('uv failed, so pip is used')));
  assert.equal((await environmentsIn(environments)).length, 1);
  lines.length = 0;
  await install({ ...installation, uv: program(path.join(folder, 'uv'), 'for made; do :; done; case "$1" in venv) mkdir -p "$made" ;; esac') });
  assert.ok(!lines.some((line) => / -m pip | -m venv /.test(line)));
});

test('why it failed is reported in a line', () => {
  const reason = (output: string) => failure(new ProcessError('python ended with 1', output));
  assert.match(reason('WARNING: NewConnectionError(...)\nERROR: No matching distribution'), /could not be downloaded/);
  assert.match(reason('OSError: [Errno 28] No space left on device'), /disk is full/);
  assert.equal(reason('log\nERROR: Something else\nnotice: pip'), 'Something else');
  assert.equal(reason(''), 'python ended with 1');
  assert.equal(failure(new Error('no folder')), 'no folder');
});

/** The whole installation downloads packages: it is asked for by name. */
function offline(): string | false {
  return process.env.PINCITE_TEST_INSTALL === undefined && 'set PINCITE_TEST_INSTALL to download packages';
}
