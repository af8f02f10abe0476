// The messages when there is no server: once, and what to do.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, afterEach, before, test } from 'node:test';

import { Editor, pictureOfFailure, PYTHON, until } from './editor.mjs';

let editor, page;
before(async () => {
  // VSCODE_CLI: the editor would else take the search path from a login shell.
  const { HOME } = process.env;
  editor = await Editor.onExamples({ settings: { 'pincite.interpreter': '' }, environment: { HOME, PATH: '/nowhere', VSCODE_CLI: '1' } });
  page = editor.page;
}, { timeout: 120_000 });
after(() => editor?.stop());
afterEach((t) => pictureOfFailure(editor, t));

const comesTo = (status) => until(async () => (await editor.status())?.startsWith(status), 20_000, `the status is ${status}`);

/** Wait for a message, and until the extension has come to rest; return all messages. */
async function messages() {
  await until(async () => (await editor.notifications()).length > 0, 30_000, 'a message');
  // Further messages come before what is shown now.
  await editor.run('Pincite: Show logs');
  await page.locator('.part.panel .pane-body, .part.panel .content').first().waitFor();
  return editor.notifications();
}

/** Put all messages away and change settings; return the messages that appear then. */
async function messagesWith(settings, status) {
  await editor.run('Notifications: Clear All Notifications');
  await editor.configure(settings);
  await comesTo(status);
  return messages();
}

test('without a Python, that one is needed', async () => {
  await comesTo('Pincite needs Python 3.10 or newer');
  const [message, ...others] = await messages();
  assert.match(message, /^Pincite needs Python 3\.10 or newer\. None was found\. .*Look again/);
  assert.deepEqual(others, []);
  await same(/^Pincite needs Python 3\.10 or newer/);
  await editor.screenshot('no-python');
});

test('a command that does not exist', async () => {
  const settings = { 'pincite.serverCommand': ['/no/such/program'] };
  const wrong = 'The setting pincite.serverCommand is wrong';
  assert.deepEqual(await messagesWith(settings, wrong), [`${wrong}. “/no/such/program” is not a program that can be run.`]);
  await same(/^The setting pincite\.serverCommand is wrong/);
  await editor.screenshot('wrong-command');
  await editor.run('Notifications: Show Notifications');
  await page.locator('.notifications-center').getByRole('button', { name: 'Open settings' }).click();
  await page.locator('.settings-editor .setting-item-contents', { hasText: 'Server Command' }).first().waitFor();
  await page.locator('.tab.active .codicon-close').click();
});

test('who asks for suggestions then is shown what to do', async () => {
  await editor.run('Notifications: Clear All Notifications');
  await page.locator('.monaco-editor .view-lines').first().click();
  await editor.run('Pincite: Suggest citations here');
  await until(async () => (await editor.notifications()).some((text) => /^The setting pincite.serverCommand is wrong/.test(text)), 10_000, 'a message');
});

test('a command that fails', async () => {
  const settings = { 'pincite.serverCommand': ['/bin/false'] };
  const wrong = 'The setting pincite.serverCommand is wrong';
  assert.deepEqual(await messagesWith(settings, wrong),
    [`${wrong}. “/bin/false” ended before it answered as a Pincite server; the log shows why.`]);
});

test('an interpreter that is none', async () => {
  const settings = { 'pincite.interpreter': '/bin/false' };
  const wrong = 'The setting pincite.interpreter is wrong';
  assert.deepEqual(await messagesWith(settings, wrong), [`${wrong}. “/bin/false” is not a working Python.`]);
});

test('a setting that is mended is no longer reported', async () => {
  await editor.run('Notifications: Clear All Notifications');
  await editor.configure({ 'pincite.interpreter': PYTHON });
  await until(async () => /^\d+ entries, \d+ with full text/.test(await editor.status()), 30_000, 'the server, and its papers').catch(async (error) => {
    assert.fail(`${error.message}; the status is ${await editor.status()}`);
  });
  await until(async () => (await editor.notifications()).length === 0, 10_000, 'no progress is shown');
  assert.deepEqual(await editor.messages(), []);
  assert.doesNotMatch(await evidence(), /is wrong/);
});

test('a folder that does not exist is reported once, until it is there', async () => {
  const folder = path.join(editor.workspace, 'gone');
  await editor.configure({ 'pincite.interpreter': PYTHON, 'pincite.library.folders': [folder] });
  await comesTo('The setting pincite.library.folders is wrong');
  await until(async () => (await editor.notifications()).length, 10_000, 'a message');
  assert.deepEqual((await editor.notifications()).filter((text) => !/reading papers/.test(text)),
    [`The setting pincite.library.folders is wrong. “${folder}” does not exist.`]);
  await until(async () => /library.folders is wrong/.test(await evidence()), 10_000, 'the Evidence view shows it');
  await editor.screenshot('wrong-folder');
  await editor.run('Notifications: Clear All Notifications');
  fs.mkdirSync(folder);
  await until(async () => /^\d+ entries/.test(await editor.status()), 30_000, 'the folder');
  assert.deepEqual((await editor.messages()).filter((text) => !/reading papers/.test(text)), []);
});

test('a broken entry of a bibliography that is closed is a problem of the file, and counted', async () => {
  const file = editor.path('references.bib');
  fs.appendFileSync(file, '\n@misc{cut, title={Frogs and\n');
  await until(async () => /^\d+ entries, 1 broken/.test(await editor.status()), 30_000, 'the broken entry is counted');
  assert.ok((await editor.problems()).some((label) => /references\.bib/.test(label)));
  await editor.screenshot('broken-entry');
});

/** Status item, Evidence view and walkthrough show the same. */
async function same(title) {
  if (!(await evidence())) await editor.run('Pincite: Focus on Evidence View');
  await until(async () => title.test(await evidence()), 10_000, `the Evidence view shows ${title}`);
  assert.match(await editor.status(), title);
}

/** What the Evidence view shows. */
async function evidence() {
  const texts = await Promise.all(page.frames().map((frame) => frame.locator('main[aria-busy]').allInnerTexts().catch(() => [])));
  return texts.flat().join('\n');
}
