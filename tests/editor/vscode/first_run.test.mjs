// A new profile with nothing but the extension: from the offer to install the server to ranked suggestions, and
// the start after that. Prints how long each step took.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, afterEach, test } from 'node:test';

import { Editor, eventually, pictureOfFailure, PYTHON, remove, scratchWithExamples, until } from './editor.mjs';

const GAP = 'shuffled ones \\citep{';
const { scratch, workspace, home } = scratchWithExamples();
const file = path.join(workspace, 'survey.tex');
const elsewhere = (folder) => !fs.existsSync(path.join(folder, 'pincite'));
const environment = { ...process.env, PATH: process.env.PATH.split(path.delimiter).filter(elsewhere).join(path.delimiter) };

let editor;
let ranking;
afterEach(async (t) => {
  await pictureOfFailure(editor, t);
  await editor?.stop();
});
after(() => remove(scratch));

/** Ask in an empty citation until the server suggests, and then until the papers are read. */
async function suggested() {
  const rows = await until(async () => {
    const list = await editor.suggest();
    return list.some(({ authorYear }) => authorYear !== '') && list;
  }, 60_000, 'suggestions of Pincite');
  const first = Date.now();
  assert.ok(rows.length > 3);
  ranking ??= await editor.ranking(GAP);
  await eventually(async () => (await editor.suggest()).slice(0, 10).map(({ key }) => key), ranking.slice(0, 10));
  return { first, ranked: Date.now(), rows };
}

/** What the Evidence view shows. */
async function evidence() {
  const texts = await Promise.all(editor.page.frames().map((frame) => frame.locator('main[aria-busy]').allInnerTexts().catch(() => [])));
  return texts.flat().join('\n');
}

/** Make a Python whose environments are this checkout's, so that nothing is downloaded; its pip waits until it may go on. */
function standInPython(name) {
  const [base, goOn] = [path.join(scratch, name), path.join(scratch, `${name}-goes-on`)];
  const program = (file, script) => {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  };
  const inside = `${base}-environment`;
  program(inside, `case "$*" in *"-m pip "*) until [ -e ${goOn} ]; do sleep 0.1; done ;; *) exec ${PYTHON} "$@" ;; esac`);
  program(base, `case "$*" in
    *"-m venv "*) for folder; do :; done; mkdir -p "$folder/bin" && cp "${inside}" "$folder/bin/python" ;;
    *) echo '${JSON.stringify({ executable: base, version: '3.12.1', server: null, makesEnvironments: true })}' ;; esac`);
  return { base, inside, goOn: () => { fs.writeFileSync(goOn, ''); } };
}

function print(t, steps) {
  let last;
  for (const [what, time] of steps) {
    if (last !== undefined) t.diagnostic(`${((time - last) / 1000).toFixed(1)} s  ${what}`);
    last = time;
  }
}

test('the server that the extension carries is installed, and suggests', { timeout: 600_000 }, async (t) => {
  editor = await Editor.start({ home, workspace, file, environment });
  await until(async () => (await editor.notifications()).some((text) => /It is installed once/.test(text)), 30_000, 'the offer');
  await editor.screenshot('offer');
  const pressed = Date.now();
  await editor.press('Install the Pincite server');
  await until(async () => (await editor.notifications()).some((text) => /Fetching/.test(text)), 60_000, 'what pip fetches');
  await until(() => editor.environments().length === 1, 300_000, 'the environment');
  const installed = Date.now();
  await editor.goBehind(GAP);
  const { first, ranked } = await suggested();
  await editor.screenshot('first-suggestions');
  assert.deepEqual(await editor.messages(), []);
  print(t, [['', pressed], ['to install', installed], ['from there to the first suggestions', first], ['until the papers are read', ranked]]);
  print(t, [['', pressed], ['from the offer to the first suggestions', first]]);
});

