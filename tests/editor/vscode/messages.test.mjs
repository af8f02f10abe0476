// What the author is told when there is no server: once, and what to do.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { Editor, until } from './editor.mjs';

let editor, page;
before(async () => {
  // VSCODE_CLI: the editor would else take the search path from a login shell.
  const { HOME } = process.env;
  editor = await Editor.onExamples({ settings: { 'pincite.interpreter': '' }, environment: { HOME, PATH: '/nowhere', VSCODE_CLI: '1' } });
  page = editor.page;
}, { timeout: 120_000 });
after(() => editor?.stop());

/** Wait until the author is told something, and that the extension has come to rest; return all that is told. */
async function told(status) {
  await until(async () => (await editor.status())?.startsWith(status), 30_000, `the status is ${status}`);
  await until(async () => (await editor.notifications()).length > 0, 30_000, 'a message');
  // What else there was to tell comes before what is shown now.
  await editor.run('Pincite: Show logs');
  await page.locator('.part.panel .pane-body, .part.panel .content').first().waitFor();
  return editor.notifications();
}

/** Open the editor anew with other settings. */
async function reopen(settings) {
  const file = path.join(editor.home, 'data/User/settings.json');
  fs.writeFileSync(file, JSON.stringify({ ...JSON.parse(fs.readFileSync(file, 'utf8')), ...settings }));
  await page.reload({ waitUntil: 'domcontentloaded' });
  await page.waitForSelector('.monaco-editor .view-lines .view-line', { timeout: 60_000 });
}

test('without a Python, that one is needed', async () => {
  assert.deepEqual(await told('No server'), [
    'Pincite needs Python 3.10 or newer; none was found. Install one, or name it in the settings. Then run “Pincite: Restart server”.',
  ]);
  await editor.screenshot('no-python');
});

test('a command that does not exist', async () => {
  await reopen({ 'pincite.serverCommand': ['/no/such/program'] });
  assert.deepEqual(await told('Server stopped'), ['Pincite: the server did not start.']);
  await editor.screenshot('wrong-command');
});

test('who asks for suggestions then is told what to do', async () => {
  await page.locator('.monaco-editor .view-lines').first().click();
  await editor.run('Pincite: Suggest citations here');
  await until(async () => (await editor.notifications()).includes('The server of Pincite has stopped.'), 10_000, 'a message');
});

test('a command that fails', async () => {
  await reopen({ 'pincite.serverCommand': ['/bin/false'] });
  assert.deepEqual(await told('Server stopped'), ['Pincite: the server did not start.']);
});

test('an interpreter that is none', async () => {
  await reopen({ 'pincite.serverCommand': [], 'pincite.interpreter': '/bin/false' });
  assert.deepEqual(await told('No server'), ['Pincite: /bin/false is no Python that runs.']);
});