test('from then on it only has to start', { timeout: 180_000 }, async (t) => {
  editor = await Editor.start({ home, workspace, file, environment });
  const visible = Date.now();
  await editor.goBehind(GAP);
  const { first, ranked, rows } = await suggested();
  assert.ok(!rows[0].mark.includes('being read'), 'all papers are in the index');
  assert.deepEqual(await editor.messages(), []);
  assert.ok(!(await editor.offersCommand('Pincite: Install the server')));
  const [host] = editor.logged('remoteexthost.log', 'started');
  const [activates] = editor.logged('remoteexthost.log', 'pincite.pincite');
  const [found] = editor.logged('Pincite.log', 'server as last time');
  const [runs] = editor.logged('Pincite.log', 'runs');
  print(t, [['', visible], ['from the draft on the screen to suggestions', first]]);
  print(t, [['', activates], ['of these since Pincite is activated', first]]);
  print(t, [['', visible], ['until the extension host runs', host], ['until Pincite is activated', activates],
    ['until it starts the server', found], ['until that runs', runs], ['until it has suggested', first], ['until the papers are looked at', ranked]]);
});

test('a server that is gone is offered again, and installed by a command as well; status item and Evidence view show it', { timeout: 600_000 }, async () => {
  const { base, goOn } = standInPython('slow-python');
  const [name] = editor.environments();
  await remove(path.join(home, 'data/User/globalStorage/pincite.pincite/environments', name));
  editor = await Editor.start({ home, workspace, file, environment, settings: { 'pincite.interpreter': base } });
  await until(async () => (await editor.notifications()).some((text) => /It is installed once/.test(text)), 60_000, 'the offer');
  assert.equal((await editor.messages()).length, 1);
  assert.ok(await editor.offersCommand('Pincite: Install the server'));
  await editor.run('Pincite: Install the server');
  await editor.run('Pincite: Focus on Evidence View');
  await until(async () => /Installing the Pincite server/.test(await evidence()), 60_000, 'the Evidence view');
  assert.match(await editor.status(), /^Installing the Pincite server/);
  await editor.screenshot('installing');
  goOn();
  await until(() => editor.environments().length === 1, 300_000, 'the environment');
  await editor.goBehind(GAP);
  await suggested();
});

test('without a connection one message states why, and offers to try again', { timeout: 300_000 }, async () => {
  const other = path.join(scratch, 'offline');
  const nowhere = 'http://127.0.0.1:9/simple';
  const offline = { ...environment, PIP_INDEX_URL: nowhere, UV_DEFAULT_INDEX: nowhere, PIP_RETRIES: '0', UV_HTTP_RETRIES: '0' };
  editor = await Editor.start({ home: other, workspace, file, environment: offline });
  await until(async () => (await editor.notifications()).some((text) => /It is installed once/.test(text)), 60_000, 'the offer');
  await editor.press('Install the Pincite server');
  await until(async () => (await editor.notifications()).some((text) => /could not be installed/.test(text)), 200_000, 'why not');
  const [message, ...others] = await editor.messages();
  assert.match(message, /^The Pincite server could not be installed\. .*connection/);
  assert.deepEqual(others, []);
  await editor.run('Pincite: Focus on Evidence View');
  await until(async () => /could not be installed[^]*Try again/.test(await evidence()), 10_000, 'the Evidence view');
  await editor.screenshot('offline');
});

test('an earlier server serves while it is upgraded, without a question', { timeout: 180_000 }, async () => {
  const other = path.join(scratch, 'upgraded');
  const environments = path.join(other, 'data/User/globalStorage/pincite.pincite/environments');
  const earlier = path.join(environments, '0.0.9-0123abcd');
  const { base, inside, goOn } = standInPython('python');
  fs.mkdirSync(path.join(earlier, 'bin'), { recursive: true });
  fs.copyFileSync(inside, path.join(earlier, 'bin/python'));
  fs.writeFileSync(path.join(earlier, 'pincite.json'), JSON.stringify({ version: '0.0.9', wheel: '0123abcd', base }));

  editor = await Editor.start({ home: other, workspace, file, settings: { 'pincite.interpreter': base } });
  await until(async () => (await editor.notifications()).some((text) => /Upgrading the Pincite server/.test(text)), 30_000, 'the upgrade');
  await editor.screenshot('upgrading');
  assert.equal(editor.environments().length, 1);
  await editor.goBehind(GAP);
  await suggested();
  goOn();
  await until(() => editor.environments().some((name) => !name.startsWith('0.0.9')), 30_000, 'the environment');
  await until(() => editor.logged('Pincite.log', 'server from the environment of the extension').length, 30_000, 'the new server');
  await suggested();
  assert.deepEqual(await editor.messages(), []);
});
